//! A board in the tree, with what its evaluation needs.

use crate::bitboard::Bitboard;
use crate::board::Board;
use crate::eval::States;
use crate::square::Square;

/// A board and the states of its patterns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) board: Board,
    pub(super) states: States,
}

impl Node {
    /// The node of a board.
    pub(super) fn new(board: Board) -> Self {
        Self {
            board,
            states: States::of(board),
        }
    }

    /// The node after a move whose flips are known.
    #[inline(always)]
    pub(super) fn play(&self, square: Square, flips: Bitboard) -> Self {
        Self {
            board: self.board.play_unchecked(square, flips),
            states: self.states.play(square, flips),
        }
    }

    /// The node with the other side to move.
    #[inline(always)]
    pub(super) fn pass(&self) -> Self {
        Self {
            board: self.board.pass(),
            states: self.states.pass(),
        }
    }
}
