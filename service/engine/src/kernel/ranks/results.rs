//! What can be asked of a batch, and what becomes of each block.

use super::super::bytes::Bytes;
use super::layout::{Positions, position_of_byte, split, turn_back};
use super::moves::find_moves;
use super::play::{Scratch, Turn};
use super::{Aligned, Block, Coming, MAX_LEN, Ranks, Sides, Work, for_each_block};
use crate::kernel::portable;
use crate::square::Square;

/// Writes the legal moves of each position to `moves`, a word each.
///
/// With a list given, looks for positions where the sides overlap: they get no moves, and their
/// indices are added to the list.
///
/// # Safety
///
/// The positions must be readable, `moves` writable over as many words, and the machine must have
/// the instructions of `V`.
#[inline(always)]
pub(in crate::kernel) unsafe fn legal_moves<V: Bytes>(
    positions: Positions,
    count: usize,
    moves: *mut u8,
    overlapping: Option<&mut Vec<usize>>,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let work = WriteMoves {
            found: Aligned([V::splat(0); 8]),
            moves,
            overlapping,
        };
        for_each_block(positions, count, work);
    }
}

struct WriteMoves<'a, V> {
    found: Aligned<Ranks<V>>,
    moves: *mut u8,
    overlapping: Option<&'a mut Vec<usize>>,
}

impl<V: Bytes> Work<V> for WriteMoves<'_, V> {
    #[inline(always)]
    unsafe fn block(&mut self, block: Block<'_, V>, coming: &mut Coming<'_, V>) {
        // SAFETY: the caller's promise.
        unsafe {
            find_moves(block.sides, &mut self.found.0, coming);
            let to = self.moves.add(8 * block.first);
            turn_back(&self.found.0, block.count, to);
            if let Some(overlapping) = &mut self.overlapping
                && overlap(block.sides)
            {
                list_overlapping(block.first, block.positions, block.count, to, overlapping);
            }
        }
    }
}

/// Whether a square of any position of the block holds a disc of both sides.
#[inline(always)]
fn overlap<V: Bytes>(sides: &Sides<V>) -> bool {
    let mut both = sides[0].and(sides[8]);
    for rank in 1..8 {
        both = both.or(sides[rank].and(sides[8 + rank]));
    }
    !both.is_zero()
}

/// Finds the positions of a block where the sides overlap, and leaves them without moves.
///
/// # Safety
///
/// `count` positions must be readable and as many words of `moves` writable.
#[cold]
#[inline(never)]
unsafe fn list_overlapping(
    first: usize,
    positions: Positions,
    count: usize,
    moves: *mut u8,
    overlapping: &mut Vec<usize>,
) {
    for index in 0..count {
        // SAFETY: the caller's promise; words lie at any alignment.
        unsafe {
            let (player, opponent) = positions.skip(index).read();
            if player & opponent != 0 {
                moves.cast::<u64>().add(index).write_unaligned(0);
                overlapping.push(first + index);
            }
        }
    }
}

/// Writes the number of legal moves of each position to `counts`, a byte each.
///
/// # Safety
///
/// The positions must be readable, `counts` writable over as many bytes, and the machine must have
/// the instructions of `V`.
#[inline(always)]
pub(in crate::kernel) unsafe fn mobility<V: Bytes>(
    positions: Positions,
    count: usize,
    counts: *mut u8,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let work = WriteCounts {
            found: Aligned([V::splat(0); 8]),
            counts,
        };
        for_each_block(positions, count, work);
    }
}

struct WriteCounts<V> {
    found: Aligned<Ranks<V>>,
    counts: *mut u8,
}

impl<V: Bytes> Work<V> for WriteCounts<V> {
    #[inline(always)]
    unsafe fn block(&mut self, block: Block<'_, V>, coming: &mut Coming<'_, V>) {
        // SAFETY: the caller's promise.
        unsafe {
            find_moves(block.sides, &mut self.found.0, coming);
            let counts = count_moves(&self.found.0);
            write_bytes(counts, block.count, self.counts.add(block.first));
        }
    }
}

/// Writes the discs that each move turns to `flips`, a word each.
///
/// # Safety
///
/// `count` marked boards must be readable, as many words writable, and the machine must have the
/// instructions of `V`.
#[inline(always)]
pub(in crate::kernel) unsafe fn flips<V: Bytes>(marked: Positions, count: usize, flips: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe {
        let zero = V::splat(0);
        let work = WriteFlips {
            scratch: Aligned(Scratch::new(zero)),
            turned: Aligned(Turned([zero; 8])),
            flips,
        };
        for_each_block(marked, count, work);
    }
}

struct WriteFlips<V> {
    scratch: Aligned<Scratch<V>>,
    turned: Aligned<Turned<V>>,
    flips: *mut u8,
}

/// Collects the turned discs.
struct Turned<V>(Ranks<V>);

impl<V: Bytes> Turn<V> for Turned<V> {
    #[inline(always)]
    fn turn(&mut self, _: &mut Sides<V>, rank: usize, _: V, turned: V) {
        self.0[rank] = turned;
    }
}

impl<V: Bytes> Work<V> for WriteFlips<V> {
    #[inline(always)]
    unsafe fn block(&mut self, block: Block<'_, V>, coming: &mut Coming<'_, V>) {
        // SAFETY: the caller's promise.
        unsafe {
            coming.turn_player();
            self.scratch.0.play(block.sides, &mut self.turned.0);
            coming.turn_opponent();
            turn_back(
                &self.turned.0.0,
                block.count,
                self.flips.add(8 * block.first),
            );
        }
    }
}

/// Writes the boards after moves, as the next mover sees them.
///
/// # Safety
///
/// `count` marked boards must be readable, as many words for each side writable, and the machine
/// must have the instructions of `V`.
#[inline(always)]
pub(in crate::kernel) unsafe fn boards_after<V: Bytes>(
    marked: Positions,
    count: usize,
    player: *mut u8,
    opponent: *mut u8,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let work = WriteBoards {
            scratch: Aligned(Scratch::new(V::splat(0))),
            player,
            opponent,
        };
        for_each_block(marked, count, work);
    }
}

struct WriteBoards<V> {
    scratch: Aligned<Scratch<V>>,
    player: *mut u8,
    opponent: *mut u8,
}

/// Makes marked boards the boards after the moves.
struct ChangeSides;

impl<V: Bytes> Turn<V> for ChangeSides {
    #[inline(always)]
    fn turn(&mut self, sides: &mut Sides<V>, rank: usize, square: V, turned: V) {
        // The square is set on both sides, and stays so on one.
        let (player, opponent) = (sides[rank], sides[8 + rank]);
        sides[rank] = opponent.xor(square.or(turned));
        sides[8 + rank] = player.xor(turned);
    }
}

impl<V: Bytes> Work<V> for WriteBoards<V> {
    #[inline(always)]
    unsafe fn block(&mut self, block: Block<'_, V>, coming: &mut Coming<'_, V>) {
        // SAFETY: the caller's promise.
        unsafe {
            coming.turn_player();
            self.scratch.0.play(block.sides, &mut ChangeSides);
            coming.turn_opponent();
            let (player, opponent) = split(block.sides);
            turn_back(player, block.count, self.player.add(8 * block.first));
            turn_back(opponent, block.count, self.opponent.add(8 * block.first));
        }
    }
}

/// Writes the number of replies to each move to `replies`, a byte each. Hands on the boards after
/// the moves that leave the next mover without one, with the numbers of the moves.
///
/// # Safety
///
/// `count` marked boards must be readable, `replies` writable over as many bytes, and the machine
/// must have the instructions of `V`.
#[inline(always)]
pub(super) unsafe fn count_replies<V: Bytes>(
    marked: Positions,
    count: usize,
    replies: *mut u8,
    blocked: &mut dyn FnMut(usize, u64, u64),
) {
    // SAFETY: the caller's promise.
    unsafe {
        let zero = V::splat(0);
        let work = CountReplies {
            scratch: Aligned(Scratch::new(zero)),
            found: Aligned([zero; 8]),
            replies,
            blocked,
        };
        for_each_block(marked, count, work);
    }
}

struct CountReplies<'a, V> {
    scratch: Aligned<Scratch<V>>,
    found: Aligned<Ranks<V>>,
    replies: *mut u8,
    blocked: &'a mut dyn FnMut(usize, u64, u64),
}

impl<V: Bytes> Work<V> for CountReplies<'_, V> {
    #[inline(always)]
    unsafe fn block(&mut self, block: Block<'_, V>, coming: &mut Coming<'_, V>) {
        let moves = &mut self.found.0;
        self.scratch.0.play(block.sides, &mut ChangeSides);
        // SAFETY: the caller's promise.
        unsafe { find_moves(block.sides, moves, coming) };
        let counts = count_moves(moves);
        // SAFETY: the caller's promise; the positions are the block's.
        unsafe {
            write_bytes(counts, block.count, self.replies.add(block.first));
            let none = counts.zero_bytes();
            if none != 0 {
                hand_on_blocked::<V>(none, block.positions, &mut |index, player, opponent| {
                    (self.blocked)(block.first + index, player, opponent);
                });
            }
        }
    }
}

/// The number of moves of each position.
#[inline(always)]
fn count_moves<V: Bytes>(moves: &Ranks<V>) -> V {
    let mut counts = moves[0].count_bits();
    for ranks in &moves[1..] {
        counts = counts.plus(ranks.count_bits());
    }
    counts
}

/// Writes the bytes of the first `count` positions in their order.
///
/// # Safety
///
/// As many bytes must be writable.
#[inline(always)]
unsafe fn write_bytes<V: Bytes>(bytes: V, count: usize, to: *mut u8) {
    let bytes = bytes.turn_back();
    // SAFETY: the caller's promise; those of a short block go by way of a full one.
    unsafe {
        if count == V::LEN {
            bytes.store(to);
        } else {
            let mut block = [0_u8; MAX_LEN];
            bytes.store(block.as_mut_ptr());
            to.copy_from_nonoverlapping(block.as_ptr(), count);
        }
    }
}

/// Hands on the boards after the moves that the bits of `none` stand for, and their indices.
///
/// # Safety
///
/// A block must be readable.
#[cold]
#[inline(never)]
unsafe fn hand_on_blocked<V: Bytes>(
    mut none: u64,
    positions: Positions,
    blocked: &mut dyn FnMut(usize, u64, u64),
) {
    while none != 0 {
        let index = position_of_byte::<V>(none.trailing_zeros() as usize);
        none &= none - 1;
        // SAFETY: the caller's promise.
        let (player, opponent) = unsafe { positions.skip(index).read() };
        let square = player & opponent;
        let (player, opponent) = (player ^ square, opponent ^ square);
        let turned = portable::flips(player, opponent, Square::lowest_of(square));
        blocked(index, opponent ^ turned, player ^ turned ^ square);
    }
}
