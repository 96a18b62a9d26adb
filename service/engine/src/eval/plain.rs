//! A weighted sum of a few countable properties of the board ([`features`]), with weights that
//! follow the number of empty squares and the objective ([`weights`]).

mod features;
mod weights;

use crate::board::Board;
use crate::rules::Objective;

use super::{DISC, MOST, final_value};

use features::Features;
use weights::Weights;

/// Evaluates boards under one objective.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evaluator {
    objective: Objective,
    weights: &'static Weights,
}

impl Evaluator {
    /// The evaluator for games with this objective.
    pub(crate) fn new(objective: Objective) -> Self {
        Self {
            objective,
            weights: Weights::of(objective),
        }
    }

    /// The objective that boards are judged by.
    pub(crate) const fn objective(&self) -> Objective {
        self.objective
    }

    /// The expected final result for the side to move, in hundredths of a disc, positive = good for
    /// it under the objective. Exact if the game is over, otherwise strictly between ±64 discs.
    pub(crate) fn evaluate(&self, board: Board) -> i32 {
        let features = Features::of(board);
        if features.is_over() {
            return DISC * final_value(board, self.objective);
        }
        self.weights.sum(&features).clamp(-MOST, MOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitboard::Bitboard;
    use crate::bitboard::symmetry::Symmetry;

    #[test]
    fn a_finished_board_is_worth_its_final_value() {
        let wiped_out = Board {
            player: Bitboard(0b111),
            opponent: Bitboard::EMPTY,
        };
        let most = Evaluator::new(Objective::MostDiscs);
        let fewest = Evaluator::new(Objective::FewestDiscs);
        assert_eq!(most.evaluate(wiped_out), 64 * DISC);
        assert_eq!(fewest.evaluate(wiped_out), -64 * DISC);
    }

    #[test]
    fn symmetric_boards_are_worth_the_same() {
        let mut board = Board::STANDARD;
        for _ in 0..40 {
            let moves = board.legal_moves();
            let Some(square) = moves.iter().nth(moves.count() as usize / 2) else {
                break;
            };
            board = board.play(square).unwrap();
            for objective in [Objective::MostDiscs, Objective::FewestDiscs] {
                let evaluator = Evaluator::new(objective);
                for symmetry in Symmetry::ALL {
                    assert_eq!(
                        evaluator.evaluate(board),
                        evaluator.evaluate(board.transform(symmetry)),
                        "{board}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_corner_is_an_asset_only_if_most_discs_win() {
        let with = |player: &[&str], opponent: &[&str]| {
            let set = |names: &[&str]| names.iter().map(|name| name.parse().unwrap()).collect();
            Board {
                player: set(player),
                opponent: set(opponent),
            }
        };
        let corner = with(&["a1", "d4", "e5"], &["d5", "e4", "f5"]);
        let none = with(&["c4", "d4", "e5"], &["d5", "e4", "f5"]);
        let gain = |objective| {
            let evaluator = Evaluator::new(objective);
            evaluator.evaluate(corner) - evaluator.evaluate(none)
        };
        assert!(gain(Objective::MostDiscs) > 0);
        assert!(gain(Objective::FewestDiscs) < 0);
    }
}
