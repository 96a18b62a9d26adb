//! A histogram of durations.

use std::time::Duration;

use hdrhistogram::{Counter, Histogram};

/// The longest duration told apart; longer ones count as this.
const LONGEST: Duration = Duration::from_hours(1);

/// A histogram of durations of any number, in fixed memory.
#[derive(Clone, Debug)]
pub(crate) struct Latency<C: Counter = u64>(Histogram<C>);

/// How close a recorded duration comes to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precision {
    /// To 0.1 %, or 64 ns; 210 KiB.
    Fine,
    /// To 1 %, or 1 µs; 13 KiB with 32-bit counters.
    Coarse,
}

impl<C: Counter> Latency<C> {
    /// An empty histogram.
    pub(crate) fn new(precision: Precision) -> Self {
        let (lowest, digits) = match precision {
            Precision::Fine => (64, 3),
            Precision::Coarse => (1_024, 2),
        };
        let histogram = Histogram::new_with_bounds(lowest, nanos(LONGEST), digits);
        Self(histogram.expect("invariant: the bounds are far enough apart"))
    }

    /// Counts a duration.
    pub(crate) fn record(&mut self, duration: Duration) {
        self.0.saturating_record(nanos(duration));
    }

    /// Adds what another one has counted.
    pub(crate) fn add(&mut self, other: &Self) {
        self.0
            .add(&other.0)
            .expect("invariant: all histograms have the same bounds");
    }

    /// How many durations were counted.
    pub(crate) fn count(&self) -> u64 {
        self.0.len()
    }

    /// The duration that this share of the counted ones do not exceed; zero if there are none.
    pub(crate) fn quantile(&self, share: f64) -> Duration {
        Duration::from_nanos(self.0.value_at_quantile(share)).min(self.max())
    }

    /// The longest.
    pub(crate) fn max(&self) -> Duration {
        Duration::from_nanos(self.0.max())
    }

    /// The shortest; zero if there are none.
    pub(crate) fn min(&self) -> Duration {
        if self.0.is_empty() {
            return Duration::ZERO;
        }
        Duration::from_nanos(self.0.min())
    }

    /// The mean.
    pub(crate) fn mean(&self) -> Duration {
        Duration::from_secs_f64(self.0.mean() / 1e9)
    }

    /// The standard deviation.
    pub(crate) fn deviation(&self) -> Duration {
        Duration::from_secs_f64(self.0.stdev() / 1e9)
    }

    /// Buckets that hold something: the longest duration of each, and how many it holds.
    pub(crate) fn buckets(&self) -> impl Iterator<Item = (Duration, u64)> + '_ {
        self.0.iter_recorded().map(|bucket| {
            (
                Duration::from_nanos(bucket.value_iterated_to()),
                bucket.count_since_last_iteration(),
            )
        })
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.min(LONGEST).as_nanos()).expect("invariant: an hour fits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_come_close() {
        let mut latency: Latency = Latency::new(Precision::Fine);
        for ms in 1..=1_000 {
            latency.record(Duration::from_millis(ms));
        }
        for (share, ms) in [(0.5, 500.0), (0.99, 990.0), (0.999, 999.0), (1.0, 1_000.0)] {
            let found = latency.quantile(share).as_secs_f64() * 1e3;
            assert!((found / ms - 1.0).abs() < 0.001, "{share}: {found}");
        }
    }

    #[test]
    fn what_is_too_long_counts_as_the_longest() {
        let mut latency: Latency<u32> = Latency::new(Precision::Coarse);
        latency.record(Duration::from_hours(30));
        assert_eq!(latency.count(), 1);
        assert!(latency.max() >= LONGEST);
    }

    #[test]
    fn an_empty_histogram_has_no_quantiles() {
        let latency: Latency = Latency::new(Precision::Fine);
        assert_eq!(latency.quantile(0.99), Duration::ZERO);
        assert_eq!(latency.min(), Duration::ZERO);
    }
}
