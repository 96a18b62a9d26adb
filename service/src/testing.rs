//! A server for tests: the real one, in this process, on a port of its own.

use std::net::SocketAddr;

use clap::Parser;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::app::{Drained, Server, StartError};
use crate::config::Config;

/// A running server. It stops when dropped.
///
/// ```
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use reversi_service::testing::TestServer;
///
/// let server = TestServer::start().await;
/// assert!(server.endpoint().starts_with("http://127.0.0.1:"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct TestServer {
    address: SocketAddr,
    admin: Option<SocketAddr>,
    stop: Option<oneshot::Sender<()>>,
    running: JoinHandle<Result<Drained, StartError>>,
}

impl TestServer {
    /// Starts a server with games in memory.
    ///
    /// # Panics
    ///
    /// If it cannot start.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// Starts a server with these flags added; on free ports, unless the flags say where.
    ///
    /// # Panics
    ///
    /// If it cannot start.
    pub async fn start_with(flags: &[&str]) -> Self {
        let is_said = |flag: &&str| flags.contains(flag);
        let mut own = vec!["reversi-service"];
        for flag in ["--listen", "--admin"] {
            if !is_said(&flag) {
                own.extend([flag, "127.0.0.1:0"]);
            }
        }
        let config = Config::try_parse_from(own.iter().chain(flags)).expect("the flags are right");
        let addresses = config.addresses().await.expect("the addresses can be used");
        let server = Server::bind(config, addresses)
            .await
            .expect("the server starts");
        let address = server.address().expect("the system tells the address");
        let admin = server.admin_address();
        let (stop, stopped) = oneshot::channel();
        let running = tokio::spawn(server.run(async move {
            // A dropped sender stops it as well.
            let _ = stopped.await;
        }));
        Self {
            address,
            admin,
            stop: Some(stop),
            running,
        }
    }

    /// The URL of the server.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The URL of its admin port.
    ///
    /// # Panics
    ///
    /// If it was switched off.
    #[must_use]
    pub fn admin_endpoint(&self) -> String {
        format!("http://{}", self.admin.expect("the admin port is on"))
    }

    /// Asks the server to stop without waiting for it.
    pub fn begin_stop(&mut self) {
        // A server that has stopped already needs no asking.
        let _ = self.stop.take().map(|stop| stop.send(()));
    }

    /// Stops the server and waits until it has drained.
    ///
    /// # Panics
    ///
    /// If it failed.
    pub async fn stop(mut self) -> Drained {
        self.begin_stop();
        let ended = self.running.await.expect("the server does not panic");
        ended.expect("the server does not fail")
    }
}
