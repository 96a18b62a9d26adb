//! The engine as others use it: what it knows, its memory, its threads.

use crate::bitboard::symmetry::Symmetry;
use crate::board::Board;
use crate::position::Position;
use crate::rules::Objective;

use super::analysis::Searching;
use super::evaluation::Evaluation;
use super::hash::Table;
use super::report::Analysis;
use super::root::{self, Outcome, Task};
use super::selectivity::Selectivity;
use super::worker::Shared;
use super::{Control, Node, Query, Unlimited};

/// An engine: its memory and its threads. Searches one position at a time.
#[derive(Debug)]
pub struct Engine {
    table: Table,
    threads: usize,
    nodes: u64,
    last: Option<Last>,
    goes_on: bool,
}

/// What the table is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Last {
    objective: Objective,
    /// How boards were turned before they were searched.
    symmetry: Symmetry,
}

impl Engine {
    /// An engine with a table of about this many bytes, that searches on this many threads.
    #[must_use]
    pub fn new(table_bytes: usize, threads: usize) -> Self {
        Self {
            table: Table::new(table_bytes),
            threads: threads.max(1),
            nodes: 0,
            last: None,
            goes_on: false,
        }
    }

    /// Has the next [`Engine::analyze`] begin with what the last one has found, instead of with
    /// nothing: for the moves of one game. Its evaluation has to be that of the last one; of another
    /// objective nothing is taken over. What it answers then depends on the searches before it.
    pub const fn go_on(&mut self) {
        self.goes_on = true;
    }

    /// The boards that its analyses have visited since it was made.
    #[must_use]
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The value of a board for its mover, `depth` discs ahead, in hundredths of a disc; exact if
    /// that reaches the end of the game.
    #[must_use]
    pub fn value(&mut self, evaluation: &Evaluation, board: Board, depth: u32) -> i32 {
        self.forget();
        self.value_next(evaluation, board, depth, None)
    }

    /// The values of a board for its mover, 1, 2 … `depth` discs ahead; the last ones are exact if
    /// the game ends sooner. Each search helps the next.
    #[must_use]
    pub fn values(&mut self, evaluation: &Evaluation, board: Board, depth: u32) -> Vec<i32> {
        self.forget();
        let mut values: Vec<i32> = Vec::new();
        for depth in 1..=depth {
            // Values of even and of odd depths are alike.
            let guess = values.iter().rev().nth(1).copied();
            values.push(self.value_next(evaluation, board, depth, guess));
        }
        values
    }

    /// The value of a board, with what the table knows already.
    fn value_next(
        &self,
        evaluation: &Evaluation,
        board: Board,
        depth: u32,
        guess: Option<i32>,
    ) -> i32 {
        if board.is_over() {
            return crate::eval::DISC * crate::eval::final_value(board, evaluation.objective);
        }
        let shared = Shared::new(&self.searching(evaluation), &Unlimited, None);
        let task = Task {
            node: Node::new(board),
            without: crate::Bitboard::EMPTY,
            depth: depth.clamp(1, board.empties_count()),
            selectivity: Selectivity::NONE,
            guess,
        };
        match root::search(&shared, &task, true) {
            Outcome::Complete(found) => found.value,
            Outcome::Partial(_) => 0,
        }
    }

    /// Looks deeper and deeper at a position until the limits are reached, the game is solved or
    /// the control says stop; `report` hears of every step that is finished. `None` if the game is
    /// over.
    ///
    /// However soon the control stops it, the search first looks one disc ahead at every move, so
    /// there is always an answer while the game goes on. A side without a legal move is answered
    /// [`Move::Pass`](crate::Move::Pass) with the value of the position after it. On one thread,
    /// the same position and query give the same answer unless the control stops the search.
    pub fn analyze(
        &mut self,
        evaluation: &Evaluation,
        position: &Position,
        query: &Query,
        control: &dyn Control,
        report: &mut dyn FnMut(&Analysis),
    ) -> Option<Analysis> {
        let goes_on = std::mem::take(&mut self.goes_on);
        if position.turn().is_over() {
            return None;
        }
        let last = self
            .last
            .filter(|last| goes_on && last.objective == evaluation.objective);
        // Symmetric boards are searched as one, so that they are worth the same.
        let symmetry = match last {
            Some(last) => {
                self.table.age();
                last.symmetry
            }
            None => {
                self.table.clear();
                position.board().to_canonical().0
            }
        };
        self.last = Some(Last {
            objective: evaluation.objective,
            symmetry,
        });
        let empties = position.empties().count();
        let mut told = |step: &_, nodes| report(&Analysis::new(step, nodes, empties));
        let (step, nodes) = self
            .searching(evaluation)
            .deepen(position, symmetry, query, control, &mut told);
        self.nodes += nodes;
        Some(Analysis::new(&step, nodes, empties))
    }

    fn forget(&mut self) {
        self.table.clear();
        self.last = None;
    }

    const fn searching<'a>(&'a self, evaluation: &'a Evaluation) -> Searching<'a> {
        Searching {
            table: &self.table,
            evaluation,
            threads: self.threads,
        }
    }
}
