//! The calls of a game without the game: what a move costs in Redis and on the wire, and no
//! rules.
//!
//! The scripts are the service's own, on keys of the same form in as many shards, and the value is
//! as long as that of a usual game. The answer is always the same, in the middle of a game.

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

/// The bytes of the value of a usual game in its middle: 30 plies, each sent with a request id, of
/// which eight are remembered.
const VALUE: [u8; 156] = [b'x'; 156];
const TIME_TO_LIVE_MS: u64 = 7 * 24 * 3600 * 1000;
/// How long what is left of a deleted game is kept.
const DELETED_MS: u64 = 60 * 1000;
/// The shards of the service.
const SHARDS: u32 = 64;
const CREATED_MS: u64 = 1_790_000_000_000;
/// The moves in the history of the answer.
const PLIES: usize = 30;

/// The text of a script of the service that works on the index and timers of a shard.
macro_rules! script {
    ($script:literal) => {
        concat!(
            "#!lua\n",
            include_str!("../../../service/src/store/redis/scripts/index.lua"),
            include_str!("../../../service/src/store/redis/scripts/timers.lua"),
            include_str!("../../../service/src/store/redis/scripts/log.lua"),
            include_str!(concat!(
                "../../../service/src/store/redis/scripts/",
                $script
            ))
        )
    };
}

/// The script with which the service stores a new game.
const INSERT: &str = script!("insert.lua");
/// The script with which the service stores a move.
const REPLACE: &str = script!("replace.lua");

/// Creates, plays and deletes games that are nothing but values in Redis.
#[derive(Clone, Debug)]
pub(super) struct Moves {
    connection: MultiplexedConnection,
    insert: Arc<str>,
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
        for script in [INSERT, REPLACE] {
            let mut load = Cmd::new();
            load.arg("SCRIPT").arg("LOAD").arg(script);
            load.exec_async(&mut connection).await?;
        }
        Ok(Self {
            connection,
            insert: Script::new(INSERT).get_hash().into(),
            replace: Script::new(REPLACE).get_hash().into(),
            answer: Arc::new(answer()),
        })
    }

    async fn create(mut self) -> Result<v1::CreateGameResponse, Status> {
        let number = CREATED.fetch_add(1, Ordering::Relaxed);
        let id = id_of(number);
        let mut insert = script(&self.insert, &id)?;
        insert
            .arg(&VALUE)
            .arg(TIME_TO_LIVE_MS)
            .arg(&["", "", ""])
            .arg(created(number))
            .arg(&id)
            .arg(&member(&id)?)
            .arg(format!("rv:{{{:02}}}:", number % SHARDS))
            .arg("");
        self.written(&insert).await?;
        Ok(v1::CreateGameResponse {
            game: Some(v1::Game {
                name: format!("games/{id}"),
                ..Default::default()
            }),
            ..Default::default()
        })
    }

    async fn play(mut self, name: &str) -> Result<v1::PlayMoveResponse, Status> {
        let replace = replace(&self.replace, id(name)?, TIME_TO_LIVE_MS, 0)?;
        self.written(&replace).await?;
        Ok(v1::PlayMoveResponse::clone(&self.answer))
    }

    async fn delete(mut self, name: &str) -> Result<v1::DeleteGameResponse, Status> {
        let replace = replace(&self.replace, id(name)?, DELETED_MS, 1)?;
        self.written(&replace).await?;
        Ok(v1::DeleteGameResponse::default())
    }

    /// Runs a script that writes.
    async fn written(&mut self, command: &Cmd) -> Result<(), Status> {
        let answer: redis::Value = command
            .query_async(&mut self.connection)
            .await
            .map_err(failed)?;
        if answer == redis::Value::Int(1) {
            Ok(())
        } else {
            Err(Status::aborted("another value is there, or none"))
        }
    }
}

/// A call of a script on the keys of a game and its shard.
fn script(hash: &str, id: &str) -> Result<Cmd, Status> {
    let shard = number(id)? % SHARDS;
    let mut command = Cmd::new();
    command.arg("EVALSHA").arg(hash).arg(6);
    for key in [id, "games", "timers", "asked", "outbox", "log"] {
        command.arg(format!("rv:{{{shard:02}}}:{key}"));
    }
    Ok(command)
}

/// What stores a move: the same value again. `unlist` is 1 for a game that is deleted.
fn replace(hash: &str, id: &str, time_to_live_ms: u64, unlist: u8) -> Result<Cmd, Status> {
    let number = number(id)?;
    let mut command = script(hash, id)?;
    command
        .arg(&VALUE)
        .arg(&VALUE)
        .arg(time_to_live_ms)
        .arg(&["0", "", ""])
        .arg(unlist)
        .arg(created(number))
        .arg(id)
        .arg(&member(id)?)
        .arg(format!("rv:w:{id}"))
        .arg("");
    Ok(command)
}

/// When a game was created, as far as its index knows.
fn created(number: u32) -> u64 {
    CREATED_MS + u64::from(number)
}

/// The digits of ids, of five bits each.
const DIGITS: &[u8; 32] = b"234567abcdefghijklmnopqrstuvwxyz";
const ID_DIGITS: u32 = 20;

/// The id of a game: its number, and that of this process.
fn id_of(number: u32) -> String {
    let all = (u128::from(std::process::id()) << 32) | u128::from(number);
    let digit = |place: u32| DIGITS[usize::try_from((all >> (5 * place)) & 31).unwrap_or_default()];
    (0..ID_DIGITS)
        .rev()
        .map(|place| char::from(digit(place)))
        .collect()
}

/// All that is in an id.
fn bits(id: &str) -> Result<u128, Status> {
    let digit = |digit: u8| DIGITS.iter().position(|there| *there == digit);
    let add = |bits: u128, character| Some((bits << 5) | u128::try_from(digit(character)?).ok()?);
    let bits = id.bytes().try_fold(0, add);
    bits.ok_or_else(|| Status::invalid_argument("no id of a game"))
}

/// The number of a game.
fn number(id: &str) -> Result<u32, Status> {
    let number = u32::try_from(bits(id)? & u128::from(u32::MAX));
    Ok(number.unwrap_or_default())
}

/// The member of the index that stands for an id.
fn member(id: &str) -> Result<[u8; 13], Status> {
    let bytes = (bits(id)? << 4).to_be_bytes();
    let mut member = [0; 13];
    member.copy_from_slice(&bytes[3..]);
    Ok(member)
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
        let key = format!("rv:{{00}}:{}", id(&name).unwrap());
        let stored: Vec<u8> = redis.command(&["GET", &key]);
        assert_eq!(stored, VALUE);
        let left: u64 = redis.command(&["PTTL", &key]);
        assert!(left > TIME_TO_LIVE_MS / 2, "{left}");
        let listed = || -> u64 { redis.command(&["ZCARD", "rv:{00}:games:0"]) };
        assert_eq!(listed(), 1);
        moves.delete(&name).await.unwrap();
        assert_eq!(listed(), 0);
    }
}
