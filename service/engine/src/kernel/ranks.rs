//! Legal moves of as many positions at a time as a vector has bytes, a rank of each in a byte.
//!
//! A block of boards is first turned round: sixteen vectors of whole boards become eight vectors for
//! each side, one a rank, that hold that rank of every position. Along files and diagonals a run of
//! discs then grows from one vector to the next by plain logic, eight squares of 16 to 64 positions
//! at a time, with a shift by one for the diagonals. Along a rank towards file h an addition of
//! bytes carries through a run in one go; towards file a the run grows by doubling. In the end the
//! masks are turned back.
//!
//! Operations on vectors for the legal moves of a block, that is of 32 positions where a vector has
//! 32 bytes:
//!
//! | step | shuffles | shifts | others |
//! |---|---|---|---|
//! | boards turned round, 4 rounds | 64 | | |
//! | inner discs and the player's neighbours, in each of the two passes | | 14 | 28 |
//! | files, 2 directions | | | 34 |
//! | diagonals, 4 directions | | 12 | 80 |
//! | ranks towards h | | | 24 |
//! | ranks towards a | | 40 | 72 |
//! | occupied squares taken out | | | 16 |
//! | overlapping discs looked for | | | 15 |
//! | masks turned back, 3 rounds | 24 | | |
//!
//! Together 423, or 13 a position, where eight parallel-prefix fills on whole boards take 28. A
//! core with four vector units, two of which shuffle and shift, is bound by the total: 106 cycles a
//! block, 3.3 a position. Zen 3 is measured to take 4.0.
#![allow(
    unsafe_code,
    reason = "vectors are read and written through pointers: boards lie at any alignment"
)]

mod layout;
mod moves;
mod play;
mod plies;
mod results;

#[cfg(not(miri))]
use std::arch::asm;
use std::mem::swap;

use super::bytes::Bytes;
pub(super) use layout::Positions;
use layout::{Padding, turn};
pub(super) use plies::{count_two_plies, expand};
pub(super) use results::{boards_after, flips, legal_moves, mobility};

/// The most bytes a vector may have.
const MAX_LEN: usize = 64;

/// Files b–g of a rank.
const INNER_FILES: u8 = 0x7E;

/// A vector for each rank: byte `i` is that rank of some position `i`.
type Ranks<V> = [V; 8];

/// The ranks of the player's discs, then those of the opponent's.
type Sides<V> = [V; 16];

/// What is done with each block.
trait Work<V> {
    /// Works on a block, and has the coming one turned round on the way.
    ///
    /// # Safety
    ///
    /// The positions and the coming block must be readable; whatever this writes to must be
    /// writable.
    unsafe fn block(&mut self, block: Block<'_, V>, coming: &mut Coming<'_, V>);
}

/// Some positions of a batch: as many as a vector has bytes, in the end fewer.
struct Block<'a, V> {
    /// The number of the first position.
    first: usize,
    /// Where they lie. Behind the last there may be some that fill the block up.
    positions: Positions,
    /// How many there are.
    count: usize,
    /// All of them, turned round.
    sides: &'a mut Sides<V>,
}

/// The block after, which is turned round while there is work on the one before it: shuffles use
/// two of a core's vector units, and logic the others.
struct Coming<'a, V> {
    positions: Positions,
    sides: &'a mut Sides<V>,
}

impl<V: Bytes> Coming<'_, V> {
    /// Does half of it.
    ///
    /// # Safety
    ///
    /// The block must be readable.
    #[inline(always)]
    unsafe fn turn_player(&mut self) {
        // SAFETY: the caller's promise; a vector shows that the machine has the instructions.
        self.sides[..8].copy_from_slice(&unsafe { turn(self.positions.player) });
        settle(self.sides);
    }

    /// Does the other half.
    ///
    /// # Safety
    ///
    /// The block must be readable.
    #[inline(always)]
    unsafe fn turn_opponent(&mut self) {
        // SAFETY: the caller's promise; a vector shows that the machine has the instructions.
        self.sides[8..].copy_from_slice(&unsafe { turn(self.positions.opponent) });
        settle(self.sides);
    }
}

/// Works on block after block. The last one is turned twice.
///
/// # Safety
///
/// The positions must be readable, what `work` asks for must hold, and the machine must have the
/// instructions of `V`.
#[inline(always)]
unsafe fn for_each_block<V: Bytes, W: Work<V>>(positions: Positions, count: usize, mut work: W) {
    const { assert!(V::LEN <= MAX_LEN) };
    if count == 0 {
        return;
    }
    let mut padding: Padding;
    let last_count = (count - 1) % V::LEN + 1;
    // SAFETY: the caller's promise; what is not in the arrays is in the padding.
    unsafe {
        let mut last = positions.skip(count - last_count);
        if last_count < V::LEN {
            padding = [[0; MAX_LEN]; 2];
            last = last.pad(last_count, &mut padding);
        }
        let mut current = if count > V::LEN { positions } else { last };

        let zero = V::splat(0);
        let (mut sides, mut next) = (Aligned([zero; 16]), Aligned([zero; 16]));
        let (mut sides, mut next) = (&mut sides.0, &mut next.0);
        let mut coming = Coming {
            positions: current,
            sides: &mut *sides,
        };
        coming.turn_player();
        coming.turn_opponent();
        for first in (0..count).step_by(V::LEN) {
            let second = first + V::LEN;
            let block = Block {
                first,
                positions: current,
                count: if second < count { V::LEN } else { last_count },
                sides: &mut *sides,
            };
            if second + V::LEN < count {
                current = positions.skip(second);
            } else {
                current = last;
            }
            let mut coming = Coming {
                positions: current,
                sides: &mut *next,
            };
            work.block(block, &mut coming);
            swap(&mut sides, &mut next);
        }
    }
}

/// Keeps vectors from straddling cache lines.
#[repr(align(64))]
struct Aligned<T>(T);

/// Makes the compiler write values to memory and read them anew. One that sees through the arrays
/// computes everything once, and then moves twice as many vectors to the stack and back.
#[inline(always)]
fn settle<T>(value: &mut T) {
    // SAFETY: there is no instruction.
    #[cfg(not(miri))]
    unsafe {
        asm!("/* {} */", in(reg) value, options(nostack, preserves_flags));
    }
    #[cfg(miri)]
    let _ = value;
}
