//! How passes and finished games count.

use std::fmt;
use std::str::FromStr;

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

/// What sets the conventions apart, for loops that are made once for each.
pub(super) trait Counting {
    /// Whether a forced pass uses up a ply.
    const PASS_IS_PLY: bool;
    /// What a game counts that is over with plies to go.
    const FINISHED: u64;
}

/// [`PerftConvention::PassIsPly`].
pub(super) struct PassIsPly;
/// [`PerftConvention::DropFinished`].
pub(super) struct DropFinished;
/// [`PerftConvention::PassIsFree`].
pub(super) struct PassIsFree;

impl Counting for PassIsPly {
    const PASS_IS_PLY: bool = true;
    const FINISHED: u64 = 1;
}

impl Counting for DropFinished {
    const PASS_IS_PLY: bool = true;
    const FINISHED: u64 = 0;
}

impl Counting for PassIsFree {
    const PASS_IS_PLY: bool = false;
    const FINISHED: u64 = 1;
}
