//! How much a search cuts off by probability.

#![allow(clippy::cast_possible_truncation, reason = "a handful of levels")]

/// How sure a search has to be, as a multiple of the standard deviation of the error of a shallow
/// search, before it trusts one instead of looking as deep as asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Selectivity(u8);

/// A level of selectivity.
struct Trust {
    /// How many standard deviations a shallow search has to be beyond a bound.
    ahead: f32,
    /// The same where the deeper search plays to the end.
    to_the_end: f32,
    /// How often a cut at that distance is right where the deeper search plays to the end, in per
    /// cent: the normal distribution up to there.
    percent: u8,
}

/// From the most selective to none. With 1.5 million boards a position (`reversi-train positions
/// --nodes 1500000`), two steps of 0.55 and 1.0
/// deviations to the end lose 0.33 and 0.67 discs on hard-20 and hard-25, 0.9 and 1.8 lose 0.28 and
/// 0.71, these three 0.25 and 0.64: the first help where the end is far, the last where it is near.
const LEVELS: [Trust; 4] = [
    Trust {
        ahead: 1.1,
        to_the_end: 0.6,
        percent: 73,
    },
    Trust {
        ahead: 1.5,
        to_the_end: 1.2,
        percent: 88,
    },
    Trust {
        ahead: 2.0,
        to_the_end: 2.2,
        percent: 99,
    },
    Trust {
        ahead: f32::INFINITY,
        to_the_end: f32::INFINITY,
        percent: 100,
    },
];

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

    /// In standard deviations, for a search some discs ahead.
    #[inline(always)]
    pub(super) const fn ahead(self) -> f32 {
        LEVELS[self.index()].ahead
    }

    /// In standard deviations, for a search to the end.
    #[inline(always)]
    pub(super) const fn to_the_end(self) -> f32 {
        LEVELS[self.index()].to_the_end
    }

    /// How sure a cut is where the search plays to the end, in per cent.
    pub(super) const fn percent(self) -> u8 {
        LEVELS[self.index()].percent
    }

    /// The next one that trusts less easily, if this is not the last.
    pub(super) fn next(self) -> Option<Self> {
        (self != Self::NONE).then(|| Self(self.0 + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_are_right_as_often_as_they_say() {
        for Trust {
            to_the_end,
            percent,
            ..
        } in &LEVELS[..LEVELS.len() - 1]
        {
            // The normal distribution up to there, by rectangles.
            const WIDTH: f64 = 1e-4;
            let density = |x: f64| (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
            let beyond_half: f64 = (0..)
                .map(|step| (f64::from(step) + 0.5) * WIDTH)
                .take_while(|&x| x < f64::from(*to_the_end))
                .map(|x| density(x) * WIDTH)
                .sum();
            let right = 100.0 * (0.5 + beyond_half);
            assert!(
                (right - f64::from(*percent)).abs() < 0.5,
                "{right} {percent}"
            );
        }
    }
}
