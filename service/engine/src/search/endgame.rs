//! Playing to the end: exact values, in whole discs.
//!
//! Everything here answers whether a board is worth more than `alpha` to its mover: at most
//! `alpha` is an upper bound, more is a lower bound of the value. Nothing is evaluated; what to
//! try first follows from the number of replies, corners and parity. Boards with many empty
//! squares are better searched by [`pvs`](super::pvs), which orders moves by evaluation.
//!
//! The fewer squares are empty, the less is done for a board: from seven on ([`sorted`]) its moves
//! are compared in all ways that pay, five and six ([`few`]) have a shorter comparison, and the
//! [`last`] four are tried as they come, without being kept in the [`cache`].
//!
//! A node is a board that is looked at, down to the board before the last disc; a pass is none.

use crate::board::Board;
use crate::kernel::isa::Isa;
use crate::rules::Objective;

use super::worker::{Stopped, Worker};

mod aim;
mod cache;
mod children;
mod few;
mod last;
mod parity;
mod solver;
mod sorted;
mod stability;

use aim::{Aim, FewestDiscs, MostDiscs};
pub(super) use cache::Cache;
pub use solver::Solver;

/// With at most so many empty squares a board is best left to these functions. FFO 40 to 44 take
/// 2.9 s with 11, 2.5 s with 13, 2.8 s with 14 and 4.0 s with 15.
pub(super) const MOST_EMPTIES: u32 = 13;

/// Below every value.
const WORST: i32 = -65;

/// Whoever has an endgame solved: counts nodes, knows when to stop, and owns a [`Cache`].
pub(super) trait Host {
    /// Counts a node; an error if the search has to stop. Asked for each board with at least seven
    /// empty squares.
    fn visit(&mut self) -> Result<(), Stopped>;

    /// An error if the search has to stop. Asked before each board with at most six empty squares
    /// that a larger one leads to: those have a few hundred nodes at most.
    fn check(&mut self) -> Result<(), Stopped>;

    /// The number of nodes, for boards that are counted without asking.
    fn nodes_mut(&mut self) -> &mut u64;

    /// What is known of small endgames under the same objective.
    fn cache(&mut self) -> &mut Cache;
}

impl Host for Worker<'_> {
    #[inline(always)]
    fn visit(&mut self) -> Result<(), Stopped> {
        Worker::visit(self)
    }

    #[inline(always)]
    fn check(&mut self) -> Result<(), Stopped> {
        Worker::check(self)
    }

    #[inline(always)]
    fn nodes_mut(&mut self) -> &mut u64 {
        Worker::nodes_mut(self)
    }

    #[inline(always)]
    fn cache(&mut self) -> &mut Cache {
        &mut self.cache
    }
}

/// A bound of the value of a board for its mover, in discs.
#[inline(always)]
pub(super) fn null<I: Isa>(
    isa: I,
    worker: &mut Worker<'_>,
    board: Board,
    alpha: i32,
) -> Result<i32, Stopped> {
    match worker.shared.objective {
        Objective::MostDiscs => null_window::<I, MostDiscs, _>(isa, worker, board, alpha),
        Objective::FewestDiscs => null_window::<I, FewestDiscs, _>(isa, worker, board, alpha),
    }
}

/// The same for one objective and any number of empty squares.
#[inline(always)]
fn null_window<I: Isa, A: Aim, H: Host>(
    isa: I,
    host: &mut H,
    board: Board,
    alpha: i32,
) -> Result<i32, Stopped> {
    host.check()?;
    let moves = isa.legal_moves(board.player.0, board.opponent.0);
    Ok(match board.empties_count() {
        0..=3 => last::at_most_three::<I, A>(isa, board, alpha, host.nodes_mut()),
        4 => last::four::<I, A>(isa, board, moves, alpha, host.nodes_mut()),
        5 => few::five::<I, A, H>(isa, host, board, moves, alpha),
        6 => few::six::<I, A, H>(isa, host, board, moves, alpha),
        _ => return sorted::many::<I, A, H>(isa, host, board, moves, alpha),
    })
}
