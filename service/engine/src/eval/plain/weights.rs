//! What each property of a board is worth, by objective and number of empty squares.

use crate::rules::Objective;

use super::features::{Features, TERMS};

/// The weight of every term for every number of empty squares, in hundredths of a disc.
#[derive(Debug)]
pub(super) struct Weights {
    by_empties: [[i32; TERMS]; 65],
}

/// The numbers of empty squares for which weights are written down. Between them weights are
/// interpolated; beyond the first and the last they stay as there.
const KNOTS: [u8; 5] = [52, 40, 28, 16, 4];

// Columns: legal moves, open neighbours, corners, X-squares, C-squares, joined edge discs, discs,
// last move; rows as the knots.
//
// Least squares over 155,000 positions (both tables alike) of 6,000 games that this engine played
// against itself at depth 4 after 6 to 25 random moves, with weights chosen by hand, each position
// labelled with the result of its game, solved from 12 empty squares on; rounded to 5. Against the
// weights chosen by hand, at depth 4 and 300 games each, they score 66 % when most discs win and
// 69 % when the fewest do.
const MOST_DISCS: [[i32; TERMS]; 5] = [
    [-25, 70, 140, -905, -710, 685, -80, 80],
    [135, 25, 315, -945, -210, 510, -85, -55],
    [140, 25, 220, -705, -110, 270, -35, -15],
    [260, -55, 110, -390, -285, 175, -10, -125],
    [550, -115, -50, 10, -255, 65, 70, 115],
];

// Here a corner is a burden, and so are the discs behind it that can never be turned again, while
// legal moves stay an asset.
const FEWEST_DISCS: [[i32; TERMS]; 5] = [
    [10, 30, -485, -175, -40, -275, -35, -35],
    [40, 30, -505, -135, 165, -95, -40, -240],
    [30, 60, -285, -15, 80, -115, -35, -270],
    [75, 30, -305, -35, 15, -90, -30, -255],
    [40, 45, -5, 25, 125, -60, -45, -310],
];

static FOR_MOST_DISCS: Weights = Weights::between(&MOST_DISCS);
static FOR_FEWEST_DISCS: Weights = Weights::between(&FEWEST_DISCS);

impl Weights {
    /// The weights for this objective.
    pub(super) fn of(objective: Objective) -> &'static Self {
        match objective {
            Objective::MostDiscs => &FOR_MOST_DISCS,
            Objective::FewestDiscs => &FOR_FEWEST_DISCS,
        }
    }

    /// The weighted sum of the terms, in hundredths of a disc.
    #[inline]
    pub(super) fn sum(&self, features: &Features) -> i32 {
        let weights = &self.by_empties[features.empties.min(64) as usize];
        let mut sum = 0;
        for (weight, term) in weights.iter().zip(&features.terms) {
            sum += weight * term;
        }
        sum
    }

    /// Interpolates linearly between the knots.
    const fn between(knots: &[[i32; TERMS]; KNOTS.len()]) -> Self {
        let mut by_empties = [[0; TERMS]; 65];
        let mut empties = 0;
        while empties <= 64 {
            by_empties[empties as usize] = interpolated(knots, empties);
            empties += 1;
        }
        Self { by_empties }
    }
}

const fn interpolated(knots: &[[i32; TERMS]; KNOTS.len()], empties: u8) -> [i32; TERMS] {
    const LAST: usize = KNOTS.len() - 1;
    if empties >= KNOTS[0] {
        return knots[0];
    }
    if empties <= KNOTS[LAST] {
        return knots[LAST];
    }
    let mut below = 1;
    while empties < KNOTS[below] {
        below += 1;
    }
    let span = (KNOTS[below - 1] - KNOTS[below]) as i32;
    let share = (empties - KNOTS[below]) as i32;
    let mut weights = [0; TERMS];
    let mut term = 0;
    while term < TERMS {
        let (high, low) = (knots[below - 1][term], knots[below][term]);
        weights[term] = (high * share + low * (span - share)) / span;
        term += 1;
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_as_written_at_the_knots_and_between_them_elsewhere() {
        for (knot, &empties) in KNOTS.iter().enumerate() {
            assert_eq!(
                FOR_MOST_DISCS.by_empties[usize::from(empties)],
                MOST_DISCS[knot]
            );
            assert_eq!(
                FOR_FEWEST_DISCS.by_empties[usize::from(empties)],
                FEWEST_DISCS[knot]
            );
        }
        let halfway = FOR_MOST_DISCS.by_empties[22];
        assert_eq!(
            halfway[0],
            i32::midpoint(MOST_DISCS[2][0], MOST_DISCS[3][0])
        );
        assert_eq!(FOR_MOST_DISCS.by_empties[64], MOST_DISCS[0]);
        assert_eq!(FOR_MOST_DISCS.by_empties[0], MOST_DISCS[4]);
    }
}
