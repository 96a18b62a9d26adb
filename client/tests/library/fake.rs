//! A game service that fails when told to, and remembers what it was asked.

use std::{
    collections::VecDeque,
    pin::Pin,
    sync::{Arc, Mutex},
    time::Duration,
};

use reversi_client::{Client, ClientConfig, RetryPolicy, proto::*};
use tokio::net::TcpListener;
use tokio_stream::{Stream, wrappers::TcpListenerStream};
use tonic::{Request, Response, Status, transport::Server};

use game_service_server::{GameService, GameServiceServer};

/// What the service was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) rpc: &'static str,
    pub(crate) request_id: String,
    pub(crate) after_etag: String,
    pub(crate) timeout: Option<String>,
    pub(crate) seat_token: Option<String>,
}

/// One stream of a watch of games.
pub(crate) type GamesUpdates = Vec<Result<WatchGamesResponse, Status>>;

/// One stream of a watch.
pub(crate) type Updates = Vec<Result<WatchGameResponse, Status>>;

/// A game service that fails when told to.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fake(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    asked: Mutex<Vec<Asked>>,
    failures: Mutex<VecDeque<Status>>,
    watches: Mutex<VecDeque<Updates>>,
    watches_of_games: Mutex<VecDeque<GamesUpdates>>,
}

impl Fake {
    /// Starts it on a free port; its URL.
    pub(crate) async fn start(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = Server::builder()
            .add_service(GameServiceServer::new(self.clone()))
            .serve_with_incoming(TcpListenerStream::new(listener));
        tokio::spawn(server);
        format!("http://{address}")
    }

    /// A client of it that does not wait long between attempts.
    pub(crate) async fn client(&self) -> Client {
        Client::connect(impatient([self.start().await]))
            .await
            .unwrap()
    }

    /// The next calls fail, in this order.
    pub(crate) fn fail_with(&self, statuses: impl IntoIterator<Item = Status>) {
        self.0.failures.lock().unwrap().extend(statuses);
    }

    /// The next watch gets these updates, then the stream ends.
    pub(crate) fn send(&self, updates: Updates) {
        self.0.watches.lock().unwrap().push_back(updates);
    }

    /// The next watch of games gets these updates, then the stream ends.
    pub(crate) fn send_of_games(&self, updates: GamesUpdates) {
        self.0.watches_of_games.lock().unwrap().push_back(updates);
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.0.asked.lock().unwrap().clone()
    }

    fn answer<Q, A>(
        &self,
        rpc: &'static str,
        request: &Request<Q>,
        ids: (&str, &str),
        answer: A,
    ) -> Result<Response<A>, Status> {
        let metadata = |key: &str| {
            let value = request.metadata().get(key)?;
            Some(value.to_str().unwrap().to_owned())
        };
        self.0.asked.lock().unwrap().push(Asked {
            rpc,
            request_id: ids.0.to_owned(),
            after_etag: ids.1.to_owned(),
            timeout: metadata("grpc-timeout"),
            seat_token: metadata("reversi-seat-token"),
        });
        match self.0.failures.lock().unwrap().pop_front() {
            Some(status) => Err(status),
            None => Ok(Response::new(answer)),
        }
    }
}

/// Settings that do not wait long between attempts.
pub(crate) fn impatient<const N: usize>(endpoints: [String; N]) -> ClientConfig {
    ClientConfig::new(endpoints).retry(RetryPolicy {
        initial_backoff: Duration::from_millis(1),
        ..RetryPolicy::default()
    })
}

#[tonic::async_trait]
impl GameService for Fake {
    async fn create_game(
        &self,
        request: Request<CreateGameRequest>,
    ) -> Result<Response<CreateGameResponse>, Status> {
        let id = request.get_ref().request_id.clone();
        self.answer(
            "CreateGame",
            &request,
            (&id, ""),
            CreateGameResponse::default(),
        )
    }

    async fn get_game(
        &self,
        request: Request<GetGameRequest>,
    ) -> Result<Response<GetGameResponse>, Status> {
        self.answer("GetGame", &request, ("", ""), GetGameResponse::default())
    }

    async fn batch_get_games(
        &self,
        request: Request<BatchGetGamesRequest>,
    ) -> Result<Response<BatchGetGamesResponse>, Status> {
        self.answer(
            "BatchGetGames",
            &request,
            ("", ""),
            BatchGetGamesResponse::default(),
        )
    }

    async fn list_games(
        &self,
        request: Request<ListGamesRequest>,
    ) -> Result<Response<ListGamesResponse>, Status> {
        self.answer(
            "ListGames",
            &request,
            ("", ""),
            ListGamesResponse::default(),
        )
    }

    async fn delete_game(
        &self,
        request: Request<DeleteGameRequest>,
    ) -> Result<Response<DeleteGameResponse>, Status> {
        let id = request.get_ref().request_id.clone();
        self.answer(
            "DeleteGame",
            &request,
            (&id, ""),
            DeleteGameResponse::default(),
        )
    }

    async fn play_move(
        &self,
        request: Request<PlayMoveRequest>,
    ) -> Result<Response<PlayMoveResponse>, Status> {
        let id = request.get_ref().request_id.clone();
        self.answer("PlayMove", &request, (&id, ""), PlayMoveResponse::default())
    }

    async fn take_back(
        &self,
        request: Request<TakeBackRequest>,
    ) -> Result<Response<TakeBackResponse>, Status> {
        let id = request.get_ref().request_id.clone();
        self.answer("TakeBack", &request, (&id, ""), TakeBackResponse::default())
    }

    async fn resign(
        &self,
        request: Request<ResignRequest>,
    ) -> Result<Response<ResignResponse>, Status> {
        let id = request.get_ref().request_id.clone();
        self.answer("Resign", &request, (&id, ""), ResignResponse::default())
    }

    async fn answer_take_back(
        &self,
        request: Request<AnswerTakeBackRequest>,
    ) -> Result<Response<AnswerTakeBackResponse>, Status> {
        let id = request.get_ref().request_id.clone();
        self.answer(
            "AnswerTakeBack",
            &request,
            (&id, ""),
            AnswerTakeBackResponse::default(),
        )
    }

    async fn claim_seat(
        &self,
        request: Request<ClaimSeatRequest>,
    ) -> Result<Response<ClaimSeatResponse>, Status> {
        let id = request.get_ref().request_id.clone();
        self.answer(
            "ClaimSeat",
            &request,
            (&id, ""),
            ClaimSeatResponse::default(),
        )
    }

    async fn set_seat(
        &self,
        request: Request<SetSeatRequest>,
    ) -> Result<Response<SetSeatResponse>, Status> {
        let id = request.get_ref().request_id.clone();
        self.answer("SetSeat", &request, (&id, ""), SetSeatResponse::default())
    }

    async fn update_game(
        &self,
        request: Request<UpdateGameRequest>,
    ) -> Result<Response<UpdateGameResponse>, Status> {
        let id = request.get_ref().request_id.clone();
        self.answer(
            "UpdateGame",
            &request,
            (&id, ""),
            UpdateGameResponse::default(),
        )
    }

    async fn rematch(
        &self,
        request: Request<RematchRequest>,
    ) -> Result<Response<RematchResponse>, Status> {
        let id = request.get_ref().request_id.clone();
        self.answer("Rematch", &request, (&id, ""), RematchResponse::default())
    }

    type WatchGameStream = Pin<Box<dyn Stream<Item = Result<WatchGameResponse, Status>> + Send>>;

    async fn watch_game(
        &self,
        request: Request<WatchGameRequest>,
    ) -> Result<Response<Self::WatchGameStream>, Status> {
        let after = request.get_ref().after_etag.clone();
        self.answer("WatchGame", &request, ("", &after), ())?;
        let updates = self.0.watches.lock().unwrap().pop_front();
        // Where the test has nothing more to send the stream stays open.
        let stream: Self::WatchGameStream = match updates {
            Some(updates) => Box::pin(tokio_stream::iter(updates)),
            None => Box::pin(tokio_stream::pending()),
        };
        Ok(Response::new(stream))
    }

    type WatchGamesStream = Pin<Box<dyn Stream<Item = Result<WatchGamesResponse, Status>> + Send>>;

    async fn watch_games(
        &self,
        request: Request<WatchGamesRequest>,
    ) -> Result<Response<Self::WatchGamesStream>, Status> {
        let cursor = request.get_ref().cursor.clone();
        self.answer("WatchGames", &request, ("", &cursor), ())?;
        let updates = self.0.watches_of_games.lock().unwrap().pop_front();
        // Where the test has nothing more to send the stream stays open.
        let stream: Self::WatchGamesStream = match updates {
            Some(updates) => Box::pin(tokio_stream::iter(updates)),
            None => Box::pin(tokio_stream::pending()),
        };
        Ok(Response::new(stream))
    }
}
