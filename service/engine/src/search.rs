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
mod endgame;
mod engine;
mod evaluation;
mod hash;
mod lines;
mod node;
mod order;
mod placement;
mod probcut;
mod pvs;
mod report;
mod root;
mod selectivity;
mod worker;

use crate::moves::Move;
use crate::position::Position;
use crate::rules::Objective;

pub use endgame::Solver;
pub use engine::Engine;
pub use evaluation::{Evaluation, EvaluationError};
use node::Node;
pub use probcut::{ProbCut, shallow_depth};
pub use report::{Analysis, Line};

/// The name and version of the engine.
pub const NAME: &str = "principal variation search 2";

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

/// The memory of a search by [`suggest`], in bytes.
const TABLE_BYTES: usize = 1 << 22;

/// The best move found within the limits; `None` if the game is over. As [`Engine::analyze`], on
/// the calling thread and with what comes with the engine.
#[must_use]
pub fn suggest(
    position: &Position,
    objective: Objective,
    limits: &Limits,
    control: &dyn Control,
) -> Option<Suggestion> {
    let query = Query {
        limits: *limits,
        lines: 1,
    };
    let evaluation = Evaluation::of(objective);
    let mut engine = Engine::new(TABLE_BYTES, 1);
    let found = engine.analyze(evaluation, position, &query, control, &mut |_| {})?;
    let Line { value, moves } = found.lines.into_iter().next()?;
    Some(Suggestion {
        mv: *moves.first()?,
        value,
        certainty: found.certainty,
        depth: found.depth,
        line: moves,
        nodes: found.nodes,
    })
}
