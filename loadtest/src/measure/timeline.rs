//! A run cut into intervals.

use std::time::Duration;

use super::latency::{Latency, Precision};

/// The most intervals kept. A run that has more is cut half as finely.
const MOST_INTERVALS: usize = 1_200;

/// What began within one interval.
#[derive(Clone, Debug)]
pub(crate) struct Interval {
    /// Calls that succeeded.
    pub(crate) ok: u64,
    /// Calls that failed.
    pub(crate) errors: u64,
    /// Calls that were due, sent or not. Zero in a closed load.
    pub(crate) due: u64,
    /// From when a call was due, or sent in a closed load, to its answer.
    pub(crate) latency: Latency<u32>,
}

impl Interval {
    pub(crate) fn new() -> Self {
        Self {
            ok: 0,
            errors: 0,
            due: 0,
            latency: Latency::new(Precision::Coarse),
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.ok += other.ok;
        self.errors += other.errors;
        self.due += other.due;
        self.latency.add(&other.latency);
    }
}

/// The intervals of a run, in order, all of the same width but the last.
#[derive(Clone, Debug)]
pub(crate) struct Timeline {
    width: Duration,
    intervals: Vec<Interval>,
}

impl Timeline {
    /// An empty timeline.
    pub(crate) const fn new(width: Duration) -> Self {
        Self {
            width,
            intervals: Vec::new(),
        }
    }

    /// The width of an interval.
    pub(crate) const fn width(&self) -> Duration {
        self.width
    }

    /// All intervals.
    pub(crate) fn intervals(&self) -> &[Interval] {
        &self.intervals
    }

    /// The interval of a moment, counted from the start of the timeline.
    pub(crate) fn at(&mut self, since_start: Duration) -> &mut Interval {
        loop {
            let index = since_start.as_nanos() / self.width.as_nanos().max(1);
            if index < MOST_INTERVALS as u128 {
                let index = usize::try_from(index).expect("invariant: below the most intervals");
                if index >= self.intervals.len() {
                    self.intervals.resize_with(index + 1, Interval::new);
                }
                return &mut self.intervals[index];
            }
            self.coarsen();
        }
    }

    /// Adds the timeline of another part of the same run.
    pub(crate) fn add(&mut self, mut other: Self) {
        while self.width < other.width {
            self.coarsen();
        }
        while other.width < self.width {
            other.coarsen();
        }
        if self.intervals.len() < other.intervals.len() {
            self.intervals
                .resize_with(other.intervals.len(), Interval::new);
        }
        for (mine, theirs) in self.intervals.iter_mut().zip(&other.intervals) {
            mine.add(theirs);
        }
    }

    /// Makes one interval out of each two.
    fn coarsen(&mut self) {
        self.width *= 2;
        let pairs = self.intervals.chunks(2).map(|pair| {
            let mut whole = pair[0].clone();
            pair[1..].iter().for_each(|other| whole.add(other));
            whole
        });
        self.intervals = pairs.collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn filled(seconds: u32) -> Timeline {
        let mut timeline = Timeline::new(SECOND);
        for second in 0..seconds {
            timeline.at(SECOND * second).ok += 1;
        }
        timeline
    }

    fn total(timeline: &Timeline) -> u64 {
        timeline
            .intervals()
            .iter()
            .map(|interval| interval.ok)
            .sum()
    }

    #[test]
    fn a_long_run_keeps_its_counts_in_bounded_memory() {
        let timeline = filled(5_000);
        assert_eq!(total(&timeline), 5_000);
        assert!(timeline.intervals().len() <= MOST_INTERVALS);
        assert_eq!(timeline.width(), 8 * SECOND);
    }

    #[test]
    fn timelines_of_different_width_add_up() {
        let mut long = filled(2_000);
        long.add(filled(100));
        assert_eq!((total(&long), long.width()), (2_100, 2 * SECOND));
        let mut short = filled(100);
        short.add(filled(2_000));
        assert_eq!((total(&short), short.width()), (2_100, 2 * SECOND));
    }
}
