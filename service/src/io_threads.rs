//! The threads that serve connections: a current-thread runtime each, so that the replies of
//! a connection are written together and nothing moves between processors. A new connection
//! goes to the thread with the fewest.

use std::io::{self, IoSlice};
use std::net::TcpStream as StdTcpStream;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::thread;
use std::time::Duration;

use prometheus_client::metrics::gauge::Gauge;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime;
use tokio::sync::{mpsc, oneshot};
use tokio_stream::StreamExt;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;
use tonic::transport::Server;
use tonic::transport::server::{Connected, TcpConnectInfo};

use crate::grpc::EdgeLayer;

/// Calls at once on a connection.
const MAX_CONCURRENT_STREAMS: u32 = 1024;
/// Streams that a client may reset before they are accepted, and that the server may reset
/// for errors, before the connection is closed. hyper's own defaults, which tonic drops.
const MAX_RESET_STREAMS: usize = 20;
const MAX_LOCAL_ERROR_RESET_STREAMS: usize = 1024;
/// The headers of a request in bytes.
const MAX_HEADER_BYTES: u32 = 16 << 10;
/// Flow control windows: a full batch goes out without waiting for the other side.
const STREAM_WINDOW_BYTES: u32 = 2 << 20;
const CONNECTION_WINDOW_BYTES: u32 = 4 << 20;
/// A silent connection is asked whether it is still there, and closed without an answer.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(30);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(20);
/// The bytes that every HTTP/2 connection begins with, and how long they may take. Until they
/// are there, a connection is not asked whether it is still there, and would not end with the
/// server.
const PREFACE_BYTES: usize = 24;
const PREFACE_TIMEOUT: Duration = Duration::from_secs(10);
/// After an accept that failed, usually for want of file descriptors.
const ACCEPT_RETRY: Duration = Duration::from_millis(50);

/// The running threads.
#[derive(Debug)]
pub(crate) struct IoThreads {
    threads: Vec<IoThread>,
}

#[derive(Debug)]
struct IoThread {
    connections: mpsc::UnboundedSender<Connection>,
    open: Arc<AtomicUsize>,
    ended: oneshot::Receiver<()>,
}

impl IoThreads {
    /// Starts the threads. They drain their connections and end once `stopping` is cancelled.
    pub(crate) fn start(
        count: usize,
        routes: &Routes,
        edge: &EdgeLayer,
        stopping: &CancellationToken,
    ) -> io::Result<Self> {
        let threads = (0..count.max(1))
            .map(|number| IoThread::start(number, routes.clone(), edge.clone(), stopping.clone()))
            .collect::<io::Result<_>>()?;
        Ok(Self { threads })
    }

    /// Hands out connections until `stopping` is cancelled.
    pub(crate) async fn accept(
        &self,
        listener: TcpListener,
        open: &Gauge,
        stopping: &CancellationToken,
    ) {
        loop {
            let accepted = tokio::select! {
                () = stopping.cancelled() => return,
                accepted = listener.accept() => accepted,
            };
            let handed_out = accepted
                .and_then(|(stream, _)| {
                    stream.set_nodelay(true)?;
                    stream.into_std()
                })
                .map(|stream| self.hand_out(stream, open));
            if let Err(error) = handed_out {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_RETRY).await;
            }
        }
    }

    fn hand_out(&self, stream: StdTcpStream, open: &Gauge) {
        let idlest = self
            .threads
            .iter()
            .min_by_key(|thread| thread.open.load(Ordering::Relaxed))
            .expect("invariant: at least one thread");
        let connection = Connection {
            stream,
            open: Open::new(Arc::clone(&idlest.open), open.clone()),
        };
        // A thread that has ended drops the connection: the server is stopping.
        let _ = idlest.connections.send(connection);
    }

    /// Waits until all threads have ended.
    pub(crate) async fn ended(self) {
        for thread in self.threads {
            // An error means that the thread is gone, which is as well.
            let _ = thread.ended.await;
        }
    }
}

impl IoThread {
    fn start(
        number: usize,
        routes: Routes,
        edge: EdgeLayer,
        stopping: CancellationToken,
    ) -> io::Result<Self> {
        let (connections, accepted) = mpsc::unbounded_channel();
        let (end, ended) = oneshot::channel();
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        thread::Builder::new()
            .name(format!("io-{number}"))
            .spawn(move || {
                if let Err(error) = runtime.block_on(serve(accepted, routes, edge, stopping)) {
                    tracing::error!(%error, "an I/O thread failed");
                }
                drop(end);
            })?;
        Ok(Self {
            connections,
            open: Arc::default(),
            ended,
        })
    }
}

async fn serve(
    accepted: mpsc::UnboundedReceiver<Connection>,
    routes: Routes,
    edge: EdgeLayer,
    stopping: CancellationToken,
) -> Result<(), tonic::transport::Error> {
    let of_connections = stopping.clone();
    let incoming = UnboundedReceiverStream::new(accepted)
        .map(move |connection| connection.register(of_connections.clone()));
    Server::builder()
        .layer(edge)
        .max_concurrent_streams(MAX_CONCURRENT_STREAMS)
        .http2_max_pending_accept_reset_streams(Some(MAX_RESET_STREAMS))
        .http2_max_local_error_reset_streams(Some(MAX_LOCAL_ERROR_RESET_STREAMS))
        .http2_max_header_list_size(MAX_HEADER_BYTES)
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .http2_keepalive_interval(Some(KEEPALIVE_INTERVAL))
        .http2_keepalive_timeout(Some(KEEPALIVE_TIMEOUT))
        .add_routes(routes)
        .serve_with_incoming_shutdown(incoming, stopping.cancelled_owned())
        .await
}

/// An accepted connection on its way to its thread.
#[derive(Debug)]
struct Connection {
    stream: StdTcpStream,
    open: Open,
}

impl Connection {
    /// The connection on the runtime of this thread.
    fn register(self, stopping: CancellationToken) -> io::Result<CountedStream> {
        Ok(CountedStream {
            stream: TcpStream::from_std(self.stream)?,
            preface: Some(Preface {
                missing: PREFACE_BYTES,
                waiting: Some(Box::pin(async move {
                    // Both are reasons to stop waiting.
                    let _ = tokio::time::timeout(PREFACE_TIMEOUT, stopping.cancelled()).await;
                })),
            }),
            _open: self.open,
        })
    }
}

/// Counts a connection while it lives.
#[derive(Debug)]
struct Open {
    of_thread: Arc<AtomicUsize>,
    of_server: Gauge,
}

impl Open {
    fn new(of_thread: Arc<AtomicUsize>, of_server: Gauge) -> Self {
        of_thread.fetch_add(1, Ordering::Relaxed);
        of_server.inc();
        Self {
            of_thread,
            of_server,
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.of_thread.fetch_sub(1, Ordering::Relaxed);
        self.of_server.dec();
    }
}

/// A TCP stream that is counted while it lives, and that ends if it does not begin.
struct CountedStream {
    stream: TcpStream,
    /// What is still missing before the connection has begun.
    preface: Option<Preface>,
    _open: Open,
}

struct Preface {
    missing: usize,
    /// `None` once the waiting is over.
    waiting: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl Preface {
    fn poll_given_up(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let Some(waiting) = &mut self.waiting {
            ready!(waiting.as_mut().poll(cx));
            self.waiting = None;
        }
        Poll::Ready(())
    }
}

impl Connected for CountedStream {
    type ConnectInfo = TcpConnectInfo;

    fn connect_info(&self) -> TcpConnectInfo {
        self.stream.connect_info()
    }
}

impl AsyncRead for CountedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let Some(preface) = &mut this.preface else {
            return Pin::new(&mut this.stream).poll_read(cx, buffer);
        };
        let before = buffer.filled().len();
        let read = Pin::new(&mut this.stream).poll_read(cx, buffer);
        if read.is_pending() && preface.poll_given_up(cx).is_ready() {
            // To whoever reads, the client has closed the connection.
            return Poll::Ready(Ok(()));
        }
        let new = buffer.filled().len() - before;
        preface.missing = preface.missing.saturating_sub(new);
        if preface.missing == 0 {
            this.preface = None;
        }
        read
    }
}

impl AsyncWrite for CountedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buffer)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffers: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, buffers)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
