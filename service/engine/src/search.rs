//! Choosing a move: [`suggest`] looks ahead from a position and says what it would play, what that
//! is worth and how sure it is.
//!
//! The search deepens step by step until it has reached the [`Limits`], has played the game to its
//! end, or is stopped by its [`Control`]. It reads no clock: whoever wants a deadline brings a
//! control that knows one. Without a control that interferes, the same position, objective and
//! limits give the same answer.
//!
//! ```
//! use reversi_engine::search::{self, Certainty, Limits, Unlimited};
//! use reversi_engine::{Objective, Position};
//!
//! let position = Position::standard();
//! let limits = Limits { depth: Some(4), ..Limits::default() };
//! let suggestion = search::suggest(&position, Objective::MostDiscs, &limits, &Unlimited)
//!     .expect("the game is not over");
//! assert!(position.check(suggestion.mv).is_ok());
//! assert_eq!((suggestion.depth, suggestion.certainty), (4, Certainty::Depth));
//! ```

mod analysis;
mod budget;
mod endgame;

mod engine;
mod evaluation;
mod first_placement;
mod hash;
mod lines;
mod midgame;
mod node;
mod order;
mod ordering;
mod placement;
mod probcut;
mod pvs;
mod report;
mod root;
mod searcher;
mod selectivity;
mod table;
mod worker;

use crate::board::Board;
use crate::eval::DISC;
use crate::moves::Move;
use crate::position::{Phase, Position};
use crate::rules::Objective;
use crate::turn::Turn;

use budget::{Budget, Stopped};
pub use engine::Engine;
pub use evaluation::{Evaluation, EvaluationError};
use node::Node;
pub use probcut::{ProbCut, shallow_depth};
pub use report::{Analysis, Line};
use searcher::{Found, Searcher};

/// The name and version of the engine.
pub const NAME: &str = "principal variation search 1";

/// A running search asks its [`Control`] at least once while it visits this many boards, which is
/// well under a millisecond's work.
pub const POLL_NODES: u64 = 1024;

/// Polled by a running search.
pub trait Control: Sync {
    /// Whether the search should end now with the best it has. Asked at least every
    /// [`POLL_NODES`] nodes, so it ought to be cheap.
    fn should_stop(&self) -> bool;
}

/// A control that never stops a search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unlimited;

impl Control for Unlimited {
    fn should_stop(&self) -> bool {
        false
    }
}

/// Where a search ends by itself. The default has no limits: such a search ends when the game is
/// solved or its control stops it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The most discs to look ahead, at least 1 (0 is taken as 1). Passes do not count, nor do
    /// the placements of a free start, which are always looked through to their end.
    pub depth: Option<u32>,
    /// The most boards to visit, beyond the few that a first look at every move takes.
    pub nodes: Option<u64>,
}

/// What to look for, and how far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query {
    /// Where the search ends.
    pub limits: Limits,
    /// How many moves to tell the value of, at least 1 (0 is taken as 1).
    pub lines: usize,
}

impl Default for Query {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            lines: 1,
        }
    }
}

/// How far a value can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Certainty {
    /// An estimate, made [`Suggestion::depth`] discs ahead.
    Depth,
    /// Played to the end, but not everywhere: each shortcut is right so often, in per cent.
    Percent(u8),
    /// The result of best play by both sides, proven.
    Exact,
}

/// What a search recommends.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    /// The move. Always legal.
    pub mv: Move,
    /// The final disc difference to expect for the side to move, with the empty squares given to
    /// the majority; positive = good for it under the objective (so with
    /// [`Objective::FewestDiscs`] it has fewer discs). -64 to 64, whole if exact.
    pub value: f32,
    /// How far the value can be trusted.
    pub certainty: Certainty,
    /// How many discs ahead the search has looked everywhere, without the placements of a free
    /// start.
    pub depth: u32,
    /// The best play found for both sides, beginning with [`Suggestion::mv`], passes included.
    pub line: Vec<Move>,
    /// The number of boards visited.
    pub nodes: u64,
}

/// The iterations stop and the game is solved at once when the next one would leave no more than
/// this many squares empty: from there on playing out costs no more than evaluating. Chosen among 6,
/// 9 and 12 by the time for FFO 1–29.
const SOLVE_BEHIND: u32 = 6;

/// The best move found within the limits; `None` if the game is over.
///
/// However soon the control stops it, the search first looks one disc ahead at every move, so there
/// is always an answer while the game goes on. A side without a legal move is answered
/// [`Move::Pass`] with the value of the position after it.
///
/// Runs on the calling thread and takes up to 6 MiB for its table.
#[must_use]
pub fn suggest(
    position: &Position,
    objective: Objective,
    limits: &Limits,
    control: &dyn Control,
) -> Option<Suggestion> {
    match position.turn() {
        Turn::Over(_) => return None,
        Turn::Move | Turn::Pass => {}
    }
    let mut searcher = Searcher::new(objective, Budget::new(control, limits.nodes));
    // The placements leave 60 empty squares, whatever is placed already.
    let empties = match position.phase() {
        Phase::Placement => 60,
        Phase::Play => position.empties().count(),
    };
    let most = limits.depth.unwrap_or(empties).clamp(1, empties);

    let mut depth = 1;
    let mut found = search_position(&mut searcher, position, depth, None).ok()?;
    let mut certainty = certainty_of(&found, depth, empties);
    searcher.budget.enforce();
    while certainty == Certainty::Depth && depth < most {
        let next = next_depth(depth, most, empties);
        match search_position(&mut searcher, position, next, Some(found.value)) {
            Ok(deeper) => {
                found = deeper;
                depth = next;
                certainty = certainty_of(&found, depth, empties);
            }
            Err(Stopped) => {
                // Not proven best, but better than everything tried so far at this depth. For
                // the same move, the finished search knows the longer line.
                found = searcher
                    .take_partial()
                    .filter(|partial| partial.line.first() != found.line.first())
                    .unwrap_or(found);
                break;
            }
        }
    }
    Some(Suggestion {
        mv: *found.line.first()?,
        value: in_discs(found.value),
        certainty,
        depth,
        line: found.line,
        nodes: searcher.budget.nodes(),
    })
}

/// The depth after this one: one more, or all the way to the end when that is near.
const fn next_depth(depth: u32, most: u32, empties: u32) -> u32 {
    if most == empties && depth + 1 + SOLVE_BEHIND >= empties {
        empties
    } else {
        depth + 1
    }
}

/// A value is proven if it was found by playing to the end. So is a value of 64 discs, because
/// estimates stay below.
fn certainty_of(found: &Found, depth: u32, empties: u32) -> Certainty {
    if depth >= empties || found.value.abs() == 64 * DISC {
        Certainty::Exact
    } else {
        Certainty::Depth
    }
}

/// Searches a position of either phase to one depth.
fn search_position(
    searcher: &mut Searcher<'_>,
    position: &Position,
    depth: u32,
    guess: Option<i32>,
) -> Result<Found, Stopped> {
    match position.phase() {
        Phase::Play => searcher.search(position.board(), depth, guess),
        Phase::Placement => {
            let found = first_placement::search(position, &mut |board: Board| {
                searcher.search(board, depth, None)
            });
            if found.is_err() {
                // What the search behind some placement had found is no move of this position.
                searcher.take_partial();
            }
            found
        }
    }
}

/// Hundredths of a disc as discs.
fn in_discs(value: i32) -> f32 {
    let value = i16::try_from(value.clamp(-64 * DISC, 64 * DISC)).unwrap_or_default();
    let disc = i16::try_from(DISC).unwrap_or(1);
    f32::from(value) / f32::from(disc)
}
