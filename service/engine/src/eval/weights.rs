//! What each property of a board is worth, by objective and number of empty squares.

use crate::rules::Objective;

use super::features::{Features, TERMS};

/// The weight of every term for every number of empty squares, in hundredths of a disc.
#[derive(Debug)]
pub(super) struct Weights {
    by_empties: [[i32; TERMS]; 65],
}

/// The numbers of empty squares for which weights are written down; between them they are
/// interpolated.
const KNOTS: [u8; 5] = [64, 48, 32, 16, 0];

// Columns: legal moves, open neighbours, corners, X-squares, C-squares, joined edge discs, discs,
// last move. Chosen by hand: the order of magnitude from the literature.
const MOST_DISCS: [[i32; TERMS]; 5] = [
    [60, 30, 600, -250, -80, 150, -10, 0],
    [90, 40, 700, -300, -100, 150, -10, 0],
    [110, 35, 700, -300, -120, 200, -5, 50],
    [90, 15, 500, -200, -80, 200, 30, 100],
    [0, 0, 0, 0, 0, 0, 100, 0],
];

// The same columns. Corners and the discs behind them can only be a burden, and giving the other
// side a corner is a gain.
const FEWEST_DISCS: [[i32; TERMS]; 5] = [
    [60, 30, -300, 50, 20, -50, 0, 0],
    [80, 30, -350, 80, 30, -80, 0, 0],
    [100, 25, -350, 80, 30, -100, -5, 0],
    [80, 10, -250, 50, 20, -100, -30, 0],
    [0, 0, 0, 0, 0, 0, -100, 0],
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
        let mut knot = 0;
        while knot + 1 < KNOTS.len() {
            let (high, low) = (KNOTS[knot] as usize, KNOTS[knot + 1] as usize);
            let span = (KNOTS[knot] - KNOTS[knot + 1]) as i32;
            let mut above = 0;
            let mut empties = low;
            while empties <= high {
                let mut term = 0;
                while term < TERMS {
                    by_empties[empties][term] =
                        (knots[knot][term] * above + knots[knot + 1][term] * (span - above)) / span;
                    term += 1;
                }
                above += 1;
                empties += 1;
            }
            knot += 1;
        }
        Self { by_empties }
    }
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
        let halfway = FOR_MOST_DISCS.by_empties[24];
        assert_eq!(
            halfway[0],
            i32::midpoint(MOST_DISCS[2][0], MOST_DISCS[3][0])
        );
    }
}
