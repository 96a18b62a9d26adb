//! How far a shallow search is from a deep one, and so when it can stand for it (multi-ProbCut;
//! Buro, 1999).

#![allow(clippy::cast_possible_truncation, reason = "casts of floats saturate")]

use super::selectivity::Selectivity;

/// Searches less deep than this are not worth guessing.
pub(super) const LEAST_DEPTH: u32 = 4;

/// The standard deviation of the difference between the values of two depths.
///
/// Its logarithm is linear in the empty squares, the deeper and the shallower depth, as fitted by
/// `reversi-train pack`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProbCut {
    /// In logarithms of discs: the constant, then the factors of empties, deep, shallow.
    pub coefficients: [f32; 4],
    /// Likewise where the deeper search plays to the end.
    pub to_the_end: [f32; 4],
}

impl ProbCut {
    /// How far the value of a shallow search has to be beyond a bound, in hundredths of a disc.
    #[inline]
    pub(super) fn margin(
        &self,
        empties: u32,
        depth: u32,
        shallow: u32,
        selectivity: Selectivity,
    ) -> i32 {
        let ([constant, by_empties, by_depth, by_shallow], deviations) = if depth >= empties {
            (self.to_the_end, selectivity.to_the_end())
        } else {
            (self.coefficients, selectivity.ahead())
        };
        let logarithm = constant
            + by_empties * empties as f32
            + by_depth * depth as f32
            + by_shallow * shallow as f32;
        (100.0 * deviations * logarithm.exp()) as i32
    }
}

/// How deep to look before a search of this depth: about half as deep, and as even or odd, because
/// values of even and odd depths differ.
#[inline(always)]
#[must_use]
pub const fn shallow_depth(depth: u32) -> u32 {
    2 * (depth / 4) + depth % 2
}
