//! The legal moves of a block of boards.

use super::super::bytes::Bytes;
use super::{Coming, INNER_FILES, Ranks, Sides, settle};

/// The legal moves of a block. The coming block is turned round on the way.
///
/// # Safety
///
/// The coming block must be readable.
#[inline(always)]
pub(super) unsafe fn find_moves<V: Bytes>(
    sides: &mut Sides<V>,
    moves: &mut Ranks<V>,
    coming: &mut Coming<'_, V>,
) {
    settle(sides);
    pass_up(sides, moves);
    // SAFETY: the caller's promise.
    unsafe { coming.turn_player() };
    settle(sides);
    settle(moves);
    pass_down(sides, moves);
    // SAFETY: the caller's promise.
    unsafe { coming.turn_opponent() };
    settle(moves);
}

/// Moves along the ranks, and along files and diagonals towards rank 8.
#[inline(always)]
fn pass_up<V: Bytes>(sides: &Sides<V>, moves: &mut Ranks<V>) {
    let inner_files = inner_files(sides);
    moves[0] = along_rank(inner_files, sides, 0);
    moves[1] = along_rank(inner_files, sides, 1);
    let front = Front::enter(inner_files, sides, 1, neighbours(sides[0]));
    let front = front.up(inner_files, sides, 2, moves);
    let front = front.up(inner_files, sides, 3, moves);
    let front = front.up(inner_files, sides, 4, moves);
    let front = front.up(inner_files, sides, 5, moves);
    let front = front.up(inner_files, sides, 6, moves);
    front.up(inner_files, sides, 7, moves);
}

/// Adds the moves along files and diagonals towards rank 1, and takes the occupied squares out.
#[inline(always)]
fn pass_down<V: Bytes>(sides: &Sides<V>, moves: &mut Ranks<V>) {
    let inner_files = inner_files(sides);
    moves[7] = moves[7].without(sides[7].or(sides[8 + 7]));
    moves[6] = moves[6].without(sides[6].or(sides[8 + 6]));
    let front = Front::enter(inner_files, sides, 6, neighbours(sides[7]));
    let front = front.down(inner_files, sides, 5, moves);
    let front = front.down(inner_files, sides, 4, moves);
    let front = front.down(inner_files, sides, 3, moves);
    let front = front.down(inner_files, sides, 2, moves);
    let front = front.down(inner_files, sides, 1, moves);
    front.down(inner_files, sides, 0, moves);
}

/// Files b–g in every byte.
#[inline(always)]
pub(super) fn inner_files<V: Bytes>(_: &Sides<V>) -> V {
    // SAFETY: whoever holds a vector has shown that the machine has the instructions.
    unsafe { V::splat(INNER_FILES) }
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
    fn enter(inner_files: V, sides: &Sides<V>, rank: usize, touching: [V; 3]) -> Self {
        let (player, opponent) = (sides[rank], sides[8 + rank]);
        // A run on a diagonal ends at the edge files: there is no square behind them.
        let inner = opponent.and(inner_files);
        Self {
            runs: [
                opponent.and(touching[0]),
                inner.and(touching[1]),
                inner.and(touching[2]),
            ],
            player: neighbours(player),
        }
    }

    /// Steps onto the next rank. Gives the squares there that have a run behind them, too.
    #[inline(always)]
    fn step(self, inner_files: V, sides: &Sides<V>, rank: usize) -> (Self, V) {
        let [straight, to_h, to_a] = self.runs;
        let moved = [straight, to_h.plus(to_h), to_a.halve()];
        let touching = [
            self.player[0].or(moved[0]),
            self.player[1].or(moved[1]),
            self.player[2].or(moved[2]),
        ];
        let front = Self::enter(inner_files, sides, rank, touching);
        (front, moved[0].or(moved[1]).or(moved[2]))
    }

    #[inline(always)]
    fn up(self, inner_files: V, sides: &Sides<V>, rank: usize, moves: &mut Ranks<V>) -> Self {
        let (front, behind) = self.step(inner_files, sides, rank);
        moves[rank] = behind.or(along_rank(inner_files, sides, rank));
        front
    }

    #[inline(always)]
    fn down(self, inner_files: V, sides: &Sides<V>, rank: usize, moves: &mut Ranks<V>) -> Self {
        let (front, behind) = self.step(inner_files, sides, rank);
        let occupied = sides[rank].or(sides[8 + rank]);
        moves[rank] = moves[rank].or(behind).without(occupied);
        front
    }
}

/// The discs of a rank on their own files, and moved by one towards h and towards a. On file h the
/// last of the three is wrong: no run is there.
#[inline(always)]
fn neighbours<V: Bytes>(discs: V) -> [V; 3] {
    [discs, discs.plus(discs), discs.halve()]
}

/// The squares of a rank behind runs along it; some occupied ones, too.
#[inline(always)]
fn along_rank<V: Bytes>(inner_files: V, sides: &Sides<V>, rank: usize) -> V {
    let player = sides[rank];
    let inner = sides[8 + rank].and(inner_files);
    // Towards h: the carry leaves a run at its end.
    let carried = inner.plus(inner.and(player.plus(player)));
    carried.or(grow_to_a(inner, player).halve())
}

/// The runs of discs that begin beside `from`, on the side of file a: up to 1, 2, 4 and 6 of them.
#[inline(always)]
pub(super) fn grow_to_a<V: Bytes>(discs: V, from: V) -> V {
    let run = discs.and(from.halve());
    let run = run.or(discs.and(run.halve()));
    let pairs = discs.and(discs.halve());
    let run = run.or(pairs.and(run.quarter()));
    run.or(pairs.and(run.quarter()))
}
