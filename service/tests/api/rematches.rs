//! GameService: games that follow each other.

use reversi_proto::v1::game_event::Kind;
use reversi_proto::v1::{self, Color, ErrorReason, GameState, RematchColors};
use tonic::metadata::AsciiMetadataValue;
use tonic::{Code, Request};

use crate::client::{SHORTEST_GAME, a_move};
use crate::failure::assert_fails;
use crate::server::Api;

fn rematch(name: &str, colors: RematchColors) -> v1::RematchRequest {
    v1::RematchRequest {
        name: name.to_owned(),
        colors: colors.into(),
        ..Default::default()
    }
}

async fn follow(api: &Api, name: &str, colors: RematchColors) -> v1::Game {
    let response = api.games().rematch(rematch(name, colors)).await.unwrap();
    response.into_inner().game.unwrap()
}

fn with_token<T>(message: T, token: &AsciiMetadataValue) -> Request<T> {
    let mut request = Request::new(message);
    request
        .metadata_mut()
        .insert("reversi-seat-token", token.clone());
    request
}

fn named(request: &mut v1::CreateGameRequest) {
    let seat = |name: &str| {
        Some(v1::Seat {
            display_name: name.to_owned(),
            ..Default::default()
        })
    };
    request.black_seat = seat("Ada");
    request.white_seat = seat("Eve");
}

#[tokio::test]
async fn the_next_game_has_the_same_players_and_the_score_so_far() {
    let api = Api::start().await;
    let mut request = v1::CreateGameRequest {
        labels: vec!["cup".to_owned()],
        ..Default::default()
    };
    named(&mut request);
    let first = api.create(request).await;
    let early = api
        .games()
        .rematch(rematch(&first.name, RematchColors::Swap))
        .await;
    assert_fails(early, Code::FailedPrecondition, ErrorReason::GameNotOver);
    let mut watch = api.watch(&first.name, "9").await;
    watch.snapshot().await;
    // Ada wins with Black.
    api.play_all(first.clone(), SHORTEST_GAME).await;
    for _ in 0..9 {
        watch.event().await;
    }
    let second = follow(&api, &first.name, RematchColors::Swap).await;
    assert_eq!(second.state(), GameState::InProgress);
    assert_eq!(second.labels, ["cup"]);
    assert_eq!(second.white_seat.as_ref().unwrap().display_name, "Ada");
    let series = second.series.clone().unwrap();
    assert_eq!(
        (series.first_game.as_str(), series.number),
        (first.name.as_str(), 2)
    );
    assert_eq!((series.black_points, series.white_points), (0.0, 1.0));
    assert_eq!(api.get(&first.name).await.next_game, second.name);
    let Some(Kind::Rematched(rematched)) = watch.event().await.kind else {
        panic!("the watchers of the first game are not told");
    };
    assert_eq!(rematched.next_game, second.name);

    api.resign(&second.name, Color::White).await.unwrap();
    let third = follow(&api, &second.name, RematchColors::Keep).await;
    assert_eq!(third.white_seat.as_ref().unwrap().display_name, "Ada");
    let series = third.series.unwrap();
    assert_eq!((series.first_game, series.number), (first.name, 3));
    assert_eq!((series.black_points, series.white_points), (1.0, 1.0));
}

#[tokio::test]
async fn a_game_has_one_successor_however_many_ask() {
    let api = Api::start().await;
    let game = api.game().await;
    api.resign(&game.name, Color::Black).await.unwrap();
    let colors = [
        RematchColors::Swap,
        RematchColors::Keep,
        RematchColors::Lots,
    ];
    let asked = (0..12).map(|number| {
        let mut games = api.games();
        let request = rematch(&game.name, colors[number % 3]);
        async move { games.rematch(request).await.unwrap().into_inner() }
    });
    let answers = futures_util::future::join_all(asked).await;
    let names: std::collections::BTreeSet<String> = answers
        .iter()
        .map(|answer| answer.game.as_ref().unwrap().name.clone())
        .collect();
    assert_eq!(names.len(), 1);
    assert_eq!(answers.iter().filter(|answer| !answer.replayed).count(), 1);
    assert_eq!(api.get(&game.name).await.etag, "2");
}

#[tokio::test]
async fn each_player_is_given_the_token_of_the_own_next_seat() {
    let api = Api::start().await;
    let mut request = v1::CreateGameRequest {
        seat_tokens: true,
        ..Default::default()
    };
    named(&mut request);
    let created = api.games().create_game(request).await.unwrap();
    let key = |side: &str| {
        let token = created.metadata().get(format!("reversi-{side}-seat-token"));
        token.unwrap().clone()
    };
    let (black, white) = (key("black"), key("white"));
    let game = created.get_ref().game.clone().unwrap();
    let resign = v1::ResignRequest {
        name: game.name.clone(),
        side: Color::Black.into(),
        ..Default::default()
    };
    api.games()
        .resign(with_token(resign, &black))
        .await
        .unwrap();
    let bare = api
        .games()
        .rematch(rematch(&game.name, RematchColors::Swap))
        .await;
    assert_fails(bare, Code::Unauthenticated, ErrorReason::SeatTokenRequired);

    let mut tokens = Vec::new();
    for token in [&black, &white] {
        let request = with_token(rematch(&game.name, RematchColors::Swap), token);
        let response = api.games().rematch(request).await.unwrap();
        tokens.push(
            response
                .metadata()
                .get("reversi-seat-token")
                .unwrap()
                .clone(),
        );
    }
    let next = api.get(&api.get(&game.name).await.next_game).await;
    // Who was Black is White now.
    let play = |token: &AsciiMetadataValue| {
        let request = with_token(a_move(&next, "f5"), token);
        let mut games = api.games();
        async move { games.play_move(request).await }
    };
    let refused = play(&tokens[0]).await;
    assert_fails(refused, Code::PermissionDenied, ErrorReason::SeatTokenWrong);
    play(&tokens[1]).await.unwrap();
}

#[tokio::test]
async fn a_request_id_belongs_to_one_rematch() {
    let api = Api::start().await;
    let game = api.game().await;
    let resign = v1::ResignRequest {
        name: game.name.clone(),
        side: Color::Black.into(),
        request_id: "one".to_owned(),
        ..Default::default()
    };
    api.games().resign(resign).await.unwrap();
    let mut request = rematch(&game.name, RematchColors::Swap);
    request.request_id = "two".to_owned();
    let first = api.games().rematch(request.clone()).await.unwrap();
    let again = api.games().rematch(request.clone()).await.unwrap();
    assert!(again.get_ref().replayed);
    assert_eq!(again.get_ref().game, first.get_ref().game);
    for (id, colors) in [("two", RematchColors::Keep), ("one", RematchColors::Swap)] {
        request.request_id = id.to_owned();
        request.set_colors(colors);
        let refused = api.games().rematch(request.clone()).await;
        assert_fails(refused, Code::InvalidArgument, ErrorReason::RequestIdReused);
    }
}

#[tokio::test]
async fn a_game_whose_successor_is_deleted_has_none() {
    let api = Api::start().await;
    let game = api.game().await;
    api.resign(&game.name, Color::Black).await.unwrap();
    let next = follow(&api, &game.name, RematchColors::Swap).await;
    api.delete(&next.name).await.unwrap();
    let gone = api
        .games()
        .rematch(rematch(&game.name, RematchColors::Swap))
        .await;
    let failure = assert_fails(gone, Code::NotFound, ErrorReason::GameNotFound);
    assert_eq!(failure.metadata["name"], next.name);
}
