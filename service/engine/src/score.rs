//! Counting discs and naming the winner. Knows only what the board says: resignations and lost
//! clocks are other people's business.

use crate::color::Color;
use crate::position::Position;
use crate::rules::{Objective, Scoring};
use crate::turn::{EndReason, Turn};

/// The discs as they lie and, once the board has ended the game, as they are scored.
///
/// Who won is not to be read from here but from [`Position::result`]: with
/// [`Objective::FewestDiscs`] it is the side with fewer.
///
/// ```
/// use reversi_engine::{Position, Score, Scoring};
///
/// let score = Score::of(&Position::standard(), Scoring::Discs);
/// assert_eq!((score.black, score.white, score.empties), (2, 2, 60));
/// assert_eq!(score.scored, None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Score {
    /// Black discs on the board, 0 to 64.
    pub black: u8,
    /// White discs on the board, 0 to 64.
    pub white: u8,
    /// Squares without a disc, 0 to 64.
    pub empties: u8,
    /// What the game's scoring makes of it; `None` unless the board itself ended the game.
    pub scored: Option<ScoredTotals>,
}

/// The final totals under a [`Scoring`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScoredTotals {
    /// Black's total, 0 to 64.
    pub black: u8,
    /// White's total, 0 to 64.
    pub white: u8,
}

/// How the board ended a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BoardResult {
    /// The winner, or `None` for a draw.
    pub winner: Option<Color>,
    /// Why the game is over.
    pub reason: EndReason,
}

impl Score {
    /// Counts the discs of a position, and scores them if it is over.
    ///
    /// The empty squares go to the side with more discs under either objective.
    #[must_use]
    pub fn of(position: &Position, scoring: Scoring) -> Self {
        let count = |bits: u64| (bits.count_ones() & 127) as u8;
        let (black, white) = (count(position.black().0), count(position.white().0));
        let empties = 64 - black - white;
        let scored = position
            .turn()
            .is_over()
            .then(|| ScoredTotals::new(black, white, scoring));
        Self {
            black,
            white,
            empties,
            scored,
        }
    }
}

impl ScoredTotals {
    fn new(black: u8, white: u8, scoring: Scoring) -> Self {
        let majority = (black > white, white > black);
        let (black, white) = match (scoring, majority) {
            (Scoring::Discs, _) | (Scoring::EmptiesToMajority, (false, false)) => (black, white),
            (Scoring::EmptiesToMajorityTiesSplit, (false, false)) => (32, 32),
            (Scoring::EmptiesToMajority | Scoring::EmptiesToMajorityTiesSplit, (true, _)) => {
                (64 - white, white)
            }
            (Scoring::EmptiesToMajority | Scoring::EmptiesToMajorityTiesSplit, (_, true)) => {
                (black, 64 - black)
            }
        };
        Self { black, white }
    }
}

impl Position {
    /// The winner and the reason, if the board has ended the game.
    ///
    /// With [`Objective::FewestDiscs`] the side with fewer discs has won, so a side that was wiped
    /// out has.
    #[must_use]
    pub fn result(&self, objective: Objective) -> Option<BoardResult> {
        let Turn::Over(reason) = self.turn() else {
            return None;
        };
        let (black, white) = (self.black().count(), self.white().count());
        let majority = match black.cmp(&white) {
            std::cmp::Ordering::Greater => Some(Color::Black),
            std::cmp::Ordering::Less => Some(Color::White),
            std::cmp::Ordering::Equal => None,
        };
        let winner = match objective {
            Objective::MostDiscs => majority,
            Objective::FewestDiscs => majority.map(Color::opposite),
        };
        Some(BoardResult { winner, reason })
    }
}
