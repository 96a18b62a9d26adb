//! What each state of each pattern and each number of moves is worth, by phase.

#![allow(clippy::cast_possible_truncation, reason = "numbers of weights")]

use super::mobility::Mobility;
use super::pattern::{INSTANCES, TABLE, TABLE_OF, TABLES, WEIGHTS};
use super::phase::{PHASES, phase};
use super::states::States;
use super::{MOST, packing, pattern};
use crate::board::Board;

/// The number of weights of a phase: all states of all patterns, and all numbers of moves.
pub const WEIGHTS_PER_PHASE: usize = WEIGHTS + 2 * SIDES;

/// How many weights the value of a board is the sum of.
pub const TERMS: usize = INSTANCES + 2;

/// What numbers of moves are worth, for an even and for an odd number of empty squares: those of
/// the mover, then those of the other side.
type Moves = [[[i16; COUNTS]; 2]; 2];
/// Numbers of moves, from 0.
const COUNTS: usize = 64;
/// The weights of the moves of both sides.
const SIDES: usize = 2 * COUNTS;

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

    /// Multiplies what all boards of a phase are worth, as far as it fits into the weights.
    pub fn multiply(&mut self, phase: usize, factor: f64) {
        for weight in self.phases.get_mut(phase).into_iter().flatten() {
            *weight = (f64::from(*weight) * factor).round() as i16;
        }
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

    /// The expected final disc difference for the mover of a board with these states, this mobility
    /// and so many empty squares, in hundredths of a disc, strictly between ±64 discs.
    #[inline(always)]
    #[must_use]
    pub fn evaluate(&self, states: &States, mobility: Mobility, empties: u32) -> i32 {
        let (tables, moves) = self.phases[phase(empties)].as_chunks::<TABLE>();
        let moves = moves.as_chunks::<COUNTS>().0.as_chunks::<2>().0;
        let (Ok(tables), Ok(moves)) = (
            <&[[i16; TABLE]; TABLES]>::try_from(tables),
            <&Moves>::try_from(moves),
        ) else {
            return 0;
        };
        let [player, opponent] = &moves[(empties & 1) as usize];
        let mut sum = i32::from(player[mobility.player as usize % COUNTS])
            + i32::from(opponent[mobility.opponent as usize % COUNTS]);
        for (table, place) in TABLE_OF.iter().zip(&states.0) {
            sum += i32::from(tables[*table][usize::from(*place)]);
        }
        sum.clamp(-MOST, MOST)
    }

    /// As [`Weights::evaluate`], for those in no hurry.
    #[must_use]
    pub fn of_board(&self, board: Board) -> i32 {
        self.evaluate(
            &States::of(board),
            Mobility::of(board),
            board.empties_count(),
        )
    }

    /// Which weights of a phase the value of a board is the sum of.
    #[must_use]
    pub fn places(board: Board) -> [usize; TERMS] {
        let states = States::of(board);
        let mobility = Mobility::of(board);
        let moves = WEIGHTS + SIDES * (board.empties_count() & 1) as usize;
        let mut places = [0; TERMS];
        for (index, place) in places[..INSTANCES].iter_mut().enumerate() {
            *place = TABLE_OF[index] * TABLE + usize::from(states.0[index]);
        }
        places[INSTANCES] = moves + mobility.player as usize;
        places[INSTANCES + 1] = moves + COUNTS + mobility.opponent as usize;
        places
    }

    /// For each weight of a phase the one that it has to be equal to, since a symmetry of its
    /// pattern maps their states onto each other; the first of them.
    #[must_use]
    pub fn twins() -> Vec<u32> {
        let mut twins = pattern::twins();
        twins.extend((WEIGHTS..WEIGHTS_PER_PHASE).map(|place| place as u32));
        twins
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitboard::symmetry::Symmetry;
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
            let worth = |board| weights.of_board(board);
            for symmetry in Symmetry::ALL {
                assert_eq!(worth(board), worth(board.transform(symmetry)), "{board}");
            }
        }
    }

    #[test]
    fn a_phase_is_multiplied_and_no_other() {
        let before = any_weights();
        let mut after = before.clone();
        let (board, other) = (Board::STANDARD, Board::STANDARD.play(Square::D3).unwrap());
        let other = other.play(Square::C3).unwrap();
        assert_ne!(phase(board.empties_count()), phase(other.empties_count()));
        after.multiply(phase(60), 2.0);
        assert_eq!(after.of_board(board), 2 * before.of_board(board));
        assert_eq!(after.of_board(other), before.of_board(other));
    }

    #[test]
    fn a_board_is_worth_the_sum_of_its_places() {
        let weights = any_weights();
        let board = Board::STANDARD.play(Square::D3).unwrap();
        let sum: i32 = Weights::places(board)
            .map(|place| i32::from(weights.phases[phase(59)][place]))
            .iter()
            .sum();
        assert_eq!(weights.of_board(board), sum);
    }
}
