//! A wire between the binary and a server that can be cut.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Bytes that only a load brings: the first calls are done by then.
const UNDER_LOAD: u64 = 20_000;

/// Passes everything on.
#[derive(Debug)]
pub(crate) struct Proxy {
    address: SocketAddr,
    passed: watch::Receiver<u64>,
    cut: watch::Sender<u32>,
    accepting: JoinHandle<()>,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Proxy {
    /// Passes on to the server at this URL.
    pub(crate) async fn to(endpoint: &str) -> Self {
        let server = endpoint.trim_start_matches("http://").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (count, passed) = watch::channel(0);
        let (cut, cuts) = watch::channel(0);
        let accepting = tokio::spawn(async move {
            loop {
                let (near, _) = listener.accept().await.unwrap();
                let Ok(far) = TcpStream::connect(&server).await else {
                    continue;
                };
                tokio::spawn(pass(near, far, count.clone(), cuts.clone()));
            }
        });
        Self {
            address,
            passed,
            cut,
            accepting,
        }
    }

    /// Its URL.
    pub(crate) fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Waits until calls are being made.
    pub(crate) async fn under_load(&mut self) {
        let passed = self.passed.wait_for(|passed| *passed > UNDER_LOAD);
        passed.await.expect("the proxy is there");
    }

    /// Cuts all connections. New ones can be made.
    pub(crate) fn cut(&self) {
        self.cut.send_modify(|cuts| *cuts += 1);
    }

    /// Cuts all connections, and takes no more.
    pub(crate) fn close(&self) {
        self.accepting.abort();
        self.cut();
    }
}

async fn pass(
    near: TcpStream,
    far: TcpStream,
    count: watch::Sender<u64>,
    mut cuts: watch::Receiver<u32>,
) {
    cuts.mark_unchanged();
    let (near_read, near_write) = near.into_split();
    let (far_read, far_write) = far.into_split();
    tokio::select! {
        () = copy(near_read, far_write, &count) => {}
        () = copy(far_read, near_write, &count) => {}
        _ = cuts.changed() => {}
    }
}

async fn copy(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, count: &watch::Sender<u64>) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        if to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
        count.send_modify(|passed| *passed += length as u64);
    }
}
