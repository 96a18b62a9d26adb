//! A connection, from its first byte to its last.

use std::future;
use std::io;
use std::net::TcpStream as StdTcpStream;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hyper::server::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use prometheus_client::metrics::gauge::Gauge;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time;
use tokio_util::sync::CancellationToken;

use super::begun::Begun;
use super::gather::Gather;
use crate::grpc::Edge;
use crate::tls::{self, Tls};

/// Calls at once on a connection.
const MAX_CONCURRENT_STREAMS: u32 = 1024;
/// Streams that a client may reset before they are accepted, and that the server may reset
/// for errors, before the connection is closed. hyper's own defaults, stated because much
/// depends on them.
const MAX_RESET_STREAMS: usize = 20;
const MAX_LOCAL_ERROR_RESET_STREAMS: usize = 1024;
/// The headers of a request in bytes.
const MAX_HEADER_BYTES: u32 = 16 << 10;
/// Flow control windows: a full batch comes in without waiting for this side.
const STREAM_WINDOW_BYTES: u32 = 2 << 20;
const CONNECTION_WINDOW_BYTES: u32 = 4 << 20;
/// The largest frame: a full batch comes in as one, and so in few reads of the socket. With
/// frames of 16 KiB, the default, a batch of 16,384 takes twice as long.
const MAX_FRAME_BYTES: u32 = 1 << 20;
/// A silent connection is asked whether it is still there, and closed without an answer.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(30);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(20);
/// The bytes that every HTTP/2 connection begins with, and how long they may take. Until they
/// are there, a connection is not asked whether it is still there.
const PREFACE_BYTES: usize = 24;
const PREFACE_TIMEOUT: Duration = Duration::from_secs(10);
/// While a part of the preface is there, when to look for the rest.
const PREFACE_LOOK: Duration = Duration::from_millis(20);

/// HTTP/2 as this server speaks it.
#[derive(Clone, Debug)]
pub(super) struct Protocol(http2::Builder<TokioExecutor>);

impl Protocol {
    pub(super) fn new() -> Self {
        let mut builder = http2::Builder::new(TokioExecutor::new());
        builder
            .timer(TokioTimer::new())
            .auto_date_header(false)
            .max_concurrent_streams(MAX_CONCURRENT_STREAMS)
            .max_pending_accept_reset_streams(MAX_RESET_STREAMS)
            .max_local_error_reset_streams(MAX_LOCAL_ERROR_RESET_STREAMS)
            .max_header_list_size(MAX_HEADER_BYTES)
            .max_frame_size(MAX_FRAME_BYTES)
            .initial_stream_window_size(STREAM_WINDOW_BYTES)
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .keep_alive_interval(KEEPALIVE_INTERVAL)
            .keep_alive_timeout(KEEPALIVE_TIMEOUT);
        Self(builder)
    }
}

/// An accepted connection.
#[derive(Debug)]
pub(super) struct Connection {
    stream: StdTcpStream,
    open: Open,
}

impl Connection {
    pub(super) const fn new(stream: StdTcpStream, open: Open) -> Self {
        Self { stream, open }
    }

    /// Serves the connection on this thread until the client closes it, or until the server
    /// stops and its last call has ended.
    pub(super) async fn serve(self, shared: Shared) {
        let Self { stream, open } = self;
        let served = match TcpStream::from_std(stream) {
            Ok(stream) => shared.serve(stream).await,
            Err(error) => Err(error),
        };
        if let Err(error) = served {
            tracing::debug!(%error, "a connection could not be served");
        }
        drop(open);
    }
}

/// What the connections of a thread are served with.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    pub(super) protocol: Protocol,
    pub(super) edge: Edge,
    pub(super) tls: Option<Tls>,
    pub(super) age: Age,
    pub(super) stopping: CancellationToken,
}

impl Shared {
    async fn serve(self, stream: TcpStream) -> io::Result<()> {
        if !began(&stream, &self.stopping).await {
            return Ok(());
        }
        let Some(tls) = &self.tls else {
            let edge = self.edge.clone();
            self.calls(stream, edge).await;
            return Ok(());
        };
        let mut stream = tokio::select! {
            () = self.stopping.cancelled() => return Ok(()),
            stream = tls.accept(stream) => stream?,
        };
        let edge = self.edge.for_peer(tls::tenant(&stream));
        // Who shakes hands and then is silent is not waited for either.
        let preface = time::timeout(PREFACE_TIMEOUT, read_preface(&mut stream));
        let preface = tokio::select! {
            () = self.stopping.cancelled() => return Ok(()),
            preface = preface => preface??,
        };
        self.calls(Begun::new(preface, stream), edge).await;
        Ok(())
    }

    async fn calls(self, stream: impl AsyncRead + AsyncWrite + Unpin, edge: Edge) {
        let stream = TokioIo::new(Gather::new(stream));
        let mut connection = pin!(self.protocol.0.serve_connection(stream, edge));
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = self.stopping.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
            () = self.age.reached() => {
                // The client opens another one, perhaps to another server, and its calls here end.
                connection.as_mut().graceful_shutdown();
                match time::timeout(self.age.grace, connection).await {
                    Ok(ended) => ended,
                    Err(_) => return,
                }
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection ended with an error");
        }
    }
}

/// How old connections may become, so that clients that stay find new servers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Age {
    /// Without one, any age.
    pub(crate) most: Option<Duration>,
    /// How long the calls of an old connection may take to end.
    pub(crate) grace: Duration,
}

impl Age {
    /// Waits until a connection is old: a tenth sooner or later, so that those that were opened
    /// together are not all opened again together.
    async fn reached(self) {
        let Some(most) = self.most else {
            return future::pending().await;
        };
        let lot = getrandom::u32().unwrap_or(u32::MAX / 2);
        let factor = 0.9 + 0.2 * f64::from(lot) / f64::from(u32::MAX);
        time::sleep(most.mul_f64(factor)).await;
    }
}

/// Whether the client begins to speak before it is too late.
async fn began(stream: &TcpStream, stopping: &CancellationToken) -> bool {
    tokio::select! {
        () = stopping.cancelled() => false,
        () = time::sleep(PREFACE_TIMEOUT) => false,
        preface = preface(stream) => preface.is_ok(),
    }
}

/// Waits for the preface, and leaves it to be read.
async fn preface(stream: &TcpStream) -> io::Result<()> {
    let mut bytes = [0; PREFACE_BYTES];
    loop {
        match stream.peek(&mut bytes).await? {
            PREFACE_BYTES => return Ok(()),
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            _ => time::sleep(PREFACE_LOOK).await,
        }
    }
}

/// Reads the preface of a connection whose bytes cannot be looked at without taking them.
async fn read_preface(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<[u8; PREFACE_BYTES]> {
    let mut bytes = [0; PREFACE_BYTES];
    stream.read_exact(&mut bytes).await?;
    Ok(bytes)
}

/// Counts a connection while it lives.
#[derive(Debug)]
pub(super) struct Open {
    of_thread: Arc<AtomicUsize>,
    of_server: Gauge,
}

impl Open {
    pub(super) fn new(of_thread: Arc<AtomicUsize>, of_server: Gauge) -> Self {
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
