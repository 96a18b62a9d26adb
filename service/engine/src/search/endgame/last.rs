//! The last four empty squares, where moves are found by turning discs instead of listing them.
//!
//! Everything here answers whether a board is worth more than `alpha` to its mover: at most
//! `alpha` is an upper bound, more is a lower bound of the value.

use crate::board::Board;
use crate::kernel::isa::{Isa, LastFlips};
use crate::square::Square;

use super::WORST;
use super::aim::Aim;
use super::parity::odd_quadrants;

/// A board with four empty squares.
#[inline(always)]
pub(super) fn last_4<I: Isa, A: Aim>(
    isa: I,
    board: Board,
    moves: u64,
    alpha: i32,
    nodes: &mut u64,
) -> i32 {
    isa.call4(
        #[inline(always)]
        |isa, a, b, c, d| last_4_body::<I, A>(isa, a, b, c, d),
        board,
        moves,
        alpha,
        nodes,
    )
}

#[inline(always)]
fn last_4_body<I: Isa, A: Aim>(
    isa: I,
    board: Board,
    moves: u64,
    alpha: i32,
    nodes: &mut u64,
) -> i32 {
    *nodes += 1;
    let empty = board.empties().0;
    let odd = odd_quadrants(empty);
    let mut best = WORST;
    let mut moves = moves;
    while moves != 0 {
        let (bit, rest) = pick(moves, odd);
        moves = rest;
        let square = Square::lowest_of(bit);
        let flips = isa.flips(board.player.0, board.opponent.0, square);
        let child = board.play_unchecked(square, flips.into());
        let value = -last_3::<I, A>(isa, child, empty ^ bit, -alpha - 1, nodes);
        best = best.max(value);
        if best > alpha {
            return best;
        }
    }
    if best > WORST {
        return best;
    }
    let replies = isa.legal_moves(board.opponent.0, board.player.0);
    if replies == 0 {
        return over::<A>(board);
    }
    *nodes -= 1;
    -last_4::<I, A>(isa, board.pass(), replies, -alpha - 1, nodes)
}

#[inline(always)]
fn pick(rest: u64, odd: u64) -> (u64, u64) {
    let from = if rest & odd == 0 { rest } else { rest & odd };
    let bit = from & from.wrapping_neg();
    (bit, rest ^ bit)
}

#[inline(always)]
fn last_3<I: Isa, A: Aim>(isa: I, board: Board, empty: u64, alpha: i32, nodes: &mut u64) -> i32 {
    isa.call4(
        #[inline(always)]
        |isa, a, b, c, d| last_3_body::<I, A>(isa, a, b, c, d),
        board,
        empty,
        alpha,
        nodes,
    )
}

#[inline(always)]
fn last_3_body<I: Isa, A: Aim>(
    isa: I,
    board: Board,
    empty: u64,
    alpha: i32,
    nodes: &mut u64,
) -> i32 {
    *nodes += 1;
    let odd = odd_quadrants(empty);
    let (bit1, rest) = pick(empty, odd);
    let one = Square::lowest_of(bit1);
    let two = Square::lowest_of(rest);
    let three = Square::lowest_of(rest & (rest - 1));
    let mut best = WORST;
    macro_rules! attempt {
        ($square:expr, $a:expr, $b:expr) => {
            let flips = isa.flips(board.player.0, board.opponent.0, $square);
            if flips != 0 {
                let child = board.play_unchecked($square, flips.into());
                let value = -last_2::<I, A>(isa, child, $a, $b, -alpha - 1, nodes);
                best = best.max(value);
                if best > alpha {
                    return best;
                }
            }
        };
    }
    attempt!(one, two, three);
    attempt!(two, one, three);
    attempt!(three, one, two);
    if best > WORST {
        return best;
    }
    if isa.legal_moves(board.opponent.0, board.player.0) == 0 {
        return over::<A>(board);
    }
    *nodes -= 1;
    -last_3::<I, A>(isa, board.pass(), empty, -alpha - 1, nodes)
}

#[inline(always)]
fn last_2<I: Isa, A: Aim>(
    isa: I,
    board: Board,
    one: Square,
    other: Square,
    alpha: i32,
    nodes: &mut u64,
) -> i32 {
    *nodes += 1;
    let best = best_of_2::<I, A>(isa, board, one, other, alpha, nodes);
    if best > WORST {
        return best;
    }
    isa.call5(
        #[inline(always)]
        |isa, a, b, c, d, e| pass_2::<I, A>(isa, a, b, c, d, e),
        board.pass(),
        one,
        other,
        alpha,
        nodes,
    )
}

#[inline(always)]
fn pass_2<I: Isa, A: Aim>(
    isa: I,
    passed: Board,
    one: Square,
    other: Square,
    alpha: i32,
    nodes: &mut u64,
) -> i32 {
    let best = best_of_2::<I, A>(isa, passed, one, other, -alpha - 1, nodes);
    if best > WORST {
        -best
    } else {
        -over::<A>(passed)
    }
}

#[inline(always)]
fn best_of_2<I: Isa, A: Aim>(
    isa: I,
    board: Board,
    one: Square,
    other: Square,
    alpha: i32,
    nodes: &mut u64,
) -> i32 {
    let (player, opponent) = (board.player.0, board.opponent.0);
    let (f1, f2) = isa.flips2(player, opponent, one, other);
    let mut best = WORST;
    if f1 != 0 {
        *nodes += 1;
        best = -last_1::<I, A>(isa, opponent ^ f1, other);
        if best > alpha {
            return best;
        }
    }
    if f2 != 0 {
        *nodes += 1;
        best = best.max(-last_1::<I, A>(isa, opponent ^ f2, one));
    }
    best
}

/// The value of a board with a single empty square.
#[inline(always)]
fn last_1<I: Isa, A: Aim>(isa: I, player: u64, square: Square) -> i32 {
    let discs = player.count_ones().cast_signed();
    let LastFlips {
        player: own,
        opponent: other,
    } = isa.last_flips(player, square);
    let neither = i32::from(discs >= 32);
    let change = if other > 0 { -other } else { neither };
    let change = if own > 0 { own + 1 } else { change };
    A::value(2 * (discs + change) - 64)
}

/// The value of a board on which nobody can move.
pub(super) fn over<A: Aim>(board: Board) -> i32 {
    let difference = board.disc_difference();
    A::value(difference + difference.signum() * board.empties_count().cast_signed())
}
