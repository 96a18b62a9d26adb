//! The types of the domain into messages of responses.

mod analysis;
mod event;
mod game;
mod game_change;
mod opening;
mod reasons;

use reversi_engine::notation::board_text;
use reversi_engine::{
    Color, EndReason, Game, Move, MoveKind, Objective, PassMode, PlayedMove, Position, RuleSet,
    Score, Scoring, Setup, Square, Start, Turn,
};
use reversi_proto::v1;

use crate::session::{GameId, Outcome, OutcomeReason, Timestamp};

pub(super) use analysis::analysis;
pub(super) use event::update;
pub(super) use game::game;
pub(super) use game_change::games_update;
pub(super) use opening::balanced_opening;
pub(super) use reasons::{Context, reason};

/// How much of the legal moves to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum View {
    Full,
    Mask,
}

pub(super) fn color(color: Color) -> v1::Color {
    match color {
        Color::Black => v1::Color::Black,
        Color::White => v1::Color::White,
    }
}

pub(super) fn game_name(id: GameId) -> String {
    format!("games/{id}")
}

pub(super) fn position(position: &Position) -> v1::Position {
    setup(&Setup::from(*position))
}

fn setup(setup: &Setup) -> v1::Position {
    v1::Position {
        board: Some(v1::position::Board::Bitboards(v1::Bitboards {
            black: setup.black.0,
            white: setup.white.0,
        })),
        side_to_move: color(setup.side_to_move).into(),
    }
}

pub(super) fn board(position: &Position) -> String {
    board_text(position.black(), position.white())
}

pub(super) fn legal_moves(position: &Position, view: View) -> v1::LegalMoves {
    let legal = position.legal_moves();
    let turn = match position.turn() {
        Turn::Move => v1::Turn::Move,
        Turn::Pass => v1::Turn::Pass,
        Turn::Over(_) => v1::Turn::Over,
    };
    let moves = match view {
        View::Mask => Vec::new(),
        View::Full => legal
            .iter()
            .map(|square| v1::LegalMove {
                square: square.name().to_owned(),
                flips: squares(position, square),
            })
            .collect(),
    };
    v1::LegalMoves {
        turn: turn.into(),
        mask: legal.0,
        moves,
    }
}

fn squares(position: &Position, square: Square) -> Vec<String> {
    let flips = position.flips(square);
    flips
        .iter()
        .map(|flipped| flipped.name().to_owned())
        .collect()
}

pub(super) fn score(score: Score) -> v1::Score {
    v1::Score {
        black: score.black.into(),
        white: score.white.into(),
        empties: score.empties.into(),
        scored: score.scored.map(|totals| v1::ScoredTotals {
            black: totals.black.into(),
            white: totals.white.into(),
        }),
    }
}

pub(super) fn outcome(outcome: Outcome) -> v1::Outcome {
    let reason = match outcome.reason {
        OutcomeReason::Board(EndReason::NoMoves) => v1::EndReason::NoMoves,
        OutcomeReason::Board(EndReason::BoardFull) => v1::EndReason::BoardFull,
        OutcomeReason::Board(EndReason::Wipeout) => v1::EndReason::Wipeout,
        OutcomeReason::Resignation => v1::EndReason::Resignation,
        OutcomeReason::Timeout => v1::EndReason::Timeout,
    };
    v1::Outcome {
        winner: outcome.winner.map_or(v1::Color::Unspecified, color).into(),
        reason: reason.into(),
    }
}

/// How the board has ended the game, if it has.
pub(super) fn board_outcome(position: &Position, objective: Objective) -> Option<v1::Outcome> {
    position.result(objective).map(|result| {
        outcome(Outcome {
            winner: result.winner,
            reason: OutcomeReason::Board(result.reason),
        })
    })
}

pub(super) fn played(played: &PlayedMove) -> v1::Move {
    let kind = match played.kind {
        MoveKind::Placement => v1::MoveKind::Placement,
        MoveKind::Disc => v1::MoveKind::Disc,
        MoveKind::Pass => v1::MoveKind::Pass,
    };
    v1::Move {
        square: played.mv.name().to_owned(),
        side: color(played.side).into(),
        kind: kind.into(),
        flips: played.flips.0,
        prelude: false,
    }
}

/// All moves of a game, the first of which are its prelude.
pub(super) fn history(game: &Game, prelude: usize) -> Vec<v1::Move> {
    let mut moves = moves(game.history());
    for chosen_by_nobody in moves.iter_mut().take(prelude) {
        chosen_by_nobody.prelude = true;
    }
    moves
}

/// Moves that were played.
pub(super) fn moves(moves: &[PlayedMove]) -> Vec<v1::Move> {
    moves.iter().map(played).collect()
}

/// A move that could be played here.
pub(super) fn candidate(position: &Position, mv: Move) -> v1::Move {
    let (kind, flips) = match mv {
        Move::Pass => (v1::MoveKind::Pass, 0),
        Move::Place(square) => match position.flips(square).0 {
            0 => (v1::MoveKind::Placement, 0),
            flips => (v1::MoveKind::Disc, flips),
        },
    };
    v1::Move {
        square: mv.name().to_owned(),
        side: color(position.side_to_move()).into(),
        kind: kind.into(),
        flips,
        prelude: false,
    }
}

fn objective(objective: Objective) -> v1::Objective {
    match objective {
        Objective::MostDiscs => v1::Objective::MostDiscs,
        Objective::FewestDiscs => v1::Objective::FewestDiscs,
    }
}

/// The name of the weights for an objective.
pub(super) fn weights(objective: Objective, name: String) -> v1::EngineWeights {
    v1::EngineWeights {
        objective: self::objective(objective).into(),
        name,
    }
}

pub(super) fn rule_set(rules: &RuleSet) -> v1::RuleSet {
    let mut balanced = None;
    let (start, custom_position) = match rules.start {
        Start::Standard => (v1::Start::Standard, None),
        Start::Mirrored => (v1::Start::Mirrored, None),
        Start::ParallelWhiteAbove => (v1::Start::ParallelWhiteAbove, None),
        Start::ParallelBlackAbove => (v1::Start::ParallelBlackAbove, None),
        Start::Free => (v1::Start::Free, None),
        Start::Balanced(start) => {
            balanced = Some(opening::start(&start));
            (v1::Start::Balanced, None)
        }
        Start::Custom(custom) => (v1::Start::Custom, Some(setup(&custom))),
    };
    let scoring = match rules.scoring {
        Scoring::Discs => v1::Scoring::Discs,
        Scoring::EmptiesToMajority => v1::Scoring::EmptiesToMajority,
        Scoring::EmptiesToMajorityTiesSplit => v1::Scoring::EmptiesToMajorityTiesSplit,
    };
    let pass_mode = match rules.pass_mode {
        PassMode::Automatic => v1::PassMode::Automatic,
        PassMode::Explicit => v1::PassMode::Explicit,
    };
    v1::RuleSet {
        objective: objective(rules.objective).into(),
        start: start.into(),
        scoring: scoring.into(),
        pass_mode: pass_mode.into(),
        custom_position,
        balanced,
    }
}

/// A number that the rules or a limit keep small.
pub(super) fn small(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

fn timestamp(time: Timestamp) -> prost_types::Timestamp {
    let millis = time.as_millis();
    prost_types::Timestamp {
        seconds: i64::try_from(millis / 1000).unwrap_or(i64::MAX),
        nanos: i32::try_from(millis % 1000 * 1_000_000).unwrap_or(0),
    }
}

pub(super) fn duration(duration: std::time::Duration) -> prost_types::Duration {
    prost_types::Duration {
        seconds: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        nanos: i32::try_from(duration.subsec_nanos()).unwrap_or(0),
    }
}
