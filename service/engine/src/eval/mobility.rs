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
