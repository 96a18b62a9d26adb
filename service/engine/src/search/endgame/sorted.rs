//! Eight empty squares and more.

#![allow(clippy::cast_possible_truncation, reason = "indices of a short list")]

use arrayvec::ArrayVec;

use crate::bitboard::Bitboard;
use crate::board::Board;
use crate::kernel::isa::Isa;
use crate::search::worker::{Stopped, Worker};
use crate::square::Square;

use super::WORST;
use super::aim::Aim;
use super::cache::Cache;
use super::few::{five, six};
use super::last::{last_4, over};
use super::parity::odd_quadrants;
use super::stability::stable;

pub(crate) const SORTED: u32 = 7;
const ETC: u32 = 6;

const OWN: u32 = 10;
#[inline(always)]
fn around(b: u64) -> u64 {
    let h = ((b << 1) & 0xFEFE_FEFE_FEFE_FEFE) | ((b >> 1) & 0x7F7F_7F7F_7F7F_7F7F) | b;
    h | (h << 8) | (h >> 8)
}

#[derive(Clone, Copy, Debug)]
struct Child {
    board: Board,
    moves: u64,
}

pub(crate) fn null_window<I: Isa, A: Aim>(
    isa: I,
    worker: &mut Worker<'_>,
    board: Board,
    alpha: i32,
) -> Result<i32, Stopped> {
    let empties = board.empties_count();
    if empties >= SORTED {
        let moves = isa.legal_moves(board.player.0, board.opponent.0);
        sorted::<I, A>(isa, worker, board, moves, alpha)
    } else {
        Ok(small::<I, A>(isa, worker, board, alpha))
    }
}

#[inline(always)]
fn small<I: Isa, A: Aim>(isa: I, worker: &mut Worker<'_>, board: Board, alpha: i32) -> i32 {
    let moves = isa.legal_moves(board.player.0, board.opponent.0);
    match board.empties_count() {
        0..=3 => 0,
        4 => last_4::<I, A>(isa, board, moves, alpha, worker.nodes_mut()),
        5 => five::<I, A>(isa, worker, board, moves, alpha),
        _ => six::<I, A>(isa, worker, board, moves, alpha),
    }
}

#[inline(always)]
pub(super) fn sorted<I: Isa, A: Aim>(
    isa: I,
    worker: &mut Worker<'_>,
    board: Board,
    moves: u64,
    alpha: i32,
) -> Result<i32, Stopped> {
    isa.call4(
        #[inline(always)]
        |isa, a, b, c, d| sorted_body::<I, A>(isa, a, b, c, d),
        worker,
        board,
        moves,
        alpha,
    )
}

#[inline(always)]
fn sorted_body<I: Isa, A: Aim>(
    isa: I,
    worker: &mut Worker<'_>,
    board: Board,
    moves: u64,
    alpha: i32,
) -> Result<i32, Stopped> {
    if moves == 0 {
        let replies = isa.legal_moves(board.opponent.0, board.player.0);
        if replies == 0 {
            return Ok(over::<A>(board));
        }
        return Ok(-sorted::<I, A>(
            isa,
            worker,
            board.pass(),
            replies,
            -alpha - 1,
        )?);
    }
    worker.visit()?;
    let empties = board.empties_count();
    {
        let (own, other) = A::bounding(board);
        if 64 - 2 * own.count_ones().cast_signed() <= alpha {
            let value = 64 - 2 * stable(own, other).count_ones().cast_signed();
            if value <= alpha {
                return Ok(value);
            }
        }
    }
    let slot = Cache::slot(board);
    let mut first = 64;
    let (mut lower, mut upper) = (-64, 64);
    if let Some(entry) = worker.cache.get(slot, board) {
        lower = i32::from(entry.lower);
        if lower > alpha {
            return Ok(lower);
        }
        upper = i32::from(entry.upper);
        if upper <= alpha {
            return Ok(upper);
        }
        first = entry.best;
    }
    let odd = odd_quadrants(board.empties().0);
    let mut children = ArrayVec::<Child, 32>::new();
    let mut keys = ArrayVec::<u32, 32>::new();
    let mut rest = moves;
    while rest != 0 {
        let square = Square::lowest_of(rest);
        let bit = rest & rest.wrapping_neg();
        rest ^= bit;
        let flips = isa.flips(board.player.0, board.opponent.0, square);
        let child = board.play_unchecked(square, flips.into());
        let replies = isa.legal_moves(child.player.0, child.opponent.0);
        if empties >= ETC
            && let Some(entry) = worker.cache.get(Cache::slot(child), child)
        {
            let value = -i32::from(entry.upper);
            if value > alpha {
                return Ok(value);
            }
        }
        let weights = &A::WEIGHTS;
        let mut promise = 8192
            - weights.reply * replies.count_ones().cast_signed()
            - weights.corner_reply * (replies & Bitboard::CORNERS.0).count_ones().cast_signed();
        let odd_gain = if empties < 11 {
            weights.odd[1]
        } else {
            weights.odd[2]
        };
        promise += if odd & bit != 0 { odd_gain } else { 0 };
        promise += i32::from(A::WEIGHTS.squares[square.index() as usize & 63]);
        let empty = !(child.opponent.0 | child.player.0);
        {
            promise -= weights.potential
                * (around(child.opponent.0) & empty)
                    .count_ones()
                    .cast_signed();
        }
        if empties >= OWN {
            promise += weights.own
                * isa
                    .legal_moves(child.opponent.0, child.player.0)
                    .count_ones()
                    .cast_signed();
        }
        if square.index() == first {
            promise = 1 << 14;
        }
        let promise = promise.cast_unsigned();
        let _ =
            keys.try_push(promise << 16 | u32::from(square.index()) << 8 | (children.len() as u32));
        let _ = children.try_push(Child {
            board: child,
            moves: replies,
        });
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
        let Child {
            board: child,
            moves: replies,
        } = children[key as usize & 31];
        let value = if empties > SORTED {
            -sorted::<I, A>(isa, worker, child, replies, -alpha - 1)?
        } else {
            -six::<I, A>(isa, worker, child, replies, -alpha - 1)
        };
        if value > best {
            best = value;
            best_square = key;
            if best > alpha {
                break;
            }
        }
    }
    let best_square = Square::lowest_of(1 << ((best_square >> 8) & 63));
    if best > alpha {
        lower = best;
    } else {
        upper = best;
    }
    worker.cache.put(slot, board, lower, upper, best_square);
    Ok(best)
}
