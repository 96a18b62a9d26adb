//! Looking deeper and deeper at a position until the limits are reached.

use crate::bitboard::Bitboard;
use crate::bitboard::symmetry::Symmetry;
use crate::board::Board;
use crate::eval::DISC;
use crate::moves::Move;

use super::engine::Evaluation;
use super::hash::Table;
use super::node::Node;
use super::root::{Found, Outcome, Task};
use super::selectivity::Selectivity;
use super::worker::Shared;
use super::{Control, Limits, root};

/// A search plays to the end from where it would leave at most this many squares empty: from there
/// on playing out costs no more than evaluating.
const SOLVE_BEHIND: u32 = 10;
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

impl Searching<'_> {
    /// Searches a board on which somebody can move, deeper and deeper; `report` hears of every
    /// step. Answers the last one and the number of boards visited.
    pub(super) fn deepen(
        &self,
        board: Board,
        most_lines: usize,
        limits: &Limits,
        control: &dyn Control,
        report: &mut dyn FnMut(&Step, u64),
    ) -> (Step, u64) {
        // Symmetric boards are searched as one, so that they are worth the same.
        let (symmetry, canonical) = to_canonical(board);
        let shared = Shared::new(self, control, limits.nodes);
        let node = Node::new(canonical);
        let empties = board.empties_count();
        let most = limits.depth.unwrap_or(empties).clamp(1, empties.max(1));
        let back = |step: &Step| Step {
            lines: step
                .lines
                .iter()
                .map(|f| f.turn(symmetry.inverse()))
                .collect(),
            ..*step
        };
        let (mut depth, mut selectivity) = first_step(empties, most);
        let (mut step, _) = search_lines(&shared, node, most_lines, depth, selectivity, None);
        loop {
            report(&back(&step), shared.nodes());
            let Some(next) = next_step(depth, selectivity, most, empties) else {
                break;
            };
            (depth, selectivity) = next;
            let (deeper, complete) =
                search_lines(&shared, node, most_lines, depth, selectivity, Some(&step));
            step = deeper;
            if !complete {
                break;
            }
        }
        (back(&step), shared.nodes())
    }
}

/// Depth and selectivity to begin with.
fn first_step(empties: u32, most: u32) -> (u32, Selectivity) {
    let selectivity = if empties <= 1 {
        Selectivity::NONE
    } else {
        Selectivity::MOST
    };
    (most.min(1), selectivity)
}

/// What to search after a step, until the limits are reached or the game is solved.
fn next_step(
    depth: u32,
    selectivity: Selectivity,
    most: u32,
    empties: u32,
) -> Option<(u32, Selectivity)> {
    if depth == empties {
        return selectivity.next().map(|next| (depth, next));
    }
    if depth == most {
        return None;
    }
    if most == empties && depth + 1 + SOLVE_BEHIND >= empties {
        let selectivity = if empties <= EXACT_AT_ONCE {
            Selectivity::NONE
        } else {
            Selectivity::MOST
        };
        return Some((empties, selectivity));
    }
    Some((depth + 1, Selectivity::MOST))
}

/// Searches for the best lines, one after another, each without the first moves of those before.
/// Says whether all were found before the search was stopped.
fn search_lines(
    shared: &Shared<'_>,
    node: Node,
    most_lines: usize,
    depth: u32,
    selectivity: Selectivity,
    before: Option<&Step>,
) -> (Step, bool) {
    let moves = node.board.legal_moves();
    let mut without = Bitboard::EMPTY;
    let mut step = Step {
        lines: Vec::new(),
        depth,
        selectivity,
    };
    loop {
        let guess = before.and_then(|before| before.lines.get(step.lines.len()));
        let task = Task {
            node,
            without,
            depth,
            selectivity,
            guess: guess.map(|guess| guess.value),
        };
        match root::search(shared, &task, before.is_none()) {
            Outcome::Complete(found) => step.lines.push(found),
            Outcome::Partial(found) => {
                return (stopped(step, found, before), false);
            }
        }
        if let Some(Move::Place(square)) = step.lines.last().and_then(|found| found.line.first()) {
            without.0 |= square.bit();
        }
        let more = step.lines.len() < most_lines && !(moves & !without).is_empty();
        if !more || moves.is_empty() {
            step.lines.sort_by_key(|found| -found.value);
            return (step, true);
        }
    }
}

/// What to answer when a step was stopped: the lines of the step before, led by what this one had
/// found. That is not proven best, but better than everything that was tried so far this deep.
fn stopped(step: Step, partial: Option<Found>, before: Option<&Step>) -> Step {
    let Some(before) = before else {
        return step;
    };
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

/// The board's canonical form and the symmetry that leads there.
pub(super) fn to_canonical(board: Board) -> (Symmetry, Board) {
    let canonical = board.canonical();
    let symmetry = Symmetry::ALL
        .into_iter()
        .find(|&symmetry| board.transform(symmetry) == canonical)
        .unwrap_or_default();
    (symmetry, canonical)
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

/// Hundredths of a disc as discs.
pub(super) fn in_discs(value: i32) -> f32 {
    value as f32 / DISC as f32
}
