//! The threads that serve connections: a current-thread runtime each, so that the replies of
//! a connection are written together and nothing moves between processors. A new connection
//! goes to the thread with the fewest.

mod begun;
mod connection;
mod gather;

use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use prometheus_client::metrics::gauge::Gauge;
use tokio::net::TcpListener;
use tokio::runtime;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::grpc::Edge;
use crate::tls::Tls;
use connection::{Connection, Open, Protocol, Shared};

pub(crate) use connection::Age;

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
    /// Starts the threads. They drain their connections and end once the server stops.
    pub(crate) fn start(count: usize, serving: &Serving) -> io::Result<Self> {
        let threads = (0..count.max(1))
            .map(|number| IoThread::start(number, serving.clone()))
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

    fn hand_out(&self, stream: TcpStream, open: &Gauge) {
        let idlest = self
            .threads
            .iter()
            .min_by_key(|thread| thread.open.load(Ordering::Relaxed))
            .expect("invariant: at least one thread");
        let open = Open::new(Arc::clone(&idlest.open), open.clone());
        // A thread that has ended drops the connection: the server is stopping.
        let _ = idlest.connections.send(Connection::new(stream, open));
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
    fn start(number: usize, serving: Serving) -> io::Result<Self> {
        let (connections, accepted) = mpsc::unbounded_channel();
        let (end, ended) = oneshot::channel();
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        thread::Builder::new()
            .name(format!("io-{number}"))
            .spawn(move || {
                runtime.block_on(serve(accepted, serving));
                drop(end);
            })?;
        Ok(Self {
            connections,
            open: Arc::default(),
            ended,
        })
    }
}

/// What connections are served with.
#[derive(Clone, Debug)]
pub(crate) struct Serving {
    /// The API.
    pub(crate) edge: Edge,
    /// TLS, unless connections are in the clear.
    pub(crate) tls: Option<Tls>,
    /// How old connections may become.
    pub(crate) age: Age,
    /// Cancelled when the server stops.
    pub(crate) stopping: CancellationToken,
}

/// Serves what is accepted, until the server stops and the last connection has ended.
async fn serve(mut accepted: mpsc::UnboundedReceiver<Connection>, serving: Serving) {
    let Serving {
        edge,
        tls,
        age,
        stopping,
    } = serving;
    let shared = Shared {
        protocol: Protocol::new(),
        edge,
        tls,
        age,
        stopping: stopping.clone(),
    };
    let connections = TaskTracker::new();
    loop {
        let connection = tokio::select! {
            () = stopping.cancelled() => break,
            connection = accepted.recv() => connection,
        };
        let Some(connection) = connection else {
            break;
        };
        connections.spawn(connection.serve(shared.clone()));
    }
    connections.close();
    connections.wait().await;
}
