//! The boards one and two plies below others.

use std::mem::MaybeUninit;

use super::super::bytes::Bytes;
use super::super::plies::Boards;
use super::Aligned;
use super::layout::Positions;
use super::results::{boards_after, legal_moves, sum_replies};

/// How many boards have their moves found at a time.
const PARENTS: usize = 64;

/// How many marked boards are gathered before they are played. With what else is in use, they must
/// fit the first-level cache.
const MARKED: usize = 512;

/// Adds the boards after all moves to `children`, in no order. Hands on the boards without moves.
///
/// # Safety
///
/// The machine must have the instructions of `V`.
#[inline(always)]
pub(in crate::kernel) unsafe fn expand<V: Bytes>(
    boards: &Boards,
    children: &mut Boards,
    blocked: &mut dyn FnMut(u64, u64),
) {
    // SAFETY: the caller's promise.
    unsafe { mark_moves::<V, _>(boards, blocked, &mut Collect(children)) }
}

/// The sum of the numbers of moves of the boards after all moves: the leaves two plies down. Hands
/// on the boards without moves, and those after moves that have none.
///
/// # Safety
///
/// The machine must have the instructions of `V`.
#[inline(always)]
pub(in crate::kernel) unsafe fn count_two_plies<V: Bytes>(
    boards: &Boards,
    blocked: &mut dyn FnMut(u64, u64),
    blocked_after: &mut dyn FnMut(u64, u64),
) -> u64 {
    let mut count = Count {
        sum: 0,
        blocked: blocked_after,
    };
    // SAFETY: the caller's promise.
    unsafe { mark_moves::<V, _>(boards, blocked, &mut count) };
    count.sum
}

/// What becomes of marked boards.
trait Take<V> {
    /// Takes `count` of them.
    ///
    /// # Safety
    ///
    /// They must be readable, and the machine must have the instructions of `V`.
    unsafe fn take(&mut self, marked: Positions, count: usize);
}

struct Collect<'a>(&'a mut Boards);

impl<V: Bytes> Take<V> for Collect<'_> {
    #[inline(always)]
    unsafe fn take(&mut self, marked: Positions, count: usize) {
        let Boards { player, opponent } = &mut *self.0;
        player.reserve(count);
        opponent.reserve(count);
        let (to_player, to_opponent) = (player.spare_capacity_mut(), opponent.spare_capacity_mut());
        let to_player = to_player.as_mut_ptr().cast();
        let to_opponent = to_opponent.as_mut_ptr().cast();
        // SAFETY: the caller's promise; there is room for as many, and then they are written.
        unsafe {
            boards_after::<V>(marked, count, to_player, to_opponent);
            player.set_len(player.len() + count);
            opponent.set_len(opponent.len() + count);
        }
    }
}

struct Count<'a> {
    sum: u64,
    blocked: &'a mut dyn FnMut(u64, u64),
}

impl<V: Bytes> Take<V> for Count<'_> {
    #[inline(always)]
    unsafe fn take(&mut self, marked: Positions, count: usize) {
        // SAFETY: the caller's promise.
        self.sum += unsafe { sum_replies::<V>(marked, count, self.blocked) };
    }
}

/// Makes a marked board of each move of each board. Hands on the boards without moves.
///
/// A loop over the moves of one board ends at a different count each time, which costs more than
/// all it does. So boards are sorted by their number of moves, most first, and then the first move
/// of all is marked, the next of all that have two, and so on.
///
/// # Safety
///
/// The machine must have the instructions of `V`.
#[inline(always)]
unsafe fn mark_moves<V: Bytes, T: Take<V>>(
    boards: &Boards,
    blocked: &mut dyn FnMut(u64, u64),
    take: &mut T,
) {
    // A round may write up to a vector beyond what it is worth.
    let mut player = Aligned([const { MaybeUninit::<u64>::uninit() }; MARKED + 2 * PARENTS]);
    let mut opponent = Aligned([const { MaybeUninit::<u64>::uninit() }; MARKED + 2 * PARENTS]);
    let to_player: *mut u64 = player.0.as_mut_ptr().cast();
    let to_opponent: *mut u64 = opponent.0.as_mut_ptr().cast();
    let marked = Positions {
        player: to_player.cast(),
        opponent: to_opponent.cast(),
    };
    let mut filled = 0;
    let mut sorted = Sorted::default();
    let chunks = boards
        .player
        .chunks(PARENTS)
        .zip(boards.opponent.chunks(PARENTS));
    for (parents, opponents) in chunks {
        // SAFETY: the caller's promise; slices of equal length are readable.
        unsafe { sorted.sort::<V>(parents, opponents) };
        for index in sorted.with_moves..parents.len() {
            blocked(sorted.player[index], sorted.opponent[index]);
        }
        for round in 1..=sorted.most_moves {
            let boards = sorted.with_at_least[round];
            // SAFETY: `filled` is less than MARKED, and a round adds at most PARENTS.
            unsafe { sorted.mark::<V>(boards, to_player.add(filled), to_opponent.add(filled)) };
            filled += boards;
            if filled >= MARKED {
                let whole = filled / V::LEN * V::LEN;
                // SAFETY: as many are written. The rest moves to the front.
                unsafe {
                    take.take(marked, whole);
                    filled -= whole;
                    to_player.copy_from(to_player.add(whole), filled);
                    to_opponent.copy_from(to_opponent.add(whole), filled);
                }
            }
        }
    }
    // SAFETY: as many are written.
    unsafe { take.take(marked, filled) };
}

/// Up to [`PARENTS`] boards by their number of moves, most first.
#[repr(align(64))]
struct Sorted {
    moves: [u64; PARENTS],
    player: [u64; PARENTS],
    opponent: [u64; PARENTS],
    /// How many boards have this many moves or more.
    with_at_least: [usize; 65],
    /// How many have any.
    with_moves: usize,
    most_moves: usize,
}

impl Default for Sorted {
    fn default() -> Self {
        Self {
            moves: [0; PARENTS],
            player: [0; PARENTS],
            opponent: [0; PARENTS],
            with_at_least: [0; 65],
            with_moves: 0,
            most_moves: 0,
        }
    }
}

impl Sorted {
    /// Finds the moves of boards, and sorts by counting.
    ///
    /// # Safety
    ///
    /// There must be as many opponents as players, at most [`PARENTS`], and the machine must have
    /// the instructions of `V`.
    #[inline(always)]
    unsafe fn sort<V: Bytes>(&mut self, players: &[u64], opponents: &[u64]) {
        let positions = Positions {
            player: players.as_ptr().cast(),
            opponent: opponents.as_ptr().cast(),
        };
        let mut moves = [0_u64; PARENTS];
        // SAFETY: the caller's promise.
        unsafe { legal_moves::<V>(positions, players.len(), moves.as_mut_ptr().cast(), None) };
        let moves = &moves[..players.len()];

        self.with_at_least = [0; 65];
        self.most_moves = 0;
        for moves in moves {
            let count = moves.count_ones() as usize;
            self.with_at_least[count] += 1;
            self.most_moves = self.most_moves.max(count);
        }
        let mut places = [0; 65];
        let mut boards = 0;
        for count in (0..=self.most_moves).rev() {
            places[count] = boards;
            boards += self.with_at_least[count];
            self.with_at_least[count] = boards;
        }
        self.with_moves = places[0];
        for ((&moves, &player), &opponent) in moves.iter().zip(players).zip(opponents) {
            let place = &mut places[moves.count_ones() as usize];
            self.moves[*place % PARENTS] = moves;
            self.player[*place % PARENTS] = player;
            self.opponent[*place % PARENTS] = opponent;
            *place += 1;
        }
    }

    /// Marks the next move of the first `boards` boards, and takes it out.
    ///
    /// # Safety
    ///
    /// There must be as many, and room to write as many and up to a vector more.
    #[inline(always)]
    unsafe fn mark<V: Bytes>(&mut self, boards: usize, to_player: *mut u64, to_opponent: *mut u64) {
        for first in (0..boards).step_by(V::LEN / 8) {
            // SAFETY: whole vectors lie in the arrays; the rest is the caller's promise.
            unsafe {
                let left: *mut u8 = self.moves.as_mut_ptr().add(first).cast();
                let moves = V::load(left);
                let squares = moves.lowest_bits();
                moves.xor(squares).store(left);
                let player = V::load(self.player.as_ptr().add(first).cast());
                let opponent = V::load(self.opponent.as_ptr().add(first).cast());
                player.or(squares).store(to_player.add(first).cast());
                opponent.or(squares).store(to_opponent.add(first).cast());
            }
        }
    }
}
