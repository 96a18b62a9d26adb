//! AnalysisService: levels, several lines and reasons of suggestions.

use std::collections::BTreeSet;
use std::time::Duration;

use reversi_proto::v1::suggest_move_request::Subject;
use reversi_proto::v1::{self, Color, ErrorReason, Objective, PassMode, ReasonKind, Start};
use tonic::Code;

use crate::analysis::{about, depth, start_of, suggest, time};
use crate::client::{ONLY_WHITE_MOVES, text_position};
use crate::failure::assert_fails;
use crate::server::Api;

/// A middle of a game with many moves.
const MIDGAME: &str = "f5d6c3d3c4f4f6g5e3f3g6e2";

fn at_level(level: i32, seed: Option<u64>, transcript: &str) -> v1::SuggestMoveRequest {
    v1::SuggestMoveRequest {
        level: Some(level),
        seed,
        ..about(
            start_of(Start::Standard, Objective::MostDiscs, transcript),
            v1::Budget::default(),
        )
    }
}

#[tokio::test]
async fn every_level_plays_legally_whatever_the_rules() {
    let api = Api::start().await;
    for start in [Start::Standard, Start::ParallelBlackAbove, Start::Free] {
        for objective in [Objective::MostDiscs, Objective::FewestDiscs] {
            for level in 1..=10 {
                let request = v1::SuggestMoveRequest {
                    level: Some(level),
                    ..about(
                        start_of(start, objective, ""),
                        time(Duration::from_millis(20)),
                    )
                };
                let found = suggest(&api, request).await.unwrap();
                assert_eq!(found.level, level);
                assert_eq!(found.seed.is_some(), level < 10, "{found:?}");
                let request = v1::ApplyMovesRequest {
                    rules: start_of(start, objective, "").rules,
                    transcript: found.line.join(" "),
                    ..Default::default()
                };
                let applied = api.rules().apply_moves(request).await.unwrap().into_inner();
                assert_eq!(applied.moves.first(), found.r#move.as_ref());
            }
        }
    }
}

#[tokio::test]
async fn without_a_level_the_whole_engine_plays() {
    let api = Api::start().await;
    let line = || start_of(Start::Standard, Objective::MostDiscs, MIDGAME);
    let found = suggest(&api, about(line(), depth(6))).await.unwrap();
    assert_eq!((found.level, found.seed), (10, None));
    let highest = v1::SuggestMoveRequest {
        level: Some(10),
        seed: Some(1),
        ..about(line(), depth(6))
    };
    let same = suggest(&api, highest).await.unwrap();
    assert_eq!(
        (same.r#move, same.value, same.seed),
        (found.r#move, found.value, None)
    );
}

#[tokio::test]
async fn the_same_seed_gets_the_same_move_and_others_get_others() {
    let api = Api::start().await;
    let mut moves = BTreeSet::new();
    for seed in 0..12 {
        let request = || at_level(2, Some(seed), MIDGAME);
        let first = suggest(&api, request()).await.unwrap();
        let second = suggest(&api, request()).await.unwrap();
        assert_eq!(first.r#move, second.r#move);
        assert_eq!(first.line, second.line);
        assert_eq!(first.seed, Some(seed));
        moves.insert(first.line[0].clone());
    }
    assert!(moves.len() > 2, "{moves:?}");
}

#[tokio::test]
async fn a_seed_of_the_servers_is_told_and_stays_for_a_stored_game() {
    let api = Api::start().await;
    let found = suggest(&api, at_level(1, None, MIDGAME)).await.unwrap();
    let again = at_level(1, found.seed, MIDGAME);
    assert_eq!(suggest(&api, again).await.unwrap().line, found.line);
    let other = suggest(&api, at_level(1, None, MIDGAME)).await.unwrap();
    assert_ne!(other.seed, found.seed);

    let game = api.game().await;
    let of_game = |name: &str| v1::SuggestMoveRequest {
        subject: Some(Subject::Game(name.to_owned())),
        level: Some(1),
        ..Default::default()
    };
    let first = suggest(&api, of_game(&game.name)).await.unwrap();
    let moved = api.play_all(game, "f5d6").await;
    let later = suggest(&api, of_game(&moved.name)).await.unwrap();
    assert_eq!(later.seed, first.seed);
    let other = suggest(&api, of_game(&api.game().await.name))
        .await
        .unwrap();
    assert_ne!(other.seed, first.seed);
}

#[tokio::test]
async fn a_level_looks_no_further_than_it_does_and_no_further_than_it_may() {
    let api = Api::start().await;
    let shallow = suggest(&api, at_level(1, Some(1), MIDGAME)).await.unwrap();
    assert_eq!(shallow.depth, 1);
    let bounded = v1::SuggestMoveRequest {
        budget: Some(depth(2)),
        ..at_level(8, Some(1), MIDGAME)
    };
    assert_eq!(suggest(&api, bounded).await.unwrap().depth, 2);
}

#[tokio::test]
async fn unknown_levels_and_lines_off_the_scale_are_refused_together() {
    let api = Api::start().await;
    for (level, lines) in [(0, -1), (11, 61), (-1, i32::MIN), (i32::MAX, i32::MAX)] {
        let request = v1::SuggestMoveRequest {
            lines,
            ..at_level(level, None, "")
        };
        let refused = suggest(&api, request).await;
        let failure = assert_fails(refused, Code::InvalidArgument, ErrorReason::FieldInvalid);
        assert_eq!(failure.fields, ["level", "lines"]);
        assert_eq!(failure.metadata["value"], level.to_string());
    }
}

#[tokio::test]
async fn lines_are_the_best_moves_each_with_its_value() {
    let api = Api::start().await;
    for (lines, expected) in [(0, 1), (1, 1), (3, 3), (60, 9)] {
        let request = v1::SuggestMoveRequest {
            lines,
            ..about(
                start_of(Start::Standard, Objective::MostDiscs, MIDGAME),
                depth(4),
            )
        };
        let found = suggest(&api, request).await.unwrap();
        assert_eq!(found.alternatives.len() + 1, expected, "{found:?}");
        let values: Vec<f64> = found.alternatives.iter().map(|line| line.value).collect();
        assert!(found.value >= values.first().copied().unwrap_or(-64.0));
        assert!(values.is_sorted_by(|a, b| a >= b), "{values:?}");
        let mut squares = BTreeSet::from([found.line[0].clone()]);
        for alternative in &found.alternatives {
            let request = v1::ApplyMovesRequest {
                transcript: format!("{MIDGAME} {}", alternative.line.join(" ")),
                ..Default::default()
            };
            let applied = api.rules().apply_moves(request).await.unwrap().into_inner();
            let played = alternative.r#move.clone().unwrap();
            assert_eq!(applied.moves[12], played);
            assert!(squares.insert(played.square), "{found:?}");
        }
    }
}

#[tokio::test]
async fn the_weights_are_those_that_the_server_names() {
    let api = Api::start().await;
    let request = v1::GetServerInfoRequest {};
    let info = api.rules().get_server_info(request).await.unwrap();
    let weights = info.into_inner().weights;
    for (objective, weights) in [Objective::MostDiscs, Objective::FewestDiscs]
        .into_iter()
        .zip(weights)
    {
        assert_eq!(weights.objective(), objective);
        assert_ne!(weights.name, "");
        let line = start_of(Start::Standard, objective, "");
        let found = suggest(&api, about(line, depth(1))).await.unwrap();
        assert_eq!(found.weights, weights.name);
    }
}

/// The reasons for the best move of a board with Black to move.
async fn reasons(api: &Api, board: &str, pass_mode: PassMode) -> Vec<v1::Reason> {
    let line = v1::Line {
        position: Some(text_position(board, Color::Black)),
        rules: Some(v1::RuleSet {
            pass_mode: pass_mode.into(),
            ..Default::default()
        }),
        ..Default::default()
    };
    let request = v1::SuggestMoveRequest {
        reasons: true,
        ..about(line, depth(4))
    };
    suggest(api, request).await.unwrap().reasons
}

#[tokio::test]
async fn reasons_are_told_where_they_are_asked_for() {
    let api = Api::start().await;
    // a1 takes three discs and a corner.
    let board = "-OOOX---------------------OOO-----OXO----OXXO-------------------";
    let found = reasons(&api, board, PassMode::Automatic).await;
    let first = found.first().expect("a reason");
    assert_eq!(first.kind(), ReasonKind::TakesCorner, "{found:?}");
    assert_eq!(first.squares, ["a1"]);
    assert!(first.text.contains("a1"), "{first:?}");
    assert!(found.iter().all(|reason| reason.text.ends_with('.')));

    let pass = reasons(&api, ONLY_WHITE_MOVES, PassMode::Explicit).await;
    assert_eq!(pass[0].kind(), ReasonKind::OnlyMove);
    assert_eq!(pass[0].text, "Black has no legal move and must pass.");

    let line = start_of(Start::Standard, Objective::MostDiscs, MIDGAME);
    let found = suggest(&api, about(line, depth(2))).await.unwrap();
    assert_eq!(found.reasons, []);
}

#[tokio::test]
async fn reasons_are_the_same_each_time() {
    let api = Api::start().await;
    let request = || v1::SuggestMoveRequest {
        reasons: true,
        ..about(
            start_of(Start::Standard, Objective::MostDiscs, MIDGAME),
            depth(6),
        )
    };
    let first = suggest(&api, request()).await.unwrap();
    let second = suggest(&api, request()).await.unwrap();
    assert_eq!(first.reasons, second.reasons);
}
