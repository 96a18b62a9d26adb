//! The last four empty squares: moves are tried as they come and nothing is kept.

use crate::bitboard::Bitboard;
use crate::board::Board;
use crate::kernel::isa::{Isa, LastFlips};
use crate::square::Square;

use super::WORST;
use super::aim::{Aim, over};

/// A board with up to three empty squares.
#[inline(always)]
pub(super) fn at_most_three<I: Isa, A: Aim>(
    isa: I,
    board: Board,
    alpha: i32,
    nodes: &mut u64,
) -> i32 {
    let empty = board.empties().0;
    let (first, others) = take_first(empty);
    match empty.count_ones() {
        0 => {
            *nodes += 1;
            over::<A>(board)
        }
        1 => {
            *nodes += 1;
            one::<I, A>(isa, board.player, first)
        }
        2 => two::<I, A>(isa, board, [first, Square::lowest_of(others)], alpha, nodes),
        _ => three::<I, A>(isa, board, empty, alpha, nodes),
    }
}

/// A board with four empty squares.
#[inline(always)]
pub(super) fn four<I: Isa, A: Aim>(
    isa: I,
    board: Board,
    moves: u64,
    alpha: i32,
    nodes: &mut u64,
) -> i32 {
    isa.call4(
        #[inline(always)]
        |isa, board, moves, alpha, nodes: &mut u64| {
            four_body::<I, A>(isa, board, moves, alpha, nodes)
        },
        board,
        moves,
        alpha,
        nodes,
    )
}

/// Asked for the legal moves, the kernel answers sooner than for the flips of all four squares.
#[inline(always)]
fn four_body<I: Isa, A: Aim>(isa: I, board: Board, moves: u64, alpha: i32, nodes: &mut u64) -> i32 {
    *nodes += 1;
    let empty = board.empties().0;
    if moves == 0 {
        let moves = isa.legal_moves(board.opponent.0, board.player.0);
        if moves == 0 {
            return over::<A>(board);
        }
        *nodes -= 1;
        return -four::<I, A>(isa, board.pass(), moves, -alpha - 1, nodes);
    }
    let first = A::first_of_last(empty);
    let mut best = WORST;
    let mut left = moves;
    while left != 0 && best <= alpha {
        let (square, others) = take(left, first);
        left = others;
        let flips = isa.flips(board.player.0, board.opponent.0, square);
        let child = board.play_unchecked(square, Bitboard(flips));
        let value = -three::<I, A>(isa, child, empty ^ square.bit(), -alpha - 1, nodes);
        best = best.max(value);
    }
    best
}

/// A board with three empty squares.
#[inline(always)]
fn three<I: Isa, A: Aim>(isa: I, board: Board, empty: u64, alpha: i32, nodes: &mut u64) -> i32 {
    isa.call4(
        #[inline(always)]
        |isa, board, empty, alpha, nodes: &mut u64| {
            three_body::<I, A>(isa, board, empty, alpha, nodes)
        },
        board,
        empty,
        alpha,
        nodes,
    )
}

/// Written out three times instead of in a loop: 5 % less time.
#[inline(always)]
fn three_body<I: Isa, A: Aim>(
    isa: I,
    board: Board,
    empty: u64,
    alpha: i32,
    nodes: &mut u64,
) -> i32 {
    *nodes += 1;
    let (first, others) = take(empty, A::first_of_last(empty));
    let (second, others) = take_first(others);
    let third = Square::lowest_of(others);

    let mut best = WORST;
    best = best.max(after::<I, A>(
        isa,
        board,
        first,
        [second, third],
        alpha,
        nodes,
    ));
    if best > alpha {
        return best;
    }
    best = best.max(after::<I, A>(
        isa,
        board,
        second,
        [first, third],
        alpha,
        nodes,
    ));
    if best > alpha {
        return best;
    }
    best = best.max(after::<I, A>(
        isa,
        board,
        third,
        [first, second],
        alpha,
        nodes,
    ));
    if best > WORST {
        return best;
    }
    if isa.legal_moves(board.opponent.0, board.player.0) == 0 {
        return over::<A>(board);
    }
    *nodes -= 1;
    -three::<I, A>(isa, board.pass(), empty, -alpha - 1, nodes)
}

/// The value of a move that leaves two empty squares; below every value if it is illegal.
#[inline(always)]
fn after<I: Isa, A: Aim>(
    isa: I,
    board: Board,
    square: Square,
    others: [Square; 2],
    alpha: i32,
    nodes: &mut u64,
) -> i32 {
    let flips = isa.flips(board.player.0, board.opponent.0, square);
    if flips == 0 {
        return WORST;
    }
    let child = board.play_unchecked(square, Bitboard(flips));
    -two::<I, A>(isa, child, others, -alpha - 1, nodes)
}

/// A board with two empty squares.
#[inline(always)]
fn two<I: Isa, A: Aim>(
    isa: I,
    board: Board,
    squares: [Square; 2],
    alpha: i32,
    nodes: &mut u64,
) -> i32 {
    *nodes += 1;
    let best = best_of_two::<I, A>(isa, board, squares, alpha, nodes);
    if best > WORST {
        return best;
    }
    isa.call4(
        #[inline(always)]
        |isa, passed: Board, squares, alpha, nodes: &mut u64| {
            let best = best_of_two::<I, A>(isa, passed, squares, alpha, nodes);
            -if best > WORST {
                best
            } else {
                over::<A>(passed)
            }
        },
        board.pass(),
        squares,
        -alpha - 1,
        nodes,
    )
}

/// The value of the best move; below every value if there is none.
#[inline(always)]
fn best_of_two<I: Isa, A: Aim>(
    isa: I,
    board: Board,
    squares: [Square; 2],
    alpha: i32,
    nodes: &mut u64,
) -> i32 {
    let Board { player, opponent } = board;
    let [first, second] = squares;
    let [first_flips, second_flips] = isa.flips_of_two(player.0, opponent.0, squares);
    let mut best = WORST;
    if first_flips != 0 {
        *nodes += 1;
        best = -one::<I, A>(isa, Bitboard(opponent.0 ^ first_flips), second);
        if best > alpha {
            return best;
        }
    }
    if second_flips != 0 {
        *nodes += 1;
        best = best.max(-one::<I, A>(
            isa,
            Bitboard(opponent.0 ^ second_flips),
            first,
        ));
    }
    best
}

/// The value of a board with a single empty square. The last disc is not played, only counted.
#[inline(always)]
fn one<I: Isa, A: Aim>(isa: I, player: Bitboard, square: Square) -> i32 {
    let discs = player.count().cast_signed();
    let LastFlips {
        player: own,
        opponent: other,
    } = isa.last_flips(player.0, square);
    // If nobody can move, the square goes to the majority: 63 discs are never shared evenly.
    let to_majority = i32::from(discs >= 32);
    let without_move = if other > 0 { -other } else { to_majority };
    let change = if own > 0 { own + 1 } else { without_move };
    A::value(2 * (discs + change) - 64)
}

/// A square to try next, if possible one of `first`, and the others.
#[inline(always)]
const fn take(squares: u64, first: u64) -> (Square, u64) {
    let from = if squares & first == 0 {
        squares
    } else {
        squares & first
    };
    let square = Square::lowest_of(from);
    (square, squares ^ (from & from.wrapping_neg()))
}

/// The first square and the others.
#[inline(always)]
const fn take_first(squares: u64) -> (Square, u64) {
    (
        Square::lowest_of(squares),
        squares & squares.wrapping_sub(1),
    )
}
