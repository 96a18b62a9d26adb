//! The calls of a game without the game: what a move costs in Redis and on the wire, and no
//! rules.
//!
//! The script is the service's own, on keys of the same form, and the value is as long as that of
//! a usual game. The answer is always the same, in the middle of a game.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll};

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, IntoConnectionInfo, RedisResult, Script};
use reversi_proto::v1;
use tonic::body::Body;
use tonic::codegen::{BoxFuture, Service, http};
use tonic::server::{Grpc, NamedService, UnaryService};
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;

use crate::workload::games::Step;
use crate::workload::{Games, positions};

/// The bytes of the value of a usual game in its middle.
const VALUE: [u8; 130] = [b'x'; 130];
const TIME_TO_LIVE_MS: u64 = 7 * 24 * 3600 * 1000;
const CREATED_MS: u64 = 1_790_000_000_000;
/// The moves in the history of the answer.
const PLIES: usize = 30;

/// The script with which the service stores a move.
const REPLACE: &str = concat!(
    "#!lua\n",
    include_str!("../../../service/src/store/redis/scripts/index.lua"),
    include_str!("../../../service/src/store/redis/scripts/timers.lua"),
    include_str!("../../../service/src/store/redis/scripts/replace.lua")
);

/// Creates, plays and deletes games that are nothing but values in Redis.
#[derive(Clone, Debug)]
pub(super) struct Moves {
    connection: MultiplexedConnection,
    replace: Arc<str>,
    answer: Arc<v1::PlayMoveResponse>,
}

/// The games created by all threads.
static CREATED: AtomicU32 = AtomicU32::new(0);

impl Moves {
    /// Connects to Redis as the service does.
    pub(super) async fn connect(client: &Client) -> RedisResult<Self> {
        let info = client.get_connection_info().clone();
        let tcp = info.tcp_settings().clone().set_nodelay(true);
        let client = Client::open(info.into_connection_info()?.set_tcp_settings(tcp))?;
        let config = AsyncConnectionConfig::new().set_pipeline_buffer_size(1024);
        let mut connection = client
            .get_multiplexed_async_connection_with_config(&config)
            .await?;
        let mut load = Cmd::new();
        load.arg("SCRIPT").arg("LOAD").arg(REPLACE);
        load.exec_async(&mut connection).await?;
        Ok(Self {
            connection,
            replace: Script::new(REPLACE).get_hash().into(),
            answer: Arc::new(answer()),
        })
    }

    async fn create(mut self) -> Result<v1::CreateGameResponse, Status> {
        let number = CREATED.fetch_add(1, Ordering::Relaxed);
        let id = format!("{number:010}{:010}", std::process::id());
        let mut set = Cmd::new();
        set.arg("SET").arg(key(&id)).arg(&VALUE);
        set.arg("PX").arg(TIME_TO_LIVE_MS);
        set.exec_async(&mut self.connection).await.map_err(failed)?;
        Ok(v1::CreateGameResponse {
            game: Some(v1::Game {
                name: format!("games/{id}"),
                ..Default::default()
            }),
            ..Default::default()
        })
    }

    async fn play(mut self, name: &str) -> Result<v1::PlayMoveResponse, Status> {
        let id = id(name)?;
        let mut replace = Cmd::new();
        replace
            .arg("EVALSHA")
            .arg(&*self.replace)
            .arg(5)
            .arg(key(id))
            .arg("rv:{00}:games")
            .arg("rv:{00}:timers")
            .arg("rv:{00}:asked")
            .arg("rv:{00}:outbox")
            .arg(&VALUE)
            .arg(&VALUE)
            .arg(TIME_TO_LIVE_MS)
            .arg(&["0", "", ""])
            .arg(0)
            .arg(CREATED_MS)
            .arg(id)
            .arg(&VALUE[..13])
            .arg(format!("rv:w:{id}"))
            .arg("");
        let done: u32 = replace
            .query_async(&mut self.connection)
            .await
            .map_err(failed)?;
        if done == 1 {
            Ok(v1::PlayMoveResponse::clone(&self.answer))
        } else {
            Err(Status::aborted("another value is there"))
        }
    }

    async fn delete(mut self, name: &str) -> Result<v1::DeleteGameResponse, Status> {
        let mut delete = Cmd::new();
        delete.arg("DEL").arg(key(id(name)?));
        let connection = &mut self.connection;
        delete.exec_async(connection).await.map_err(failed)?;
        Ok(v1::DeleteGameResponse::default())
    }
}

fn key(id: &str) -> String {
    format!("rv:{{00}}:{id}")
}

fn id(name: &str) -> Result<&str, Status> {
    let id = name.strip_prefix("games/");
    id.ok_or_else(|| Status::invalid_argument("no name of a game"))
}

// By value, as `map_err` has it.
#[allow(clippy::needless_pass_by_value)]
fn failed(error: redis::RedisError) -> Status {
    Status::unavailable(error.to_string())
}

/// An answer of the usual size.
fn answer() -> v1::PlayMoveResponse {
    let games = Games::random(1);
    let steps = games.game(0);
    let moves = steps.iter().take(PLIES).map(|step| v1::Move {
        square: step.square.clone(),
        side: step.side.into(),
        kind: v1::MoveKind::Disc.into(),
        flips: 0x0000_1020_0408_0000,
        prelude: false,
    });
    let history: Vec<v1::Move> = moves.collect();
    let legal = |step: &Step| v1::LegalMove {
        square: step.square.clone(),
        flips: vec!["d4".to_owned(), "e5".to_owned()],
    };
    let time = || {
        Some(prost_types::Timestamp {
            seconds: 1_790_000_000,
            nanos: 123_000_000,
        })
    };
    let game = v1::Game {
        name: "games/aaaaaaaaaaaaaaaaaaaa".to_owned(),
        etag: PLIES.to_string(),
        rules: Some(v1::RuleSet::default()),
        position: steps.get(PLIES).map(|step| positions::message(&step.after)),
        board_text: "-".repeat(64),
        ply: i32::try_from(PLIES).unwrap_or_default(),
        legal_moves: Some(v1::LegalMoves {
            moves: steps.iter().skip(PLIES).take(9).map(legal).collect(),
            ..Default::default()
        }),
        create_time: time(),
        update_time: time(),
        expire_time: time(),
        history: history.clone(),
        ..Default::default()
    };
    v1::PlayMoveResponse {
        game: Some(game),
        moves: history.last().cloned().into_iter().collect(),
        etag: PLIES.to_string(),
        ..Default::default()
    }
}

impl NamedService for Moves {
    const NAME: &'static str = "reversi.v1.GameService";
}

/// A method of the service.
#[derive(Clone, Debug)]
struct Method<F>(Moves, F);

impl<Q, A, F, R> UnaryService<Q> for Method<F>
where
    F: Fn(Moves, Q) -> R,
    R: Future<Output = Result<A, Status>> + Send + 'static,
{
    type Response = A;
    type Future = BoxFuture<Response<A>, Status>;

    fn call(&mut self, request: Request<Q>) -> Self::Future {
        let answer = (self.1)(self.0.clone(), request.into_inner());
        Box::pin(async move { Ok(Response::new(answer.await?)) })
    }
}

impl Service<http::Request<Body>> for Moves {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Self::Error>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let moves = self.clone();
        Box::pin(async move {
            let method = request.uri().path().rsplit('/').next();
            let response = match method {
                Some("PlayMove") => {
                    let play = async |moves: Moves, request: v1::PlayMoveRequest| {
                        moves.play(&request.name).await
                    };
                    let mut grpc = Grpc::new(ProstCodec::default());
                    grpc.unary(Method(moves, play), request).await
                }
                Some("CreateGame") => {
                    let create =
                        async |moves: Moves, _: v1::CreateGameRequest| moves.create().await;
                    let mut grpc = Grpc::new(ProstCodec::default());
                    grpc.unary(Method(moves, create), request).await
                }
                Some("DeleteGame") => {
                    let delete = async |moves: Moves, request: v1::DeleteGameRequest| {
                        moves.delete(&request.name).await
                    };
                    let mut grpc = Grpc::new(ProstCodec::default());
                    grpc.unary(Method(moves, delete), request).await
                }
                _ => Status::unimplemented("only CreateGame, PlayMove and DeleteGame").into_http(),
            };
            Ok(response)
        })
    }
}

#[cfg(test)]
#[path = "../../../service/tests/support/redis_server.rs"]
mod redis_server;

#[cfg(test)]
mod tests {
    use super::redis_server::RedisServer;
    use super::*;

    /// The script is the service's: when its arguments change, these have to.
    #[tokio::test]
    async fn a_move_is_stored_as_the_service_stores_it() {
        let Some(redis) = RedisServer::start() else {
            return;
        };
        let client = Client::open(redis.url()).unwrap();
        let moves = Moves::connect(&client).await.unwrap();
        let created = moves.clone().create().await.unwrap();
        let name = created.game.unwrap().name;
        for _ in 0..3 {
            let played = moves.clone().play(&name).await.unwrap();
            assert_eq!(played.game.unwrap().history.len(), PLIES);
        }
        let stored: Vec<u8> = redis.command(&["GET", &key(id(&name).unwrap())]);
        assert_eq!(stored, VALUE);
        let left: u64 = redis.command(&["PTTL", &key(id(&name).unwrap())]);
        assert!(left > TIME_TO_LIVE_MS / 2, "{left}");
        moves.clone().delete(&name).await.unwrap();
        let gone = moves.play(&name).await.unwrap_err();
        assert_eq!(gone.code(), tonic::Code::Unavailable);
    }
}
