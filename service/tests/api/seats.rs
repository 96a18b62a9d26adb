//! GameService: open seats, colours, tokens.

use reversi_proto::v1::{self, Color, ColorPolicy, ErrorReason, GameState, SeatOccupant};
use tonic::{Code, Request, Response, Status};

use crate::client::a_move;
use crate::failure::assert_fails;
use crate::server::Api;

fn open() -> Option<v1::Seat> {
    Some(v1::Seat {
        occupant: SeatOccupant::Open.into(),
        ..Default::default()
    })
}

fn person(name: &str) -> Option<v1::Seat> {
    Some(v1::Seat {
        display_name: name.to_owned(),
        ..Default::default()
    })
}

async fn claim(
    api: &Api,
    name: &str,
    player: &str,
) -> Result<Response<v1::ClaimSeatResponse>, Status> {
    let request = v1::ClaimSeatRequest {
        name: name.to_owned(),
        display_name: player.to_owned(),
        request_id: player.to_owned(),
        ..Default::default()
    };
    api.games().claim_seat(request).await
}

/// A token in the metadata of a response.
fn token<T>(response: &Response<T>, key: &str) -> Option<String> {
    let token = response.metadata().get(key)?;
    Some(token.to_str().unwrap().to_owned())
}

fn with_token<T>(message: T, token: &str) -> Request<T> {
    let mut request = Request::new(message);
    let key = "reversi-seat-token";
    request.metadata_mut().insert(key, token.parse().unwrap());
    request
}

#[tokio::test]
async fn a_game_begins_when_its_seats_are_taken() {
    let api = Api::start().await;
    let request = v1::CreateGameRequest {
        black_seat: person("Ada"),
        white_seat: open(),
        ..Default::default()
    };
    let game = api.create(request).await;
    assert_eq!(game.state(), GameState::Waiting);
    assert_eq!(game.legal_moves, None);
    let early = api.try_play(&game, "f5").await;
    assert_fails(early, Code::FailedPrecondition, ErrorReason::GameWaiting);
    let nobody = v1::SetSeatRequest {
        name: game.name.clone(),
        side: Color::White.into(),
        occupant: SeatOccupant::Engine.into(),
        ..Default::default()
    };
    let refused = api.games().set_seat(nobody).await;
    assert_fails(refused, Code::FailedPrecondition, ErrorReason::SeatIsOpen);
    let mut watch = api.watch(&game.name, "0").await;
    let claimed = claim(&api, &game.name, "Eve").await.unwrap().into_inner();
    assert_eq!((claimed.side(), claimed.etag.as_str()), (Color::White, "1"));
    let game = claimed.game.unwrap();
    assert_eq!(game.state(), GameState::InProgress);
    assert_eq!(game.white_seat.as_ref().unwrap().display_name, "Eve");
    let after = watch.event().await.after.unwrap();
    assert_eq!(after.white_seat, game.white_seat);
    let again = claim(&api, &game.name, "Eve").await.unwrap().into_inner();
    assert!(again.replayed);
    assert_eq!(again.side(), Color::White);
    let late = claim(&api, &game.name, "Mallory").await;
    assert_fails(late, Code::FailedPrecondition, ErrorReason::SeatNotOpen);
    api.play(&game, "f5").await;
}

#[tokio::test]
async fn of_two_who_claim_a_seat_one_gets_it() {
    let api = Api::start().await;
    let request = v1::CreateGameRequest {
        white_seat: open(),
        ..Default::default()
    };
    let game = api.create(request).await;
    let claims = (0..10).map(|number| {
        let (api, name) = (&api, &game.name);
        async move { claim(api, name, &number.to_string()).await.is_ok() }
    });
    let got = futures_util::future::join_all(claims).await;
    assert_eq!(got.iter().filter(|got| **got).count(), 1);
}

#[tokio::test]
async fn the_first_to_sit_is_black() {
    let api = Api::start().await;
    for given in [Color::Black, Color::White] {
        let mut request = v1::CreateGameRequest {
            color_policy: ColorPolicy::FirstToSitIsBlack.into(),
            black_seat: open(),
            white_seat: person("Ada"),
            ..Default::default()
        };
        if given == Color::Black {
            std::mem::swap(&mut request.black_seat, &mut request.white_seat);
        }
        let game = api.create(request).await;
        assert_eq!(game.black_seat.unwrap().display_name, "Ada");
        assert_eq!(game.white_seat.unwrap().occupant(), SeatOccupant::Open);
    }
    let request = v1::CreateGameRequest {
        color_policy: ColorPolicy::FirstToSitIsBlack.into(),
        ..Default::default()
    };
    let refused = api.games().create_game(request).await;
    let failure = assert_fails(refused, Code::InvalidArgument, ErrorReason::FieldInvalid);
    assert_eq!(failure.fields, ["color_policy"]);
}

#[tokio::test]
async fn lots_are_drawn_and_stay_drawn() {
    let api = Api::start().await;
    let mut black = 0;
    for number in 0..40 {
        let request = v1::CreateGameRequest {
            color_policy: ColorPolicy::DrawLots.into(),
            black_seat: person("Ada"),
            white_seat: if number % 2 == 0 {
                person("Eve")
            } else {
                open()
            },
            request_id: format!("{number}"),
            ..Default::default()
        };
        let game = api.create(request.clone()).await;
        assert_eq!(api.create(request).await, game, "a repeat draws the same");
        if game.black_seat.unwrap().display_name == "Ada" {
            black += 1;
        }
    }
    // Outside of this with a chance of 10⁻⁵.
    assert!((6..=34).contains(&black), "{black} of 40");
}

#[tokio::test]
async fn only_the_holder_of_a_seat_moves_it() {
    let api = Api::start().await;
    let request = v1::CreateGameRequest {
        seat_tokens: true,
        white_seat: open(),
        request_id: "tokens".to_owned(),
        ..Default::default()
    };
    let created = api.games().create_game(request.clone()).await.unwrap();
    let black = token(&created, "reversi-black-seat-token").unwrap();
    assert_eq!(token(&created, "reversi-white-seat-token"), None);
    let game = created.into_inner().game.unwrap();
    assert!(game.seat_tokens);
    let claimed = claim(&api, &game.name, "Eve").await.unwrap();
    let white = token(&claimed, "reversi-seat-token").unwrap();
    assert_ne!(black, white);
    let game = claimed.into_inner().game.unwrap();

    let play = |token: &str| {
        let request = with_token(a_move(&game, "f5"), token);
        let mut games = api.games();
        async move { games.play_move(request).await }
    };
    let without = api.try_play(&game, "f5").await;
    let failure = assert_fails(
        without,
        Code::Unauthenticated,
        ErrorReason::SeatTokenRequired,
    );
    assert_eq!(failure.metadata["name"], game.name);
    let other_game = v1::CreateGameRequest {
        seat_tokens: true,
        ..Default::default()
    };
    let other_game = api.games().create_game(other_game).await.unwrap();
    let other_game = token(&other_game, "reversi-black-seat-token").unwrap();
    for wrong in [
        white.as_str(),
        &other_game,
        "0",
        &"0".repeat(32),
        "no token",
    ] {
        let refused = play(wrong).await;
        assert_fails(refused, Code::PermissionDenied, ErrorReason::SeatTokenWrong);
    }
    assert_eq!(api.get(&game.name).await, game);
    play(&black).await.unwrap();

    // The opponent may not hand the seat to the engine; who holds it may.
    let leave = v1::SetSeatRequest {
        name: game.name.clone(),
        side: Color::Black.into(),
        occupant: SeatOccupant::Engine.into(),
        ..Default::default()
    };
    let refused = api
        .games()
        .set_seat(with_token(leave.clone(), &white))
        .await;
    assert_fails(refused, Code::PermissionDenied, ErrorReason::SeatTokenWrong);
    api.games()
        .set_seat(with_token(leave, &black))
        .await
        .unwrap();
    let resign = v1::ResignRequest {
        name: game.name.clone(),
        side: Color::White.into(),
        ..Default::default()
    };
    let refused = api.games().resign(resign.clone()).await;
    assert_fails(
        refused,
        Code::Unauthenticated,
        ErrorReason::SeatTokenRequired,
    );
    api.games()
        .resign(with_token(resign, &white))
        .await
        .unwrap();

    // A repeat of the creation answers the token again, since the first answer may be lost.
    let again = api.games().create_game(request).await.unwrap();
    assert_eq!(token(&again, "reversi-black-seat-token"), Some(black));
    assert_eq!(token(&again, "reversi-white-seat-token"), None);
}

#[tokio::test]
async fn games_without_tokens_send_none_and_take_any() {
    let api = Api::start().await;
    let request = v1::CreateGameRequest::default();
    let created = api.games().create_game(request).await.unwrap();
    assert_eq!(token(&created, "reversi-black-seat-token"), None);
    let game = created.into_inner().game.unwrap();
    let request = with_token(a_move(&game, "f5"), "anything");
    api.games().play_move(request).await.unwrap();
}

#[tokio::test]
async fn the_legal_moves_can_be_hidden_and_shown() {
    let api = Api::start().await;
    let game = api.game().await;
    let mut watch = api.watch(&game.name, "0").await;
    for display in [v1::LegalMovesDisplay::Hidden, v1::LegalMovesDisplay::Shown] {
        let request = v1::UpdateGameRequest {
            name: game.name.clone(),
            legal_moves_display: display.into(),
            ..Default::default()
        };
        let updated = api.games().update_game(request).await.unwrap();
        let game = updated.into_inner().game.unwrap();
        assert_eq!(game.legal_moves_display(), display);
        let shown = display == v1::LegalMovesDisplay::Shown;
        assert_eq!(game.legal_moves.is_some(), shown);
        let after = watch.event().await.after.unwrap();
        assert_eq!(after.legal_moves_display(), display);
        assert_eq!(after.legal_moves.is_some(), shown);
    }
    let nothing = v1::UpdateGameRequest {
        name: game.name,
        ..Default::default()
    };
    let refused = api.games().update_game(nothing).await;
    assert_fails(refused, Code::InvalidArgument, ErrorReason::FieldRequired);
}

#[tokio::test]
async fn a_proposal_to_take_back_can_be_declined() {
    let api = Api::start().await;
    let game = api.play_all(api.game().await, "f5d6").await;
    let propose = v1::TakeBackRequest {
        name: game.name.clone(),
        side: Color::Black.into(),
        ..Default::default()
    };
    let proposed = api.games().take_back(propose.clone()).await.unwrap();
    let proposal = proposed.into_inner().game.unwrap().take_back_proposal;
    let proposal = proposal.unwrap();
    assert_eq!((proposal.side(), proposal.ply), (Color::Black, 0));
    let again = api.games().take_back(propose).await;
    assert_fails(
        again,
        Code::FailedPrecondition,
        ErrorReason::TakeBackPending,
    );
    let answer = |side: Color, accept| v1::AnswerTakeBackRequest {
        name: game.name.clone(),
        side: side.into(),
        accept,
        ..Default::default()
    };
    let own = api
        .games()
        .answer_take_back(answer(Color::Black, true))
        .await;
    assert_fails(
        own,
        Code::FailedPrecondition,
        ErrorReason::NoTakeBackPending,
    );
    let declined = api
        .games()
        .answer_take_back(answer(Color::White, false))
        .await;
    let declined = declined.unwrap().into_inner().game.unwrap();
    assert_eq!((declined.ply, declined.take_back_proposal), (2, None));
    let further = v1::TakeBackRequest {
        name: game.name.clone(),
        side: Color::White.into(),
        ply: Some(0),
        ..Default::default()
    };
    let refused = api.games().take_back(further).await;
    let reason = ErrorReason::CannotTakeBackTo;
    let failure = assert_fails(refused, Code::FailedPrecondition, reason);
    assert_eq!(failure.metadata["ply"], "0");
}
