//! Legal moves of as many positions at a time as a vector has bytes, a rank of each in a byte.
//!
//! A block of boards is first turned round: eight vectors of whole boards become eight vectors,
//! one a rank, that hold that rank of every position. Along files and diagonals a run of discs then
//! grows from one vector to the next by plain logic, eight squares of 16 to 64 positions at a time,
//! with a shift by one for the diagonals. Along a rank towards file h an addition of bytes carries
//! through a run in one go; towards file a the run grows by doubling. In the end the masks are
//! turned back.
//!
//! Operations on vectors for one block, that is for 32 positions where a vector has 32 bytes:
//!
//! | step | shuffles | shifts | others |
//! |---|---|---|---|
//! | player and opponent turned round, 4 levels each | 64 | | |
//! | inner discs and the player's neighbours, in each of the two passes | | 14 | 28 |
//! | files, 2 directions | | | 34 |
//! | diagonals, 4 directions | | 12 | 80 |
//! | ranks towards h | | | 24 |
//! | ranks towards a | | 40 | 72 |
//! | occupied squares taken out | | | 16 |
//! | overlapping discs looked for | | | 15 |
//! | masks turned back, 3 levels | 24 | | |
//!
//! Together 423, or 13 a position, where eight parallel-prefix fills on whole boards take 28. A
//! core with four vector units, two of which shuffle and shift, is bound by the total: 106 cycles a
//! block, 3.3 a position.
#![allow(
    unsafe_code,
    reason = "reads and writes vectors through pointers, for no slice can be both in and past its end"
)]

use std::hint::black_box;
use std::mem::{MaybeUninit, swap};

use super::bytes::Bytes;

/// The most bytes a vector may have: what fits the padded block at the end of a batch.
const MAX_LEN: usize = 64;

/// Files b–g of a rank.
const INNER_FILES: u8 = 0x7E;

/// A vector for each rank: byte `i` is that rank of position `i`.
type Ranks<V> = [V; 8];

/// The positions of a batch: for each an 8-byte little-endian word in each array, at any alignment.
#[derive(Clone, Copy)]
pub(super) struct Positions {
    pub(super) player: *const u8,
    pub(super) opponent: *const u8,
    pub(super) count: usize,
}

/// Writes the legal moves of each position to `moves`, a word each.
///
/// With a list given, looks for positions where the sides overlap: they get no moves, and their
/// indices are added to the list.
///
/// # Safety
///
/// The arrays must be readable, `moves` writable over as many words, and the machine must have the
/// instructions of `V`.
#[inline(always)]
pub(super) unsafe fn legal_moves<V: Bytes>(
    positions: Positions,
    moves: *mut u8,
    overlapping: Option<&mut Vec<usize>>,
) {
    // SAFETY: the caller's promise.
    unsafe { for_each_block::<V, _>(positions, WriteMoves { moves, overlapping }) }
}

/// What becomes of the moves of a block.
trait Finish<V> {
    /// Takes the moves of a block. Its words are at `positions`; the first is number `first` of the
    /// batch.
    ///
    /// # Safety
    ///
    /// As for the function that hands this on.
    unsafe fn finish(
        &mut self,
        first: usize,
        positions: Positions,
        block: &Block<V>,
        moves: &Ranks<V>,
    );
}

struct WriteMoves<'a> {
    moves: *mut u8,
    overlapping: Option<&'a mut Vec<usize>>,
}

impl<V: Bytes> Finish<V> for WriteMoves<'_> {
    #[inline(always)]
    unsafe fn finish(
        &mut self,
        first: usize,
        positions: Positions,
        block: &Block<V>,
        moves: &Ranks<V>,
    ) {
        // SAFETY: the block's words lie in the array; a short block goes by way of a full one.
        unsafe {
            let to = self.moves.add(first * 8);
            if positions.count == V::LEN {
                turn_back(moves, to);
            } else {
                let mut padded = MaybeUninit::<[u8; MAX_LEN * 8]>::uninit();
                turn_back(moves, padded.as_mut_ptr().cast());
                to.copy_from_nonoverlapping(padded.as_ptr().cast(), positions.count * 8);
            }
            if let Some(overlapping) = &mut self.overlapping
                && overlap(block)
            {
                list_overlapping(first, positions, to, overlapping);
            }
        }
    }
}

/// Finds the positions of a block where the sides overlap, and leaves them without moves.
///
/// # Safety
///
/// `moves` must be writable over as many words as there are positions.
#[cold]
#[inline(never)]
unsafe fn list_overlapping(
    first: usize,
    positions: Positions,
    moves: *mut u8,
    overlapping: &mut Vec<usize>,
) {
    for index in 0..positions.count {
        // SAFETY: the caller's promise; words lie at any alignment.
        unsafe {
            let player = positions.player.cast::<u64>().add(index).read_unaligned();
            let opponent = positions.opponent.cast::<u64>().add(index).read_unaligned();
            if player & opponent != 0 {
                moves.cast::<u64>().add(index).write_unaligned(0);
                overlapping.push(first + index);
            }
        }
    }
}

/// The boards of a block, turned round.
#[repr(C, align(64))]
struct Block<V> {
    player: Ranks<V>,
    opponent: Ranks<V>,
}

/// Finds the moves of block after block.
///
/// While the moves of one block are found the next one is turned round, a quarter of a side at a
/// time: shuffles use two of a core's vector units, and logic the others.
///
/// # Safety
///
/// As for [`legal_moves`].
#[inline(always)]
unsafe fn for_each_block<V: Bytes, F: Finish<V>>(positions: Positions, mut finish: F) {
    const { assert!(V::LEN <= MAX_LEN) };
    if positions.count == 0 {
        return;
    }
    let mut padded = MaybeUninit::uninit();
    // SAFETY: the caller's promise; each block lies in the array or is the padded one.
    unsafe {
        let last = positions.last_block(V::LEN, &mut padded);
        let read = if positions.count > V::LEN {
            positions.block(0, V::LEN)
        } else {
            last
        };
        let inner_files = V::splat(INNER_FILES);
        let mut boards = [
            Block::<V> {
                player: turn(read.player),
                opponent: turn(read.opponent),
            },
            Block {
                player: [V::splat(0); 8],
                opponent: [V::splat(0); 8],
            },
        ];
        let [block, next] = &mut boards;
        let (mut block, mut next) = (block, next);
        let (mut half, mut moves) = ([V::splat(0); 8], [V::splat(0); 8]);
        let mut current = read;
        for first in (0..positions.count).step_by(V::LEN) {
            let second = first + V::LEN;
            let coming = if second + V::LEN < positions.count {
                positions.block(second, V::LEN)
            } else {
                last
            };
            // Without these the compiler sees through the arrays, computes everything once, and
            // moves twice as many vectors to the stack and back.
            let (block_now, moves_now) = (black_box(&mut *block), black_box(&mut moves));
            pass_up(
                inner_files,
                block_now,
                moves_now,
                coming.player,
                &mut half,
                &mut next.player,
            );
            let (block_now, moves_now) = (black_box(block_now), black_box(moves_now));
            pass_down(
                inner_files,
                block_now,
                moves_now,
                coming.opponent,
                &mut half,
                &mut next.opponent,
            );
            finish.finish(first, current, block_now, black_box(moves_now));
            swap(&mut block, &mut next);
            current = coming;
        }
    }
}

impl Positions {
    /// Where the last block of `len` positions lies: in the array if it is full, otherwise copied
    /// to `padded` and filled up there.
    ///
    /// # Safety
    ///
    /// The arrays must be readable.
    #[inline(always)]
    unsafe fn last_block(
        self,
        len: usize,
        padded: &mut MaybeUninit<[[u8; MAX_LEN * 8]; 2]>,
    ) -> Self {
        let rest = self.count % len;
        // SAFETY: what is skipped lies in the arrays, the rest fits in the padded block.
        unsafe {
            if rest == 0 {
                return self.block(self.count - len, len);
            }
            let from = self.block(self.count - rest, rest);
            let [player, opponent] = padded.write([[0; MAX_LEN * 8]; 2]);
            player
                .as_mut_ptr()
                .copy_from_nonoverlapping(from.player, rest * 8);
            opponent
                .as_mut_ptr()
                .copy_from_nonoverlapping(from.opponent, rest * 8);
            Self {
                player: player.as_ptr(),
                opponent: opponent.as_ptr(),
                count: rest,
            }
        }
    }

    /// `count` positions from number `first` on.
    ///
    /// # Safety
    ///
    /// There must be as many.
    #[inline(always)]
    unsafe fn block(self, first: usize, count: usize) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            Self {
                player: self.player.add(first * 8),
                opponent: self.opponent.add(first * 8),
                count,
            }
        }
    }
}

/// Moves along the ranks, and along files and diagonals towards rank 8. Meanwhile turns round the
/// player's side of the next block.
///
/// # Safety
///
/// A block must be readable at `coming`.
#[inline(always)]
unsafe fn pass_up<V: Bytes>(
    inner_files: V,
    block: &Block<V>,
    moves: &mut Ranks<V>,
    coming: *const u8,
    half: &mut Ranks<V>,
    next: &mut Ranks<V>,
) {
    moves[0] = along_rank(inner_files, block, 0);
    moves[1] = along_rank(inner_files, block, 1);
    let front = Front::enter(inner_files, block, 1, neighbours(block.player[0]));
    // SAFETY: the caller's promise.
    unsafe { turn_in::<V, 0>(coming, half) };
    let front = front.up(inner_files, block, 2, moves);
    let front = front.up(inner_files, block, 3, moves);
    // SAFETY: the caller's promise.
    unsafe { turn_in::<V, 1>(coming, half) };
    let front = front.up(inner_files, block, 4, moves);
    let front = front.up(inner_files, block, 5, moves);
    turn_on::<V, 0>(half, next);
    let front = front.up(inner_files, block, 6, moves);
    front.up(inner_files, block, 7, moves);
    turn_on::<V, 1>(half, next);
}

/// Adds the moves along files and diagonals towards rank 1, and takes the occupied squares out.
/// Meanwhile turns round the opponent's side of the next block.
///
/// # Safety
///
/// A block must be readable at `coming`.
#[inline(always)]
unsafe fn pass_down<V: Bytes>(
    inner_files: V,
    block: &Block<V>,
    moves: &mut Ranks<V>,
    coming: *const u8,
    half: &mut Ranks<V>,
    next: &mut Ranks<V>,
) {
    moves[7] = moves[7].without(block.player[7].or(block.opponent[7]));
    moves[6] = moves[6].without(block.player[6].or(block.opponent[6]));
    let front = Front::enter(inner_files, block, 6, neighbours(block.player[7]));
    // SAFETY: the caller's promise.
    unsafe { turn_in::<V, 0>(coming, half) };
    let front = front.down(inner_files, block, 5, moves);
    let front = front.down(inner_files, block, 4, moves);
    // SAFETY: the caller's promise.
    unsafe { turn_in::<V, 1>(coming, half) };
    let front = front.down(inner_files, block, 3, moves);
    let front = front.down(inner_files, block, 2, moves);
    turn_on::<V, 0>(half, next);
    let front = front.down(inner_files, block, 1, moves);
    front.down(inner_files, block, 0, moves);
    turn_on::<V, 1>(half, next);
}

/// A rank as the one behind it sees it, in three directions: straight on, and moved by a file
/// towards h and towards a.
#[derive(Clone, Copy)]
struct Front<V> {
    /// The opponent's discs in runs that touch the player; not moved yet.
    runs: [V; 3],
    /// The player's discs, moved.
    player: [V; 3],
}

impl<V: Bytes> Front<V> {
    /// Enters a rank whose squares in `touching` have the player or a run behind them.
    #[inline(always)]
    fn enter(inner_files: V, block: &Block<V>, rank: usize, touching: [V; 3]) -> Self {
        // A run on a diagonal ends at the edge files: there is no square behind them.
        let inner = block.opponent[rank].and(inner_files);
        Self {
            runs: [
                block.opponent[rank].and(touching[0]),
                inner.and(touching[1]),
                inner.and(touching[2]),
            ],
            player: neighbours(block.player[rank]),
        }
    }

    /// Steps onto the next rank. Gives the squares there that have a run behind them, too.
    #[inline(always)]
    fn step(self, inner_files: V, block: &Block<V>, rank: usize) -> (Self, V) {
        let [straight, to_h, to_a] = self.runs;
        let moved = [straight, to_h.plus(to_h), to_a.down::<1>()];
        let touching = [
            self.player[0].or(moved[0]),
            self.player[1].or(moved[1]),
            self.player[2].or(moved[2]),
        ];
        let front = Self::enter(inner_files, block, rank, touching);
        (front, moved[0].or(moved[1]).or(moved[2]))
    }

    #[inline(always)]
    fn up(self, inner_files: V, block: &Block<V>, rank: usize, moves: &mut Ranks<V>) -> Self {
        let (front, behind) = self.step(inner_files, block, rank);
        moves[rank] = behind.or(along_rank(inner_files, block, rank));
        front
    }

    #[inline(always)]
    fn down(self, inner_files: V, block: &Block<V>, rank: usize, moves: &mut Ranks<V>) -> Self {
        let (front, behind) = self.step(inner_files, block, rank);
        let occupied = block.player[rank].or(block.opponent[rank]);
        moves[rank] = moves[rank].or(behind).without(occupied);
        front
    }
}

/// The discs of a rank on their own files, and moved by one towards h and towards a. On file h the
/// last of the three is wrong: no run is there.
#[inline(always)]
fn neighbours<V: Bytes>(discs: V) -> [V; 3] {
    [discs, discs.plus(discs), discs.down::<1>()]
}

/// The squares of a rank behind runs along it; some occupied ones, too.
#[inline(always)]
fn along_rank<V: Bytes>(inner_files: V, block: &Block<V>, rank: usize) -> V {
    let player = block.player[rank];
    let inner = block.opponent[rank].and(inner_files);
    // Towards h: the carry leaves a run at its end.
    let carried = inner.plus(inner.and(player.plus(player)));
    // Towards a: runs of up to 1, 2, 4 and 6 discs.
    let run = inner.and(player.down::<1>());
    let run = run.or(inner.and(run.down::<1>()));
    let pairs = inner.and(inner.down::<1>());
    let run = run.or(pairs.and(run.down::<2>()));
    let run = run.or(pairs.and(run.down::<2>()));
    carried.or(run.down::<1>())
}

/// Whether a square of any position of the block holds a disc of both sides.
#[inline(always)]
fn overlap<V: Bytes>(block: &Block<V>) -> bool {
    let mut both = block.player[0].and(block.opponent[0]);
    for rank in 1..8 {
        both = both.or(block.player[rank].and(block.opponent[rank]));
    }
    !both.is_zero()
}

/// Turns eight vectors of whole boards round.
///
/// A byte has a seven-bit address: vector (3 bits), board in its half of 16 bytes (1), rank (3).
/// Zipping each vector with the one four further rotates the address by a bit. After four rounds
/// the rank is the number of the vector.
///
/// # Safety
///
/// Eight vectors must be readable, and the machine must have the instructions of `V`.
#[inline(always)]
unsafe fn turn<V: Bytes>(boards: *const u8) -> Ranks<V> {
    // SAFETY: the caller's promise.
    unsafe {
        let mut half = [V::splat(0); 8];
        let mut ranks = half;
        turn_in::<V, 0>(boards, &mut half);
        turn_in::<V, 1>(boards, &mut half);
        turn_on::<V, 0>(&half, &mut ranks);
        turn_on::<V, 1>(&half, &mut ranks);
        ranks
    }
}

/// The first two rounds of [`turn`], for four of the eight vectors.
///
/// # Safety
///
/// Eight vectors must be readable, and the machine must have the instructions of `V`.
#[inline(always)]
unsafe fn turn_in<V: Bytes, const SIDE: usize>(boards: *const u8, half: &mut Ranks<V>) {
    // SAFETY: the caller's promise.
    unsafe {
        two_rounds::<V, SIDE>(
            [
                V::load(boards.add(SIDE * V::LEN)),
                V::load(boards.add((SIDE + 2) * V::LEN)),
                V::load(boards.add((SIDE + 4) * V::LEN)),
                V::load(boards.add((SIDE + 6) * V::LEN)),
            ],
            half,
        );
    }
}

/// The last two rounds of [`turn`], for four of the eight vectors.
#[inline(always)]
fn turn_on<V: Bytes, const SIDE: usize>(half: &Ranks<V>, ranks: &mut Ranks<V>) {
    let vectors = [half[SIDE], half[SIDE + 2], half[SIDE + 4], half[SIDE + 6]];
    two_rounds::<V, SIDE>(vectors, ranks);
}

/// Two rounds of zipping: the vectors of one parity become one half of the vectors.
#[inline(always)]
fn two_rounds<V: Bytes, const SIDE: usize>(from: [V; 4], to: &mut Ranks<V>) {
    let (low_even, high_even) = from[0].zip(from[2]);
    let (low_odd, high_odd) = from[1].zip(from[3]);
    (to[4 * SIDE], to[4 * SIDE + 1]) = low_even.zip(low_odd);
    (to[4 * SIDE + 2], to[4 * SIDE + 3]) = high_even.zip(high_odd);
}

/// Turns a block back and writes it: three more rounds make seven, which is all the way.
///
/// # Safety
///
/// Eight vectors must be writable.
#[inline(always)]
unsafe fn turn_back<V: Bytes>(ranks: &Ranks<V>, boards: *mut u8) {
    let mut half = *ranks;
    two_rounds::<V, 0>([ranks[0], ranks[2], ranks[4], ranks[6]], &mut half);
    two_rounds::<V, 1>([ranks[1], ranks[3], ranks[5], ranks[7]], &mut half);
    for pair in 0..4 {
        let (low, high) = half[pair].zip(half[pair + 4]);
        // SAFETY: the caller's promise.
        unsafe {
            low.store(boards.add(2 * pair * V::LEN));
            high.store(boards.add((2 * pair + 1) * V::LEN));
        }
    }
}
