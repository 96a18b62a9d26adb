//! The answer of a call that is a stream of messages.

use bytes::Bytes;
use h2::RecvStream;
use h2::client::ResponseFuture;

use super::failure::Failure;
use super::frame::{FrameError, Messages};
use super::link::{Link, accept, finish};

/// Messages as they arrive. Dropped, it cancels the call.
#[derive(Debug)]
pub(crate) struct Incoming {
    link: Link,
    body: Option<RecvStream>,
    messages: Messages,
}

impl Incoming {
    /// Waits until the server has begun to answer.
    ///
    /// # Errors
    ///
    /// [`Failure`].
    pub(crate) async fn accept(link: Link, answer: ResponseFuture) -> Result<Self, Failure> {
        Ok(Self {
            link,
            body: accept(answer.await?)?,
            messages: Messages::default(),
        })
    }

    /// The next message; `None` after the last one of a call that succeeded.
    ///
    /// # Errors
    ///
    /// [`Failure`]; there are no more messages then.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, Failure> {
        loop {
            if let Some(message) = self.messages.next()? {
                return Ok(Some(message));
            }
            let Some(body) = &mut self.body else {
                return Ok(None);
            };
            if let Some(chunk) = self.link.chunk(body).await? {
                self.messages.push(chunk);
                continue;
            }
            finish(body.trailers().await?.as_ref())?;
            self.body = None;
            if !self.messages.is_empty() {
                return Err(FrameError::Length.into());
            }
        }
    }
}
