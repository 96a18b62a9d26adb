//! Looking a number of discs ahead and evaluating the boards found there.
//!
//! Principal variation search (Marsland and Campbell, 1982): after the first move of a node the
//! others only have to be shown to be no better, which a window without room inside does cheaply.
//! Values are in hundredths of a disc. Passes do not count as depth, so within one iteration every
//! board is always searched to the same depth, and the value does not depend on the order in which
//! moves are tried.

use crate::board::Board;
use crate::eval::{DISC, final_value};
use crate::moves::Move;

use super::budget::Stopped;
use super::ordering::Ordering;
use super::searcher::Searcher;
use super::table::{Known, Window};

/// Below every value.
pub(super) const WORST: i32 = -65 * DISC;

impl Searcher<'_> {
    /// The value of a board for its mover, looking `depth` discs ahead, in hundredths of a disc.
    ///
    /// Exact if it lies between `alpha` and `beta`; otherwise a bound on the side where it lies.
    pub(super) fn look_ahead(
        &mut self,
        board: Board,
        depth: u32,
        alpha: i32,
        beta: i32,
        ply: usize,
    ) -> Result<i32, Stopped> {
        if depth == 0 {
            self.budget.count();
            return Ok(self.evaluator.evaluate(board));
        }
        self.budget.visit()?;
        let open = beta - alpha > 1;
        if open {
            self.lines.clear(ply);
        }
        let moves = board.legal_moves();
        if moves.is_empty() {
            let passed = board.pass();
            if !passed.has_legal_move() {
                return Ok(DISC * final_value(board, self.evaluator.objective()));
            }
            let value = -self.look_ahead(passed, depth, -beta, -alpha, ply + 1)?;
            if open {
                self.lines.prepend(ply, Move::Pass);
            }
            return Ok(value);
        }

        let known = if depth > 1 {
            self.table.get(board)
        } else {
            None
        };
        if let Some(value) = known.and_then(|known| cutoff(known, depth, alpha, beta)) {
            return Ok(value);
        }
        let first = known.and_then(|known| known.best);
        let mut list = if depth > 1 {
            self.ordering.by_mobility(board, moves.0, first)
        } else {
            // What follows is an evaluation of each move: ordering would cost as much.
            Ordering::unsorted(moves.0)
        };

        let (mut best, mut best_move) = (WORST, None);
        while let Some(square) = list.next() {
            let child = board.play_unchecked(square, board.flips(square));
            let floor = alpha.max(best);
            let mut value = floor;
            if open {
                self.lines.clear(ply + 1);
            }
            if best > WORST && open {
                value = -self.look_ahead(child, depth - 1, -floor - 1, -floor, ply + 1)?;
            }
            if best == WORST || !open || (value > floor && value < beta) {
                value = -self.look_ahead(child, depth - 1, -beta, -floor, ply + 1)?;
            }
            if value > best {
                best = value;
                best_move = Some(square);
                if value > alpha && open {
                    self.lines.prepend(ply, Move::Place(square));
                    self.note_root(ply, value);
                }
                if value >= beta {
                    break;
                }
            }
        }
        if depth > 1 {
            let window = Window {
                alpha,
                beta,
                value: best,
            };
            self.table.put(board, depth, window, best_move);
        }
        Ok(best)
    }
}

/// The value to answer at once, if what is known settles the window. An open window is never
/// settled by hearsay, so that the best line is always found whole.
#[inline]
pub(super) const fn cutoff(known: Known, depth: u32, alpha: i32, beta: i32) -> Option<i32> {
    if known.depth < depth || beta - alpha > 1 {
        None
    } else if known.lower >= beta {
        Some(known.lower)
    } else if known.upper <= alpha {
        Some(known.upper)
    } else {
        None
    }
}
