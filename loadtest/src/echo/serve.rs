//! Runs the echo server on one runtime or another.

use std::io;
use std::net::{SocketAddr, TcpListener as StdListener, TcpStream as StdStream};
use std::num::NonZeroUsize;
use std::thread;

use redis::Client;
use reversi_proto::v1::rules_service_server::RulesServiceServer;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::{TcpListenerStream, UnboundedReceiverStream};
use tonic::transport::Server;
use tonic::transport::server::Router;

use super::copy::Copy;
use super::moves::Moves;
use super::service::EchoServer;

/// The size of a full batch, with room to spare.
pub(super) const MAX_MESSAGE: usize = 2 << 20;
/// Bulk messages are larger than HTTP/2's default window of 64 KiB.
const STREAM_WINDOW: u32 = 2 << 20;
const CONNECTION_WINDOW: u32 = 8 << 20;
/// And than its default frame of 16 KiB.
const MAX_FRAME: u32 = 1 << 20;

/// How the server's work is spread over processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Runtime {
    /// A single-threaded runtime for each thread; a connection stays on its thread.
    CurrentThread,
    /// One runtime of several threads, as `#[tokio::main]` makes it.
    MultiThread,
}

/// Serves on `address` until the process ends, after telling `ready` the address.
///
/// # Errors
///
/// If the address cannot be bound or the system gives no threads.
pub(crate) fn serve(
    address: SocketAddr,
    kind: Runtime,
    threads: NonZeroUsize,
    redis: Option<&Client>,
    ready: impl FnOnce(SocketAddr) -> io::Result<()>,
) -> io::Result<()> {
    let listener = StdListener::bind(address)?;
    ready(listener.local_addr()?)?;
    match kind {
        Runtime::CurrentThread => serve_by_thread(&listener, threads, redis),
        Runtime::MultiThread => serve_together(listener, threads, redis),
    }
}

fn serve_together(
    listener: StdListener,
    threads: NonZeroUsize,
    redis: Option<&Client>,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads.get())
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let incoming = TcpListenerStream::new(TcpListener::from_std(listener)?);
        let incoming = incoming.map(|stream| stream.and_then(without_delay));
        let router = router(redis).await?;
        let served = tokio::spawn(router.serve_with_incoming(incoming)).await;
        served.map_err(io::Error::other)?.map_err(io::Error::other)
    })
}

fn serve_by_thread(
    listener: &StdListener,
    threads: NonZeroUsize,
    redis: Option<&Client>,
) -> io::Result<()> {
    let queues = (0..threads.get())
        .map(|_| {
            let (sender, connections) = mpsc::unbounded_channel();
            let redis = redis.cloned();
            thread::Builder::new().spawn(move || serve_here(connections, redis.as_ref()))?;
            Ok(sender)
        })
        .collect::<io::Result<Vec<_>>>()?;
    for queue in queues.iter().cycle() {
        let (stream, _) = listener.accept()?;
        stream.set_nonblocking(true)?;
        if queue.send(stream).is_err() {
            return Err(io::Error::other("a server thread has ended"));
        }
    }
    Ok(())
}

fn serve_here(
    connections: mpsc::UnboundedReceiver<StdStream>,
    redis: Option<&Client>,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let incoming = UnboundedReceiverStream::new(connections)
            .map(|stream| TcpStream::from_std(stream).and_then(without_delay));
        router(redis)
            .await?
            .serve_with_incoming(incoming)
            .await
            .map_err(io::Error::other)
    })
}

fn without_delay(stream: TcpStream) -> io::Result<TcpStream> {
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// What is served; with Redis, by a connection of its own.
async fn router(redis: Option<&Client>) -> io::Result<Router> {
    let moves = match redis {
        Some(client) => Some(Moves::connect(client).await.map_err(io::Error::other)?),
        None => None,
    };
    let router = Server::builder()
        .max_frame_size(MAX_FRAME)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .add_service(EchoServer)
        .add_service(RulesServiceServer::new(Copy).max_decoding_message_size(MAX_MESSAGE));
    Ok(match moves {
        Some(moves) => router.add_service(moves),
        None => router,
    })
}
