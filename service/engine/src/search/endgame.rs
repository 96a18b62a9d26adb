//! Playing to the end: exact values, in whole discs.
//!
//! Everything here answers whether a board is worth more than `alpha` to its mover: at most
//! `alpha` is an upper bound, more is a lower bound of the value. Nothing is evaluated; what to
//! try first follows from the number of replies, corners and parity. Boards with many empty
//! squares are better searched by [`pvs`](super::pvs), which orders moves by evaluation.

use crate::board::Board;
use crate::kernel::isa::Isa;
use crate::rules::Objective;

use super::worker::{Stopped, Worker};

mod aim;
mod cache;
mod few;
mod last;
mod parity;
mod sorted;
mod stability;

use aim::{FewestDiscs, MostDiscs};
pub(super) use cache::Cache;
use sorted::null_window;

/// With so many empty squares a board is best left to these functions.
pub(super) const EMPTIES: std::ops::RangeInclusive<u32> = 4..=11;

/// Below every value.
const WORST: i32 = -65;

/// A bound of the value of a board for its mover, in discs.
#[inline(always)]
pub(super) fn null<I: Isa>(
    isa: I,
    worker: &mut Worker<'_>,
    board: Board,
    alpha: i32,
) -> Result<i32, Stopped> {
    match worker.shared.objective {
        Objective::MostDiscs => null_window::<I, MostDiscs>(isa, worker, board, alpha),
        Objective::FewestDiscs => null_window::<I, FewestDiscs>(isa, worker, board, alpha),
    }
}
