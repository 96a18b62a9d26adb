//! Games from the first move to the last, under every rule set, beside the engine's own.

use reversi_engine::{self as engine, Game, Move};
use reversi_proto::v1::{
    self, Color, EndReason, GameState, Objective, PassMode, Scoring, Start, Turn,
};

use crate::client::{Random, UNTIL_BLACK_MUST_PASS, bitboards, text_position, to_move};
use crate::server::Api;

const STARTS: [(Start, engine::Start); 5] = [
    (Start::Standard, engine::Start::Standard),
    (Start::Mirrored, engine::Start::Mirrored),
    (Start::ParallelWhiteAbove, engine::Start::ParallelWhiteAbove),
    (Start::ParallelBlackAbove, engine::Start::ParallelBlackAbove),
    (Start::Free, engine::Start::Free),
];
const OBJECTIVES: [(Objective, engine::Objective); 2] = [
    (Objective::MostDiscs, engine::Objective::MostDiscs),
    (Objective::FewestDiscs, engine::Objective::FewestDiscs),
];
const SCORINGS: [(Scoring, engine::Scoring); 3] = [
    (Scoring::Discs, engine::Scoring::Discs),
    (
        Scoring::EmptiesToMajority,
        engine::Scoring::EmptiesToMajority,
    ),
    (
        Scoring::EmptiesToMajorityTiesSplit,
        engine::Scoring::EmptiesToMajorityTiesSplit,
    ),
];
const PASS_MODES: [(PassMode, engine::PassMode); 2] = [
    (PassMode::Automatic, engine::PassMode::Automatic),
    (PassMode::Explicit, engine::PassMode::Explicit),
];

/// Every rule set, in both tongues.
fn rule_sets() -> Vec<(v1::RuleSet, engine::RuleSet)> {
    let mut starts: Vec<_> = STARTS
        .iter()
        .map(|(start, own)| (*start, None, *own))
        .collect();
    starts.push(custom_start());
    let mut rule_sets = Vec::new();
    for (start, custom_position, own_start) in starts {
        for (objective, own_objective) in OBJECTIVES {
            for (scoring, own_scoring) in SCORINGS {
                for (pass_mode, own_pass_mode) in PASS_MODES {
                    let rules = v1::RuleSet {
                        objective: objective.into(),
                        start: start.into(),
                        scoring: scoring.into(),
                        pass_mode: pass_mode.into(),
                        custom_position: custom_position.clone(),
                        balanced: None,
                    };
                    let own = engine::RuleSet {
                        objective: own_objective,
                        start: own_start,
                        scoring: own_scoring,
                        pass_mode: own_pass_mode,
                    };
                    rule_sets.push((rules, own));
                }
            }
        }
    }
    rule_sets
}

/// A start in which Black has to pass.
fn custom_start() -> (Start, Option<v1::Position>, engine::Start) {
    let explicit = engine::RuleSet {
        pass_mode: engine::PassMode::Explicit,
        ..engine::RuleSet::default()
    };
    let game = Game::new(explicit).unwrap();
    let strict = engine::notation::Syntax::Strict;
    let game = engine::notation::replay(game, UNTIL_BLACK_MUST_PASS, strict).unwrap();
    let position = game.position();
    let text = engine::notation::board_text(position.black(), position.white());
    let setup = engine::Setup::from(*position);
    let custom = text_position(&text, Color::Black);
    (Start::Custom, Some(custom), engine::Start::Custom(setup))
}

fn color(color: engine::Color) -> Color {
    match color {
        engine::Color::Black => Color::Black,
        engine::Color::White => Color::White,
    }
}

/// What the service says of a game is what the engine says.
fn assert_same(game: &v1::Game, own: &Game) {
    let position = own.position();
    let boards = bitboards(game.position.as_ref().unwrap());
    assert_eq!(
        boards,
        (position.black().0, position.white().0),
        "{position}"
    );
    assert_eq!(to_move(game), color(position.side_to_move()), "{position}");
    let text = engine::notation::board_text(position.black(), position.white());
    assert_eq!(game.board_text, text);
    assert_eq!(usize::try_from(game.ply), Ok(own.ply()));
    let history = own.history().iter();
    let history: Vec<_> = history
        .map(|played| (played.mv.to_string(), color(played.side), played.flips.0))
        .collect();
    let told = game.history.iter();
    let told: Vec<_> = told
        .map(|mv| (mv.square.clone(), mv.side(), mv.flips))
        .collect();
    assert_eq!(told, history);
    assert_score(game, own);
    match &game.legal_moves {
        Some(legal) => {
            assert_eq!(game.state(), GameState::InProgress);
            assert_eq!(legal.mask, own.legal_moves().0, "{position}");
            let passes = own.turn() == engine::Turn::Pass;
            let turn = if passes { Turn::Pass } else { Turn::Move };
            assert_eq!(legal.turn(), turn, "{position}");
            for legal in &legal.moves {
                let flips = position.flips(legal.square.parse().unwrap()).to_string();
                assert_eq!(legal.flips.join(" "), flips, "{position}");
            }
        }
        None => assert_eq!(game.state(), GameState::Finished),
    }
}

fn assert_score(game: &v1::Game, own: &Game) {
    let score = own.score();
    let told = game.score.unwrap();
    let raw = (told.black, told.white, told.empties);
    assert_eq!(
        raw,
        (score.black.into(), score.white.into(), score.empties.into())
    );
    let scored = told.scored.map(|totals| (totals.black, totals.white));
    let own_scored = score
        .scored
        .map(|totals| (totals.black.into(), totals.white.into()));
    assert_eq!(scored, own_scored);
    let outcome = game
        .outcome
        .map(|outcome| (outcome.winner(), outcome.reason()));
    let own_outcome = own.result().map(|result| {
        let reason = match result.reason {
            engine::EndReason::NoMoves => EndReason::NoMoves,
            engine::EndReason::BoardFull => EndReason::BoardFull,
            engine::EndReason::Wipeout => EndReason::Wipeout,
        };
        (result.winner.map_or(Color::Unspecified, color), reason)
    });
    assert_eq!(outcome, own_outcome);
}

/// Plays a game at random to its end and watches it.
async fn play_to_the_end(api: &Api, rules: v1::RuleSet, own: engine::RuleSet, random: &mut Random) {
    let mut own = Game::new(own).unwrap();
    let mut game = api.game_of(rules).await;
    let mut watch = api.watch(&game.name, "").await;
    assert_eq!(watch.snapshot().await.game.as_ref(), Some(&game));
    assert_same(&game, &own);
    let mut writes = 0;
    while game.state() == GameState::InProgress {
        let legal = game.legal_moves.as_ref().unwrap();
        let square = if legal.turn() == Turn::Pass {
            "pass".to_owned()
        } else {
            random.choose(&legal.moves).square.clone()
        };
        let entered = own.play(square.parse::<Move>().unwrap()).unwrap().len();
        let played = api.try_play(&game, &square).await.unwrap();
        writes += 1;
        assert_eq!(played.moves.len(), entered);
        assert_eq!(played.etag, writes.to_string());
        game = played.game.unwrap();
        assert_eq!(game.history.len() - entered, own.ply() - entered);
        assert_same(&game, &own);

        let event = watch.event().await;
        let Some(v1::game_event::Kind::MovesPlayed(moves)) = event.kind else {
            panic!("expected moves, found {event:?}");
        };
        assert_eq!((event.etag, moves.moves), (played.etag, played.moves));
        assert_eq!(usize::try_from(moves.ply), Ok(own.ply() - entered));
        let after = event.after.unwrap();
        let status = (
            &after.position,
            &after.legal_moves,
            &after.score,
            &after.outcome,
        );
        assert_eq!(
            status,
            (
                &game.position,
                &game.legal_moves,
                &game.score,
                &game.outcome
            )
        );
        assert_eq!(
            (after.board_text, after.ply, after.state),
            (game.board_text.clone(), game.ply, game.state)
        );
    }
    assert!(own.turn().is_over());
    assert_eq!(api.get(&game.name).await, game);
}

#[tokio::test]
async fn every_rule_set_is_played_to_the_end_as_the_engine_plays_it() {
    const SEED: u64 = 7;
    println!("seed {SEED}");
    let api = Api::start().await;
    let mut random = Random(SEED);
    for (rules, own) in rule_sets() {
        play_to_the_end(&api, rules, own, &mut random).await;
    }
}
