//! Moves: what a player says, and what is written down once it is played.

use std::fmt;
use std::str::FromStr;

use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::square::Square;

/// What a player can do when it is their turn.
///
/// ```
/// use reversi_engine::{Move, Square};
///
/// assert_eq!("D3".parse(), Ok(Move::Place(Square::D3)));
/// assert_eq!("PASS".parse(), Ok(Move::Pass));
/// assert_eq!(Move::Pass.to_string(), "pass");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// Put a disc on the square.
    Place(Square),
    /// Do nothing, which is allowed only to a side without a legal move.
    Pass,
}

impl Move {
    /// The square, unless it is a pass.
    #[must_use]
    pub const fn square(self) -> Option<Square> {
        match self {
            Self::Place(square) => Some(square),
            Self::Pass => None,
        }
    }

    /// The name: that of the square, or `pass`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Place(square) => square.name(),
            Self::Pass => "pass",
        }
    }
}

impl From<Square> for Move {
    fn from(square: Square) -> Self {
        Self::Place(square)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The text is neither a square nor a pass.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a square from a1 to h8 or \"pass\", found {found:?}")]
pub struct ParseMoveError {
    /// The text that was read.
    pub found: String,
}

impl FromStr for Move {
    type Err = ParseMoveError;

    /// Reads the name of a square, or one of `pass`, `pa`, `ps` and `--`, in either case.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const PASSES: [&str; 4] = ["pass", "pa", "ps", "--"];
        if PASSES.iter().any(|pass| text.eq_ignore_ascii_case(pass)) {
            return Ok(Self::Pass);
        }
        text.parse().map(Self::Place).map_err(|_| ParseMoveError {
            found: text.to_owned(),
        })
    }
}

/// What kind of move was played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveKind {
    /// One of the first four discs of a free start; turns nothing.
    Placement,
    /// A disc that turned at least one other.
    Disc,
    /// A forced pass.
    Pass,
}

/// A move as the history keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlayedMove {
    /// The move.
    pub mv: Move,
    /// What kind of move it was.
    pub kind: MoveKind,
    /// The side that played it.
    pub side: Color,
    /// The discs that it turned; empty for placements and passes.
    pub flips: Bitboard,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_read_in_all_their_spellings() {
        for text in ["pass", "PASS", "Pass", "pa", "PA", "ps", "Ps", "--"] {
            assert_eq!(text.parse(), Ok(Move::Pass), "{text}");
        }
    }

    #[test]
    fn squares_read_in_either_case() {
        assert_eq!("h8".parse(), Ok(Move::Place(Square::H8)));
        assert_eq!("H8".parse(), Ok(Move::Place(Square::H8)));
        assert_eq!(Move::Place(Square::H8).to_string(), "h8");
    }

    #[test]
    fn other_text_is_refused_and_named() {
        for text in ["", "p", "-", "passs", "i9", "d3d4", "pass "] {
            assert_eq!(text.parse::<Move>().unwrap_err().found, text);
        }
    }
}
