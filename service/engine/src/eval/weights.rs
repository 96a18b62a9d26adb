//! What each state of each pattern is worth, by phase.

use super::pattern::{CENTRES, INSTANCES, WEIGHTS};
use super::phase::{PHASES, phase};
use super::states::States;
use super::{MOST, packing, pattern};

/// The number of weights of a phase: all states of all patterns, and a constant for an even and
/// one for an odd number of empty squares.
pub const WEIGHTS_PER_PHASE: usize = WEIGHTS + 2;

/// The weights of an evaluation, in hundredths of a disc.
#[derive(Clone, Debug)]
pub struct Weights {
    phases: Vec<Box<[i16]>>,
}

impl Weights {
    /// Weights of each phase, [`WEIGHTS_PER_PHASE`] of them, phase 0 first; `None` if there are
    /// more or fewer.
    #[must_use]
    pub fn new(phases: Vec<Box<[i16]>>) -> Option<Self> {
        let fits =
            phases.len() == PHASES && phases.iter().all(|phase| phase.len() == WEIGHTS_PER_PHASE);
        fits.then_some(Self { phases })
    }

    /// As few bytes, in steps of so many hundredths of a disc, at least 1.
    pub(crate) fn pack(&self, step: u8) -> Vec<u8> {
        packing::pack(&self.phases, step.max(1))
    }

    /// The reverse of [`Weights::pack`]; other bytes give weights without meaning.
    pub(crate) fn unpack(bytes: &[u8], step: u8) -> Self {
        Self {
            phases: packing::unpack(bytes, step),
        }
    }

    /// The expected final disc difference for the mover, in hundredths of a disc, strictly between
    /// ±64 discs.
    #[inline(always)]
    #[must_use]
    pub fn evaluate(&self, states: &States, empties: u32) -> i32 {
        let weights: &[i16; WEIGHTS_PER_PHASE] = match self.phases[phase(empties)][..].try_into() {
            Ok(weights) => weights,
            Err(_) => return 0,
        };
        let mut sum = i32::from(weights[WEIGHTS + (empties & 1) as usize]);
        for (centre, state) in CENTRES.iter().zip(&states.0).take(INSTANCES) {
            let place = centre + i32::from(*state);
            sum += i32::from(weights[place.cast_unsigned() as usize]);
        }
        sum.clamp(-MOST, MOST)
    }

    /// Which weights of a phase the value of a board is the sum of, with this many empty squares.
    pub fn places(states: &States, empties: u32) -> impl Iterator<Item = usize> {
        CENTRES
            .into_iter()
            .zip(states.0)
            .take(INSTANCES)
            .map(|(centre, state)| usize::try_from(centre + i32::from(state)).unwrap_or_default())
            .chain([WEIGHTS + (empties & 1) as usize])
    }

    /// For each weight of a phase the one that it has to be equal to, since a symmetry of its
    /// pattern maps their states onto each other; the first of them.
    #[must_use]
    pub fn twins() -> Vec<u32> {
        let constants =
            [WEIGHTS, WEIGHTS + 1].map(|place| u32::try_from(place).unwrap_or(u32::MAX));
        let mut twins = pattern::twins();
        twins.extend(constants);
        twins
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitboard::symmetry::Symmetry;
    use crate::board::Board;
    use crate::square::Square;

    /// Weights without meaning that are equal where they have to be.
    fn any_weights() -> Weights {
        let twins = Weights::twins();
        let phase: Box<[i16]> = twins
            .iter()
            .map(|&twin| (twin.wrapping_mul(2_654_435_761) >> 24) as i16 - 128)
            .collect();
        Weights::new(vec![phase; PHASES]).unwrap()
    }

    #[test]
    fn symmetric_boards_are_worth_the_same() {
        let weights = any_weights();
        let mut board = Board::STANDARD;
        for turn in 0..50 {
            let moves = board.legal_moves();
            let Some(square) = moves.iter().nth(turn * 5 % moves.count().max(1) as usize) else {
                break;
            };
            board = board.play(square).unwrap();
            let worth = |board| weights.evaluate(&States::of(board), board.empties_count());
            for symmetry in Symmetry::ALL {
                assert_eq!(worth(board), worth(board.transform(symmetry)), "{board}");
            }
        }
    }

    #[test]
    fn a_board_is_worth_the_sum_of_its_places() {
        let weights = any_weights();
        let board = Board::STANDARD.play(Square::D3).unwrap();
        let states = States::of(board);
        let sum: i32 = Weights::places(&states, 59)
            .map(|place| i32::from(weights.phases[phase(59)][place]))
            .sum();
        assert_eq!(weights.evaluate(&states, 59), sum);
    }
}
