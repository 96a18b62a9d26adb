//! Playing to the end: exact values, in whole discs.
//!
//! The same principal variation search as in the middle of the game, down to the last disc. What
//! to try first changes with the number of empty squares: the fewest replies while a subtree is
//! large, then regions with an odd number of empty squares, and at the very end ([`last`]) nothing
//! is ordered or stored any more.

use crate::bitboard::Bitboard;
use crate::board::Board;
use crate::eval::{DISC, final_value};
use crate::moves::Move;

use super::budget::Stopped;
use super::midgame::cutoff;
use super::ordering::odd_quadrants;
use super::searcher::Searcher;
use super::table::Window;

mod last;

/// With at least this many empty squares boards are stored and moves sorted. Chosen among 6 to 8 by
/// the nodes for FFO 1–29.
const SORTED_EMPTIES: u32 = 6;
/// With at least this many empty squares the boards after each move are looked up before any is
/// searched. Saves a third of the nodes for FFO 1–29.
const LOOK_UP_EMPTIES: u32 = 8;
/// With this many empty squares and fewer nothing is asked any more but whether a move turns discs.
const LAST_EMPTIES: u32 = 4;

/// Below every value.
const WORST: i32 = -65;

impl Searcher<'_> {
    /// The value of a board for its mover with best play to the end, in discs.
    ///
    /// Exact if it lies between `alpha` and `beta`; otherwise a bound on the side where it lies.
    pub(super) fn solve(
        &mut self,
        board: Board,
        alpha: i32,
        beta: i32,
        ply: usize,
    ) -> Result<i32, Stopped> {
        let empties = board.empties_count();
        let open = beta - alpha > 1;
        if open {
            self.lines.clear(ply);
        } else if empties < SORTED_EMPTIES {
            return self.solve_unsorted(board, alpha, beta);
        }
        self.budget.visit()?;
        let moves = board.legal_moves();
        if moves.is_empty() {
            let passed = board.pass();
            if !passed.has_legal_move() {
                return Ok(final_value(board, self.evaluator.objective()));
            }
            let value = -self.solve(passed, -beta, -alpha, ply + 1)?;
            if open {
                self.lines.prepend(ply, Move::Pass);
            }
            return Ok(value);
        }

        let known = self.table.get(board);
        if let Some(value) =
            known.and_then(|known| cutoff(known, empties, alpha * DISC, beta * DISC))
        {
            return Ok(value / DISC);
        }
        if !open
            && empties >= LOOK_UP_EMPTIES
            && let Some(value) = self.refuted_already(board, moves, beta)
        {
            return Ok(value);
        }
        let first = known.and_then(|known| known.best);
        let mut list = self.ordering.by_mobility(board, moves.0, first);

        let (mut best, mut best_move) = (WORST, None);
        while let Some(square) = list.next() {
            let child = board.play_unchecked(square, board.flips(square));
            let floor = alpha.max(best);
            let mut value = floor;
            if open {
                self.lines.clear(ply + 1);
            }
            if best > WORST && open {
                value = -self.solve(child, -floor - 1, -floor, ply + 1)?;
            }
            if best == WORST || !open || (value > floor && value < beta) {
                value = -self.solve(child, -beta, -floor, ply + 1)?;
            }
            if value > best {
                best = value;
                best_move = Some(square);
                if value > alpha && open {
                    self.lines.prepend(ply, Move::Place(square));
                    self.note_root(ply, value * DISC);
                }
                if value >= beta {
                    break;
                }
            }
        }
        let window = Window {
            alpha: alpha * DISC,
            beta: beta * DISC,
            value: best * DISC,
        };
        self.table.put(board, empties, window, best_move);
        Ok(best)
    }

    /// The value of a move that is known to be worth at least `beta`, without searching any
    /// (enhanced transposition cutoffs; Plaat, Schaeffer, Pijls and de Bruin, 1996).
    fn refuted_already(&self, board: Board, moves: Bitboard, beta: i32) -> Option<i32> {
        let empties_left = board.empties_count() - 1;
        moves.iter().find_map(|square| {
            let known = self
                .table
                .get(board.play_unchecked(square, board.flips(square)))?;
            let at_least = -known.upper / DISC;
            (known.depth >= empties_left && at_least >= beta).then_some(at_least)
        })
    }

    /// [`Searcher::solve`] for small subtrees: regions with an odd number of empty squares first,
    /// nothing stored.
    fn solve_unsorted(&mut self, board: Board, alpha: i32, beta: i32) -> Result<i32, Stopped> {
        if board.empties_count() <= LAST_EMPTIES {
            return Ok(self.solve_last(board, alpha, beta));
        }
        self.budget.visit()?;
        let moves = board.legal_moves().0;
        if moves == 0 {
            let passed = board.pass();
            if !passed.has_legal_move() {
                return Ok(final_value(board, self.evaluator.objective()));
            }
            return Ok(-self.solve_unsorted(passed, -beta, -alpha)?);
        }
        let odd = odd_quadrants(board.empties().0);
        let mut best = WORST;
        for part in [moves & odd, moves & !odd] {
            for square in Bitboard(part) {
                let child = board.play_unchecked(square, board.flips(square));
                let value = -self.solve_unsorted(child, -beta, -alpha.max(best))?;
                if value > best {
                    best = value;
                    if value >= beta {
                        return Ok(best);
                    }
                }
            }
        }
        Ok(best)
    }
}
