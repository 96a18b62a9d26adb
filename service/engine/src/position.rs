//! A position of a game by colours, and the rules for going on from it. Knows nothing of how it
//! came about, of rule sets beyond the start, or of scores.

use std::fmt;

use crate::bitboard::Bitboard;
use crate::board::{self, Board};
use crate::color::Color;
use crate::kernel;
use crate::moves::{Move, MoveKind, PlayedMove};
use crate::rules::{RuleSet, Start};
use crate::setup::{Setup, SetupError};
use crate::square::Square;
use crate::turn::{EndReason, Turn};

/// Discs by colour, the side to move, and whether the first four discs are still being placed.
///
/// Always consistent: no square holds two discs. It may be a position that no game can reach, and
/// it may be over.
///
/// ```
/// use reversi_engine::{IllegalMove, Move, Position, Square, Turn};
///
/// let position = Position::standard();
/// assert_eq!(position.turn(), Turn::Move);
///
/// let next = position.play(Move::Place(Square::D3))?;
/// assert_eq!((next.black().count(), next.white().count()), (4, 1));
///
/// assert_eq!(next.play(Move::Pass), Err(IllegalMove::FalsePass));
/// # Ok::<(), IllegalMove>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    black: Bitboard,
    white: Bitboard,
    side_to_move: Color,
    phase: Phase,
}

/// Which rules the next disc follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// The first four discs of a free start: they go on the centre squares and turn nothing. There
    /// is no pass and no end in this phase.
    Placement,
    /// The usual rules: each disc must turn at least one other.
    Play,
}

/// Why a move cannot be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// The game is over.
    #[error("the game is over")]
    GameOver,
    /// A pass by a side that has a legal move.
    #[error("a pass is allowed only without a legal move")]
    FalsePass,
    /// A disc by a side that has no legal move while the other side has.
    #[error("there is no legal move; the side must pass")]
    MustPass,
    /// The square holds a disc.
    #[error("{square} is occupied")]
    Occupied {
        /// The square of the move.
        square: Square,
    },
    /// A disc on the square would turn nothing.
    #[error("a disc on {square} turns nothing")]
    NoFlip {
        /// The square of the move.
        square: Square,
    },
    /// One of the first four discs of a free start, outside the centre.
    #[error("the first four discs go on the centre squares, not on {square}")]
    OutsideCentre {
        /// The square of the move.
        square: Square,
    },
}

impl Position {
    /// The standard start: White on d4 and e5, Black on d5 and e4, Black to move.
    #[must_use]
    pub const fn standard() -> Self {
        Self {
            black: Board::STANDARD.player,
            white: Board::STANDARD.opponent,
            side_to_move: Color::Black,
            phase: Phase::Play,
        }
    }

    /// The position that a game under these rules begins from, before any forced pass.
    ///
    /// # Errors
    ///
    /// What [`Setup::into_start`] finds wrong with a custom start; the other starts never fail.
    pub fn start(rules: &RuleSet) -> Result<Self, SetupError> {
        let centre = |black: [Square; 2], white: [Square; 2]| Self {
            black: black.into_iter().collect(),
            white: white.into_iter().collect(),
            side_to_move: Color::Black,
            phase: Phase::Play,
        };
        let top = [Square::D4, Square::E4];
        let bottom = [Square::D5, Square::E5];
        Ok(match rules.start {
            Start::Standard => Self::standard(),
            Start::Mirrored => centre([Square::D4, Square::E5], [Square::E4, Square::D5]),
            Start::ParallelWhiteAbove => centre(bottom, top),
            Start::ParallelBlackAbove => centre(top, bottom),
            Start::Free => Self {
                black: Bitboard::EMPTY,
                white: Bitboard::EMPTY,
                side_to_move: Color::Black,
                phase: Phase::Placement,
            },
            Start::Balanced(start) => start
                .moves
                .into_iter()
                .fold(Self::standard(), |position, square| {
                    position.play_unchecked(Move::Place(square))
                }),
            Start::Custom(setup) => setup.into_start()?,
        })
    }

    /// The position of a setup that has been found free of faults.
    pub(crate) const fn from_valid(setup: Setup, phase: Phase) -> Self {
        Self {
            black: setup.black,
            white: setup.white,
            side_to_move: setup.side_to_move,
            phase,
        }
    }

    /// The black discs.
    #[must_use]
    pub const fn black(&self) -> Bitboard {
        self.black
    }

    /// The white discs.
    #[must_use]
    pub const fn white(&self) -> Bitboard {
        self.white
    }

    /// The discs of one side.
    #[must_use]
    pub const fn discs(&self, color: Color) -> Bitboard {
        match color {
            Color::Black => self.black,
            Color::White => self.white,
        }
    }

    /// The squares without a disc.
    #[must_use]
    pub const fn empties(&self) -> Bitboard {
        self.board().empties()
    }

    /// The side to move, whether or not it can.
    #[must_use]
    pub const fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    /// Which rules the next disc follows.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// The discs from the view of the side to move.
    #[must_use]
    pub const fn board(&self) -> Board {
        Board {
            player: self.discs(self.side_to_move),
            opponent: self.discs(self.side_to_move.opposite()),
        }
    }

    /// The squares that the side to move may play: free centre squares while the first four discs
    /// are placed, afterwards those that turn a disc.
    #[must_use]
    pub fn legal_moves(&self) -> Bitboard {
        match self.phase {
            Phase::Placement => Bitboard::CENTRE & self.empties(),
            Phase::Play => self.board().legal_moves(),
        }
    }

    /// The discs that a disc on the square turns; empty for illegal moves and for placements.
    #[must_use]
    pub fn flips(&self, square: Square) -> Bitboard {
        match self.phase {
            Phase::Placement => Bitboard::EMPTY,
            Phase::Play => self.board().flips(square),
        }
    }

    /// What the side to move has to do.
    #[must_use]
    pub fn turn(&self) -> Turn {
        match self.phase {
            Phase::Placement => Turn::Move,
            Phase::Play if self.board().has_legal_move() => Turn::Move,
            Phase::Play if self.board().pass().has_legal_move() => Turn::Pass,
            Phase::Play => Turn::Over(self.end_reason()),
        }
    }

    /// Why the game is over, given that it is.
    const fn end_reason(&self) -> EndReason {
        if self.black.is_empty() != self.white.is_empty() {
            EndReason::Wipeout
        } else if self.empties().is_empty() {
            EndReason::BoardFull
        } else {
            EndReason::NoMoves
        }
    }

    /// Whether the side to move may play this.
    ///
    /// # Errors
    ///
    /// The first that applies of [`IllegalMove::GameOver`]; [`IllegalMove::FalsePass`] or
    /// [`IllegalMove::MustPass`]; [`IllegalMove::Occupied`]; [`IllegalMove::OutsideCentre`] while
    /// the first four discs are placed, [`IllegalMove::NoFlip`] afterwards.
    pub fn check(&self, mv: Move) -> Result<(), IllegalMove> {
        match mv {
            // The usual case needs no look at the other side.
            Move::Place(square) if self.legal_moves().contains(square) => Ok(()),
            Move::Place(square) => Err(self.why_illegal(square)),
            Move::Pass => match self.turn() {
                Turn::Pass => Ok(()),
                Turn::Move => Err(IllegalMove::FalsePass),
                Turn::Over(_) => Err(IllegalMove::GameOver),
            },
        }
    }

    /// Why a disc on this square is illegal, given that it is.
    fn why_illegal(&self, square: Square) -> IllegalMove {
        match self.turn() {
            Turn::Over(_) => IllegalMove::GameOver,
            Turn::Pass => IllegalMove::MustPass,
            Turn::Move if !self.empties().contains(square) => IllegalMove::Occupied { square },
            Turn::Move => match self.phase {
                Phase::Placement => IllegalMove::OutsideCentre { square },
                Phase::Play => IllegalMove::NoFlip { square },
            },
        }
    }

    /// The position after the move.
    ///
    /// # Errors
    ///
    /// As [`Position::check`]; the position is then as it was.
    pub fn play(&self, mv: Move) -> Result<Self, IllegalMove> {
        self.check(mv)?;
        Ok(self.play_unchecked(mv))
    }

    /// The position after a move that is known to be legal.
    ///
    /// [`Position::check`] must accept the move; otherwise the result is some position that no
    /// game reaches.
    #[must_use]
    pub fn play_unchecked(&self, mv: Move) -> Self {
        self.after(&self.record(mv))
    }

    /// What the history keeps of a legal move: its kind, side and flips.
    pub(crate) fn record(&self, mv: Move) -> PlayedMove {
        let (kind, flips) = match (mv, self.phase) {
            (Move::Pass, _) => (MoveKind::Pass, Bitboard::EMPTY),
            (Move::Place(_), Phase::Placement) => (MoveKind::Placement, Bitboard::EMPTY),
            (Move::Place(square), Phase::Play) => {
                let Board { player, opponent } = self.board();
                let flips = kernel::flips(player.0, opponent.0, square);
                (MoveKind::Disc, Bitboard(flips))
            }
        };
        PlayedMove {
            mv,
            kind,
            side: self.side_to_move,
            flips,
        }
    }

    /// The position after a move of which everything is known already.
    pub(crate) fn after(&self, played: &PlayedMove) -> Self {
        let next = match played.mv {
            Move::Place(square) => self.board().play_unchecked(square, played.flips),
            Move::Pass => self.board().pass(),
        };
        let (black, white) = match self.side_to_move {
            Color::Black => (next.opponent, next.player),
            Color::White => (next.player, next.opponent),
        };
        let phase = match self.phase {
            Phase::Placement if next.occupied().count() < 4 => Phase::Placement,
            Phase::Placement | Phase::Play => Phase::Play,
        };
        Self {
            black,
            white,
            side_to_move: self.side_to_move.opposite(),
            phase,
        }
    }
}

impl fmt::Display for Position {
    /// Draws the position for people: eight lines, `X` Black, `O` White, `-` empty, then the side
    /// to move.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        board::draw(f, self.black, self.white)?;
        write!(f, "\n{} to move", self.side_to_move)
    }
}
