//! Whether a disc is a disc: how much boards are worth by search beside what the evaluation says,
//! phase by phase, and weights that say it right.
//!
//! A fit may keep values small, and each phase hands that on to the one before. Searches that compare
//! leaves of one phase do not mind, but those that trust a shallow search do, and whoever reads the
//! values.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use clap::Args;
use reversi_engine::Board;
use reversi_engine::eval::{PHASES, phase};
use reversi_engine::search::{Engine, Evaluation};

use crate::{parallel, progress, sample};

/// How to measure.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Scale {
    /// How many positions with each number of empty squares; none leaves the weights as they are.
    #[arg(long, default_value_t = 1000)]
    scale_boards: u32,
    /// Of those with at most so many empty squares the true value is found.
    #[arg(long, default_value_t = 16)]
    scale_solve: u32,
    /// The others are worth the mean of a search so deep and one a disc less deep.
    #[arg(long, default_value_t = 8)]
    scale_depth: u32,
    #[arg(long, default_value_t = 78)]
    scale_seed: u64,
}

/// The numbers of empty squares that are measured. Phases before and behind are taken for like the
/// next one that is.
const EMPTIES: RangeInclusive<u32> = 5..=54;
/// A position worth so many discs counts half.
const EVEN: f64 = 16.0;

const TABLE_BYTES: usize = 1 << 22;

/// So many positions tell how a phase has to be multiplied.
const ENOUGH: usize = 20;

/// Positions do not tell how a phase has to be multiplied.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error(
    "{count} positions with {} and {} empty squares say that weights are to be multiplied by \
     {factor:.2}: take more --scale-boards",
    2 * phase + 1,
    2 * phase + 2
)]
pub(crate) struct NoScale {
    phase: usize,
    count: usize,
    factor: f64,
}

/// What an evaluation and a search say of a board, in discs.
#[derive(Clone, Copy, Debug)]
struct Pair {
    said: f64,
    found: f64,
}

impl Scale {
    /// Brings the weights of all phases to scale, the last first, since searches of the others end
    /// there. Answers a table of what they are multiplied by, for people.
    ///
    /// # Errors
    ///
    /// [`NoScale`] if there are too few positions.
    pub(crate) fn run(
        &self,
        evaluation: &mut Evaluation,
        threads: usize,
    ) -> Result<String, NoScale> {
        if self.scale_boards == 0 {
            return Ok(String::new());
        }
        let mut table = String::from("empties: factor, mean error before and after, count\n");
        let all = sample::positions(evaluation, &EMPTIES, self.scale_boards, self.scale_seed);
        let bar = progress::bar("positions", all.len());
        let of = |wanted: usize| -> Vec<Board> {
            let boards = all
                .iter()
                .filter(|board| phase(board.empties_count()) == wanted);
            boards.copied().collect()
        };
        let measured = phase(*EMPTIES.start())..=phase(*EMPTIES.end());
        let mut factors = Vec::new();
        for phase in measured.clone() {
            let boards = of(phase);
            let known = &*evaluation;
            let pairs = parallel::map(&boards, threads, TABLE_BYTES, &bar, |engine, board| Pair {
                said: discs(known.weights.of_board(board)),
                found: self.value(engine, known, board),
            });
            let (factor, count) = (slope(&pairs), pairs.len());
            if count < ENOUGH || factor <= 0.0 {
                return Err(NoScale {
                    phase,
                    count,
                    factor,
                });
            }
            let error = |factor: f64| {
                let errors = pairs
                    .iter()
                    .map(|pair| (factor * pair.said - pair.found).abs());
                errors.sum::<f64>() / count as f64
            };
            let _ = writeln!(
                table,
                "{:2} {:2}: {factor:.3}, {:.2} {:.2}, {count}",
                2 * phase + 1,
                2 * phase + 2,
                error(1.0),
                error(factor),
            );
            factors.push(factor);
            evaluation.weights.multiply(phase, factor);
        }
        bar.finish_and_clear();
        let (Some(first), Some(last)) = (factors.first(), factors.last()) else {
            return Ok(table);
        };
        for phase in 0..*measured.start() {
            evaluation.weights.multiply(phase, *first);
        }
        for phase in measured.end() + 1..PHASES {
            evaluation.weights.multiply(phase, *last);
        }
        Ok(table)
    }

    /// What a board is worth by search, in discs.
    fn value(&self, engine: &mut Engine, evaluation: &Evaluation, board: Board) -> f64 {
        let empties = board.empties_count();
        if empties <= self.scale_solve {
            return discs(engine.value(evaluation, board, empties));
        }
        let values = engine.values(evaluation, board, self.scale_depth.clamp(2, empties));
        let [.., one, other] = values[..] else {
            return 0.0;
        };
        f64::midpoint(discs(one), discs(other))
    }
}

fn discs(hundredths: i32) -> f64 {
    f64::from(hundredths) / 100.0
}

/// By what to multiply what was said to come closest to what was found; 1 if nothing tells.
fn slope(pairs: &[Pair]) -> f64 {
    let (mut products, mut squares) = (0.0, 0.0);
    for Pair { said, found } in pairs {
        // By what was said: by what was found, lucky positions would count less than unlucky ones.
        let share = 1.0 / (1.0 + (said / EVEN).powi(2));
        products += share * said * found;
        squares += share * said * said;
    }
    if squares > 0.0 {
        products / squares
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use reversi_engine::Objective;

    use super::*;

    #[test]
    fn values_are_brought_to_scale() {
        let pairs: Vec<Pair> = (-20..=20)
            .map(|said| Pair {
                said: f64::from(said),
                // An error that is the same on both sides.
                found: 1.25 * f64::from(said) + f64::from(said * said % 3),
            })
            .collect();
        assert!((slope(&pairs) - 1.25).abs() < 1e-9, "{}", slope(&pairs));
        assert!((slope(&[]) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn too_few_positions_tell_nothing() {
        let scale = Scale {
            scale_boards: 2,
            scale_solve: 8,
            scale_depth: 2,
            scale_seed: 1,
        };
        let mut evaluation = Evaluation::of(Objective::MostDiscs).clone();
        let error = scale.run(&mut evaluation, 1).unwrap_err().to_string();
        assert!(error.contains("--scale-boards"), "{error}");
    }

    #[test]
    fn weights_of_half_the_size_are_found_out() {
        let scale = Scale {
            scale_boards: 20,
            scale_solve: 10,
            scale_depth: 5,
            scale_seed: 1,
        };
        let mut half = Evaluation::of(Objective::MostDiscs).clone();
        let whole = half.clone();
        for phase in 0..PHASES {
            half.weights.multiply(phase, 0.5);
        }
        scale.run(&mut half, 2).unwrap();
        // What is exact is not halved, and all phases before follow.
        let boards = sample::positions(&whole, &(9..=40), 4, 2);
        let size = |evaluation: &Evaluation| -> i32 {
            let worth = boards
                .iter()
                .map(|&board| evaluation.weights.of_board(board));
            worth.map(i32::abs).sum()
        };
        let ratio = f64::from(size(&half)) / f64::from(size(&whole));
        assert!((0.65..1.6).contains(&ratio), "{ratio}");
    }
}
