//! GameService: games that are created with moves, labels, ids of the caller's.

use reversi_proto::v1::{self, Color, ErrorReason, GameState, PassMode};
use tonic::Code;

use crate::client::{SHORTEST_GAME, UNTIL_BLACK_MUST_PASS, to_move};
use crate::failure::assert_fails;
use crate::server::Api;

fn after(transcript: &str) -> v1::CreateGameRequest {
    v1::CreateGameRequest {
        transcript: transcript.to_owned(),
        ..Default::default()
    }
}

#[tokio::test]
async fn a_game_goes_on_from_a_transcript() {
    let api = Api::start().await;
    let played = api.play_all(api.game().await, UNTIL_BLACK_MUST_PASS).await;
    let game = api.create(after(UNTIL_BLACK_MUST_PASS)).await;
    assert_eq!(game.history, played.history);
    assert_eq!(game.position, played.position);
    assert_eq!((game.etag.as_str(), game.prelude_ply), ("0", 0));
    let game = api.play(&game, "b5").await;
    assert_eq!(game.etag, "1");
    let taken = api.take_back(&game.name, Color::White).await.unwrap();
    let taken = taken.game.unwrap();
    assert_eq!(taken.history, played.history);
    // Further back than where it was created.
    let taken = api.take_back(&game.name, Color::White).await.unwrap();
    assert_eq!(taken.game.unwrap().ply, 11);
}

#[tokio::test]
async fn explicit_passes_are_part_of_a_transcript() {
    let api = Api::start().await;
    let mut request = after(&format!("{UNTIL_BLACK_MUST_PASS} pass b5"));
    request.rules = Some(v1::RuleSet {
        pass_mode: PassMode::Explicit.into(),
        ..Default::default()
    });
    let game = api.create(request).await;
    assert_eq!((game.ply, to_move(&game)), (14, Color::Black));
}

#[tokio::test]
async fn nobody_takes_the_prelude_back() {
    let api = Api::start().await;
    let mut request = after("f5d6c3");
    request.prelude_ply = 3;
    let game = api.create(request).await;
    assert_eq!(game.prelude_ply, 3);
    for side in [Color::Black, Color::White] {
        let refused = api.take_back(&game.name, side).await;
        let nothing = ErrorReason::NothingToTakeBack;
        assert_fails(refused, Code::FailedPrecondition, nothing);
    }
}

#[tokio::test]
async fn a_game_can_be_created_over() {
    let api = Api::start().await;
    let game = api.create(after(SHORTEST_GAME)).await;
    assert_eq!(game.state(), GameState::Finished);
    assert_eq!(game.outcome.unwrap().winner(), Color::Black);
}

#[tokio::test]
async fn a_transcript_that_cannot_be_played_creates_nothing() {
    let api = Api::start().await;
    let refused = api.games().create_game(after("f5f5")).await;
    let occupied = ErrorReason::SquareOccupied;
    let failure = assert_fails(refused, Code::FailedPrecondition, occupied);
    assert_eq!(failure.metadata["index"], "1");
    let refused = api.games().create_game(after("f5 x9")).await;
    assert_fails(refused, Code::InvalidArgument, ErrorReason::NotASquare);
    for prelude_ply in [-1, 2] {
        let request = v1::CreateGameRequest {
            prelude_ply,
            ..after("f5")
        };
        let refused = api.games().create_game(request).await;
        let failure = assert_fails(refused, Code::InvalidArgument, ErrorReason::FieldInvalid);
        assert_eq!(failure.fields, ["prelude_ply"]);
    }
    let listed = api
        .games()
        .list_games(v1::ListGamesRequest::default())
        .await;
    assert_eq!(listed.unwrap().into_inner().games, []);
}

#[tokio::test]
async fn labels_and_the_callers_id_are_kept() {
    let api = Api::start().await;
    let request = v1::CreateGameRequest {
        labels: vec!["cup".to_owned(), "round 1".to_owned()],
        external_id: "match-17".to_owned(),
        ..Default::default()
    };
    let game = api.create(request).await;
    assert_eq!(game.labels, ["cup", "round 1"]);
    assert_eq!(game.external_id, "match-17");
    assert_eq!(api.get(&game.name).await, game);
    let many = (0..9).map(|number| number.to_string()).collect();
    for (labels, reason, field) in [
        (many, ErrorReason::TooLarge, "labels"),
        (vec![String::new()], ErrorReason::FieldRequired, "labels[0]"),
        (vec!["x".repeat(65)], ErrorReason::TooLarge, "labels[0]"),
        (
            vec!["a".to_owned(), "a".to_owned()],
            ErrorReason::FieldInvalid,
            "labels[1]",
        ),
    ] {
        let request = v1::CreateGameRequest {
            labels,
            ..Default::default()
        };
        let refused = api.games().create_game(request).await;
        let failure = assert_fails(refused, Code::InvalidArgument, reason);
        assert_eq!(failure.fields, [field]);
    }
}

#[tokio::test]
async fn a_creation_can_be_tried_without_creating() {
    let api = Api::start().await;
    let request = v1::CreateGameRequest {
        validate_only: true,
        ..after("f5d6c3")
    };
    let created = api.games().create_game(request).await.unwrap().into_inner();
    let game = created.game.unwrap();
    assert_eq!((game.name.as_str(), game.ply), ("", 3));
    let request = v1::CreateGameRequest {
        validate_only: true,
        ..after("f5f5")
    };
    let refused = api.games().create_game(request).await;
    let occupied = ErrorReason::SquareOccupied;
    assert_fails(refused, Code::FailedPrecondition, occupied);
    let listed = api
        .games()
        .list_games(v1::ListGamesRequest::default())
        .await;
    assert_eq!(listed.unwrap().into_inner().games, []);
}
