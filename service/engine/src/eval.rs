//! How good a board looks to the side to move, without looking ahead.
//!
//! The evaluation is a sum of weights, one for the state of each pattern of squares ([`States`]) and
//! one for the number of moves of each side ([`Mobility`]), learned from games of the engine against
//! itself ([`Weights`]). Knows nothing of search.

mod mobility;
mod packing;
mod pattern;
mod phase;
mod range_coder;
mod states;
mod weights;

use crate::board::Board;
use crate::rules::Objective;

pub use mobility::Mobility;
pub use phase::{PHASES, phase};
pub use states::States;
pub use weights::{TERMS, WEIGHTS_PER_PHASE, Weights};

/// One disc of difference in the unit of evaluations, so an evaluation is in hundredths of a disc.
pub const DISC: i32 = 100;

/// The largest evaluation of a board where somebody can still move: just below 64 discs, so that
/// only a finished game is ever worth 64.
const MOST: i32 = 64 * DISC - 1;

/// The value of a finished game for the side to move, in discs, -64 to 64.
///
/// The disc difference with the empty squares given to the majority, negated if the fewer discs
/// win.
#[inline]
pub(crate) const fn final_value(board: Board, objective: Objective) -> i32 {
    let difference = board.disc_difference();
    let value = difference + difference.signum() * board.empties_count().cast_signed();
    match objective {
        Objective::MostDiscs => value,
        Objective::FewestDiscs => -value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitboard::Bitboard;

    #[test]
    fn empty_squares_count_for_the_majority_under_both_objectives() {
        let board = Board {
            player: Bitboard(0b111),
            opponent: Bitboard(1 << 63),
        };
        assert_eq!(final_value(board, Objective::MostDiscs), 62);
        assert_eq!(final_value(board, Objective::FewestDiscs), -62);
        assert_eq!(final_value(board.pass(), Objective::MostDiscs), -62);
        let even = Board {
            player: Bitboard(0b1),
            opponent: Bitboard(1 << 63),
        };
        assert_eq!(final_value(even, Objective::MostDiscs), 0);
    }
}
