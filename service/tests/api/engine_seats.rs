//! GameService: seats that the engine plays.

use std::time::Duration;

use reversi_proto::v1::game_event::Kind;
use reversi_proto::v1::{self, Color, ErrorReason, GameState, PassMode, SeatOccupant};
use tonic::Code;

use crate::client::{other, to_move, until};
use crate::failure::assert_fails;
use crate::server::Api;

pub(crate) fn engine(level: i32) -> Option<v1::Seat> {
    Some(v1::Seat {
        occupant: SeatOccupant::Engine.into(),
        level,
        ..Default::default()
    })
}

async fn against_the_engine(api: &Api, side: Color) -> v1::Game {
    let mut request = v1::CreateGameRequest::default();
    match side {
        Color::Black => request.white_seat = engine(1),
        Color::White | Color::Unspecified => request.black_seat = engine(1),
    }
    api.create(request).await
}

/// Waits until it is this side's turn or the game is over.
async fn turn_of(api: &Api, name: &str, side: Color) -> v1::Game {
    let mut game = api.get(name).await;
    until(async || {
        game = api.get(name).await;
        game.state() != GameState::InProgress || to_move(&game) == side
    })
    .await;
    game
}

async fn set_seat(
    api: &Api,
    name: &str,
    side: Color,
    occupant: SeatOccupant,
) -> Result<v1::Game, tonic::Status> {
    let request = v1::SetSeatRequest {
        name: name.to_owned(),
        side: side.into(),
        occupant: occupant.into(),
        ..Default::default()
    };
    let response = api.games().set_seat(request).await?;
    Ok(response.into_inner().game.unwrap())
}

#[tokio::test]
async fn two_engines_play_a_whole_game_by_themselves() {
    let api = Api::start().await;
    for pass_mode in [PassMode::Automatic, PassMode::Explicit] {
        let game = api
            .create(v1::CreateGameRequest {
                rules: Some(v1::RuleSet {
                    pass_mode: pass_mode.into(),
                    ..Default::default()
                }),
                black_seat: engine(1),
                white_seat: engine(2),
                ..Default::default()
            })
            .await;
        until(async || api.get(&game.name).await.state() == GameState::Finished).await;
        let game = api.get(&game.name).await;
        // One event a move, none of them twice.
        let passes = game.history.iter().filter(|mv| mv.square == "pass").count();
        let events = match pass_mode {
            PassMode::Explicit => game.history.len(),
            PassMode::Automatic | PassMode::Unspecified => game.history.len() - passes,
        };
        assert_eq!(game.etag, events.to_string());
    }
}

#[tokio::test]
async fn the_engine_answers_every_move() {
    let api = Api::start().await;
    for side in [Color::Black, Color::White] {
        let game = against_the_engine(&api, side).await;
        for _ in 0..4 {
            let now = turn_of(&api, &game.name, side).await;
            let square = now.legal_moves.as_ref().unwrap().moves[0].square.clone();
            api.play(&now, &square).await;
        }
        let now = turn_of(&api, &game.name, side).await;
        assert!(now.ply >= 7, "{}", now.ply);
    }
}

#[tokio::test]
async fn nobody_moves_for_the_engine() {
    let api = Api::start_with(&["--engine-move-time", "20s"]).await;
    let game = api
        .create(v1::CreateGameRequest {
            black_seat: engine(10),
            ..Default::default()
        })
        .await;
    let refused = api.try_play(&game, "f5").await;
    let failure = assert_fails(refused, Code::FailedPrecondition, ErrorReason::SeatIsEngine);
    assert_eq!(failure.metadata["side"], "black");
    let refused = api.resign(&game.name, Color::Black).await;
    assert_fails(refused, Code::FailedPrecondition, ErrorReason::SeatIsEngine);
    let refused = set_seat(&api, &game.name, Color::Black, SeatOccupant::Person).await;
    assert_fails(refused, Code::FailedPrecondition, ErrorReason::SeatIsEngine);
    // A game that the engine thinks about can be deleted.
    let mut watch = api.watch(&game.name, "0").await;
    api.delete(&game.name).await.unwrap();
    assert!(matches!(watch.event().await.kind, Some(Kind::Deleted(_))));
    assert_eq!(watch.next().await, None);
}

#[tokio::test]
async fn a_move_taken_back_is_not_answered_any_more() {
    let api = Api::start_with(&["--engine-move-time", "20s"]).await;
    let game = api
        .create(v1::CreateGameRequest {
            white_seat: engine(10),
            ..Default::default()
        })
        .await;
    // f5 leaves White more than one move to think about.
    api.play(&game, "f5").await;
    let request = v1::TakeBackRequest {
        name: game.name.clone(),
        side: Color::Black.into(),
        ..Default::default()
    };
    let taken = api.games().take_back(request).await.unwrap().into_inner();
    let taken = taken.game.unwrap();
    assert_eq!((taken.ply, taken.etag.as_str()), (0, "2"));
    assert_eq!(taken.take_back_proposal, None);
    let game = api.play(&taken, "d3").await;
    assert_eq!(game.etag, "3");
}

#[tokio::test]
async fn a_person_leaves_to_the_engine_and_comes_back() {
    let api = Api::start().await;
    let game = api.game().await;
    let left = set_seat(&api, &game.name, Color::Black, SeatOccupant::Engine).await;
    let seat = left.unwrap().black_seat.unwrap();
    assert_eq!((seat.occupant(), seat.level), (SeatOccupant::Substitute, 5));
    let now = turn_of(&api, &game.name, Color::White).await;
    assert_eq!(now.ply, 1);
    let back = set_seat(&api, &game.name, Color::Black, SeatOccupant::Person).await;
    let back = back.unwrap();
    let square = back.legal_moves.as_ref().unwrap().moves[0].square.clone();
    let played = api.play(&back, &square).await;
    assert_eq!(to_move(&played), Color::Black);
    let square = played.legal_moves.as_ref().unwrap().moves[0].square.clone();
    api.play(&played, &square).await;
    let there = set_seat(&api, &game.name, Color::Black, SeatOccupant::Person).await;
    assert_fails(there, Code::FailedPrecondition, ErrorReason::SeatIsPerson);
}

#[tokio::test]
async fn a_game_that_both_have_left_waits_for_one_of_them() {
    let api = Api::start().await;
    let game = api.game().await;
    for side in [Color::White, Color::Black] {
        let left = set_seat(&api, &game.name, side, SeatOccupant::Engine).await;
        left.unwrap();
    }
    let paused = api.get(&game.name).await;
    assert_eq!(paused.state(), GameState::Paused);
    assert_eq!(paused.legal_moves, None);
    let request = v1::ListGamesRequest {
        state: GameState::Paused.into(),
        ..Default::default()
    };
    let listed = api.games().list_games(request).await.unwrap();
    let listed = listed.into_inner().games;
    assert_eq!(listed, std::slice::from_ref(&paused));
    let refused = api.try_play(&paused, "f5").await;
    assert_fails(refused, Code::FailedPrecondition, ErrorReason::GamePaused);
    let back = set_seat(&api, &game.name, Color::White, SeatOccupant::Person).await;
    back.unwrap();
    assert_eq!(turn_of(&api, &game.name, Color::White).await.ply, 1);
}

#[tokio::test]
async fn many_games_are_played_at_once() {
    let api = Api::start().await;
    let mut names = Vec::new();
    for _ in 0..40 {
        let request = v1::CreateGameRequest {
            black_seat: engine(1),
            white_seat: engine(1),
            ..Default::default()
        };
        names.push(api.create(request).await.name);
    }
    for name in names {
        until(async || api.get(&name).await.state() == GameState::Finished).await;
    }
}

#[tokio::test]
async fn who_is_not_heard_of_is_replaced_and_who_watches_is_not() {
    let api = Api::start().await;
    let request = v1::CreateGameRequest {
        presence_ttl: Some(Duration::from_secs(1).try_into().unwrap()),
        substitute_level: 1,
        ..Default::default()
    };
    let game = api.create(request).await;
    let request = v1::WatchGameRequest {
        name: game.name.clone(),
        side: Color::White.into(),
        ..Default::default()
    };
    let watch = api.games().watch_game(request).await.unwrap().into_inner();
    let mut watch = crate::client::Watch(watch);
    watch.snapshot().await;
    // Black has never been heard of.
    let event = watch.event().await;
    let Some(Kind::SeatHandedOver(handed)) = event.kind else {
        panic!("expected a seat to be handed over, found {event:?}");
    };
    assert_eq!((handed.side(), handed.level), (Color::Black, 1));
    assert_eq!(handed.cause(), v1::HandOverCause::Absent);
    assert!(matches!(
        watch.event().await.kind,
        Some(Kind::MovesPlayed(_))
    ));
    // White is there as long as it watches, though it does not move.
    let quiet = tokio::time::timeout(Duration::from_millis(1500), watch.0.message()).await;
    assert!(quiet.is_err(), "{quiet:?}");
    drop(watch);
    until(async || api.get(&game.name).await.state() == GameState::Paused).await;
    let back = set_seat(&api, &game.name, Color::Black, SeatOccupant::Person).await;
    assert_eq!(back.unwrap().state(), GameState::InProgress);
}

#[tokio::test]
async fn seats_that_make_no_sense_are_refused() {
    let api = Api::start().await;
    let seat = |occupant: SeatOccupant, level| {
        Some(v1::Seat {
            occupant: occupant.into(),
            level,
            ..Default::default()
        })
    };
    for (black_seat, field, reason) in [
        (
            seat(SeatOccupant::Engine, 0),
            "black_seat.level",
            ErrorReason::FieldRequired,
        ),
        (
            seat(SeatOccupant::Engine, 11),
            "black_seat.level",
            ErrorReason::FieldInvalid,
        ),
        (
            seat(SeatOccupant::Engine, -1),
            "black_seat.level",
            ErrorReason::FieldInvalid,
        ),
        (
            seat(SeatOccupant::Person, 3),
            "black_seat.level",
            ErrorReason::FieldInvalid,
        ),
        (
            seat(SeatOccupant::Substitute, 0),
            "black_seat.occupant",
            ErrorReason::FieldInvalid,
        ),
    ] {
        let request = v1::CreateGameRequest {
            black_seat,
            ..Default::default()
        };
        let refused = api.games().create_game(request).await;
        let failure = assert_fails(refused, Code::InvalidArgument, reason);
        assert_eq!(failure.fields, [field]);
    }
    let game = api.game().await;
    for occupant in [SeatOccupant::Open, SeatOccupant::Substitute] {
        let refused = set_seat(&api, &game.name, other(Color::Black), occupant).await;
        assert_fails(refused, Code::InvalidArgument, ErrorReason::FieldInvalid);
    }
}
