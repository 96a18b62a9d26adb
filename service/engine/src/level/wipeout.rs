//! Moves that lose at once because a colour has no disc left.

use crate::board::Board;
use crate::moves::Move;
use crate::position::{Phase, Position};
use crate::rules::Objective;

/// Whether the side to move can lose with its next two plies by a colour's last disc: under
/// [`Objective::MostDiscs`] because some answer takes all its discs, under
/// [`Objective::FewestDiscs`] because the move itself takes all of the opponent's.
pub(crate) fn is_invited_by(position: &Position, mv: Move, objective: Objective) -> bool {
    match (position.phase(), mv) {
        (Phase::Placement, _) | (Phase::Play, Move::Pass) => false,
        (Phase::Play, Move::Place(_)) => {
            let after = position.play_unchecked(mv).board();
            match objective {
                Objective::MostDiscs => some_answer_takes_all(after),
                Objective::FewestDiscs => after.player.is_empty(),
            }
        }
    }
}

fn some_answer_takes_all(board: Board) -> bool {
    board
        .legal_moves()
        .iter()
        .any(|square| (board.opponent - board.flips(square)).is_empty())
}
