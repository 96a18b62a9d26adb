//! OpeningService, and games that begin with a balanced opening.

use reversi_engine::notation::{Syntax, replay};
use reversi_engine::{Game, RuleSet};
use reversi_proto::v1::{self, opening_choice::Pick};

use crate::server::Api;

fn choice(balance: v1::Balance, pick: Option<Pick>) -> v1::OpeningChoice {
    v1::OpeningChoice {
        balance: balance.into(),
        pick,
        list_version: 0,
    }
}

async fn draw(api: &Api, choice: v1::OpeningChoice) -> v1::BalancedOpening {
    let request = v1::DrawBalancedOpeningRequest {
        choice: Some(choice),
    };
    let drawn = api.openings().draw_balanced_opening(request).await;
    drawn.unwrap().into_inner().opening.unwrap()
}

fn balanced(choice: Option<v1::OpeningChoice>) -> v1::RuleSet {
    v1::RuleSet {
        start: v1::Start::Balanced.into(),
        balanced: choice.map(|choice| v1::BalancedStart {
            choice: Some(choice),
            ..Default::default()
        }),
        ..Default::default()
    }
}

#[tokio::test]
async fn a_drawn_opening_is_what_it_says() {
    let api = Api::start().await;
    for (balance, most) in [
        (v1::Balance::WithinOneDisc, 1.0),
        (v1::Balance::WithinTwoDiscs, 2.0),
    ] {
        for seed in 0..20 {
            let opening = draw(&api, choice(balance, Some(Pick::Seed(seed)))).await;
            assert_eq!(opening.balance(), balance);
            assert!(opening.value.abs() <= most && opening.depth > 0);
            assert!(opening.index < opening.list_size);
            let game = Game::new(RuleSet::default()).unwrap();
            let game = replay(game, &opening.moves, Syntax::Strict).unwrap();
            assert_eq!(game.ply(), 8);
            let Some(v1::position::Board::Bitboards(discs)) = opening.position.unwrap().board
            else {
                panic!("no bitboards");
            };
            assert_eq!(discs.black, game.position().black().0);
            assert_eq!(discs.white, game.position().white().0);
        }
    }
}

#[tokio::test]
async fn the_same_seed_or_index_draws_the_same_opening() {
    let api = Api::start().await;
    let balance = v1::Balance::WithinTwoDiscs;
    let first = draw(&api, choice(balance, Some(Pick::Seed(7)))).await;
    assert_eq!(
        draw(&api, choice(balance, Some(Pick::Seed(7)))).await,
        first
    );
    let index = Some(Pick::Index(first.index));
    assert_eq!(draw(&api, choice(balance, index)).await, first);
    let mut by_lot = Vec::new();
    for _ in 0..8 {
        by_lot.push(draw(&api, choice(balance, None)).await.index);
    }
    by_lot.dedup();
    assert!(by_lot.len() > 1, "{by_lot:?}");
}

#[tokio::test]
async fn a_balanced_game_begins_behind_its_prelude() {
    let api = Api::start().await;
    let seed = choice(v1::Balance::WithinOneDisc, Some(Pick::Seed(3)));
    let opening = draw(&api, seed).await;
    let game = api.game_of(balanced(Some(seed))).await;
    assert_eq!(game.ply, 8);
    assert!(game.history.iter().all(|played| played.prelude));
    let moves: String = game.history.iter().map(|m| m.square.clone()).collect();
    assert_eq!(moves, opening.moves);
    let rules = game.rules.unwrap();
    let start = rules.balanced.clone().unwrap();
    assert_eq!(start.moves, opening.moves);
    assert_eq!(start.list_version, opening.list_version);
    assert_eq!(game.position, opening.position);

    // The rules can be sent back, whatever the list is then.
    let again = api.game_of(rules).await;
    assert_eq!(again.history, game.history);

    let square = again.legal_moves.as_ref().unwrap().moves[0].square.clone();
    let history = api.play(&again, &square).await.history;
    assert!(!history[8].prelude && history[7].prelude);
}

#[tokio::test]
async fn the_prelude_is_not_taken_back() {
    let api = Api::start().await;
    let game = api.game_of(balanced(None)).await;
    let refused = api.take_back(&game.name, v1::Color::White).await;
    let refused = refused.unwrap_err();
    assert_eq!(refused.code(), tonic::Code::FailedPrecondition);
}

#[tokio::test]
async fn a_longer_prelude_counts_from_the_first_move() {
    let api = Api::start().await;
    let drawn = api.game_of(balanced(None)).await;
    let first = drawn.legal_moves.unwrap().moves[0].square.clone();
    for (prelude_ply, kept) in [(0, 8), (1, 8), (9, 9)] {
        let game = api
            .create(v1::CreateGameRequest {
                rules: drawn.rules.clone(),
                transcript: first.clone(),
                prelude_ply,
                ..Default::default()
            })
            .await;
        assert_eq!((game.ply, game.prelude_ply), (9, kept), "{prelude_ply}");
    }
}

#[tokio::test]
async fn a_repeated_creation_draws_the_same_lot() {
    let api = Api::start().await;
    let request = v1::CreateGameRequest {
        rules: Some(balanced(None)),
        request_id: "a lot".to_owned(),
        ..Default::default()
    };
    let first = api.create(request.clone()).await;
    let again = api.games().create_game(request).await.unwrap().into_inner();
    assert!(again.replayed);
    assert_eq!(again.game.unwrap(), first);
}

#[tokio::test]
async fn a_stateless_call_takes_the_opening_too() {
    let api = Api::start().await;
    let seed = choice(v1::Balance::WithinOneDisc, Some(Pick::Seed(11)));
    let opening = draw(&api, seed).await;
    let request = v1::ApplyMovesRequest {
        rules: Some(balanced(Some(seed))),
        ..Default::default()
    };
    let applied = api.rules().apply_moves(request).await.unwrap().into_inner();
    assert_eq!(applied.position, opening.position);
    assert!(
        applied.moves.is_empty(),
        "the prelude comes before the transcript"
    );
}
