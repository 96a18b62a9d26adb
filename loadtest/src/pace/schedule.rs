//! The times at which calls are due.

use std::time::Duration;

use super::profile::Profile;
use crate::random::Random;

/// How calls lie around the rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Arrivals {
    /// Evenly.
    Even,
    /// As independent callers make them: a Poisson process.
    Poisson,
}

/// Due times since the start of a run, in order, without end.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    profile: Profile,
    arrivals: Arrivals,
    random: Random,
    /// Calls due before the next, on average.
    calls: f64,
    /// The calls of other threads before the next of this one.
    others: u32,
    stride: u32,
}

impl Schedule {
    /// The due times of a whole run.
    pub(crate) fn new(profile: Profile, arrivals: Arrivals, seed: u64) -> Self {
        Self {
            profile,
            arrivals,
            random: Random::new(seed),
            calls: 0.0,
            others: 0,
            stride: 1,
        }
    }

    /// Those of one part among several, which together have them all: the first call is part 0's,
    /// the second part 1's, and so on.
    pub(crate) const fn part(mut self, part: u32, parts: u32) -> Self {
        self.others = part;
        self.stride = parts;
        self
    }

    /// The next due time.
    pub(crate) fn next_due(&mut self) -> Duration {
        for _ in 0..self.others {
            self.step();
        }
        self.others = self.stride - 1;
        self.step()
    }

    /// A Poisson process of any rate is one of rate 1 with its time stretched by the profile.
    fn step(&mut self) -> Duration {
        match self.arrivals {
            Arrivals::Even => {
                let due = self.profile.time_of(self.calls);
                self.calls += 1.0;
                due
            }
            Arrivals::Poisson => {
                self.calls -= (1.0 - self.random.unit()).ln();
                self.profile.time_of(self.calls)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(mut schedule: Schedule, count: usize) -> Vec<Duration> {
        (0..count).map(|_| schedule.next_due()).collect()
    }

    fn even(rate: f64) -> Schedule {
        Schedule::new(Profile::constant(rate), Arrivals::Even, 0)
    }

    fn poisson(rate: f64, seed: u64) -> Schedule {
        Schedule::new(Profile::constant(rate), Arrivals::Poisson, seed)
    }

    #[test]
    fn even_calls_are_due_exactly_one_after_the_other() {
        let expected: Vec<_> = (0..1_000)
            .map(|call| Duration::from_micros(call * 250))
            .collect();
        assert_eq!(times(even(4_000.0), 1_000), expected);
    }

    #[test]
    fn the_parts_together_are_the_whole() {
        for whole in [even(777.0), poisson(777.0, 5)] {
            let mut parts: Vec<_> = (0..3)
                .flat_map(|part| times(whole.clone().part(part, 3), 100))
                .collect();
            parts.sort_unstable();
            assert_eq!(parts, times(whole, 300));
        }
    }

    #[test]
    fn poisson_calls_have_the_rate_and_its_spread() {
        let times = times(poisson(1_000.0, 42), 100_000);
        let last = times.last().unwrap().as_secs_f64();
        assert!((last / 100.0 - 1.0).abs() < 0.02, "{last}");
        let gaps = times
            .windows(2)
            .map(|pair| (pair[1] - pair[0]).as_secs_f64() * 1e3);
        let squares = gaps.map(|gap| (gap - 1.0).powi(2)).sum::<f64>() / 99_999.0;
        // The deviation of an exponential distribution is its mean.
        assert!((squares - 1.0).abs() < 0.05, "{squares}");
    }

    #[test]
    fn the_same_seed_gives_the_same_times() {
        assert_eq!(times(poisson(10.0, 1), 50), times(poisson(10.0, 1), 50));
        assert_ne!(times(poisson(10.0, 1), 50), times(poisson(10.0, 2), 50));
    }
}
