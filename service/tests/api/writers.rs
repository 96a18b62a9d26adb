//! GameService: many writers at once.

use std::collections::BTreeMap;

use reversi_proto::v1::game_service_client::GameServiceClient;
use reversi_proto::v1::{self, Color, ErrorReason, GameState, Turn};
use tonic::{Code, Status};

use crate::client::{Random, connect, soon, to_move};
use crate::failure::Failure;
use crate::server::Api;

const WRITERS: u64 = 8;
/// The writes that a game remembers.
const REMEMBERED: u32 = 8;

/// The etag of the game now, told to one who was too late.
fn stale(status: &Status) -> u32 {
    let failure = Failure::of(status);
    assert!(
        failure.is(Code::Aborted, ErrorReason::StaleEtag),
        "{failure:?}"
    );
    failure.metadata["etag"].parse().unwrap()
}

/// A player that plays whatever side is to move, as fast as it can, until the game is over;
/// answers the moves that were acknowledged, by their etag.
async fn play_without_looking(api: &Api, name: String, seed: u64) -> BTreeMap<u32, Vec<v1::Move>> {
    let mut games = GameServiceClient::new(connect(&api.server.endpoint()));
    let mut random = Random(seed);
    let mut acknowledged = BTreeMap::new();
    loop {
        let request = v1::GetGameRequest { name: name.clone() };
        let game = games
            .get_game(request)
            .await
            .unwrap()
            .into_inner()
            .game
            .unwrap();
        if game.state() == GameState::Finished {
            return acknowledged;
        }
        let legal = game.legal_moves.as_ref().unwrap();
        assert_eq!(legal.turn(), Turn::Move);
        let mut request = crate::client::a_move(&game, &random.choose(&legal.moves).square);
        request.request_id = format!("{seed}-{}", random.next());
        match games.play_move(request.clone()).await {
            Ok(response) => {
                let response = response.into_inner();
                let etag = response.etag.parse().unwrap();
                // Whoever is not sure asks again, and is told the same, unless the others have
                // made so many moves meanwhile that this one is not remembered any more.
                match games.play_move(request).await {
                    Ok(again) => {
                        let again = again.into_inner();
                        assert!(again.replayed);
                        assert_eq!(again.moves, response.moves);
                    }
                    Err(status) => assert!(stale(&status) >= etag + REMEMBERED, "{status:?}"),
                }
                assert!(acknowledged.insert(etag, response.moves).is_none());
            }
            Err(status) => assert!(stale(&status) > game.etag.parse().unwrap()),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_acknowledged_move_is_played_exactly_once() {
    let api = Api::start().await;
    for round in 0..3 {
        let game = api.game().await;
        let mut watch = api.watch(&game.name, "0").await;
        let players = (0..WRITERS)
            .map(|writer| play_without_looking(&api, game.name.clone(), round * WRITERS + writer));
        let played = soon(futures_util::future::join_all(players)).await;
        let game = api.get(&game.name).await;
        let mut acknowledged = BTreeMap::new();
        for moves in played {
            for (etag, moves) in moves {
                assert!(
                    acknowledged.insert(etag, moves).is_none(),
                    "{etag} came twice"
                );
            }
        }
        // Every event has one writer that was told of it, and together they are the game.
        let last: u32 = game.etag.parse().unwrap();
        assert!(acknowledged.keys().copied().eq(1..=last));
        let history: Vec<_> = acknowledged.values().flatten().cloned().collect();
        assert_eq!(history, game.history);
        for (etag, moves) in acknowledged {
            let event = watch.event().await;
            assert_eq!(event.etag, etag.to_string());
            let Some(v1::game_event::Kind::MovesPlayed(played)) = event.kind else {
                panic!("expected moves, found {event:?}");
            };
            assert_eq!(played.moves, moves);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writers_that_expect_nothing_all_get_through() {
    let api = Api::start().await;
    let game = api.game().await;
    let changes = (0..10).map(|_| api.show_legal_moves(&game.name));
    soon(futures_util::future::join_all(changes)).await;
    assert_eq!(api.get(&game.name).await.etag, "10");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_request_sent_many_times_at_once_is_done_once() {
    let api = Api::start().await;
    let create = v1::CreateGameRequest {
        request_id: "all at once".to_owned(),
        ..Default::default()
    };
    let created = soon(futures_util::future::join_all((0..20).map(|_| {
        let mut games = api.games();
        let create = create.clone();
        async move { games.create_game(create).await.unwrap().into_inner() }
    })))
    .await;
    let game = created[0].game.clone().unwrap();
    assert!(
        created
            .iter()
            .all(|created| created.game.as_ref() == Some(&game))
    );
    assert_eq!(
        created.iter().filter(|created| !created.replayed).count(),
        1
    );

    let mut request = crate::client::a_move(&game, "f5");
    request.request_id = "all at once".to_owned();
    let played = soon(futures_util::future::join_all((0..20).map(|_| {
        let mut games = api.games();
        let request = request.clone();
        async move { games.play_move(request).await.unwrap().into_inner() }
    })))
    .await;
    assert_eq!(played.iter().filter(|played| !played.replayed).count(), 1);
    assert!(played.iter().all(|answer| answer.etag == "1"));
    assert!(played.iter().all(|answer| answer.moves == played[0].moves));
    let game = api.get(&game.name).await;
    assert_eq!((game.ply, to_move(&game)), (1, Color::White));
}
