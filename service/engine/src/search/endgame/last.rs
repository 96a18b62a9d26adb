//! The last four empty squares. Moves are found by turning discs, not by listing legal moves.

use crate::bitboard::Bitboard;
use crate::board::Board;
use crate::eval::final_value;
use crate::kernel;
use crate::rules::Objective;
use crate::search::ordering::odd_quadrants;
use crate::search::searcher::Searcher;
use crate::square::Square;

use super::WORST;

impl Searcher<'_> {
    /// The value of a board with up to four empty squares, as by [`Searcher::solve`].
    pub(super) fn solve_last(&mut self, board: Board, alpha: i32, beta: i32) -> i32 {
        let objective = self.evaluator.objective();
        let empty = board.empties().0;
        if empty.is_power_of_two() {
            self.budget.count();
            return last_disc(board, Square::lowest_of(empty), objective);
        }
        self.budget.count();
        if let Some(value) = self.best_of_last(board, alpha, beta) {
            value
        } else if let Some(value) = self.best_of_last(board.pass(), -beta, -alpha) {
            -value
        } else {
            final_value(board, objective)
        }
    }

    /// The value of the mover's best move; `None` if it has none.
    fn best_of_last(&mut self, board: Board, alpha: i32, beta: i32) -> Option<i32> {
        let Board { player, opponent } = board;
        let empty = board.empties().0;
        let odd = odd_quadrants(empty);
        let mut best = None;
        for part in [empty & odd, empty & !odd] {
            for square in Bitboard(part) {
                let flips = kernel::flips(player.0, opponent.0, square);
                if flips == 0 {
                    continue;
                }
                let child = board.play_unchecked(square, Bitboard(flips));
                let floor = alpha.max(best.unwrap_or(WORST));
                let value = -self.solve_last(child, -beta, -floor);
                if best.is_none_or(|best| value > best) {
                    best = Some(value);
                    if value >= beta {
                        return best;
                    }
                }
            }
        }
        best
    }
}

/// The value of a board with a single empty square.
#[inline]
fn last_disc(board: Board, square: Square, objective: Objective) -> i32 {
    let Board { player, opponent } = board;
    let turned = |own: Bitboard, other: Bitboard| {
        kernel::flips(own.0, other.0, square)
            .count_ones()
            .cast_signed()
    };
    let before = board.disc_difference();
    let difference = match turned(player, opponent) {
        // The mover cannot play, so the other side may, or the square stays empty and goes to the
        // majority; 63 discs are never shared evenly.
        0 => match turned(opponent, player) {
            0 => before + before.signum(),
            discs => before - 2 * discs - 1,
        },
        discs => before + 2 * discs + 1,
    };
    match objective {
        Objective::MostDiscs => difference,
        Objective::FewestDiscs => -difference,
    }
}
