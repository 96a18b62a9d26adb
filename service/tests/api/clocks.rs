//! GameService: clocks.

use std::time::Duration;

use reversi_proto::v1::clock::Time;
use reversi_proto::v1::game_event::Kind;
use reversi_proto::v1::{self, Color, EndReason, ErrorReason, GameState, OnExpiry, SeatOccupant};
use tonic::Code;

use crate::client::{a_move, soon, until};
use crate::failure::assert_fails;
use crate::server::Api;

fn per_move(time: Duration, on_expiry: OnExpiry) -> v1::CreateGameRequest {
    v1::CreateGameRequest {
        clock: Some(v1::Clock {
            time: Some(Time::PerMove(time.try_into().unwrap())),
            on_expiry: on_expiry.into(),
        }),
        substitute_level: 1,
        ..Default::default()
    }
}

fn total(initial: Duration, increment: Duration) -> v1::CreateGameRequest {
    v1::CreateGameRequest {
        clock: Some(v1::Clock {
            time: Some(Time::Total(v1::TotalTime {
                initial: Some(initial.try_into().unwrap()),
                increment: Some(increment.try_into().unwrap()),
            })),
            on_expiry: OnExpiry::Lose.into(),
        }),
        ..Default::default()
    }
}

const LONG: Duration = Duration::from_secs(3600);
const SHORT: Duration = Duration::from_millis(200);

fn millis(time: Option<prost_types::Timestamp>) -> i64 {
    let time = time.unwrap();
    time.seconds * 1000 + i64::from(time.nanos) / 1_000_000
}

#[tokio::test]
async fn a_clock_is_shown_and_its_deadline_told() {
    let api = Api::start().await;
    let game = api.create(per_move(LONG, OnExpiry::Lose)).await;
    let clock = game.clock.unwrap();
    assert_eq!(clock.time, Some(Time::PerMove(LONG.try_into().unwrap())));
    assert_eq!(clock.on_expiry(), OnExpiry::Lose);
    let reading = game.clock_reading.unwrap();
    assert_eq!(reading.running(), Color::Black);
    assert_eq!(reading.as_of, game.create_time);
    let left = millis(reading.deadline) - millis(reading.as_of);
    assert_eq!(left, 3_600_000);
    // The game outlives its clock.
    assert!(millis(game.expire_time) > millis(reading.deadline));
    let game = api.play(&api.get(&game.name).await, "f5").await;
    let reading = game.clock_reading.unwrap();
    assert_eq!(reading.running(), Color::White);
    assert_eq!(reading.as_of, game.update_time);
    assert_eq!(api.get(&game.name).await, game);
}

#[tokio::test]
async fn total_time_grows_by_the_increment() {
    let api = Api::start().await;
    let game = api.create(total(LONG, Duration::from_secs(60))).await;
    let game = api.play_all(game, "f5d6").await;
    let reading = game.clock_reading.unwrap();
    for left in [reading.black_remaining, reading.white_remaining] {
        let left = left.unwrap().seconds;
        assert!((3630..=3660).contains(&left), "{left}");
    }
}

#[tokio::test]
async fn a_time_that_is_over_ends_the_game_without_a_call() {
    let api = Api::start().await;
    let game = api.create(per_move(SHORT, OnExpiry::Lose)).await;
    let mut watch = api.watch(&game.name, "0").await;
    let event = watch.event().await;
    let Some(Kind::TimeExpired(expired)) = event.kind else {
        panic!("expected the end of a time, found {event:?}");
    };
    assert_eq!(expired.side(), Color::Black);
    let game = api.get(&game.name).await;
    assert_eq!(game.state(), GameState::Finished);
    let outcome = game.outcome.unwrap();
    assert_eq!(outcome.winner(), Color::White);
    assert_eq!(outcome.reason(), EndReason::Timeout);
    assert_eq!(game.score.unwrap().scored, None);
    let reading = game.clock_reading.unwrap();
    assert_eq!(reading.running(), Color::Unspecified);
    assert_eq!(
        reading.black_remaining,
        Some(Duration::ZERO.try_into().unwrap())
    );
    let late = api.try_play(&game, "f5").await;
    let failure = assert_fails(late, Code::FailedPrecondition, ErrorReason::TimeExpired);
    assert_eq!(failure.metadata["side"], "black");
}

#[tokio::test]
async fn every_clock_runs_out_once() {
    const GAMES: usize = 100;
    let api = Api::start().await;
    let mut names = Vec::new();
    for _ in 0..GAMES {
        let request = per_move(Duration::from_millis(300), OnExpiry::Lose);
        names.push(api.create(request).await.name);
    }
    for name in names {
        until(async || api.get(&name).await.state() == GameState::Finished).await;
        assert_eq!(api.get(&name).await.etag, "1");
    }
}

#[tokio::test]
async fn a_move_in_time_starts_the_other_sides_time() {
    let api = Api::start().await;
    let game = api.create(per_move(2 * SHORT, OnExpiry::Lose)).await;
    let game = api.play(&game, "f5").await;
    until(async || api.get(&game.name).await.state() == GameState::Finished).await;
    let game = api.get(&game.name).await;
    assert_eq!(game.outcome.unwrap().winner(), Color::Black);
}

#[tokio::test]
async fn the_engine_moves_once_for_who_is_late() {
    let api = Api::start().await;
    let request = per_move(SHORT, OnExpiry::EngineMovesOnce);
    let game = api.create(request).await;
    let mut watch = api.watch(&game.name, "0").await;
    // Both sides are late time after time, and the engine moves each time.
    for ply in 0..3 {
        let event = watch.event().await;
        assert!(
            matches!(event.kind, Some(Kind::TimeExpired(_))),
            "{event:?}"
        );
        let event = watch.event().await;
        let Some(Kind::MovesPlayed(played)) = event.kind else {
            panic!("expected a move, found {event:?}");
        };
        assert_eq!(played.ply, ply);
        let after = event.after.unwrap();
        assert_eq!(after.black_seat.unwrap().occupant(), SeatOccupant::Person);
    }
}

#[tokio::test]
async fn the_engine_takes_the_seat_of_who_is_late() {
    let api = Api::start().await;
    let game = api.create(per_move(SHORT, OnExpiry::EngineTakesSeat)).await;
    until(async || api.get(&game.name).await.ply == 1).await;
    let seat = api.get(&game.name).await.black_seat.unwrap();
    assert_eq!((seat.occupant(), seat.level), (SeatOccupant::Substitute, 1));
    // Then White is late, too: both have left.
    until(async || api.get(&game.name).await.state() == GameState::Paused).await;
    let game = api.get(&game.name).await;
    let refused = api.try_play(&game, "d6").await;
    assert_fails(refused, Code::FailedPrecondition, ErrorReason::TimeExpired);
}

#[tokio::test]
async fn a_deleted_game_has_no_clock_any_more() {
    let api = Api::start().await;
    let game = api.create(per_move(SHORT, OnExpiry::Lose)).await;
    let mut watch = api.watch(&game.name, "0").await;
    api.delete(&game.name).await.unwrap();
    let event = watch.event().await;
    assert!(matches!(event.kind, Some(Kind::Deleted(_))), "{event:?}");
    assert_eq!(soon(watch.next()).await, None);
}

#[tokio::test]
async fn a_year_for_a_move_is_fine() {
    let api = Api::start_with(&["--game-ttl", "1s"]).await;
    let year = Duration::from_secs(365 * 24 * 3600);
    let game = api.create(per_move(year, OnExpiry::Lose)).await;
    // The time to live of a game is beside its clock, not against it.
    let lives = millis(game.expire_time) - millis(game.create_time);
    assert_eq!(lives, 365 * 24 * 3600 * 1000 + 1000);
    let game = api.play(&game, "f5").await;
    assert_eq!(game.clock_reading.unwrap().running(), Color::White);
}

#[tokio::test]
async fn clocks_that_make_no_sense_are_refused() {
    let api = Api::start().await;
    let zero = Duration::ZERO;
    let eleven_years = Duration::from_secs(11 * 366 * 24 * 3600);
    let none = v1::CreateGameRequest {
        clock: Some(v1::Clock::default()),
        ..Default::default()
    };
    let mut once = total(LONG, zero);
    once.clock
        .as_mut()
        .unwrap()
        .set_on_expiry(OnExpiry::EngineMovesOnce);
    let mut negative = per_move(LONG, OnExpiry::Lose);
    negative.clock.as_mut().unwrap().time = Some(Time::PerMove(prost_types::Duration {
        seconds: -1,
        nanos: 0,
    }));
    for (request, field, reason) in [
        (none, "clock.time", ErrorReason::FieldRequired),
        (
            per_move(zero, OnExpiry::Lose),
            "clock.per_move",
            ErrorReason::FieldInvalid,
        ),
        (
            per_move(eleven_years, OnExpiry::Lose),
            "clock.per_move",
            ErrorReason::FieldInvalid,
        ),
        (negative, "clock.per_move", ErrorReason::FieldInvalid),
        (
            total(zero, LONG),
            "clock.total.initial",
            ErrorReason::FieldInvalid,
        ),
        (
            total(LONG, eleven_years),
            "clock.total.increment",
            ErrorReason::FieldInvalid,
        ),
        (once, "clock.on_expiry", ErrorReason::FieldInvalid),
    ] {
        let refused = api.games().create_game(request).await;
        let failure = assert_fails(refused, Code::InvalidArgument, reason);
        assert_eq!(failure.fields, [field]);
    }
}

#[tokio::test]
async fn a_repeat_of_a_move_in_time_is_a_repeat_after_the_end_too() {
    let api = Api::start().await;
    let game = api.create(per_move(SHORT, OnExpiry::Lose)).await;
    let mut request = a_move(&game, "f5");
    request.request_id = "in time".to_owned();
    api.games().play_move(request.clone()).await.unwrap();
    until(async || api.get(&game.name).await.state() == GameState::Finished).await;
    let again = api.games().play_move(request).await.unwrap().into_inner();
    assert!(again.replayed);
    assert_eq!(again.etag, "1");
}
