//! GameService: how many live games a tenant may have.

use std::time::Duration;

use futures_util::future::join_all;
use reversi_proto::v1::{self, ErrorReason, GameState, RematchColors};
use tonic::{Code, Status};

use crate::client::SHORTEST_GAME;
use crate::failure::assert_fails;
use crate::server::Api;

async fn try_create(api: &Api, request: v1::CreateGameRequest) -> Result<v1::Game, Status> {
    let created = api.games().create_game(request).await?;
    Ok(created.into_inner().game.unwrap())
}

async fn is_refused(api: &Api, request: v1::CreateGameRequest) {
    let refused = try_create(api, request).await;
    let (code, reason) = (Code::ResourceExhausted, ErrorReason::QuotaExceeded);
    let failure = assert_fails(refused, code, reason);
    assert_eq!(failure.metadata["limit"], "live_games");
    assert_eq!(failure.metadata["most"], "3");
    assert_eq!(failure.retry_after, Some(Duration::from_secs(5)));
}

fn with_moves(transcript: &str) -> v1::CreateGameRequest {
    v1::CreateGameRequest {
        transcript: transcript.to_owned(),
        ..Default::default()
    }
}

fn with_id(request_id: &str) -> v1::CreateGameRequest {
    v1::CreateGameRequest {
        request_id: request_id.to_owned(),
        ..Default::default()
    }
}

async fn rematch(api: &Api, name: &str) -> Result<v1::Game, Status> {
    let request = v1::RematchRequest {
        name: name.to_owned(),
        colors: RematchColors::Swap.into(),
        ..Default::default()
    };
    Ok(api
        .games()
        .rematch(request)
        .await?
        .into_inner()
        .game
        .unwrap())
}

#[tokio::test]
async fn many_at_once_end_with_as_many_as_may_be() {
    let api = Api::start_with(&["--tenant-games", "3"]).await;
    let api = &api;
    let attempts = (0..50).map(|number| {
        // Two attempts for each of some ids, as by a caller who was not answered.
        let id = format!("{}", number / 2);
        async move { try_create(api, with_id(&id)).await }
    });
    let made: Vec<_> = join_all(attempts).await;
    let mut names: Vec<String> = made.into_iter().flatten().map(|game| game.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 3);
    is_refused(api, with_id("100")).await;
    // Neither does deciding who was first let another one in.
    is_refused(api, with_id("101")).await;
}

#[tokio::test]
async fn the_repeat_of_a_request_is_answered_at_the_limit() {
    let api = Api::start_with(&["--tenant-games", "3"]).await;
    let first = api.create(with_id("a")).await;
    api.game().await;
    api.game().await;
    is_refused(&api, with_id("b")).await;
    for _ in 0..2 {
        assert_eq!(api.create(with_id("a")).await.name, first.name);
    }
    // The repeat has not made room.
    is_refused(&api, with_id("b")).await;
    let checked = v1::CreateGameRequest {
        validate_only: true,
        ..Default::default()
    };
    try_create(&api, checked).await.unwrap();
}

#[tokio::test]
async fn a_game_that_ends_makes_room() {
    let api = Api::start_with(&["--tenant-games", "3"]).await;
    let games = [api.game().await, api.game().await, api.game().await];
    is_refused(&api, with_moves("f5")).await;
    api.delete(&games[0].name).await.unwrap();
    api.create(with_moves("f5")).await;
    is_refused(&api, with_moves("")).await;
    let over = api.play_all(games[1].clone(), SHORTEST_GAME).await;
    assert_eq!(over.state(), GameState::Finished);
    // One that begins at its end takes no room.
    for _ in 0..5 {
        api.create(with_moves(SHORTEST_GAME)).await;
    }
    let next = rematch(&api, &over.name).await.unwrap();
    is_refused(&api, with_moves("")).await;
    assert_eq!(rematch(&api, &over.name).await.unwrap().name, next.name);

    let other = api.create(with_moves(SHORTEST_GAME)).await;
    let (code, reason) = (Code::ResourceExhausted, ErrorReason::QuotaExceeded);
    assert_fails(rematch(&api, &other.name).await, code, reason);
    let side = v1::Color::Black;
    api.resign(&games[2].name, side).await.unwrap();
    rematch(&api, &other.name).await.unwrap();
    is_refused(&api, with_moves("")).await;
}
