//! The state of one running search, and how it searches one board to one depth.

use crate::board::Board;
use crate::eval::{DISC, Evaluator};
use crate::moves::Move;
use crate::rules::Objective;

use super::budget::{Budget, Stopped};
use super::lines::Lines;
use super::ordering::Ordering;
use super::table::Table;

/// Half the width of the first window around the expected value, in discs. Chosen by the nodes for
/// FFO 1–29, which differ by a few per cent from 2 to 8.
const HALF_WINDOW: i32 = 4;

/// The widest window: just beyond every value.
const WIDE: i32 = 65 * DISC;

/// Everything that one search owns.
#[derive(Debug)]
pub(super) struct Searcher<'a> {
    pub(super) evaluator: Evaluator,
    pub(super) ordering: Ordering,
    pub(super) table: Table,
    pub(super) budget: Budget<'a>,
    pub(super) lines: Lines,
    /// The best move of the search in progress, if it has got so far.
    partial: Option<Found>,
}

/// What is known about a board after searching it.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// The value for the mover, in hundredths of a disc.
    pub(super) value: i32,
    /// The best line, beginning with the mover's move.
    pub(super) line: Vec<Move>,
}

impl<'a> Searcher<'a> {
    /// A search that knows nothing yet.
    pub(super) fn new(objective: Objective, budget: Budget<'a>) -> Self {
        Self {
            evaluator: Evaluator::new(objective),
            ordering: Ordering::new(objective),
            table: Table::new(),
            budget,
            lines: Lines::new(),
            partial: None,
        }
    }

    /// Searches a board on which somebody can move, `depth` discs ahead; exactly if that reaches
    /// the end of the game. `guess` is the expected value.
    pub(super) fn search(
        &mut self,
        board: Board,
        depth: u32,
        guess: Option<i32>,
    ) -> Result<Found, Stopped> {
        self.partial = None;
        let exact = depth >= board.empties_count();
        let mut half = HALF_WINDOW * DISC;
        // The solver works in whole discs.
        let guess = guess.map(|guess| guess - guess % DISC);
        let (mut alpha, mut beta) = guess.map_or((-WIDE, WIDE), |guess| {
            ((guess - half).max(-WIDE), (guess + half).min(WIDE))
        });
        loop {
            let value = if exact {
                DISC * self.solve(board, alpha / DISC, beta / DISC, 0)?
            } else {
                self.look_ahead(board, depth, alpha, beta, 0)?
            };
            half *= 2;
            if value <= alpha && alpha > -WIDE {
                beta = alpha + DISC;
                alpha = (value - half).max(-WIDE);
                alpha -= alpha % DISC;
            } else if value >= beta && beta < WIDE {
                alpha = beta - DISC;
                beta = (value + half).min(WIDE);
                beta -= beta % DISC;
            } else {
                let line = self.lines.at(0).to_vec();
                return Ok(Found { value, line });
            }
        }
    }

    /// Remembers that the root has found a move, should the search be stopped later.
    #[inline]
    pub(super) fn note_root(&mut self, ply: usize, value: i32) {
        if ply == 0 {
            self.partial = Some(Found {
                value,
                line: self.lines.at(0).to_vec(),
            });
        }
    }

    /// The best move of a search that was stopped, if it got so far.
    pub(super) fn take_partial(&mut self) -> Option<Found> {
        self.partial.take()
    }
}
