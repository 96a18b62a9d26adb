//! The loop over boards, made once for each convention.

use super::PerftConvention;
use crate::bitboard::Bitboard;
use crate::board::Board;
use crate::kernel;

/// How many boards are expanded between two looks at the stop.
const BOARDS_PER_POLL: u32 = 4096;

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
        stop,
        boards_to_poll: BOARDS_PER_POLL,
    };
    match convention {
        PerftConvention::PassIsPly => walk.leaves::<PassIsPly>(board, depth),
        PerftConvention::DropFinished => walk.leaves::<DropFinished>(board, depth),
        PerftConvention::PassIsFree => walk.leaves::<PassIsFree>(board, depth),
    }
}

struct Walk<'s> {
    stop: &'s dyn Fn() -> bool,
    boards_to_poll: u32,
}

impl Walk<'_> {
    fn leaves<C: Counting>(&mut self, board: Board, depth: u32) -> Option<u64> {
        match depth {
            0 => Some(1),
            1 => Some(moves_of::<C>(board)),
            _ => self.expand::<C>(board, depth),
        }
    }

    /// The leaves two or more plies down. Recursion goes no deeper than a game is long: each level
    /// places a disc or is a pass between two discs.
    fn expand<C: Counting>(&mut self, board: Board, depth: u32) -> Option<u64> {
        self.poll()?;
        let moves = board.legal_moves();
        if moves.is_empty() {
            let passed = board.pass();
            return if !passed.has_legal_move() {
                Some(C::FINISHED)
            } else if C::PASS_IS_PLY {
                self.leaves::<C>(passed, depth - 1)
            } else {
                self.expand::<C>(passed, depth)
            };
        }
        let mut sum = 0_u64;
        for square in moves {
            // The square is known to be empty, which `Board::flips` would ask again.
            let flips = Bitboard(kernel::flips(board.player.0, board.opponent.0, square));
            let next = board.play_unchecked(square, flips);
            sum = sum.saturating_add(if depth == 2 {
                moves_of::<C>(next)
            } else {
                self.expand::<C>(next, depth - 1)?
            });
        }
        Some(sum)
    }

    fn poll(&mut self) -> Option<()> {
        self.boards_to_poll -= 1;
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
