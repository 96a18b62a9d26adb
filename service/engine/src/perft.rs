//! Perft: the number of move sequences of a given length, the usual check of a move generator.
//!
//! Programs disagree on how passes and finished games count, so a number means something only
//! with its [`PerftConvention`]. Knows the rules, nothing of evaluation or search.

mod count;

use std::fmt;
use std::str::FromStr;

use crate::board::Board;
use crate::position::{Phase, Position};

/// How passes and finished games count. From the standard start the three agree up to 8 plies.
///
/// ```
/// use reversi_engine::PerftConvention;
///
/// assert_eq!("pass-is-ply".parse(), Ok(PerftConvention::PassIsPly));
/// assert_eq!(PerftConvention::DropFinished.to_string(), "drop-finished");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PerftConvention {
    /// A forced pass is a ply, and a game that ends early counts as one leaf at every greater
    /// depth. Name: `pass-is-ply`.
    PassIsPly,
    /// A forced pass is a ply, and a game that ended before the depth is not counted (OEIS
    /// A124004). Name: `drop-finished`.
    DropFinished,
    /// The depth counts discs, so a forced pass is free, and a game that ends early counts as one
    /// leaf. Name: `pass-is-free`.
    PassIsFree,
}

impl PerftConvention {
    /// All three.
    pub const ALL: [Self; 3] = [Self::PassIsPly, Self::DropFinished, Self::PassIsFree];

    /// The name, in lower case with hyphens.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PassIsPly => "pass-is-ply",
            Self::DropFinished => "drop-finished",
            Self::PassIsFree => "pass-is-free",
        }
    }
}

impl fmt::Display for PerftConvention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The text is not the name of a convention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected pass-is-ply, drop-finished or pass-is-free")]
pub struct ParsePerftConventionError;

impl FromStr for PerftConvention {
    type Err = ParsePerftConventionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|convention| convention.name() == text)
            .ok_or(ParsePerftConventionError)
    }
}

/// The number of leaves `depth` plies below the position.
///
/// Takes a position of any kind. The placements of a free start are plies like others. A count
/// beyond `u64::MAX` is given as `u64::MAX`; no machine lives to see one.
///
/// ```
/// use reversi_engine::{PerftConvention, Position, perft};
///
/// assert_eq!(perft(&Position::standard(), 5, PerftConvention::PassIsPly), 1396);
/// ```
#[must_use]
pub fn perft(position: &Position, depth: u32, convention: PerftConvention) -> u64 {
    perft_with(position, depth, convention, &|| false)
        .expect("invariant: only the stop that was never asked for gives none")
}

/// As [`perft`], given up when `stop` says so: then the answer is `None`.
///
/// `stop` is asked once at the beginning and after every 4,096 boards with two or more plies to
/// go, which is some 3 ms. A tree with fewer is counted to its end.
///
/// ```
/// use reversi_engine::{PerftConvention, Position, perft_with};
///
/// let start = Position::standard();
/// assert_eq!(perft_with(&start, 60, PerftConvention::PassIsPly, &|| true), None);
/// ```
#[must_use]
pub fn perft_with(
    position: &Position,
    depth: u32,
    convention: PerftConvention,
    stop: &dyn Fn() -> bool,
) -> Option<u64> {
    if stop() {
        return None;
    }
    placements(position, depth, &mut |board, depth| {
        count::leaves(convention, board, depth, stop)
    })
}

/// Plays the placements one by one, and counts the rest with `count`.
fn placements(
    position: &Position,
    depth: u32,
    count: &mut dyn FnMut(Board, u32) -> Option<u64>,
) -> Option<u64> {
    match position.phase() {
        Phase::Play => count(position.board(), depth),
        Phase::Placement if depth == 0 => Some(1),
        Phase::Placement => position
            .legal_moves()
            .iter()
            .map(|square| placements(&position.play_unchecked(square.into()), depth - 1, count))
            .try_fold(0_u64, |sum, below| Some(sum.saturating_add(below?))),
    }
}
