//! Five and six empty squares: moves are compared and boards kept, but stopping is not asked for.

use crate::bitboard::Bitboard;
use crate::board::Board;
use crate::kernel::isa::Isa;

use super::aim::{Aim, bound_by_stable_discs, over};
use super::cache::{Known, Slot};
use super::children::{Child, Children, FIRST};
use super::last::four;
use super::parity::odd_quadrants;
use super::{Host, WORST};

/// With at least this many empty squares stable discs are counted. With 5, a hundredth of the nodes
/// is saved and a twentieth of the time lost; 7 is as good.
const STABLE_EMPTIES: u32 = 6;

/// A board with five empty squares.
#[inline(always)]
pub(super) fn five<I: Isa, A: Aim, H: Host>(
    isa: I,
    host: &mut H,
    board: Board,
    moves: u64,
    alpha: i32,
) -> i32 {
    isa.call4(
        #[inline(always)]
        |isa, host: &mut H, board, moves, alpha| few::<I, A, H, 5>(isa, host, board, moves, alpha),
        host,
        board,
        moves,
        alpha,
    )
}

/// A board with six empty squares.
#[inline(always)]
pub(super) fn six<I: Isa, A: Aim, H: Host>(
    isa: I,
    host: &mut H,
    board: Board,
    moves: u64,
    alpha: i32,
) -> i32 {
    isa.call4(
        #[inline(always)]
        |isa, host: &mut H, board, moves, alpha| few::<I, A, H, 6>(isa, host, board, moves, alpha),
        host,
        board,
        moves,
        alpha,
    )
}

#[inline(always)]
fn few<I: Isa, A: Aim, H: Host, const EMPTIES: u32>(
    isa: I,
    host: &mut H,
    board: Board,
    moves: u64,
    alpha: i32,
) -> i32 {
    let Board { player, opponent } = board;
    if moves == 0 {
        let moves = isa.legal_moves(opponent.0, player.0);
        return if moves == 0 {
            over::<A>(board)
        } else if EMPTIES == 5 {
            -five::<I, A, H>(isa, host, board.pass(), moves, -alpha - 1)
        } else {
            -six::<I, A, H>(isa, host, board.pass(), moves, -alpha - 1)
        };
    }
    *host.nodes_mut() += 1;
    if EMPTIES >= STABLE_EMPTIES
        && let Some(value) = bound_by_stable_discs::<A>(board, alpha)
    {
        return value;
    }
    let slot = Slot::of(board);
    let known = host.cache().get(slot, board).unwrap_or(Known::NOTHING);
    if let Some(value) = known.settles(alpha) {
        return value;
    }
    let odd = odd_quadrants(board.empties().0);
    let mut children = Children::<8>::new();
    for square in Bitboard(moves) {
        let child = Child::of(isa, board, square);
        let promise = if Some(square) == known.best {
            FIRST
        } else {
            child.promise::<A>(odd, A::WEIGHTS.odd[0])
        };
        children.push(child, promise);
    }
    let (mut best, mut best_square) = (WORST, None);
    while let Some(Child {
        square,
        board: child,
        replies,
    }) = children.next()
    {
        let value = if EMPTIES == 5 {
            -four::<I, A>(isa, child, replies, -alpha - 1, host.nodes_mut())
        } else {
            -five::<I, A, H>(isa, host, child, replies, -alpha - 1)
        };
        if value > best {
            best = value;
            best_square = Some(square);
            if best > alpha {
                break;
            }
        }
    }
    let known = known.and(best, alpha, best_square);
    host.cache().put(slot, board, known);
    best
}
