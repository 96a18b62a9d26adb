//! How much a search cuts off by probability.

#![allow(clippy::cast_possible_truncation, reason = "a handful of levels")]

/// How sure a search has to be, as a multiple of the standard deviation of the error of a shallow
/// search, before it trusts one instead of looking as deep as asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Selectivity(u8);

/// From the most selective to none: how many standard deviations, and how often a cut at that
/// distance is right in per cent (the normal distribution). Steps between these, at 1.5, 2.6 and 3.3,
/// cost more than they save: without them FFO 40 to 49 take four fifths of the boards.
const LEVELS: [(f32, u8); 3] = [(1.1, 73), (2.0, 95), (f32::INFINITY, 100)];

impl Selectivity {
    /// Trusts nothing but the full depth.
    pub(super) const NONE: Self = Self(LEVELS.len() as u8 - 1);
    /// Trusts most easily.
    pub(super) const MOST: Self = Self(0);

    /// From the most selective (0) to none.
    #[inline(always)]
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    /// The reverse of [`Selectivity::index`]; anything too large is none.
    #[inline(always)]
    pub(super) const fn from_index(index: usize) -> Self {
        if index < LEVELS.len() {
            Self(index as u8)
        } else {
            Self::NONE
        }
    }

    /// In standard deviations.
    #[inline(always)]
    pub(super) const fn deviations(self) -> f32 {
        LEVELS[self.index()].0
    }

    /// How sure a cut is, in per cent.
    pub(super) const fn percent(self) -> u8 {
        LEVELS[self.index()].1
    }

    /// The next one that trusts less easily, if this is not the last.
    pub(super) fn next(self) -> Option<Self> {
        (self != Self::NONE).then(|| Self(self.0 + 1))
    }
}
