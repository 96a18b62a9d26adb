//! Positions as anybody may write them down, and what can be wrong with them.

use std::fmt;

use crate::bitboard::Bitboard;
use crate::board::Board;
use crate::color::Color;
use crate::position::{Phase, Position};

/// Discs and a side to move that nobody has checked yet.
///
/// Becomes a [`Position`] by one of three doors: [`Setup::into_position`] for a position to ask
/// about, [`Setup::into_free_position`] for one of a game with the free start, where the four
/// first discs may not be placed yet, and [`Setup::into_start`] for a game to begin from.
/// Positions that no game can reach are welcome at each.
///
/// ```
/// use reversi_engine::{Bitboard, Color, Setup, SetupFault};
///
/// let setup = Setup {
///     black: Bitboard(0b011),
///     white: Bitboard(0b110),
///     side_to_move: Color::Black,
/// };
/// let error = setup.into_position().unwrap_err();
/// assert_eq!(error.faults, [SetupFault::Overlap { squares: Bitboard(0b010) }]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Setup {
    /// The black discs.
    pub black: Bitboard,
    /// The white discs.
    pub white: Bitboard,
    /// The side to move, whether or not it can.
    pub side_to_move: Color,
}

/// Everything that is wrong with a [`Setup`]. Holds at least one fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("impossible position: {}", list(.faults))]
pub struct SetupError {
    /// The faults, each kind once.
    pub faults: Vec<SetupFault>,
}

/// One thing that is wrong with a [`Setup`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SetupFault {
    /// Squares hold a disc of both colours.
    Overlap {
        /// The squares that both colours hold.
        squares: Bitboard,
    },
    /// A game cannot begin here, because it would be over.
    NeitherSideCanMove,
    /// Fewer than four discs are on the board, and some stand outside the four centre squares.
    PlacementOutsideCentre {
        /// The occupied squares outside the centre.
        squares: Bitboard,
    },
    /// Fewer than four discs are on the board, and their number says that the other side places
    /// the next one.
    PlacementWrongSide {
        /// The side that the number of discs asks for.
        expected: Color,
        /// The side that was given.
        found: Color,
    },
    /// Fewer than four discs are on the board, and not from Black and White in turn.
    PlacementOutOfTurn {
        /// The number of black discs.
        black: u32,
        /// The number of white discs.
        white: u32,
    },
}

impl fmt::Display for SetupFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overlap { squares } => write!(f, "discs of both colours on {squares}"),
            Self::NeitherSideCanMove => f.write_str("neither side can move"),
            Self::PlacementOutsideCentre { squares } => write!(
                f,
                "one of the first four discs is outside the centre, on {squares}"
            ),
            Self::PlacementWrongSide { expected, found } => write!(
                f,
                "{found} is to move, but {expected} places the next of the first four discs"
            ),
            Self::PlacementOutOfTurn { black, white } => write!(
                f,
                "{black} black and {white} white discs cannot have been placed in turn"
            ),
        }
    }
}

impl Setup {
    /// The position, in usual play. It may be over already.
    ///
    /// # Errors
    ///
    /// [`SetupFault::Overlap`].
    pub fn into_position(self) -> Result<Position, SetupError> {
        self.position_unless(self.overlap().into_iter().collect(), Phase::Play)
    }

    /// The position in a game with the free start: with fewer than four discs on the board the
    /// placement of the first four is still going on, otherwise it is usual play.
    ///
    /// ```
    /// use reversi_engine::{Bitboard, Color, Phase, Setup, Square};
    ///
    /// let one_disc = Setup {
    ///     black: Bitboard::from(Square::D4),
    ///     white: Bitboard::EMPTY,
    ///     side_to_move: Color::White,
    /// };
    /// let position = one_disc.into_free_position()?;
    /// assert_eq!(position.phase(), Phase::Placement);
    /// assert_eq!(position.legal_moves().to_string(), "e4 d5 e5");
    /// # Ok::<(), reversi_engine::SetupError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// All of [`SetupFault::Overlap`] and, with fewer than four discs,
    /// [`SetupFault::PlacementOutsideCentre`], [`SetupFault::PlacementOutOfTurn`] and
    /// [`SetupFault::PlacementWrongSide`] that apply.
    pub fn into_free_position(self) -> Result<Position, SetupError> {
        let occupied = self.black | self.white;
        let placed = occupied.count();
        if placed >= 4 {
            return self.into_position();
        }
        let mut faults: Vec<SetupFault> = self.overlap().into_iter().collect();
        let outside = occupied - Bitboard::CENTRE;
        if !outside.is_empty() {
            faults.push(SetupFault::PlacementOutsideCentre { squares: outside });
        }
        let (black, white) = (self.black.count(), self.white.count());
        if black != placed.div_ceil(2) || white != placed / 2 {
            faults.push(SetupFault::PlacementOutOfTurn { black, white });
        }
        let expected = if placed.is_multiple_of(2) {
            Color::Black
        } else {
            Color::White
        };
        if self.side_to_move != expected {
            faults.push(SetupFault::PlacementWrongSide {
                expected,
                found: self.side_to_move,
            });
        }
        self.position_unless(faults, Phase::Placement)
    }

    /// The position for a game to begin from: at least one side must be able to move.
    ///
    /// # Errors
    ///
    /// Both of [`SetupFault::Overlap`] and [`SetupFault::NeitherSideCanMove`] if they apply.
    pub fn into_start(self) -> Result<Position, SetupError> {
        let mut faults: Vec<SetupFault> = self.overlap().into_iter().collect();
        let board = Board {
            player: self.black,
            opponent: self.white,
        };
        if board.is_over() {
            faults.push(SetupFault::NeitherSideCanMove);
        }
        self.position_unless(faults, Phase::Play)
    }

    fn overlap(self) -> Option<SetupFault> {
        let squares = self.black & self.white;
        (!squares.is_empty()).then_some(SetupFault::Overlap { squares })
    }

    fn position_unless(
        self,
        faults: Vec<SetupFault>,
        phase: Phase,
    ) -> Result<Position, SetupError> {
        if faults.is_empty() {
            Ok(Position::from_valid(self, phase))
        } else {
            Err(SetupError { faults })
        }
    }
}

impl From<Position> for Setup {
    fn from(position: Position) -> Self {
        Self {
            black: position.black(),
            white: position.white(),
            side_to_move: position.side_to_move(),
        }
    }
}

fn list(faults: &[SetupFault]) -> String {
    let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
    faults.join("; ")
}
