//! The server that the tests of this binary call.

use std::ops::Deref;

use reversi_proto::v1::game_service_client::GameServiceClient;
use reversi_service::app::Drained;
use reversi_service::testing::TestServer;
use tonic::transport::Endpoint;

use crate::admin::Counts;
use crate::client::{Client, Watch, soon};

/// A server in this process, and a connection to it.
#[derive(Debug)]
pub(crate) struct Api {
    pub(crate) server: TestServer,
    client: Client,
}

impl Deref for Api {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl Api {
    pub(crate) async fn start() -> Self {
        Self::start_with(&[]).await
    }

    pub(crate) async fn start_with(flags: &[&str]) -> Self {
        let server = TestServer::start_with(flags).await;
        let client = Client::new(&server.endpoint());
        Self { server, client }
    }

    /// What the server has counted.
    pub(crate) async fn counts(&self) -> Counts {
        Counts::of(&self.server.admin_endpoint()).await
    }

    /// Closes the connection and stops the server.
    pub(crate) async fn stop(self) -> Drained {
        drop(self.client);
        soon(self.server.stop()).await
    }

    /// A watch whose reader is slow: little fits on the way to it.
    pub(crate) async fn watch_slowly(&self, name: &str) -> Watch {
        let channel = Endpoint::from_shared(self.server.endpoint())
            .unwrap()
            .initial_stream_window_size(65_535)
            .connect_lazy();
        let games = GameServiceClient::new(channel);
        crate::client::watch(games, name, "").await.unwrap()
    }
}
