//! What can differ from one game of Reversi to another.

use crate::setup::Setup;
use crate::square::Square;

/// The rules of one game. The default of every setting is its first value.
///
/// ```
/// use reversi_engine::{Objective, RuleSet, Start};
///
/// let reverse = RuleSet { objective: Objective::FewestDiscs, ..RuleSet::default() };
/// assert_eq!(reverse.start, Start::Standard);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RuleSet {
    /// What wins.
    pub objective: Objective,
    /// The position that the game begins from.
    pub start: Start,
    /// How the final discs are counted.
    pub scoring: Scoring,
    /// Who enters a forced pass.
    pub pass_mode: PassMode,
}

/// What wins. The moves are the same under both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Objective {
    /// The side with more discs at the end wins.
    #[default]
    MostDiscs,
    /// Reverse reversi: the side with fewer discs at the end wins, a side without discs included.
    FewestDiscs,
}

/// How empty squares count at the end of a game. Never changes who wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scoring {
    /// Discs as counted; empty squares go to nobody.
    #[default]
    Discs,
    /// Empty squares go to the side with more discs; equal counts stay as they are.
    EmptiesToMajority,
    /// As [`Scoring::EmptiesToMajority`], and equal counts become 32–32.
    EmptiesToMajorityTiesSplit,
}

/// Who enters a forced pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PassMode {
    /// A forced pass is entered together with the move before it.
    #[default]
    Automatic,
    /// The player who has to pass says so.
    Explicit,
}

/// The position that a game begins from.
///
/// Black moves first, except from a [`Start::Custom`] position, which says itself who moves. So it
/// is after the moves of a [`Start::Balanced`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Start {
    /// White on d4 and e5, Black on d5 and e4.
    #[default]
    Standard,
    /// Black on d4 and e5, White on d5 and e4.
    Mirrored,
    /// White on d4 and e4, Black on d5 and e5.
    ParallelWhiteAbove,
    /// Black on d4 and e4, White on d5 and e5.
    ParallelBlackAbove,
    /// The old start: an empty board. The players in turn place their first two discs each on the
    /// four centre squares, Black first; nothing turns until the four are placed.
    Free,
    /// Eight moves from the standard start that leave both sides about as well off.
    Balanced(BalancedStart),
    /// Any position in which at least one side can move.
    Custom(Setup),
}

/// The opening of a [`Start::Balanced`]: its moves, and the list they are from.
///
/// The moves say how the game begins, whatever becomes of the list. [`BalancedStart::new`] checks
/// that they are legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BalancedStart {
    pub(crate) moves: [Square; Self::PLIES],
    pub(crate) list_version: u32,
}

impl BalancedStart {
    /// The number of moves, all of them discs.
    pub const PLIES: usize = 8;

    /// The moves from the standard start, in the order of play.
    #[must_use]
    pub const fn moves(&self) -> &[Square; Self::PLIES] {
        &self.moves
    }

    /// The version of the list that the opening is from.
    #[must_use]
    pub const fn list_version(&self) -> u32 {
        self.list_version
    }
}
