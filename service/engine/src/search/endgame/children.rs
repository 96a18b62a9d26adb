//! The boards after each move, best first.

use arrayvec::ArrayVec;

use crate::bitboard::Bitboard;
use crate::board::Board;
use crate::kernel::isa::Isa;
use crate::square::Square;

use super::aim::{Aim, Weights};

/// A board after a move, and what the other side can reply.
#[derive(Clone, Copy, Debug)]
pub(super) struct Child {
    pub(super) square: Square,
    pub(super) board: Board,
    pub(super) replies: u64,
}

/// Up to `N` boards after a move, with what each promises.
#[derive(Debug)]
pub(super) struct Children<const N: usize> {
    children: ArrayVec<Child, N>,
    // Promise above, number of the child below, so that the largest is the best.
    keys: ArrayVec<u32, N>,
}

/// Added to every promise to keep it positive.
const BIAS: i32 = 1 << 13;
/// Above every promise: the move that was best before.
pub(super) const FIRST: i32 = 1 << 14;

impl Child {
    #[inline(always)]
    pub(super) fn of<I: Isa>(isa: I, board: Board, square: Square) -> Self {
        let flips = isa.flips(board.player.0, board.opponent.0, square);
        let board = board.play_unchecked(square, Bitboard(flips));
        Self {
            square,
            board,
            replies: isa.legal_moves(board.player.0, board.opponent.0),
        }
    }

    /// What every comparison takes into account: replies and the square. `odd` are the quadrants
    /// with an odd number of empty squares.
    #[inline(always)]
    pub(super) fn promise<A: Aim>(&self, odd: u64, odd_gain: i32) -> i32 {
        let Weights {
            reply,
            corner_reply,
            squares,
            ..
        } = &A::WEIGHTS;
        let corners = self.replies & Bitboard::CORNERS.0;
        let parity = if odd & self.square.bit() == 0 {
            0
        } else {
            odd_gain
        };
        parity + i32::from(squares[usize::from(self.square.index() & 63)])
            - reply * self.replies.count_ones().cast_signed()
            - corner_reply * corners.count_ones().cast_signed()
    }
}

impl<const N: usize> Children<N> {
    #[inline(always)]
    pub(super) const fn new() -> Self {
        Self {
            children: ArrayVec::new_const(),
            keys: ArrayVec::new_const(),
        }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, child: Child, promise: i32) {
        let number = u32::try_from(self.children.len()).unwrap_or_default();
        self.keys
            .push((promise + BIAS).cast_unsigned() << 8 | number);
        self.children.push(child);
    }

    /// Takes out the most promising one. Faster by branches that can be foretold than by
    /// arithmetic: the search goes on before the comparison is done.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<Child> {
        let mut key = *self.keys.first()?;
        let mut place = 0;
        for (index, &other) in self.keys.iter().enumerate().skip(1) {
            if other > key {
                key = other;
                place = index;
            }
        }
        self.keys.swap_remove(place);
        self.children.get((key & 0xFF) as usize).copied()
    }
}
