//! How many moves the two sides have.

use crate::board::Board;

/// The number of legal moves of the mover, and of those the other side would have in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mobility {
    /// The mover's.
    pub player: u32,
    /// The other side's.
    pub opponent: u32,
}

impl Mobility {
    /// Nobody can move: the game is over.
    pub const NONE: Self = Self {
        player: 0,
        opponent: 0,
    };

    /// Counts the moves of a board.
    #[must_use]
    pub fn of(board: Board) -> Self {
        Self {
            player: board.legal_moves().count(),
            opponent: board.pass().legal_moves().count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitboard::Bitboard;

    #[test]
    fn the_mover_is_told_from_the_other_side() {
        // X O O at a1: the mover takes both discs from d1, the other side nothing.
        let board = Board {
            player: Bitboard(0b001),
            opponent: Bitboard(0b110),
        };
        let (before, after) = (
            Mobility {
                player: 1,
                opponent: 0,
            },
            Mobility {
                player: 0,
                opponent: 1,
            },
        );
        assert_eq!(Mobility::of(board), before);
        assert_eq!(Mobility::of(board.pass()), after);
    }
}
