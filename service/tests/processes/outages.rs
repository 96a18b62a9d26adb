//! Servers whose Redis goes away and comes back.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use reversi_proto::v1::game_event::Kind;
use reversi_proto::v1::suggest_move_request::Subject;
use reversi_proto::v1::{self, ErrorReason, GameState};
use tonic::{Code, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::client::{Client, Random, a_move, connect, soon, until};
use crate::failure::{Failure, assert_fails, failure};
use crate::process::Process;
use crate::redis_server::{Persistence, RedisServer};

const GAMES: &str = "reversi.v1.GameService";

/// A server on a Redis that keeps every write.
async fn start() -> Option<(Process, RedisServer)> {
    let redis = RedisServer::start_with(Persistence::AppendOnly, &[])?;
    let server = Process::start(&["--store", &redis.url()]).await;
    Some((server, redis))
}

async fn health(endpoint: &str, service: &str) -> ServingStatus {
    let request = HealthCheckRequest {
        service: service.to_owned(),
    };
    let response = HealthClient::new(connect(endpoint)).check(request).await;
    response.unwrap().into_inner().status()
}

/// Waits until the server says that its games are (not) to be had.
async fn until_games_are(server: &Process, status: ServingStatus) {
    until(async || health(server.admin_endpoint(), GAMES).await == status).await;
}

/// A call failed because the store is away, and says when to try again.
#[track_caller]
fn assert_unavailable<T: std::fmt::Debug>(result: Result<T, Status>) {
    let failure = assert_fails(result, Code::Unavailable, ErrorReason::StoreUnavailable);
    assert!(
        failure.retry_after.is_some_and(|delay| !delay.is_zero()),
        "{failure:?}"
    );
}

/// Every call that needs the store.
async fn assert_all_unavailable(server: &Client, game: &v1::Game) {
    let name = game.name.clone();
    let create = v1::CreateGameRequest::default();
    assert_unavailable(soon(server.games().create_game(create)).await);
    assert_unavailable(soon(server.try_get(&name)).await);
    assert_unavailable(soon(server.try_play(game, "d6")).await);
    assert_unavailable(soon(server.take_back(&name, v1::Color::Black)).await);
    assert_unavailable(soon(server.resign(&name, v1::Color::Black)).await);
    assert_unavailable(soon(server.delete(&name)).await);
    assert_unavailable(server.try_watch(&name, "").await);
    let list = server
        .games()
        .list_games(v1::ListGamesRequest::default())
        .await;
    assert_unavailable(list);
    let names = vec![name.clone(), "games/aaaaaaaaaaaaaaaaaaaa".to_owned()];
    let batch = v1::BatchGetGamesRequest { names };
    assert_unavailable(server.games().batch_get_games(batch).await);
    let request = v1::SuggestMoveRequest {
        subject: Some(Subject::Game(name)),
        ..Default::default()
    };
    assert_unavailable(server.analysis().suggest_move(request).await);
}

/// What needs no store.
async fn assert_stateless_calls_go_on(server: &Process) {
    let legal = server
        .rules()
        .list_legal_moves(v1::ListLegalMovesRequest::default())
        .await;
    assert_eq!(
        legal.unwrap().into_inner().legal_moves.unwrap().moves.len(),
        4
    );
    let request = v1::SuggestMoveRequest {
        subject: Some(Subject::Line(v1::Line::default())),
        budget: Some(v1::Budget {
            depth: 2,
            ..Default::default()
        }),
        ..Default::default()
    };
    server.analysis().suggest_move(request).await.unwrap();
    for service in [
        "",
        "readiness",
        "liveness",
        "reversi.v1.RulesService",
        "reversi.v1.AnalysisService",
    ] {
        assert_eq!(
            health(server.admin_endpoint(), service).await,
            ServingStatus::Serving
        );
    }
    assert_eq!(server.probe("/livez").await, 200);
    assert_eq!(server.probe("/readyz").await, 200);
}

#[tokio::test]
async fn without_redis_the_stateful_calls_alone_fail_until_it_is_back() {
    let Some((server, mut redis)) = start().await else {
        return;
    };
    let game = server.play(&server.game().await, "f5").await;
    assert_eq!(
        health(server.admin_endpoint(), GAMES).await,
        ServingStatus::Serving
    );
    assert_eq!(
        server.counts().await.value("reversi_store_available", &[]),
        1.0
    );
    let mut watch = server.watch(&game.name, "").await;
    watch.snapshot().await;

    redis.kill();
    until_games_are(&server, ServingStatus::NotServing).await;
    let here = format!("http://{}", server.address());
    assert_eq!(health(&here, GAMES).await, ServingStatus::NotServing);
    assert_all_unavailable(&server, &game).await;
    assert_stateless_calls_go_on(&server).await;
    assert_eq!(
        server.counts().await.value("reversi_store_available", &[]),
        0.0
    );

    redis.restart();
    until_games_are(&server, ServingStatus::Serving).await;
    // What was acknowledged is there, and the watch that was open all the time goes on.
    assert_eq!(server.get(&game.name).await, game);
    server.play(&game, "d6").await;
    let event = watch.event().await;
    assert_eq!(event.etag, "2");
    assert_eq!(
        server.counts().await.value("reversi_store_available", &[]),
        1.0
    );
}

#[tokio::test]
async fn a_redis_that_hangs_is_not_waited_for() {
    let Some((server, redis)) = start().await else {
        return;
    };
    let game = server.game().await;
    redis.pause();
    let begun = Instant::now();
    assert_unavailable(soon(server.try_get(&game.name)).await);
    assert!(
        begun.elapsed() < Duration::from_secs(10),
        "{:?}",
        begun.elapsed()
    );
    until_games_are(&server, ServingStatus::NotServing).await;
    // From now on nobody waits at all.
    assert_all_unavailable(&server, &game).await;
    redis.resume();
    until_games_are(&server, ServingStatus::Serving).await;
    server.play(&game, "f5").await;
}

/// A player that plays both sides with request ids and asks again when it is not answered;
/// what was acknowledged, by etag.
async fn play_through(server: &Process, game: v1::Game) -> (BTreeMap<u32, Vec<v1::Move>>, usize) {
    let mut random = Random(11);
    let mut game = game;
    let mut acknowledged = BTreeMap::new();
    let mut failures = 0;
    while game.state() == GameState::InProgress {
        let legal = game.legal_moves.as_ref().unwrap();
        let mut request = a_move(&game, &random.choose(&legal.moves).square);
        request.request_id = format!("move {}", game.ply);
        let response = loop {
            match server.games().play_move(request.clone()).await {
                Ok(response) => break response.into_inner(),
                Err(status) => {
                    let failure = Failure::of(&status);
                    let away = failure.is(Code::Unavailable, ErrorReason::StoreUnavailable);
                    assert!(away, "{failure:?}");
                    failures += 1;
                    until_games_are(server, ServingStatus::Serving).await;
                }
            }
        };
        acknowledged.insert(response.etag.parse().unwrap(), response.moves);
        game = response.game.unwrap();
    }
    (acknowledged, failures)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_acknowledged_move_is_lost_and_no_watch_has_a_gap_when_redis_crashes() {
    let Some((server, mut redis)) = start().await else {
        return;
    };
    let game = server.game().await;
    let mut watch = server.watch(&game.name, "0").await;
    let crashes = async {
        for _ in 0..3 {
            let seen = watch.event().await;
            assert!(seen.after.is_some());
            tokio::task::block_in_place(|| {
                redis.kill();
                redis.restart();
            });
        }
    };
    let play = play_through(&server, game.clone());
    let ((), (acknowledged, failures)) = soon(async { tokio::join!(crashes, play) }).await;
    println!("{failures} calls failed");
    // The last crash may come after the last move: the store may still be away.
    let now = soon(async {
        loop {
            match server.try_get(&game.name).await {
                Ok(now) => break now,
                Err(_) => until_games_are(&server, ServingStatus::Serving).await,
            }
        }
    })
    .await;
    let history: Vec<_> = acknowledged.values().flatten().cloned().collect();
    assert_eq!(history, now.history);
    let last = *acknowledged.keys().last().unwrap();
    assert_eq!(now.etag, last.to_string());
    // The watch has had three events, and the rest follow, each once.
    for etag in 4..=last {
        let event = watch.event().await;
        assert_eq!(event.etag, etag.to_string());
        let Some(Kind::MovesPlayed(played)) = event.kind else {
            panic!("expected moves, found {event:?}");
        };
        assert_eq!(played.moves, acknowledged[&etag]);
    }
}

#[tokio::test]
async fn a_redis_that_forgot_everything_ends_the_watches() {
    let Some(mut redis) = RedisServer::start() else {
        return;
    };
    let server = Process::start(&["--store", &redis.url()]).await;
    let game = server.game().await;
    let mut watch = server.watch(&game.name, "").await;
    watch.snapshot().await;
    redis.restart();
    let event = watch.event().await;
    assert!(matches!(event.kind, Some(Kind::Deleted(_))), "{event:?}");
    assert_eq!(watch.next().await, None);
    until_games_are(&server, ServingStatus::Serving).await;
    let gone = failure(server.try_get(&game.name).await);
    assert!(
        gone.is(Code::NotFound, ErrorReason::GameNotFound),
        "{gone:?}"
    );
    // It goes on with new ones.
    server.play(&server.game().await, "f5").await;
}

#[tokio::test]
async fn a_server_stops_while_redis_is_away() {
    let Some((mut server, mut redis)) = start().await else {
        return;
    };
    let game = server.game().await;
    let mut watch = server.watch(&game.name, "").await;
    watch.snapshot().await;
    redis.kill();
    until_games_are(&server, ServingStatus::NotServing).await;
    server.signal("-TERM");
    let ended = watch.try_next().await;
    assert_fails(ended, Code::Unavailable, ErrorReason::ShuttingDown);
    assert_eq!(server.ended().await.code(), Some(0));
}

#[tokio::test]
async fn a_change_that_replicas_have_not_confirmed_is_not_acknowledged() {
    let Some(redis) = RedisServer::start() else {
        return;
    };
    let server = Process::start(&[
        "--store",
        &redis.url(),
        "--redis-timeout",
        "10s",
        "--redis-wait-replicas",
        "1",
        "--redis-wait-timeout",
        "20ms",
    ])
    .await;
    let create = v1::CreateGameRequest {
        request_id: "create".to_owned(),
        ..Default::default()
    };
    let refused = server.games().create_game(create.clone()).await;
    let failure = assert_fails(refused, Code::Unavailable, ErrorReason::NotReplicated);
    assert_eq!(failure.metadata["replicas"], "0");
    assert_eq!(failure.metadata["wanted"], "1");
    assert!(failure.retry_after.is_some_and(|delay| !delay.is_zero()));
    // It is made all the same, and its repeat waits for the replicas as well.
    let list = v1::ListGamesRequest::default();
    let listed = server.games().list_games(list).await.unwrap();
    let game = listed.into_inner().games.remove(0);
    let refused = server.games().create_game(create).await;
    assert_fails(refused, Code::Unavailable, ErrorReason::NotReplicated);
    let mut play = a_move(&game, "f5");
    play.request_id = "play".to_owned();
    for _ in 0..2 {
        let refused = server.games().play_move(play.clone()).await;
        assert_fails(refused, Code::Unavailable, ErrorReason::NotReplicated);
        assert_eq!(server.get(&game.name).await.ply, 1);
    }
}
