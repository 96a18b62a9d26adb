//! Servers that share a Redis keep the clocks of games and play the engine's seats, also when one
//! of them dies.

use std::time::{Duration, Instant};

use reversi_proto::v1::clock::Time;
use reversi_proto::v1::game_event::Kind;
use reversi_proto::v1::{self, Color, EndReason, ErrorReason, GameState, SeatOccupant};
use tonic::Code;

use crate::client::{soon, to_move, until};
use crate::failure::assert_fails;
use crate::process::Process;
use crate::redis_server::{Persistence, RedisServer};

fn engine(level: i32) -> Option<v1::Seat> {
    Some(v1::Seat {
        occupant: SeatOccupant::Engine.into(),
        level,
        ..Default::default()
    })
}

fn per_move(time: Duration) -> Option<v1::Clock> {
    Some(v1::Clock {
        time: Some(Time::PerMove(time.try_into().unwrap())),
        ..Default::default()
    })
}

async fn server(redis: &RedisServer, more: &[&str]) -> Process {
    let url = redis.url();
    let flags = ["--store", &url, "--redis-timeout", "10s"];
    Process::start(&[&flags[..], more].concat()).await
}

#[tokio::test]
async fn a_turn_of_the_engine_outlives_the_server_that_thinks_about_it() {
    let Some(redis) = RedisServer::start() else {
        return;
    };
    let thoughtful = ["--engine-move-time", "2s"];
    let mut a = server(&redis, &thoughtful).await;
    let b = server(&redis, &thoughtful).await;
    let request = v1::CreateGameRequest {
        black_seat: engine(10),
        ..Default::default()
    };
    // The server that creates the game has the lease of its first turn; f5 and the others are
    // alike, so the strongest level thinks as long as it may.
    let game = a.create(request).await;
    a.kill();
    let mut watch = b.watch(&game.name, "0").await;
    let event = watch.event().await;
    let Some(Kind::MovesPlayed(played)) = event.kind else {
        panic!("expected a move, found {event:?}");
    };
    assert_eq!((played.ply, event.etag.as_str()), (0, "1"));
    // One move, and then it waits for White.
    let game = b.get(&game.name).await;
    assert_eq!((game.ply, to_move(&game)), (1, Color::White));
}

#[tokio::test]
async fn engines_on_two_servers_make_each_move_once_although_servers_come_and_go() {
    let Some(redis) = RedisServer::start() else {
        return;
    };
    let mut a = server(&redis, &[]).await;
    let b = server(&redis, &[]).await;
    let mut names = Vec::new();
    for number in 0..20 {
        let request = v1::CreateGameRequest {
            black_seat: engine(1),
            white_seat: engine(2),
            ..Default::default()
        };
        names.push([&a, &b][number % 2].create(request).await.name);
    }
    until(async || a.get(&names[0]).await.ply > 5).await;
    a.kill();
    let c = server(&redis, &[]).await;
    for name in &names {
        until(async || b.get(name).await.state() == GameState::Finished).await;
        let game = c.get(name).await;
        let passes = game.history.iter().filter(|mv| mv.square == "pass").count();
        assert_eq!(game.etag, (game.history.len() - passes).to_string());
    }
}

#[tokio::test]
async fn a_server_that_stops_hands_its_games_back() {
    let Some(redis) = RedisServer::start() else {
        return;
    };
    let mut a = server(&redis, &["--engine-move-time", "60s"]).await;
    let request = v1::CreateGameRequest {
        black_seat: engine(10),
        ..Default::default()
    };
    let game = a.create(request).await;
    assert_eq!(a.stop().await, Some(0));
    // The lease was of more than a minute.
    let b = server(&redis, &[]).await;
    until(async || b.get(&game.name).await.ply == 1).await;
}

#[tokio::test]
async fn each_clock_runs_out_once_whichever_server_is_left() {
    let Some(redis) = RedisServer::start() else {
        return;
    };
    let mut a = server(&redis, &[]).await;
    let b = server(&redis, &[]).await;
    let mut names = Vec::new();
    for _ in 0..50 {
        let request = v1::CreateGameRequest {
            clock: per_move(Duration::from_secs(2)),
            ..Default::default()
        };
        names.push(a.create(request).await.name);
    }
    a.kill();
    for name in &names {
        until(async || b.get(name).await.state() == GameState::Finished).await;
        let game = b.get(name).await;
        let outcome = game.outcome.unwrap();
        assert_eq!(
            (outcome.winner(), outcome.reason()),
            (Color::White, EndReason::Timeout)
        );
        assert_eq!(game.etag, "1");
        let reading = game.clock_reading.unwrap();
        let late = reading.as_of.unwrap().seconds - game.create_time.unwrap().seconds;
        assert!((2..10).contains(&late), "after {late} s");
    }
}

#[tokio::test]
async fn a_seat_token_of_one_server_is_known_to_the_other() {
    let Some(redis) = RedisServer::start() else {
        return;
    };
    let (a, b) = (server(&redis, &[]).await, server(&redis, &[]).await);
    let request = v1::CreateGameRequest {
        seat_tokens: true,
        ..Default::default()
    };
    let created = a.games().create_game(request).await.unwrap();
    let token = created
        .metadata()
        .get("reversi-black-seat-token")
        .unwrap()
        .clone();
    let game = created.into_inner().game.unwrap();
    assert_fails(
        b.try_play(&game, "f5").await,
        Code::Unauthenticated,
        ErrorReason::SeatTokenRequired,
    );
    let mut request = tonic::Request::new(crate::client::a_move(&game, "f5"));
    request.metadata_mut().insert("reversi-seat-token", token);
    b.games().play_move(request).await.unwrap();
    // And it is in no log.
    let logs = [a.log(), b.log()].concat();
    assert!(!logs.iter().any(|line| line.contains("seat-token")));
}

#[tokio::test]
async fn time_in_which_redis_is_away_counts_for_no_clock() {
    let Some(mut redis) = RedisServer::start_with(Persistence::AppendOnly, &[]) else {
        return;
    };
    let server = server(&redis, &[]).await;
    let request = v1::CreateGameRequest {
        clock: per_move(Duration::from_secs(6)),
        ..Default::default()
    };
    let game = server.create(request).await;
    let begun = Instant::now();
    let mut watch = server.watch(&game.name, "0").await;
    redis.kill();
    // Longer than an outage has to be, and than the clock: the time itself is what is tested.
    until(async || begun.elapsed() > Duration::from_secs(7)).await;
    redis.restart();
    let event = soon(watch.event()).await;
    assert!(
        matches!(event.kind, Some(Kind::TimeExpired(_))),
        "{event:?}"
    );
    let taken = begun.elapsed();
    assert!(taken >= Duration::from_secs(12), "after {taken:?}");
    let game = server.get(&game.name).await;
    assert_eq!(game.outcome.unwrap().reason(), EndReason::Timeout);
}
