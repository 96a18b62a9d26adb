//! The loop over boards, made once for each convention.

use super::PerftConvention;
use crate::bitboard::Bitboard;
use crate::board::Board;
use crate::kernel::{Boards, Kernel};

/// How many boards are expanded between two looks at the stop.
const BOARDS_PER_POLL: usize = 4096;

/// What sets the conventions apart.
trait Counting {
    /// Whether a forced pass uses up a ply.
    const PASS_IS_PLY: bool;
    /// What a game counts that is over with plies to go.
    const FINISHED: u64;
}

struct PassIsPly;
struct DropFinished;
struct PassIsFree;

impl Counting for PassIsPly {
    const PASS_IS_PLY: bool = true;
    const FINISHED: u64 = 1;
}

impl Counting for DropFinished {
    const PASS_IS_PLY: bool = true;
    const FINISHED: u64 = 0;
}

impl Counting for PassIsFree {
    const PASS_IS_PLY: bool = false;
    const FINISHED: u64 = 1;
}

/// The leaves below a board; `None` if stopped.
pub(super) fn leaves(
    convention: PerftConvention,
    board: Board,
    depth: u32,
    stop: &dyn Fn() -> bool,
) -> Option<u64> {
    let mut walk = Walk {
        kernel: Kernel::best(),
        stop,
        boards_to_poll: BOARDS_PER_POLL,
        lists: Vec::new(),
    };
    match convention {
        PerftConvention::PassIsPly => walk.leaves::<PassIsPly>(board, depth),
        PerftConvention::DropFinished => walk.leaves::<DropFinished>(board, depth),
        PerftConvention::PassIsFree => walk.leaves::<PassIsFree>(board, depth),
    }
}

struct Walk<'s> {
    kernel: Kernel,
    stop: &'s dyn Fn() -> bool,
    boards_to_poll: usize,
    lists: Vec<Boards>,
}

/// How many boards are expanded at a time.
const LIST: usize = 64;

impl Walk<'_> {
    fn leaves<C: Counting>(&mut self, board: Board, depth: u32) -> Option<u64> {
        match depth {
            0 => Some(1),
            1 => Some(moves_of::<C>(board)),
            _ => {
                let mut list = self.lists.pop().unwrap_or_default();
                list.push(board.player.0, board.opponent.0);
                let sum = self.expand::<C>(&list, depth);
                self.give_back(list);
                sum
            }
        }
    }

    fn give_back(&mut self, mut list: Boards) {
        list.clear();
        self.lists.push(list);
    }

    /// The leaves two or more plies below boards.
    fn expand<C: Counting>(&mut self, boards: &Boards, depth: u32) -> Option<u64> {
        self.poll(boards.len())?;
        let mut sum = 0_u64;
        let mut blocked = Vec::new();
        let mut on_blocked = |player, opponent| {
            blocked.push(Board {
                player: Bitboard(player),
                opponent: Bitboard(opponent),
            });
        };
        if depth == 2 {
            let mut stuck = Vec::new();
            let mut on_stuck = |player, opponent| {
                stuck.push(Board {
                    player: Bitboard(player),
                    opponent: Bitboard(opponent),
                });
            };
            sum = self
                .kernel
                .count_two_plies(boards, &mut on_blocked, &mut on_stuck);
            for board in stuck {
                sum = sum.saturating_add(self.blocked::<C>(board, 1)?);
            }
        } else {
            let mut next = self.lists.pop().unwrap_or_default();
            let mut some = self.lists.pop().unwrap_or_default();
            self.kernel.expand(boards, &mut next, &mut on_blocked);
            while next.len() != 0 {
                some.clear();
                some.take_last(LIST, &mut next);
                sum = sum.saturating_add(self.expand::<C>(&some, depth - 1)?);
            }
            self.give_back(next);
            self.give_back(some);
        }
        for board in blocked {
            sum = sum.saturating_add(self.blocked::<C>(board, depth)?);
        }
        Some(sum)
    }

    /// The leaves below a board without moves.
    fn blocked<C: Counting>(&mut self, board: Board, depth: u32) -> Option<u64> {
        let passed = board.pass();
        if !passed.has_legal_move() {
            Some(C::FINISHED)
        } else {
            self.leaves::<C>(passed, if C::PASS_IS_PLY { depth - 1 } else { depth })
        }
    }

    fn poll(&mut self, boards: usize) -> Option<()> {
        self.boards_to_poll = self.boards_to_poll.saturating_sub(boards);
        if self.boards_to_poll == 0 {
            self.boards_to_poll = BOARDS_PER_POLL;
            if (self.stop)() {
                return None;
            }
        }
        Some(())
    }
}

/// The leaves one ply down: counted, not played.
#[inline]
fn moves_of<C: Counting>(board: Board) -> u64 {
    let moves = board.legal_moves().count();
    if moves > 0 {
        return moves.into();
    }
    match board.pass().legal_moves().count() {
        0 => C::FINISHED,
        _ if C::PASS_IS_PLY => 1,
        replies => replies.into(),
    }
}
