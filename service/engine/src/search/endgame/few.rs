//! Five and six empty squares.

#![allow(clippy::cast_possible_truncation, reason = "indices of a short list")]

use arrayvec::ArrayVec;

use crate::bitboard::Bitboard;
use crate::board::Board;
use crate::kernel::isa::Isa;
use crate::square::Square;

use super::WORST;
use super::aim::Aim;
use super::cache::Cache;
use super::last::{last_4, over};
use super::parity::odd_quadrants;
use super::stability::stable;
use crate::search::worker::Worker;

const STABILITY: u32 = 6;

/// A board with five empty squares.
#[inline(always)]
pub(super) fn five<I: Isa, A: Aim>(
    isa: I,
    worker: &mut Worker<'_>,
    board: Board,
    moves: u64,
    alpha: i32,
) -> i32 {
    isa.call4(
        #[inline(always)]
        |isa, a, b, c, d| few::<I, A, 5>(isa, a, b, c, d),
        worker,
        board,
        moves,
        alpha,
    )
}

/// A board with six empty squares.
#[inline(always)]
pub(super) fn six<I: Isa, A: Aim>(
    isa: I,
    worker: &mut Worker<'_>,
    board: Board,
    moves: u64,
    alpha: i32,
) -> i32 {
    isa.call4(
        #[inline(always)]
        |isa, a, b, c, d| few::<I, A, 6>(isa, a, b, c, d),
        worker,
        board,
        moves,
        alpha,
    )
}

#[inline(always)]
fn few<I: Isa, A: Aim, const EMPTIES: u32>(
    isa: I,
    worker: &mut Worker<'_>,
    board: Board,
    moves: u64,
    alpha: i32,
) -> i32 {
    if moves == 0 {
        let replies = isa.legal_moves(board.opponent.0, board.player.0);
        if replies == 0 {
            return over::<A>(board);
        }
        let passed = board.pass();
        return -if EMPTIES == 5 {
            five::<I, A>(isa, worker, passed, replies, -alpha - 1)
        } else {
            six::<I, A>(isa, worker, passed, replies, -alpha - 1)
        };
    }
    *worker.nodes_mut() += 1;
    if EMPTIES >= STABILITY {
        let (own, other) = A::bounding(board);
        if 64 - 2 * own.count_ones().cast_signed() <= alpha {
            let value = 64 - 2 * stable(own, other).count_ones().cast_signed();
            if value <= alpha {
                return value;
            }
        }
    }
    let slot = Cache::slot(board);
    let (mut lower, mut upper) = (-64, 64);
    let mut first = 64;
    if let Some(entry) = worker.cache.get(slot, board) {
        lower = i32::from(entry.lower);
        if lower > alpha {
            return lower;
        }
        upper = i32::from(entry.upper);
        if upper <= alpha {
            return upper;
        }
        first = entry.best;
    }
    let weights = &A::WEIGHTS;
    let odd = odd_quadrants(board.empties().0);
    let mut children = ArrayVec::<(Board, u64), 8>::new();
    let mut keys = ArrayVec::<u32, 8>::new();
    let mut rest = moves;
    while rest != 0 {
        let square = Square::lowest_of(rest);
        let bit = rest & rest.wrapping_neg();
        rest ^= bit;
        let flips = isa.flips(board.player.0, board.opponent.0, square);
        let child = board.play_unchecked(square, flips.into());
        let replies = isa.legal_moves(child.player.0, child.opponent.0);
        let mut promise = 8192
            - weights.reply * replies.count_ones().cast_signed()
            - weights.corner_reply * (replies & Bitboard::CORNERS.0).count_ones().cast_signed();
        promise += if odd & bit != 0 { weights.odd[0] } else { 0 };
        promise += i32::from(weights.squares[square.index() as usize & 63]);
        if square.index() == first {
            promise = 1 << 14;
        }
        let promise = promise.cast_unsigned();
        let _ =
            keys.try_push(promise << 16 | u32::from(square.index()) << 8 | (children.len() as u32));
        let _ = children.try_push((child, replies));
    }
    let mut best = WORST;
    let mut best_square = 0;
    while !keys.is_empty() {
        let mut place = 0;
        let mut key = keys[0];
        for (index, &other) in keys.iter().enumerate().skip(1) {
            if other > key {
                key = other;
                place = index;
            }
        }
        keys.swap_remove(place);
        let (child, replies) = children[key as usize & 7];
        let value = if EMPTIES == 5 {
            -last_4::<I, A>(isa, child, replies, -alpha - 1, worker.nodes_mut())
        } else {
            -five::<I, A>(isa, worker, child, replies, -alpha - 1)
        };
        if value > best {
            best = value;
            best_square = key;
            if best > alpha {
                break;
            }
        }
    }
    if best > alpha {
        lower = best;
    } else {
        upper = best;
    }
    let best_square = Square::lowest_of(1 << ((best_square >> 8) & 63));
    worker.cache.put(slot, board, lower, upper, best_square);
    best
}
