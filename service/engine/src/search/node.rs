//! A board in the tree, with what its evaluation needs.

use crate::bitboard::Bitboard;
use crate::board::Board;
use crate::eval::{Mobility, States, Weights};
use crate::kernel::isa::Isa;
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

    /// How many moves the two sides have.
    #[inline(always)]
    pub(super) fn mobility<I: Isa>(&self, isa: I) -> Mobility {
        let Board { player, opponent } = self.board;
        Mobility {
            player: isa.legal_moves(player.0, opponent.0).count_ones(),
            opponent: isa.legal_moves(opponent.0, player.0).count_ones(),
        }
    }

    /// What the board is worth to the mover without looking ahead.
    #[inline(always)]
    pub(super) fn evaluate<I: Isa>(&self, isa: I, weights: &Weights) -> i32 {
        weights.evaluate(&self.states, self.mobility(isa), self.board.empties_count())
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
