//! The boards one and two plies below others.

use std::mem::MaybeUninit;
use std::slice;

use super::super::bytes::Bytes;
use super::super::plies::Boards;
use super::layout::Positions;
use super::results::{boards_after, count_replies, legal_moves};

/// How many boards have their moves found at a time. What that takes fits the first-level cache.
const PARENTS: usize = 64;

/// Room for as many boards as have a move on every square, and for a vector more.
const MARKED: usize = PARENTS * 65;

/// Adds the boards after all moves to `children`, in no order, and the index of the board that
/// each comes from to `parents`. Hands on the indices of the boards without moves.
///
/// # Safety
///
/// The machine must have the instructions of `V`.
#[inline(always)]
pub(in crate::kernel) unsafe fn expand<V: Bytes>(
    boards: &Boards,
    children: &mut Boards,
    parents: &mut Vec<u32>,
    blocked: &mut dyn FnMut(u32),
) {
    let mut list = List::new();
    for (first, players, opponents) in chunks(boards) {
        // SAFETY: the caller's promise; the slices are equally long.
        unsafe { list.mark_moves::<V>(first, players, opponents) };
        list.hand_on_blocked(players.len(), blocked);
        let count = list.moves();
        let Boards { player, opponent } = &mut *children;
        player.reserve(count);
        opponent.reserve(count);
        let to_player = player.spare_capacity_mut().as_mut_ptr().cast();
        let to_opponent = opponent.spare_capacity_mut().as_mut_ptr().cast();
        // SAFETY: the caller's promise; there is room for as many, and then they are written.
        unsafe {
            boards_after::<V>(list.marked(), count, to_player, to_opponent);
            player.set_len(player.len() + count);
            opponent.set_len(opponent.len() + count);
        }
        for boards in list.rounds() {
            parents.extend_from_slice(&list.index[..boards]);
        }
    }
}

/// Adds to the leaves of each board the numbers of moves of the boards after all its moves: its
/// leaves two plies down. Hands on the indices of the boards without moves, and the boards after
/// moves that have none, with the index of the board before.
///
/// # Safety
///
/// There must be as many `leaves` as boards, and the machine must have the instructions of `V`.
#[inline(always)]
pub(in crate::kernel) unsafe fn count_two_plies<V: Bytes>(
    boards: &Boards,
    leaves: &mut [u32],
    blocked: &mut dyn FnMut(u32),
    blocked_after: &mut dyn FnMut(u64, u64, u32),
) {
    let mut list = List::new();
    let mut replies = [const { MaybeUninit::<u8>::uninit() }; MARKED];
    let replies: *mut u8 = replies.as_mut_ptr().cast();
    for (first, players, opponents) in chunks(boards) {
        // SAFETY: the caller's promise; the slices are equally long.
        unsafe { list.mark_moves::<V>(first, players, opponents) };
        list.hand_on_blocked(players.len(), blocked);
        let count = list.moves();
        // SAFETY: the caller's promise; there is room for as many, and then they are written.
        let mut replies = unsafe {
            count_replies::<V>(
                list.marked(),
                count,
                replies,
                &mut |number, player, opponent| {
                    blocked_after(player, opponent, list.parent_of(number));
                },
            );
            slice::from_raw_parts(replies, count)
        };
        let mut sums = [0; PARENTS];
        for boards in list.rounds() {
            let (of_round, rest) = replies.split_at(boards);
            add(&mut sums, of_round);
            replies = rest;
        }
        for (&index, sum) in list.index[..list.with_moves].iter().zip(sums) {
            leaves[index as usize] += sum;
        }
    }
}

/// Adds each number to a sum. Eight at a time, for compilers take more, and do the rest one by one.
#[inline(always)]
fn add(sums: &mut [u32], numbers: &[u8]) {
    let (eights, rest) = numbers.as_chunks::<8>();
    let (sums_of_eights, sums_of_rest) = sums.split_at_mut(8 * eights.len());
    for (sums, numbers) in sums_of_eights.as_chunks_mut::<8>().0.iter_mut().zip(eights) {
        for (sum, &number) in sums.iter_mut().zip(numbers) {
            *sum += u32::from(number);
        }
    }
    for (sum, &number) in sums_of_rest.iter_mut().zip(rest) {
        *sum += u32::from(number);
    }
}

/// Up to [`PARENTS`] boards at a time, with the index of the first.
fn chunks(boards: &Boards) -> impl Iterator<Item = (u32, &[u64], &[u64])> {
    let players = boards.player.chunks(PARENTS);
    let chunks = players.zip(boards.opponent.chunks(PARENTS));
    // Lists are shorter than 2^32.
    let firsts = (0..).step_by(PARENTS);
    firsts
        .zip(chunks)
        .map(|(first, (players, opponents))| (first, players, opponents))
}

/// Up to [`PARENTS`] boards, and all their moves.
///
/// A loop over the moves of one board ends at a different count each time, which costs more than
/// all it does. So boards are sorted by their number of moves, most first; then the first move of
/// all is marked in a round, the next move of all that have two, and so on.
#[repr(C, align(64))]
struct List {
    /// Marked boards, round by round.
    marked_player: [MaybeUninit<u64>; MARKED],
    marked_opponent: [MaybeUninit<u64>; MARKED],
    /// The moves that are not marked yet.
    left: [u64; PARENTS],
    /// The boards, sorted.
    player: [u64; PARENTS],
    opponent: [u64; PARENTS],
    /// Which one each was before.
    index: [u32; PARENTS],
    /// How many boards have this many moves or more.
    with_at_least: [usize; 65],
    /// How many have any.
    with_moves: usize,
    most_moves: usize,
}

impl List {
    fn new() -> Self {
        Self {
            marked_player: [MaybeUninit::uninit(); MARKED],
            marked_opponent: [MaybeUninit::uninit(); MARKED],
            left: [0; PARENTS],
            player: [0; PARENTS],
            opponent: [0; PARENTS],
            index: [0; PARENTS],
            with_at_least: [0; 65],
            with_moves: 0,
            most_moves: 0,
        }
    }

    /// Takes boards, the first with index `first`, and marks all moves.
    ///
    /// # Safety
    ///
    /// There must be as many opponents as players, at most [`PARENTS`], and the machine must have
    /// the instructions of `V`.
    #[inline(always)]
    unsafe fn mark_moves<V: Bytes>(&mut self, first: u32, players: &[u64], opponents: &[u64]) {
        let positions = Positions {
            player: players.as_ptr().cast(),
            opponent: opponents.as_ptr().cast(),
        };
        let mut moves = [0; PARENTS];
        // SAFETY: the caller's promise.
        unsafe { legal_moves::<V>(positions, players.len(), moves.as_mut_ptr().cast(), None) };
        self.sort(first, players, opponents, &moves);
        // SAFETY: the caller's promise.
        unsafe { self.mark::<V>() };
    }

    /// Sorts by counting.
    #[inline(always)]
    fn sort(&mut self, first: u32, players: &[u64], opponents: &[u64], moves: &[u64; PARENTS]) {
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
        let boards = moves.iter().zip(players).zip(opponents);
        for (index, ((&moves, &player), &opponent)) in (first..).zip(boards) {
            let place = &mut places[moves.count_ones() as usize];
            let sorted = *place % PARENTS;
            *place += 1;
            self.left[sorted] = moves;
            self.player[sorted] = player;
            self.opponent[sorted] = opponent;
            self.index[sorted] = index;
        }
    }

    /// Marks all moves, the lowest of each board first.
    ///
    /// # Safety
    ///
    /// The machine must have the instructions of `V`.
    #[inline(always)]
    unsafe fn mark<V: Bytes>(&mut self) {
        let mut to_player: *mut u64 = self.marked_player.as_mut_ptr().cast();
        let mut to_opponent: *mut u64 = self.marked_opponent.as_mut_ptr().cast();
        for round in 1..=self.most_moves {
            let boards = self.with_at_least[round];
            for first in (0..boards).step_by(V::LEN / 8) {
                // SAFETY: the arrays hold whole vectors, and there is room for one beyond the last
                // marked board.
                unsafe {
                    let left: *mut u8 = self.left.as_mut_ptr().add(first).cast();
                    let moves = V::load(left);
                    let squares = moves.lowest_bits();
                    moves.xor(squares).store(left);
                    let player = V::load(self.player.as_ptr().add(first).cast());
                    let opponent = V::load(self.opponent.as_ptr().add(first).cast());
                    player.or(squares).store(to_player.add(first).cast());
                    opponent.or(squares).store(to_opponent.add(first).cast());
                }
            }
            // SAFETY: as above.
            unsafe {
                to_player = to_player.add(boards);
                to_opponent = to_opponent.add(boards);
            }
        }
    }

    /// How many boards have a move in each round.
    fn rounds(&self) -> impl Iterator<Item = usize> {
        self.with_at_least[1..=self.most_moves].iter().copied()
    }

    /// The number of moves, and of marked boards.
    fn moves(&self) -> usize {
        self.rounds().sum()
    }

    /// Where the marked boards are.
    fn marked(&self) -> Positions {
        Positions {
            player: self.marked_player.as_ptr().cast(),
            opponent: self.marked_opponent.as_ptr().cast(),
        }
    }

    /// The index of the board that a marked board is of.
    fn parent_of(&self, mut marked: usize) -> u32 {
        for boards in self.rounds() {
            if marked < boards {
                break;
            }
            marked -= boards;
        }
        self.index[marked]
    }

    /// Hands on the indices of the boards without moves, of all that were taken.
    fn hand_on_blocked(&self, taken: usize, blocked: &mut dyn FnMut(u32)) {
        for &index in &self.index[self.with_moves..taken] {
            blocked(index);
        }
    }
}
