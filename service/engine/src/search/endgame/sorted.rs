//! Seven empty squares and more: moves are compared in all ways that pay.

use crate::bitboard::Bitboard;
use crate::board::Board;
use crate::kernel::isa::Isa;
use crate::search::worker::Stopped;

use super::aim::{Aim, bound_by_stable_discs, over};
use super::cache::{Known, Slot};
use super::children::{Child, Children, FIRST};
use super::few::six;
use super::parity::odd_quadrants;
use super::{Host, WORST};

/// With at least this many empty squares the mover's own next moves count. Among 8 to 12, less than
/// 1 % apart.
const OWN_MOVES_EMPTIES: u32 = 10;

/// A board with at least seven empty squares.
#[inline(always)]
pub(super) fn many<I: Isa, A: Aim, H: Host>(
    isa: I,
    host: &mut H,
    board: Board,
    moves: u64,
    alpha: i32,
) -> Result<i32, Stopped> {
    isa.call4(
        #[inline(always)]
        |isa, host: &mut H, board, moves, alpha| {
            many_body::<I, A, H>(isa, host, board, moves, alpha)
        },
        host,
        board,
        moves,
        alpha,
    )
}

#[inline(always)]
fn many_body<I: Isa, A: Aim, H: Host>(
    isa: I,
    host: &mut H,
    board: Board,
    moves: u64,
    alpha: i32,
) -> Result<i32, Stopped> {
    let Board { player, opponent } = board;
    if moves == 0 {
        let moves = isa.legal_moves(opponent.0, player.0);
        if moves == 0 {
            return Ok(over::<A>(board));
        }
        let value = many::<I, A, H>(isa, host, board.pass(), moves, -alpha - 1)?;
        return Ok(-value);
    }
    host.visit()?;
    if let Some(value) = bound_by_stable_discs::<A>(board, alpha) {
        return Ok(value);
    }
    let slot = Slot::of(board);
    let known = host.cache().get(slot, board).unwrap_or(Known::NOTHING);
    if let Some(value) = known.settles(alpha) {
        return Ok(value);
    }
    let empties = board.empties_count();
    let odd = odd_quadrants(board.empties().0);
    let mut children = Children::<64>::new();
    for square in Bitboard(moves) {
        let child = Child::of(isa, board, square);
        // A reply that is known to be bad enough settles the board (enhanced transposition cutoffs;
        // Plaat, Schaeffer, Pijls and de Bruin, 1996). Saves 2 % of the time against asking from
        // eight empty squares on.
        let reply = host.cache().get(Slot::of(child.board), child.board);
        if let Some(reply) = reply
            && -reply.upper > alpha
        {
            return Ok(-reply.upper);
        }
        let promise = if Some(square) == known.best {
            FIRST
        } else {
            promise::<I, A>(isa, &child, odd, empties)
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
        let value = if empties > 7 {
            -many::<I, A, H>(isa, host, child, replies, -alpha - 1)?
        } else {
            host.check()?;
            -six::<I, A, H>(isa, host, child, replies, -alpha - 1)
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
    Ok(best)
}

#[inline(always)]
fn promise<I: Isa, A: Aim>(isa: I, child: &Child, odd: u64, empties: u32) -> i32 {
    let weights = &A::WEIGHTS;
    let odd_gain = if empties < 11 {
        weights.odd[1]
    } else {
        weights.odd[2]
    };
    let Board { player, opponent } = child.board;
    // The mover's discs are the opponent's now.
    let beside = neighbours(opponent.0) & child.board.empties().0;
    let mut promise = child.promise::<A>(odd, odd_gain);
    promise -= weights.beside * beside.count_ones().cast_signed();
    if empties >= OWN_MOVES_EMPTIES {
        let own_moves = isa.legal_moves(opponent.0, player.0);
        promise += weights.own_move * own_moves.count_ones().cast_signed();
    }
    promise
}

/// The squares and all beside them.
#[inline(always)]
const fn neighbours(squares: u64) -> u64 {
    const FILE_A: u64 = 0x0101_0101_0101_0101;
    const FILE_H: u64 = FILE_A << 7;
    let row = squares | (squares << 1 & !FILE_A) | (squares >> 1 & !FILE_H);
    row | row << 8 | row >> 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_do_not_wrap_over_the_edge() {
        let of = |square: crate::Square| Bitboard(neighbours(square.bit())).to_string();
        assert_eq!(of(crate::Square::H4), "g3 h3 g4 h4 g5 h5");
        assert_eq!(of(crate::Square::A8), "a7 b7 a8 b8");
    }
}
