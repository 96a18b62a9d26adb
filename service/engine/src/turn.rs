//! Whose turn it is to do what, and why a game is over.

use std::fmt;

/// What the side to move has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Turn {
    /// Play one of its legal moves.
    Move,
    /// Pass: it has no legal move, and the other side has one.
    Pass,
    /// Nothing: neither side has a legal move.
    Over(EndReason),
}

impl Turn {
    /// Whether the board has ended the game.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Over(_))
    }
}

/// Why the board ended a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndReason {
    /// Both sides have discs, squares are empty, and neither side can move.
    NoMoves,
    /// Every square holds a disc, and both sides have some.
    BoardFull,
    /// One side has lost its last disc, whether squares are empty or not.
    Wipeout,
}

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NoMoves => "neither side can move",
            Self::BoardFull => "the board is full",
            Self::Wipeout => "a side has no discs left",
        })
    }
}
