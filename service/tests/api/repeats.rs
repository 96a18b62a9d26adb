//! GameService: request ids, and the order of a write's checks.

use reversi_proto::v1::play_move_request::Expected;
use reversi_proto::v1::{self, Color, ErrorReason, GameState, Start};
use tonic::Code;

use crate::client::{SHORTEST_GAME, UNTIL_BLACK_MUST_PASS, a_move};
use crate::failure::assert_fails;
use crate::server::Api;

fn with_id(mut request: v1::PlayMoveRequest, request_id: &str) -> v1::PlayMoveRequest {
    request.request_id = request_id.to_owned();
    request
}

async fn send(api: &Api, request: &v1::PlayMoveRequest) -> v1::PlayMoveResponse {
    let response = api.games().play_move(request.clone()).await;
    response.unwrap().into_inner()
}

#[tokio::test]
async fn a_repeated_move_is_not_played_again() {
    let api = Api::start().await;
    let game = api
        .play_all(api.game().await, &UNTIL_BLACK_MUST_PASS[..22])
        .await;
    let request = with_id(a_move(&game, "a7"), "seven");
    let first = send(&api, &request).await;
    assert!(!first.replayed);
    let again = send(&api, &request).await;
    assert!(again.replayed);
    // The same moves, with the pass that was entered, and the same etag.
    assert_eq!((&again.moves, &again.etag), (&first.moves, &first.etag));
    assert_eq!(again.moves.len(), 2);
    assert_eq!(again.game, first.game);
    assert_eq!(api.get(&game.name).await, first.game.unwrap());
}

#[tokio::test]
async fn a_repeat_after_later_moves_has_its_own_moves_and_the_game_of_now() {
    let api = Api::start().await;
    let request = with_id(a_move(&api.game().await, "f5"), "a");
    let first = send(&api, &request).await;
    let now = api.play_all(first.game.clone().unwrap(), "d6c3").await;
    let again = send(&api, &request).await;
    assert!(again.replayed);
    assert_eq!((again.moves, again.etag), (first.moves, "1".to_owned()));
    assert_eq!(again.game, Some(now));
}

#[tokio::test]
async fn a_repeat_after_the_move_was_taken_back_is_still_a_repeat() {
    let api = Api::start().await;
    let request = with_id(a_move(&api.game().await, "f5"), "a");
    let first = send(&api, &request).await;
    let name = first.game.unwrap().name;
    let now = api
        .take_back(&name, Color::Black)
        .await
        .unwrap()
        .game
        .unwrap();
    let again = send(&api, &request).await;
    assert!(again.replayed);
    assert_eq!((again.moves, again.game), (first.moves, Some(now)));
}

#[tokio::test]
async fn the_winning_move_can_be_repeated_after_the_end() {
    let api = Api::start().await;
    let (before, last) = SHORTEST_GAME.split_at(16);
    let game = api.play_all(api.game().await, before).await;
    let request = with_id(a_move(&game, last), "last");
    let first = send(&api, &request).await;
    assert_eq!(first.game.as_ref().unwrap().state(), GameState::Finished);
    let again = send(&api, &request).await;
    assert!(again.replayed);
    assert_eq!((again.moves, again.game), (first.moves, first.game));
}

#[tokio::test]
async fn a_repeated_take_back_and_resignation_do_nothing() {
    let api = Api::start().await;
    let game = api.play_all(api.game().await, "f5d6").await;
    let take_back = v1::TakeBackRequest {
        name: game.name.clone(),
        side: Color::Black.into(),
        etag: "2".to_owned(),
        request_id: "back".to_owned(),
        ply: None,
    };
    let first = api
        .games()
        .take_back(take_back.clone())
        .await
        .unwrap()
        .into_inner();
    assert_eq!((first.etag.as_str(), first.replayed), ("3", false));
    let answer = v1::AnswerTakeBackRequest {
        name: game.name.clone(),
        side: Color::White.into(),
        accept: true,
        etag: String::new(),
        request_id: "yes".to_owned(),
    };
    let accept = async || {
        let answered = api.games().answer_take_back(answer.clone()).await;
        let answered = answered.unwrap().into_inner();
        (answered.etag, answered.replayed, answered.game.unwrap())
    };
    let (etag, replayed, taken) = accept().await;
    assert_eq!((etag.as_str(), replayed, taken.ply), ("4", false, 0));
    let now = api.play(&taken, "d3").await;
    assert_eq!(accept().await, ("4".to_owned(), true, now.clone()));
    let again = api.games().take_back(take_back).await.unwrap().into_inner();
    assert_eq!((again.etag.as_str(), again.replayed), ("3", true));
    assert_eq!(again.game, Some(now));

    let resign = v1::ResignRequest {
        name: game.name.clone(),
        side: Color::White.into(),
        etag: String::new(),
        request_id: "resign".to_owned(),
    };
    let first = api
        .games()
        .resign(resign.clone())
        .await
        .unwrap()
        .into_inner();
    assert_eq!((first.etag.as_str(), first.replayed), ("6", false));
    let again = api.games().resign(resign).await.unwrap().into_inner();
    assert_eq!((again.etag.as_str(), again.replayed), ("6", true));
    assert_eq!(again.game, first.game);
    assert_eq!(again.game.unwrap().state(), GameState::Finished);
}

#[tokio::test]
async fn an_id_belongs_to_one_request() {
    let api = Api::start().await;
    let request = with_id(a_move(&api.game().await, "f5"), "mine");
    let now = send(&api, &request).await.game.unwrap();
    let mut others = vec![
        request.clone(),
        request.clone(),
        request.clone(),
        request.clone(),
    ];
    others[0].square = "d3".to_owned();
    others[1].side = Color::White.into();
    others[2].expected = Some(Expected::ExpectedPly(1));
    others[3].expected = Some(Expected::Etag("0".to_owned()));
    for other in others {
        let reused = api.games().play_move(other.clone()).await;
        let failure = assert_fails(reused, Code::InvalidArgument, ErrorReason::RequestIdReused);
        assert_eq!(failure.metadata["request_id"], "mine", "{other:?}");
        assert_eq!(failure.fields, ["request_id"], "{other:?}");
    }
    let reused = api
        .games()
        .resign(v1::ResignRequest {
            name: now.name.clone(),
            side: Color::Black.into(),
            request_id: "mine".to_owned(),
            ..Default::default()
        })
        .await;
    assert_fails(reused, Code::InvalidArgument, ErrorReason::RequestIdReused);
    assert_eq!(api.get(&now.name).await, now);
    // In another game it is another id, and the same move in other letters the same request.
    let elsewhere = with_id(a_move(&api.game().await, "d3"), "mine");
    assert!(!send(&api, &elsewhere).await.replayed);
    let mut upper = request;
    upper.square = "F5".to_owned();
    assert!(send(&api, &upper).await.replayed);
}

#[tokio::test]
async fn the_last_eight_writes_are_remembered() {
    let api = Api::start().await;
    let mut game = api.game().await;
    let mut requests = Vec::new();
    for (number, square) in ["f5", "d6", "c4", "g5", "d7", "c7", "h5", "d8", "b8"]
        .iter()
        .enumerate()
    {
        let request = with_id(a_move(&game, square), &format!("move {number}"));
        game = send(&api, &request).await.game.unwrap();
        requests.push(request);
        // Writes without an id take nobody's place.
        let mut without = a_move(&game, "a1");
        without.validate_only = true;
        api.games().play_move(without).await.unwrap_err();
    }
    for (number, request) in requests.iter().enumerate().skip(1) {
        let again = send(&api, request).await;
        assert!(again.replayed, "{number}");
        assert_eq!(again.etag, (number + 1).to_string());
    }
    // The first is forgotten: it is a new request, and the game is not there any more.
    let forgotten = api.games().play_move(requests[0].clone()).await;
    assert_fails(forgotten, Code::Aborted, ErrorReason::StaleEtag);
}

#[tokio::test]
async fn a_refused_write_does_not_use_up_its_id() {
    let api = Api::start().await;
    let game = api.game().await;
    let illegal = with_id(a_move(&game, "a1"), "try");
    let refused = api.games().play_move(illegal).await;
    assert_fails(
        refused,
        Code::FailedPrecondition,
        ErrorReason::IllegalNoFlip,
    );
    assert!(
        !send(&api, &with_id(a_move(&game, "f5"), "try"))
            .await
            .replayed
    );
}

#[tokio::test]
async fn a_repeated_creation_finds_its_game() {
    let api = Api::start().await;
    let request = v1::CreateGameRequest {
        rules: Some(v1::RuleSet {
            start: Start::Mirrored.into(),
            ..Default::default()
        }),
        request_id: "5f0c9f0e-0b4f-4d0c-8d57-1d7f3a0b7a10".to_owned(),
        ..Default::default()
    };
    let create = async |request: &v1::CreateGameRequest| {
        let response = api.games().create_game(request.clone()).await;
        response.map(tonic::Response::into_inner)
    };
    let first = create(&request).await.unwrap();
    assert!(!first.replayed);
    let now = api.play(first.game.as_ref().unwrap(), "f4").await;
    let again = create(&request).await.unwrap();
    assert!(again.replayed);
    assert_eq!(again.game, Some(now.clone()));
    // What says the same in other words is the same request.
    let mut same = request.clone();
    same.rules.as_mut().unwrap().pass_mode = v1::PassMode::Automatic.into();
    same.black_seat = Some(v1::Seat::default());
    assert!(create(&same).await.unwrap().replayed);

    let mut others = vec![request.clone(), request.clone(), request.clone()];
    others[0].rules = None;
    others[1].black_seat = Some(v1::Seat {
        player_id: "me".to_owned(),
        ..Default::default()
    });
    others[2].legal_moves_display = v1::LegalMovesDisplay::Hidden.into();
    for other in others {
        let reused = create(&other).await;
        let failure = assert_fails(reused, Code::InvalidArgument, ErrorReason::RequestIdReused);
        assert_eq!(failure.metadata["request_id"], request.request_id);
        assert_eq!(failure.fields, ["request_id"]);
    }
    assert_eq!(api.get(&now.name).await, now);
    // Another id is another game.
    let mut another = request;
    another.request_id.push('x');
    assert_ne!(create(&another).await.unwrap().game.unwrap().name, now.name);
}

#[tokio::test]
async fn an_id_of_a_move_is_not_one_of_a_creation() {
    let api = Api::start().await;
    let game = api
        .create(v1::CreateGameRequest {
            request_id: "same".to_owned(),
            ..Default::default()
        })
        .await;
    assert!(
        !send(&api, &with_id(a_move(&game, "f5"), "same"))
            .await
            .replayed
    );
}

#[tokio::test]
async fn a_repeated_creation_of_a_deleted_game_is_told_that_it_is_gone() {
    let api = Api::start().await;
    let request = v1::CreateGameRequest {
        request_id: "gone".to_owned(),
        ..Default::default()
    };
    let game = api.create(request.clone()).await;
    api.delete(&game.name).await.unwrap();
    let again = api.games().create_game(request).await;
    assert_fails(again, Code::NotFound, ErrorReason::GameNotFound);
}

/// request_id, etag or ply, state of the game, turn, legality: what comes first is told.
#[tokio::test]
async fn checks_come_in_their_order() {
    let api = Api::start().await;
    let running = api.play_all(api.game().await, "f5d6").await;
    let used = with_id(a_move(&running, "c3"), "used");
    let running = send(&api, &used).await.game.unwrap();
    let ended = api.play_all(api.game().await, SHORTEST_GAME).await;

    let all_wrong = |game: &v1::Game| v1::PlayMoveRequest {
        name: game.name.clone(),
        side: Color::Black.into(),
        square: "a1".to_owned(),
        expected: Some(Expected::Etag("7".to_owned())),
        ..Default::default()
    };
    // The id before all.
    let mut request = all_wrong(&running);
    request.request_id = "used".to_owned();
    let refused = api.games().play_move(request).await;
    assert_fails(refused, Code::InvalidArgument, ErrorReason::RequestIdReused);
    // The etag before state, turn and legality.
    for game in [&running, &ended] {
        let refused = api.games().play_move(all_wrong(game)).await;
        assert_fails(refused, Code::Aborted, ErrorReason::StaleEtag);
        let mut request = all_wrong(game);
        request.expected = Some(Expected::ExpectedPly(1));
        let refused = api.games().play_move(request).await;
        assert_fails(refused, Code::Aborted, ErrorReason::StaleEtag);
    }
    // The state before turn and legality.
    let mut request = all_wrong(&ended);
    request.expected = Some(Expected::Etag(ended.etag.clone()));
    let refused = api.games().play_move(request).await;
    assert_fails(refused, Code::FailedPrecondition, ErrorReason::GameOver);
    // The turn before legality.
    let mut request = all_wrong(&running);
    request.expected = Some(Expected::Etag(running.etag.clone()));
    let refused = api.games().play_move(request.clone()).await;
    let failure = assert_fails(refused, Code::FailedPrecondition, ErrorReason::NotYourTurn);
    assert_eq!(failure.metadata["side_to_move"], "white");
    request.side = Color::White.into();
    let refused = api.games().play_move(request).await;
    assert_fails(
        refused,
        Code::FailedPrecondition,
        ErrorReason::IllegalNoFlip,
    );
    // A repeat never fails as stale, over or out of turn.
    assert!(send(&api, &used).await.replayed);
}

#[tokio::test]
async fn a_repeated_deletion_is_no_failure() {
    let api = Api::start().await;
    let request = v1::DeleteGameRequest {
        name: api.game().await.name,
        request_id: "gone".to_owned(),
        ..Default::default()
    };
    api.games().delete_game(request.clone()).await.unwrap();
    api.games().delete_game(request.clone()).await.unwrap();
    let other = v1::DeleteGameRequest {
        request_id: "other".to_owned(),
        ..request
    };
    let refused = api.games().delete_game(other).await;
    assert_fails(refused, Code::NotFound, ErrorReason::GameNotFound);
}

#[tokio::test]
async fn a_repeat_of_a_move_of_a_deleted_game_finds_no_game() {
    let api = Api::start().await;
    let request = with_id(a_move(&api.game().await, "f5"), "a");
    send(&api, &request).await;
    api.delete(&request.name).await.unwrap();
    let refused = api.games().play_move(request).await;
    assert_fails(refused, Code::NotFound, ErrorReason::GameNotFound);
}
