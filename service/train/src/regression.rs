//! Finding the weights of one phase that explain the values of many positions best.
//!
//! Ridge regression: the least squared error, plus [`Regression::pull`] times the squared distance of
//! each weight from where it started. So a weight that few positions speak of stays near its start.
//! A position counts the less, the more it is worth to either side ([`Regression::even`]), by what
//! the weights say before the fit: by its value, of positions that look alike the better ones would
//! count less than the worse ones, and all weights come out too small.
//! Solved by conjugate gradients on the normal equations, preconditioned by the number of
//! positions of each weight (Hestenes and Stiefel, 1952).

#![allow(
    clippy::cast_possible_truncation,
    reason = "weights need no more than seven digits"
)]

use reversi_engine::Board;
use reversi_engine::eval::{TERMS, WEIGHTS_PER_PHASE, Weights};

/// A position and its value, in discs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) board: Board,
    pub(crate) value: f32,
}

/// How to find them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Regression {
    /// How strongly weights are held where they started, in positions.
    pub(crate) pull: f32,
    /// What the weights at the start have to say of a position for it to count half, in discs.
    pub(crate) even: f32,
    /// The number of steps.
    pub(crate) steps: u32,
    pub(crate) threads: usize,
}

/// How well weights explain positions, in discs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Errors {
    /// The mean of the absolute error.
    pub(crate) mean: f64,
    /// The root of the mean squared error.
    pub(crate) root_mean_square: f64,
}

/// Which weights are one, numbered without gaps.
#[derive(Debug)]
pub(crate) struct Sharing {
    variables: Vec<u32>,
    count: usize,
}

impl Sharing {
    pub(crate) fn new() -> Self {
        let twins = Weights::twins();
        let mut variables = vec![u32::MAX; twins.len()];
        let mut count = 0;
        for (place, &twin) in twins.iter().enumerate() {
            // A twin is the first of its kind, so it has its number already.
            variables[place] = if twin as usize == place {
                count += 1;
                count - 1
            } else {
                variables[twin as usize]
            };
        }
        Self {
            variables,
            count: count as usize,
        }
    }

    fn terms(&self, board: Board) -> [u32; TERMS] {
        Weights::places(board).map(|place| self.variables[place])
    }

    /// One weight for each variable.
    fn gather(&self, weights: &[f32]) -> Vec<f32> {
        let mut variables = vec![0.0; self.count];
        for (&variable, &weight) in self.variables.iter().zip(weights) {
            variables[variable as usize] = weight;
        }
        variables
    }

    /// All weights, from one for each variable.
    fn spread(&self, variables: &[f32]) -> Vec<f32> {
        self.variables
            .iter()
            .map(|&variable| variables[variable as usize])
            .collect()
    }
}

/// Part of the positions, for one thread.
struct Rows {
    terms: Vec<[u32; TERMS]>,
    values: Vec<f32>,
    /// How much each counts, at most 1.
    shares: Vec<f32>,
}

impl Rows {
    /// All count the same.
    fn new(sharing: &Sharing, targets: &[Target]) -> Self {
        Self {
            terms: targets.iter().map(|t| sharing.terms(t.board)).collect(),
            values: targets.iter().map(|t| t.value).collect(),
            shares: vec![1.0; targets.len()],
        }
    }

    /// Positions that these weights say are worth `even` discs to either side count half.
    fn even_first(mut self, weights: &[f32], even: f32) -> Self {
        let share = |said: f32| (1.0 + (said / even).powi(2)).recip();
        self.shares = self.apply(weights).into_iter().map(share).collect();
        self
    }

    /// What the weights make of each position.
    fn apply(&self, weights: &[f32]) -> Vec<f32> {
        let sum = |terms: &[u32; TERMS]| terms.iter().map(|&t| weights[t as usize]).sum();
        self.terms.iter().map(sum).collect()
    }

    /// Adds each position's number to all its weights, as far as it counts.
    fn transpose(&self, numbers: &[f32], variables: usize) -> Vec<f32> {
        let mut sums = vec![0.0; variables];
        let rows = self.terms.iter().zip(numbers).zip(&self.shares);
        for ((terms, number), share) in rows {
            let number = number * share;
            for &term in terms {
                sums[term as usize] += number;
            }
        }
        sums
    }

    /// The square of the length of a vector of positions, as far as they count.
    fn square(&self, numbers: &[f32]) -> f64 {
        let squares = numbers.iter().zip(&self.shares);
        squares.map(|(n, share)| f64::from(n * n * share)).sum()
    }
}

impl Regression {
    /// The weights of a phase that explain the targets best, starting from `start`.
    pub(crate) fn run(&self, sharing: &Sharing, targets: &[Target], start: &[f32]) -> Vec<f32> {
        assert_eq!(start.len(), WEIGHTS_PER_PHASE);
        let part = targets.len().div_ceil(self.threads).max(1);
        let start = sharing.gather(start);
        let parts: Vec<Rows> = in_parallel(targets.chunks(part), |part| {
            Rows::new(sharing, part).even_first(&start, self.even)
        });
        let transpose = |numbers: &[Vec<f32>]| {
            let sums = in_parallel(parts.iter().zip(numbers), |(rows, numbers)| {
                rows.transpose(numbers, sharing.count)
            });
            {
                let first = vec![0.0; sharing.count];
                sums.iter().fold(first, |sum, part| add(sum, part))
            }
        };
        let mut left: Vec<Vec<f32>> = in_parallel(parts.iter(), |rows| {
            let values = rows.apply(&start);
            let pairs = rows.values.iter().zip(values);
            pairs.map(|(target, value)| target - value).collect()
        });
        let ones: Vec<Vec<f32>> = left.iter().map(|part| vec![1.0; part.len()]).collect();
        let scale: Vec<f32> = transpose(&ones)
            .into_iter()
            .map(|count| 1.0 / (count + self.pull))
            .collect();

        let mut moved = vec![0.0; sharing.count];
        let mut residual = transpose(&left);
        if residual.is_empty() {
            return sharing.spread(&start);
        }
        let mut scaled = product(&residual, &scale);
        let mut direction = scaled.clone();
        let mut length = dot(&residual, &scaled);
        for _ in 0..self.steps {
            let images = in_parallel(parts.iter(), |rows| rows.apply(&direction));
            let squares = parts.iter().zip(&images);
            let curvature = squares.map(|(rows, image)| rows.square(image)).sum::<f64>()
                + f64::from(self.pull) * dot(&direction, &direction);
            if curvature <= 0.0 || length <= 0.0 {
                break;
            }
            let step = (length / curvature) as f32;
            move_by(&mut moved, step, &direction);
            for (left, image) in left.iter_mut().zip(&images) {
                move_by(left, -step, image);
            }
            residual = transpose(&left);
            move_by(&mut residual, -self.pull, &moved);
            scaled = product(&residual, &scale);
            let next = dot(&residual, &scaled);
            let keep = (next / length) as f32;
            for (direction, scaled) in direction.iter_mut().zip(&scaled) {
                *direction = scaled + keep * *direction;
            }
            length = next;
        }
        move_by(&mut moved, 1.0, &start);
        sharing.spread(&moved)
    }
}

/// How well a phase's weights explain the targets.
pub(crate) fn errors(sharing: &Sharing, targets: &[Target], weights: &[f32]) -> Errors {
    let rows = Rows::new(sharing, targets);
    let values = rows.apply(&sharing.gather(weights));
    let (mut absolute, mut squared) = (0.0, 0.0);
    for (value, target) in values.iter().zip(&rows.values) {
        let error = f64::from(value - target);
        absolute += error.abs();
        squared += error * error;
    }
    let count = targets.len().max(1) as f64;
    Errors {
        mean: absolute / count,
        root_mean_square: (squared / count).sqrt(),
    }
}

/// Does something for each part, each on a thread of its own.
fn in_parallel<T: Send, R: Send>(
    parts: impl Iterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = parts
            .map(|part| {
                let work = &work;
                scope.spawn(move || work(part))
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("invariant: fitting does not panic"))
            .collect()
    })
}

fn add(mut sum: Vec<f32>, other: &[f32]) -> Vec<f32> {
    move_by(&mut sum, 1.0, other);
    sum
}

fn move_by(vector: &mut [f32], step: f32, direction: &[f32]) {
    for (value, direction) in vector.iter_mut().zip(direction) {
        *value += step * direction;
    }
}

fn product(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a * b).collect()
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is learned of a board that was worth 0 as often as 40 discs, from weights that say so
    /// much of it.
    fn learned(said: f32) -> f32 {
        let board = Board::STANDARD;
        let targets = [0.0, 40.0].map(|value| Target { board, value }).repeat(50);
        let regression = Regression {
            pull: 0.001,
            even: 16.0,
            steps: 8,
            threads: 2,
        };
        let sharing = Sharing::new();
        let places = Weights::places(board);
        let mut start = vec![0.0; WEIGHTS_PER_PHASE];
        for place in places {
            start[place] = said / places.len() as f32;
        }
        let start = sharing.spread(&sharing.gather(&start));
        let weights = regression.run(&sharing, &targets, &start);
        places.iter().map(|&place| weights[place]).sum()
    }

    #[test]
    fn positions_that_look_alike_are_worth_their_mean() {
        for said in [0.0, 30.0] {
            let learned = learned(said);
            assert!((learned - 20.0).abs() < 0.2, "{learned}");
        }
    }
}
