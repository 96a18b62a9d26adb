//! Times in which nobody could move, since the store could not be reached: they count for no clock.

use std::time::Duration;

use super::Timestamp;

/// A time in which nobody could move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outage {
    /// When it began.
    pub from: Timestamp,
    /// When it was over.
    pub until: Timestamp,
}

/// Outages, none of which overlaps another, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outages(Vec<Outage>);

impl Outages {
    /// These outages.
    #[must_use]
    pub fn new(mut outages: Vec<Outage>) -> Self {
        outages.sort_unstable();
        let mut from = Timestamp::default();
        outages.retain_mut(|outage| {
            outage.from = outage.from.max(from);
            from = from.max(outage.until);
            outage.from < outage.until
        });
        Self(outages)
    }

    /// How much of a time was an outage.
    #[must_use]
    pub fn idle(&self, from: Timestamp, until: Timestamp) -> Duration {
        let overlap = |outage: &Outage| outage.until.min(until).since(outage.from.max(from));
        self.0.iter().map(overlap).sum()
    }

    /// When so much time, without the outages, has passed.
    #[must_use]
    pub fn after(&self, from: Timestamp, time: Duration) -> Timestamp {
        let end = |end: Timestamp, outage: &Outage| {
            if outage.until > from && outage.from < end {
                end + outage.until.since(outage.from.max(from))
            } else {
                end
            }
        };
        self.0.iter().fold(from + time, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(seconds: u64) -> Timestamp {
        Timestamp::from_millis(seconds * 1000)
    }

    fn outages() -> Outages {
        let outage = |from, until| Outage {
            from: at(from),
            until: at(until),
        };
        Outages::new(vec![outage(100, 110), outage(20, 30), outage(25, 28)])
    }

    #[test]
    fn only_what_overlaps_is_idle() {
        let idle = |from, until| outages().idle(at(from), at(until)).as_secs();
        assert_eq!(idle(0, 20), 0);
        assert_eq!(idle(0, 25), 5);
        assert_eq!(idle(25, 27), 2);
        assert_eq!(idle(0, 200), 20);
        assert_eq!(idle(111, 200), 0);
    }

    #[test]
    fn a_time_is_stretched_by_the_outages_in_it() {
        let after = |from, time| outages().after(at(from), Duration::from_secs(time));
        assert_eq!(after(0, 10), at(10));
        assert_eq!(after(0, 20), at(20));
        assert_eq!(after(0, 21), at(31));
        assert_eq!(after(25, 10), at(40));
        assert_eq!(after(0, 95), at(115));
        assert_eq!(after(30, 10), at(40));
    }

    #[test]
    fn what_was_idle_until_a_stretched_end_is_what_it_was_stretched_by() {
        for from in 0..120 {
            for time in 1..120 {
                let time = Duration::from_secs(time);
                let end = outages().after(at(from), time);
                let idle = outages().idle(at(from), end);
                assert_eq!(end.since(at(from)), time + idle, "{from} {time:?}");
            }
        }
    }
}
