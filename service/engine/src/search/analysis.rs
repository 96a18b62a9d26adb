//! Looking deeper and deeper at a position until the limits are reached.

use crate::bitboard::Bitboard;
use crate::bitboard::symmetry::Symmetry;
use crate::board::Board;
use crate::eval::DISC;
use crate::moves::Move;
use crate::position::{Phase, Position};

use super::evaluation::Evaluation;
use super::hash::Table;
use super::node::Node;
use super::root::{Found, Outcome, Task};
use super::selectivity::Selectivity;
use super::worker::Shared;
use super::{Control, Query, placement, root};

/// A search plays to the end from where it would leave at most this many squares empty. Of 4, 6, 7,
/// 8 and 10, this loses the fewest discs with two million boards for 25 empty squares (0.65; with 10
/// 0.71) and about as few as 4 with 200,000 for 20 (0.67; with 10 0.82).
const SOLVE_BEHIND: u32 = 6;
/// With at most this many empty squares a search to the end is exact at once.
const EXACT_AT_ONCE: u32 = 12;

/// Everything that a search works with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Searching<'a> {
    pub(super) table: &'a Table,
    pub(super) evaluation: &'a Evaluation,
    pub(super) threads: usize,
}

/// How far a search has got.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The best moves with their lines, best first.
    pub(super) lines: Vec<Found>,
    pub(super) depth: u32,
    pub(super) selectivity: Selectivity,
}

/// How deep a step looks.
#[derive(Clone, Copy, Debug)]
struct Reach {
    depth: u32,
    selectivity: Selectivity,
    /// It is the first one, and cannot be stopped.
    must_end: bool,
}

impl Searching<'_> {
    /// Searches a position where the game is not over, turned by a symmetry, deeper and deeper;
    /// `report` hears of every step. Answers the last one and the number of boards visited.
    pub(super) fn deepen(
        &self,
        position: &Position,
        symmetry: Symmetry,
        query: &Query,
        control: &dyn Control,
        report: &mut dyn FnMut(&Step, u64),
    ) -> (Step, u64) {
        let shared = Shared::new(self, control, query.limits.nodes);
        // The placements leave 60 empty squares, whatever is placed already.
        let empties = match position.phase() {
            Phase::Placement => 60,
            Phase::Play => position.empties().count(),
        };
        let most = query.limits.depth.unwrap_or(empties).clamp(1, empties);
        let mut reach = Reach {
            depth: 1,
            selectivity: if empties == 1 {
                Selectivity::NONE
            } else {
                Selectivity::MOST
            },
            must_end: true,
        };
        let search = |shared: &_, reach, before: Option<&Step>| {
            search_lines(shared, position, symmetry, query.lines, reach, before)
        };
        let (mut step, _) = search(&shared, reach, None);
        loop {
            report(&step, shared.nodes());
            // Estimates stay below 64 discs: nothing is left to find out.
            let proven = step
                .lines
                .iter()
                .all(|found| found.value.abs() == 64 * DISC);
            let Some(next) = reach.next(most, empties).filter(|_| !proven) else {
                break;
            };
            reach = next;
            let (deeper, complete) = search(&shared, reach, Some(&step));
            step = deeper;
            if !complete {
                break;
            }
        }
        (step, shared.nodes())
    }
}

impl Reach {
    /// What comes after a step, unless the limits are reached or the game is solved.
    fn next(self, most: u32, empties: u32) -> Option<Self> {
        let next = |depth, selectivity| Self {
            depth,
            selectivity,
            must_end: false,
        };
        if self.depth == empties {
            self.selectivity
                .next()
                .map(|selectivity| next(empties, selectivity))
        } else if self.depth == most {
            None
        } else if most == empties && self.depth + 1 + SOLVE_BEHIND >= empties {
            let at_once = empties <= EXACT_AT_ONCE;
            let selectivity = if at_once {
                Selectivity::NONE
            } else {
                Selectivity::MOST
            };
            Some(next(empties, selectivity))
        } else {
            Some(next(self.depth + 1, Selectivity::MOST))
        }
    }
}

/// Searches for the best lines. Says whether all were found before the search was stopped.
fn search_lines(
    shared: &Shared<'_>,
    position: &Position,
    symmetry: Symmetry,
    most_lines: usize,
    reach: Reach,
    before: Option<&Step>,
) -> (Step, bool) {
    let known = before.map_or(&[][..], |before| &before.lines);
    let (lines, stopped) = match position.phase() {
        Phase::Play => {
            let board = position.board();
            lines_of_board(shared, board, symmetry, most_lines, reach, known)
        }
        Phase::Placement => {
            let lines = placement::lines(position, most_lines, &mut |board| {
                let (symmetry, _) = board.to_canonical();
                lines_of_board(shared, board, symmetry, 1, reach, &[])
            });
            match lines {
                Some(lines) => (lines, None),
                // What the search behind some placement had found is no move of this position.
                None => (Vec::new(), Some(None)),
            }
        }
    };
    let step = Step {
        lines,
        depth: reach.depth,
        selectivity: reach.selectivity,
    };
    match (stopped, before) {
        (Some(partial), Some(before)) => (interrupted(step, partial, before), false),
        _ => (step, true),
    }
}

/// The best lines of a board, each without the first moves of those before, and if the search was
/// stopped, what it had found of the next one.
fn lines_of_board(
    shared: &Shared<'_>,
    board: Board,
    symmetry: Symmetry,
    most_lines: usize,
    reach: Reach,
    known: &[Found],
) -> (Vec<Found>, Option<Option<Found>>) {
    let turned = board.transform(symmetry);
    let back = |found: Found| found.turn(symmetry.inverse());
    let moves = turned.legal_moves();
    let mut task = Task {
        node: Node::new(turned),
        without: Bitboard::EMPTY,
        depth: reach.depth,
        selectivity: reach.selectivity,
        guess: None,
    };
    let mut lines = Vec::new();
    loop {
        task.guess = known.get(lines.len()).map(|found| found.value);
        match root::search(shared, &task, reach.must_end) {
            Outcome::Partial(partial) => return (lines, Some(partial.map(back))),
            Outcome::Complete(found) => {
                if let Some(Move::Place(square)) = found.line.first() {
                    task.without.0 |= square.bit();
                }
                lines.push(back(found));
            }
        }
        if lines.len() >= most_lines || (moves & !task.without).is_empty() {
            lines.sort_by_key(|found| -found.value);
            return (lines, None);
        }
    }
}

/// What to answer when a step was stopped: the lines of the step before, led by what this one had
/// found. That is not proven best, but better than everything that was tried so far this deep.
fn interrupted(step: Step, partial: Option<Found>, before: &Step) -> Step {
    let mut lines = step.lines;
    if lines.is_empty() {
        lines.extend(partial);
    }
    // For the same move, the finished search knows the longer line.
    if lines.len() == 1
        && let (Some(new), Some(old)) = (lines.first(), before.lines.first())
        && new.line.first() == old.line.first()
    {
        lines.clear();
    }
    for old in &before.lines {
        if lines.len() < before.lines.len()
            && lines.iter().all(|new| new.line.first() != old.line.first())
        {
            lines.push(old.clone());
        }
    }
    Step { lines, ..*before }
}

impl Found {
    /// The same on the board after a symmetry.
    pub(super) fn turn(&self, symmetry: Symmetry) -> Self {
        let turn = |mv: &Move| match *mv {
            Move::Place(square) => Move::Place(symmetry.apply_square(square)),
            Move::Pass => Move::Pass,
        };
        Self {
            value: self.value,
            line: self.line.iter().map(turn).collect(),
        }
    }
}
