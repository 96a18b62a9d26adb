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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;
    use crate::kernel::isa::IsaVisitor;
    use crate::rules::Objective;
    use crate::search::Evaluation;

    struct Evaluate<'a>(&'a Node, &'a Weights);

    impl IsaVisitor for Evaluate<'_> {
        type Output = (Mobility, i32);

        fn visit<I: Isa>(self, isa: I) -> Self::Output {
            (self.0.mobility(isa), self.0.evaluate(isa, self.1))
        }
    }

    #[test]
    fn the_search_evaluates_boards_as_the_weights_were_learned() {
        let weights = &Evaluation::of(Objective::MostDiscs).weights;
        let mut node = Node::new(Board::STANDARD);
        let mut uneven = 0;
        for turn in 0..50 {
            let moves = node.board.legal_moves();
            let Some(square) = moves.iter().nth(turn * 7 % moves.count().max(1) as usize) else {
                node = node.pass();
                continue;
            };
            node = node.play(square, node.board.flips(square));
            let (mobility, value) = Kernel::best().with_isa(Evaluate(&node, weights));
            assert_eq!(mobility, Mobility::of(node.board), "{}", node.board);
            assert_eq!(value, weights.of_board(node.board), "{}", node.board);
            uneven += u32::from(mobility.player != mobility.opponent);
        }
        assert!(
            uneven > 20,
            "{uneven} boards where the sides have unlike mobility"
        );
    }
}
