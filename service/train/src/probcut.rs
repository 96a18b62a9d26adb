//! How far the values of shallow searches are from those of deep ones, and what follows from it for
//! trusting them (multi-ProbCut; Buro, 1997).

use std::error::Error;
use std::f64::consts::PI;

use clap::Args;
use reversi_engine::Board;
use reversi_engine::eval::PHASES;
use reversi_engine::search::{Engine, Evaluation, ProbCut, shallow_depth};

use crate::run::{self, Run};
use crate::{Objective, parallel, progress, sample};

/// How to measure.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Calibrate {
    /// How many positions with each number of empty squares.
    #[arg(long, default_value_t = 40)]
    boards: u32,
    /// The deepest search.
    #[arg(long, default_value_t = 11)]
    depth: u32,
    /// Positions with at most so many empty squares are searched to the end.
    #[arg(long, default_value_t = 20)]
    solve: u32,
    #[arg(long, default_value_t = 77)]
    seed: u64,
}

/// A difference between two searches.
#[derive(Clone, Copy, Debug)]
struct Difference {
    empties: u32,
    depth: u32,
    shallow: u32,
    discs: f64,
}

/// There is too little to tell a standard deviation by.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error(
    "only {groups} kinds of searches were compared {ENOUGH} times, {KINDS} are needed: \
     take more --boards, a greater --depth or --solve"
)]
pub(crate) struct TooFew {
    groups: usize,
}

/// So many differences of a kind make a standard deviation.
const ENOUGH: usize = 20;
/// So many kinds show how it changes with the numbers of empty squares and the depths.
const KINDS: usize = 6;

/// The empty squares of the positions that are compared.
const EMPTIES: std::ops::RangeInclusive<u32> = 6..=54;
/// Positions worth more discs than this to either side are left out: they are decided, and whether
/// by 40 or by 64 discs no search that counts has to know.
const DECIDED: f64 = 32.0;

const TABLE_BYTES: usize = 1 << 24;

impl Calibrate {
    /// How far searches with the weights of a run can be trusted; measured unless that is known.
    /// What was measured is told on the way.
    pub(crate) fn run(
        &self,
        run: &Run,
        objective: Objective,
        threads: usize,
    ) -> Result<ProbCut, Box<dyn Error>> {
        let last = run.need(&run::weights(PHASES - 1), "fit")?;
        let header = format!(
            "probcut boards={} depth={} solve={} seed={} weights={}",
            self.boards,
            self.depth,
            self.solve,
            self.seed,
            run::checksum(last.header.as_bytes()),
        );
        if !run.has(run::PROBCUT, &header)? {
            let evaluation = run.evaluation(objective.into(), PHASES)?;
            let (probcut, table) = self.measure(&evaluation, threads)?;
            eprint!("{table}");
            let numbers = [probcut.coefficients, probcut.to_the_end].concat();
            run.put(run::PROBCUT, &header, &run::bytes_of_floats(&numbers))?;
        }
        Ok(run.probcut()?)
    }

    /// The standard deviations that explain the differences best, and a table of them for people.
    pub(crate) fn measure(
        &self,
        evaluation: &Evaluation,
        threads: usize,
    ) -> Result<(ProbCut, String), TooFew> {
        let boards = sample::positions(evaluation, &EMPTIES, self.boards, self.seed);
        let bar = progress::bar("positions", boards.len());
        let differences = parallel::map(&boards, threads, TABLE_BYTES, &bar, |engine, board| {
            self.compare(evaluation, engine, board)
        });
        bar.finish_and_clear();
        let (to_the_end, ahead): (Vec<_>, Vec<_>) = differences
            .into_iter()
            .flatten()
            .partition(|difference| difference.depth == difference.empties);
        let mut table = String::from("empties shallow deep: standard deviation, fitted, count\n");
        let probcut = ProbCut {
            coefficients: fit(&ahead, [true; 4], &mut table)?,
            // The depth is the number of empty squares there.
            to_the_end: fit(&to_the_end, [true, true, false, true], &mut table)?,
        };
        Ok((probcut, table))
    }

    fn compare(
        &self,
        evaluation: &Evaluation,
        engine: &mut Engine,
        board: Board,
    ) -> Vec<Difference> {
        let mut differences = Vec::new();
        let empties = board.empties_count();
        let ahead = self.depth.min(empties - 1);
        let mut by_depth = vec![0.0];
        let discs = |value: &i32| f64::from(*value) / 100.0;
        by_depth.extend(engine.values(evaluation, board, ahead).iter().map(discs));
        let mut note = |depth: u32, shallow: u32, deep: f64| {
            if deep.abs() <= DECIDED {
                differences.push(Difference {
                    empties,
                    depth,
                    shallow,
                    discs: deep - by_depth[shallow as usize],
                });
            }
        };
        for depth in 4..=ahead {
            note(depth, shallow_depth(depth), by_depth[depth as usize]);
        }
        if empties <= self.solve && shallow_depth(empties) <= ahead {
            let exact = discs(&engine.value(evaluation, board, empties));
            note(empties, shallow_depth(empties), exact);
        }
        differences
    }
}

/// The logarithm of the standard deviation, linear in empties, depth and shallow depth as far as
/// they are of use: least squares over groups of like differences.
fn fit(
    differences: &[Difference],
    of_use: [bool; 4],
    table: &mut String,
) -> Result<[f32; 4], TooFew> {
    use std::collections::BTreeMap;
    use std::fmt::Write as _;
    let mut groups: BTreeMap<(u32, u32, u32), Vec<f64>> = BTreeMap::new();
    for difference in differences {
        let key = (
            difference.empties / 4 * 4 + 2,
            difference.shallow,
            difference.depth,
        );
        groups.entry(key).or_default().push(difference.discs);
    }
    // Normal equations of four unknowns, each group weighted by its size.
    let mut matrix = [[0.0; 5]; 4];
    let rows: Vec<_> = groups
        .iter()
        .filter(|(_, group)| group.len() >= ENOUGH)
        .map(|(&key @ (empties, shallow, depth), group)| {
            let mean = group.iter().sum::<f64>() / group.len() as f64;
            // Of a normal distribution, the mean distance is 0.80 standard deviations. It is less
            // moved by the few that are far off.
            let distance = group.iter().map(|d| (d - mean).abs()).sum::<f64>() / group.len() as f64;
            let row = [
                1.0,
                f64::from(empties),
                f64::from(depth),
                f64::from(shallow),
            ];
            let row: [f64; 4] = std::array::from_fn(|at| if of_use[at] { row[at] } else { 0.0 });
            (key, row, distance * (PI / 2.0).sqrt(), group.len())
        })
        .collect();
    if rows.len() < KINDS {
        return Err(TooFew { groups: rows.len() });
    }
    for (_, row, deviation, count) in &rows {
        for i in 0..4 {
            for j in 0..4 {
                matrix[i][j] += row[i] * row[j] * *count as f64;
            }
            matrix[i][4] += row[i] * deviation.max(0.1).ln() * *count as f64;
        }
    }
    let solution = solve(matrix);
    for ((empties, shallow, depth), row, deviation, count) in &rows {
        let fitted: f64 = row.iter().zip(solution).map(|(a, b)| a * b).sum();
        let _ = writeln!(
            table,
            "{empties:7} {shallow:7} {depth:4}: {deviation:5.2} {:5.2} {count}",
            fitted.exp()
        );
    }
    #[allow(clippy::cast_possible_truncation)] // Seven digits are plenty.
    let coefficients = solution.map(|coefficient| coefficient as f32);
    Ok(coefficients)
}

/// Gaussian elimination; directions without information stay 0.
fn solve(mut matrix: [[f64; 5]; 4]) -> [f64; 4] {
    let mut solution = [0.0; 4];
    for (index, row) in matrix.iter_mut().enumerate() {
        row[index] += 1e-6;
    }
    for column in 0..4 {
        let pivot = (column..4)
            .max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))
            .unwrap_or(column);
        matrix.swap(column, pivot);
        for row in column + 1..4 {
            let factor = matrix[row][column] / matrix[column][column];
            let above = matrix[column];
            for (at, value) in matrix[row].iter_mut().enumerate().skip(column) {
                *value -= factor * above[at];
            }
        }
    }
    for row in (0..4).rev() {
        let known: f64 = (row + 1..4).map(|at| matrix[row][at] * solution[at]).sum();
        solution[row] = (matrix[row][4] - known) / matrix[row][row];
    }
    solution
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As many differences of each kind as asked, half of them a disc above and half below.
    fn differences(each: usize) -> Vec<Difference> {
        let kinds = (10..20).flat_map(|empties| (4..10).map(move |depth| (empties, depth)));
        let of_a_kind = |(empties, depth): (u32, u32)| {
            (0..each).map(move |index| Difference {
                empties,
                depth,
                shallow: shallow_depth(depth),
                discs: if index % 2 == 0 { 1.0 } else { -1.0 },
            })
        };
        kinds.flat_map(of_a_kind).collect()
    }

    #[test]
    fn the_deviation_is_found() {
        let [constant, by_empties, by_depth, by_shallow] =
            fit(&differences(20), [true; 4], &mut String::new()).unwrap();
        let deviation = (constant + 14.0 * by_empties + 8.0 * by_depth + 4.0 * by_shallow).exp();
        // Of a normal distribution with a mean distance of one disc.
        assert!((deviation - 1.253).abs() < 0.01, "{deviation}");
    }

    #[test]
    fn too_few_differences_tell_nothing() {
        let error = fit(&differences(2), [true; 4], &mut String::new()).unwrap_err();
        assert!(error.to_string().contains("--boards"), "{error}");
    }
}
