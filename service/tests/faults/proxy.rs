//! A TCP proxy that can cut its connections off, or hold all that goes through them.

use std::net::{Ipv4Addr, SocketAddr};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// What a proxy does with its connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// All that comes in goes out.
    Open,
    /// Nothing goes through, and nobody is told.
    Held,
    /// Connections are closed.
    Cut,
}

/// A proxy to a port of this machine. It ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Proxy {
    port: u16,
    line: watch::Sender<Line>,
    task: JoinHandle<()>,
}

impl Proxy {
    pub(crate) async fn start(to: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let line = watch::Sender::new(Line::Open);
        let to = SocketAddr::from((Ipv4Addr::LOCALHOST, to));
        let task = tokio::spawn(serve(listener, to, line.clone()));
        Self { port, line, task }
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn set(&self, line: Line) {
        self.line.send_replace(line);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(listener: TcpListener, to: SocketAddr, line: watch::Sender<Line>) {
    loop {
        let Ok((near, _)) = listener.accept().await else {
            continue;
        };
        let mut cut = line.subscribe();
        if *cut.borrow() == Line::Cut {
            continue;
        }
        let (there, back) = (line.subscribe(), line.subscribe());
        tokio::spawn(async move {
            let Ok(far) = TcpStream::connect(to).await else {
                return;
            };
            let (near_read, near_write) = near.into_split();
            let (far_read, far_write) = far.into_split();
            tokio::select! {
                () = pump(near_read, far_write, there) => {}
                () = pump(far_read, near_write, back) => {}
                _ = cut.wait_for(|line| *line == Line::Cut) => {}
            }
        });
    }
}

async fn pump(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut line: watch::Receiver<Line>) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        if line.wait_for(|line| *line == Line::Open).await.is_err()
            || to.write_all(&buffer[..length]).await.is_err()
        {
            return;
        }
    }
}
