//! The engine as others use it: what it knows, its memory, its threads.

use crate::board::Board;
use crate::eval::Weights;
use crate::rules::Objective;

use super::analysis::Searching;
use super::hash::Table;
use super::probcut::ProbCut;
use super::root::{self, Outcome, Task};
use super::selectivity::Selectivity;
use super::worker::Shared;
use super::{Node, Unlimited};

/// What an engine knows of the game under one objective.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// Which discs are to be had.
    pub objective: Objective,
    /// What boards are worth.
    pub weights: Weights,
    /// How far shallow searches can be trusted.
    pub probcut: ProbCut,
}

/// An engine: its memory and its threads. Searches one position at a time.
#[derive(Debug)]
pub struct Engine {
    table: Table,
    threads: usize,
}

impl Engine {
    /// An engine with a table of about this many bytes, that searches on this many threads.
    #[must_use]
    pub fn new(table_bytes: usize, threads: usize) -> Self {
        Self {
            table: Table::new(table_bytes),
            threads: threads.max(1),
        }
    }

    /// The value of a board for its mover, `depth` discs ahead, in hundredths of a disc; exact if
    /// that reaches the end of the game.
    #[must_use]
    pub fn value(&mut self, evaluation: &Evaluation, board: Board, depth: u32) -> i32 {
        if board.is_over() {
            return crate::eval::DISC * crate::eval::final_value(board, evaluation.objective);
        }
        self.table.clear();
        let shared = Shared::new(&self.searching(evaluation), &Unlimited, None);
        let task = Task {
            node: Node::new(board),
            without: crate::Bitboard::EMPTY,
            depth: depth.clamp(1, board.empties_count()),
            selectivity: Selectivity::NONE,
            guess: None,
        };
        match root::search(&shared, &task, true) {
            Outcome::Complete(found) => found.value,
            Outcome::Partial(_) => 0,
        }
    }

    pub(super) const fn searching<'a>(&'a self, evaluation: &'a Evaluation) -> Searching<'a> {
        Searching {
            table: &self.table,
            evaluation,
            threads: self.threads,
        }
    }
}
