//! One HTTP/2 connection to a server.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::io;
use std::rc::Rc;

use bytes::{Buf, Bytes, BytesMut};
use h2::client::{ResponseFuture, SendRequest};
use h2::{RecvStream, SendStream};
use http::Response;
use tokio::sync::Notify;

use super::failure::Failure;
use super::frame::{self, FrameError, PREFIX};
use super::rpc::Rpc;
use super::status::{self, Ending};
use super::target::{Stream, Target};

/// Windows so large that they never hold a reply back: the figure is the server's, not theirs.
const STREAM_WINDOW: u32 = 8 << 20;
const CONNECTION_WINDOW: u32 = 64 << 20;
/// The largest frame: an answer to a full batch comes as one.
const MAX_FRAME: u32 = 1 << 20;

/// Streams below the peer's limit that are left unused: at the limit itself, h2 and hyper have
/// had clients that hang.
const SPARE_STREAMS: usize = 1;

/// An open connection. Its clones share it.
#[derive(Clone)]
pub(crate) struct Link {
    send: SendRequest<Bytes>,
    target: Rc<Target>,
    state: Rc<State>,
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Link").field(&self.target).finish()
    }
}

#[derive(Debug, Default)]
struct State {
    /// Why the connection ended; empty while it has not.
    ended: RefCell<Option<String>>,
    ending: Notify,
    received: Cell<u64>,
    sent: Cell<u64>,
}

/// What to keep of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// The message.
    Message,
    /// Only its size.
    Size,
}

/// A successful answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    /// The message; empty unless it was to be kept.
    pub(crate) message: Bytes,
}

/// An open call whose answer is a stream.
#[derive(Debug)]
pub(crate) struct OpenCall {
    /// Where requests go.
    pub(crate) requests: SendStream<Bytes>,
    /// Where the answer comes from.
    pub(crate) answer: ResponseFuture,
}

impl Link {
    /// Makes a connection out of a stream of bytes. It lives until its last clone is dropped.
    ///
    /// Must be called within a `LocalSet`.
    ///
    /// # Errors
    ///
    /// If the stream fails.
    pub(crate) async fn open(stream: Box<dyn Stream>, target: Rc<Target>) -> io::Result<Self> {
        let (send, connection) = h2::client::Builder::new()
            .initial_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_frame_size(MAX_FRAME)
            .enable_push(false)
            .handshake::<_, Bytes>(stream)
            .await
            .map_err(|error| {
                error
                    .into_io()
                    .unwrap_or_else(|| io::Error::other("the HTTP/2 handshake failed"))
            })?;
        let state = Rc::new(State::default());
        let driver = Rc::clone(&state);
        tokio::task::spawn_local(async move {
            let why = match connection.await {
                Ok(()) => "the server closed the connection".to_owned(),
                Err(error) => error.to_string(),
            };
            driver.ended.replace(Some(why));
            driver.ending.notify_waiters();
        });
        Ok(Self {
            send,
            target,
            state,
        })
    }

    /// The most calls that may be in flight, as the peer has told so far.
    pub(crate) fn max_in_flight(&self) -> usize {
        self.send
            .current_max_send_streams()
            .saturating_sub(SPARE_STREAMS)
            .max(1)
    }

    /// Whether this is the same connection as another.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.state, &other.state)
    }

    /// Whether the connection has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.state.ended.borrow().is_some()
    }

    /// Waits until the connection has ended; why it did.
    pub(crate) async fn closed(&self) -> String {
        loop {
            let ending = self.state.ending.notified();
            if let Some(why) = &*self.state.ended.borrow() {
                return why.clone();
            }
            ending.await;
        }
    }

    /// Lets go of the connection and waits until it has ended.
    pub(crate) async fn close(self) {
        let Self { send, state, .. } = self;
        // It ends when nobody could make a call any more.
        drop(send);
        let ending = state.ending.notified();
        if state.ended.borrow().is_none() {
            ending.await;
        }
    }

    /// Bytes of messages received and sent.
    pub(crate) fn transferred(&self) -> (u64, u64) {
        (self.state.received.get(), self.state.sent.get())
    }

    /// Makes a call with one request and one reply. Dropped before it ends, it is cancelled.
    ///
    /// # Errors
    ///
    /// [`Failure`].
    pub(crate) async fn unary(
        &mut self,
        rpc: Rpc,
        request: Bytes,
        keep: Keep,
    ) -> Result<Reply, Failure> {
        let OpenCall {
            mut requests,
            answer,
        } = self.open_call(rpc).await?;
        self.count_sent(request.len());
        // Beyond the windows, h2 keeps the rest until there is room.
        requests.send_data(request, true)?;
        let answer = accept(answer.await?)?;
        let Some(mut body) = answer else {
            return Err(Failure::NotGrpc("no message".to_owned()));
        };
        let received = match keep {
            Keep::Message => self.message(&mut body).await?,
            Keep::Size => self.size(&mut body).await?,
        };
        finish(body.trailers().await?.as_ref())?;
        Ok(Reply {
            message: received.ok_or_else(|| Failure::NotGrpc("no message".to_owned()))?,
        })
    }

    /// Opens a call whose answer is a stream.
    ///
    /// # Errors
    ///
    /// [`Failure`].
    pub(crate) async fn open_call(&mut self, rpc: Rpc) -> Result<OpenCall, Failure> {
        poll_fn(|cx| self.send.poll_ready(cx))
            .await
            .map_err(|error| Failure::unsent(&error))?;
        let (answer, requests) = self
            .send
            .send_request(self.target.request(rpc), false)
            .map_err(|error| Failure::unsent(&error))?;
        Ok(OpenCall { requests, answer })
    }

    /// The next chunk of a reply, taken out of the windows.
    ///
    /// # Errors
    ///
    /// [`Failure`].
    pub(crate) async fn chunk(&self, body: &mut RecvStream) -> Result<Option<Bytes>, Failure> {
        let Some(chunk) = body.data().await else {
            return Ok(None);
        };
        let chunk = chunk?;
        body.flow_control().release_capacity(chunk.len())?;
        let received = &self.state.received;
        received.set(received.get() + chunk.len() as u64);
        Ok(Some(chunk))
    }

    /// Counts bytes of requests.
    pub(crate) fn count_sent(&self, bytes: usize) {
        let sent = &self.state.sent;
        sent.set(sent.get() + bytes as u64);
    }

    /// The only message of a body; `None` if the body is empty.
    async fn message(&self, body: &mut RecvStream) -> Result<Option<Bytes>, Failure> {
        let Some(first) = self.chunk(body).await? else {
            return Ok(None);
        };
        let mut whole = first;
        if let Some(second) = self.chunk(body).await? {
            let mut chunks = BytesMut::from(whole);
            chunks.extend_from_slice(&second);
            while let Some(chunk) = self.chunk(body).await? {
                chunks.extend_from_slice(&chunk);
            }
            whole = chunks.freeze();
        }
        let prefix = *whole.first_chunk::<PREFIX>().ok_or(FrameError::Length)?;
        whole.advance(PREFIX);
        if whole.len() == frame::announced(prefix)? {
            Ok(Some(whole))
        } else {
            Err(FrameError::Length.into())
        }
    }

    /// Reads as [`Self::message`] and keeps nothing.
    async fn size(&self, body: &mut RecvStream) -> Result<Option<Bytes>, Failure> {
        let mut prefix = [0; PREFIX];
        let mut length = 0;
        while let Some(chunk) = self.chunk(body).await? {
            let missing = prefix.iter_mut().skip(length);
            missing.zip(&chunk).for_each(|(to, from)| *to = *from);
            length += chunk.len();
        }
        if length == 0 {
            Ok(None)
        } else if length == PREFIX + frame::announced(prefix)? {
            Ok(Some(Bytes::new()))
        } else {
            Err(FrameError::Length.into())
        }
    }
}

/// The body of an answer; `None` if it ended with a status in its headers.
///
/// # Errors
///
/// [`Failure`], for an answer that is not gRPC or tells of an error.
pub(crate) fn accept(answer: Response<RecvStream>) -> Result<Option<RecvStream>, Failure> {
    let (head, body) = answer.into_parts();
    match status::ending(&head.headers) {
        Ending::Failed(status) => return Err(Failure::Status(status)),
        Ending::Ok => return Ok(None),
        Ending::Absent => {}
    }
    let content_type = head.headers.get(http::header::CONTENT_TYPE);
    let is_grpc =
        content_type.is_some_and(|value| value.as_bytes().starts_with(b"application/grpc"));
    if head.status == http::StatusCode::OK && is_grpc {
        Ok(Some(body))
    } else {
        Err(Failure::NotGrpc(format!("HTTP status {}", head.status)))
    }
}

/// Reads the trailers of an answer.
///
/// # Errors
///
/// [`Failure`], unless they say that the call succeeded.
pub(crate) fn finish(trailers: Option<&http::HeaderMap>) -> Result<(), Failure> {
    match trailers.map_or(Ending::Absent, status::ending) {
        Ending::Ok => Ok(()),
        Ending::Failed(status) => Err(Failure::Status(status)),
        Ending::Absent => Err(Failure::NotGrpc("no grpc-status".to_owned())),
    }
}

#[cfg(test)]
mod tests;
