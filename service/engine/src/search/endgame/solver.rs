//! Exact values without an evaluation.

use crate::board::Board;
use crate::kernel::Kernel;
use crate::kernel::isa::{Isa, IsaVisitor};
use crate::rules::Objective;
use crate::search::worker::Stopped;

use super::aim::{FewestDiscs, MostDiscs};
use super::cache::Cache;
use super::{Host, null_window};

/// Solves endgames: exact values under one objective, by reading all play to its end.
///
/// Knows nothing but the rules, so that an answer does not depend on any weights, and keeps 256 KiB
/// of what it has found. Meant for up to about 14 empty squares (a few milliseconds); with more the
/// time grows threefold with each, and the engine's search is better.
///
/// ```
/// use reversi_engine::search::Solver;
/// use reversi_engine::{Board, Objective};
///
/// // The mover turns the last disc of the other side with d1.
/// let board = Board { player: 0b011.into(), opponent: 0b100.into() };
/// assert_eq!(Solver::new(Objective::MostDiscs).value(board), 64);
/// assert_eq!(Solver::new(Objective::FewestDiscs).value(board), -64);
/// ```
#[derive(Debug)]
pub struct Solver {
    kernel: Kernel,
    objective: Objective,
    memory: Memory,
}

#[derive(Debug, Default)]
struct Memory {
    nodes: u64,
    cache: Cache,
}

impl Host for Memory {
    #[inline(always)]
    fn visit(&mut self) -> Result<(), Stopped> {
        self.nodes += 1;
        Ok(())
    }

    #[inline(always)]
    fn check(&mut self) -> Result<(), Stopped> {
        Ok(())
    }

    #[inline(always)]
    fn nodes_mut(&mut self) -> &mut u64 {
        &mut self.nodes
    }

    #[inline(always)]
    fn cache(&mut self) -> &mut Cache {
        &mut self.cache
    }
}

impl Solver {
    /// A solver for games with this objective, with the fastest kernel.
    #[must_use]
    pub fn new(objective: Objective) -> Self {
        Self::with_kernel(objective, Kernel::best())
    }

    /// A solver with this kernel.
    #[must_use]
    pub fn with_kernel(objective: Objective, kernel: Kernel) -> Self {
        Self {
            kernel,
            objective,
            memory: Memory::default(),
        }
    }

    /// The value of a board for its mover with best play by both sides: the final disc difference
    /// with the empty squares given to the majority, negated if the fewest discs win. -64 to 64,
    /// always even.
    ///
    /// The two sides' discs must not overlap.
    pub fn value(&mut self, board: Board) -> i32 {
        // Bounds that close in on the value (MTD(f); Plaat, Schaeffer, Pijls and de Bruin, 1996).
        let (mut lower, mut upper) = (-64, 64);
        let mut guess = 0;
        while lower < upper {
            let alpha = if guess == lower { guess } else { guess - 1 };
            guess = self.bound(board, alpha);
            if guess > alpha {
                lower = guess;
            } else {
                upper = guess;
            }
        }
        lower
    }

    /// Whether the value of a board is above `alpha`, and by how much at least: an answer above
    /// `alpha` is a lower bound of the value, any other an upper bound. Much less work than the
    /// value itself.
    pub fn bound(&mut self, board: Board, alpha: i32) -> i32 {
        self.kernel.with_isa(Bound {
            objective: self.objective,
            memory: &mut self.memory,
            board,
            alpha,
        })
    }

    /// The number of boards looked at since the solver was made.
    #[must_use]
    pub const fn nodes(&self) -> u64 {
        self.memory.nodes
    }
}

struct Bound<'a> {
    objective: Objective,
    memory: &'a mut Memory,
    board: Board,
    alpha: i32,
}

impl IsaVisitor for Bound<'_> {
    type Output = i32;

    fn visit<I: Isa>(self, isa: I) -> i32 {
        let Self {
            objective,
            memory,
            board,
            alpha,
        } = self;
        let bound = match objective {
            Objective::MostDiscs => null_window::<I, MostDiscs, _>(isa, memory, board, alpha),
            Objective::FewestDiscs => null_window::<I, FewestDiscs, _>(isa, memory, board, alpha),
        };
        bound.expect("invariant: nobody stops this host")
    }
}
