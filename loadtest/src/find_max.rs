//! The search for the highest rate that a server holds.

/// Two rates this close are taken as one.
const CLOSE_ENOUGH: f64 = 1.04;
/// How much lower to go when the rate found does not hold for long.
const STEP_BACK: f64 = 0.95;
/// How often to go back.
const MOST_STEPS_BACK: u32 = 8;

/// What to try next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Next {
    /// A short run at this rate.
    Probe(f64),
    /// A run of full length at this rate.
    Confirm(f64),
    /// Nothing: this is the highest rate; `None` if not even the lowest holds.
    Done(Option<f64>),
}

/// The highest rate between those that hold and those that do not.
///
/// Rates are doubled until one does not hold, then the gap is halved until it is narrow, and the
/// rate found is tried for the full time; if it does not hold then, lower ones are.
#[derive(Clone, Debug)]
pub(crate) struct FindMax {
    range: (f64, f64),
    holds: Option<f64>,
    broken: Option<f64>,
    next: Next,
    steps_back: u32,
}

impl FindMax {
    /// A search that begins at `start` and stays within `range`.
    pub(crate) const fn new(start: f64, range: (f64, f64)) -> Self {
        Self {
            range,
            holds: None,
            broken: None,
            next: Next::Probe(start.clamp(range.0, range.1)),
            steps_back: 0,
        }
    }

    /// What to try.
    pub(crate) const fn next(&self) -> Next {
        self.next
    }

    /// Takes in whether what was to be tried holds.
    pub(crate) fn tried(&mut self, holds: bool) {
        self.next = match (self.next, holds) {
            (Next::Probe(rate), true) => {
                self.holds = Some(rate);
                self.narrow()
            }
            (Next::Probe(rate), false) => {
                self.broken = Some(rate);
                self.narrow()
            }
            (Next::Confirm(rate), true) => Next::Done(Some(rate)),
            (Next::Confirm(rate), false) => {
                self.steps_back += 1;
                let lower = rate * STEP_BACK;
                if self.steps_back > MOST_STEPS_BACK || lower < self.range.0 {
                    Next::Done(None)
                } else {
                    Next::Confirm(lower)
                }
            }
            (done @ Next::Done(_), _) => done,
        };
    }

    fn narrow(&self) -> Next {
        let (lowest, highest) = self.range;
        match (self.holds, self.broken) {
            (Some(holds), None) if holds >= highest => Next::Confirm(holds),
            (Some(holds), None) => Next::Probe((holds * 2.0).min(highest)),
            (None, Some(broken)) if broken <= lowest => Next::Done(None),
            (None, Some(broken)) => Next::Probe((broken / 2.0).max(lowest)),
            (Some(holds), Some(broken)) if broken / holds <= CLOSE_ENOUGH => Next::Confirm(holds),
            (Some(holds), Some(broken)) => Next::Probe((holds * broken).sqrt()),
            (None, None) => self.next,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches among runs that hold up to a rate: that of short ones, and of long ones.
    fn search(start: f64, short: f64, long: f64) -> (Option<f64>, u32) {
        let mut search = FindMax::new(start, (1.0, 1_000_000.0));
        for tries in 0..100 {
            match search.next() {
                Next::Probe(rate) => search.tried(rate <= short),
                Next::Confirm(rate) => search.tried(rate <= long),
                Next::Done(found) => return (found, tries),
            }
        }
        panic!("no end: {search:?}");
    }

    #[test]
    fn the_limit_is_found_from_below_and_from_above() {
        for start in [10.0, 1_000.0, 900_000.0] {
            let (found, _) = search(start, 12_345.0, 12_345.0);
            let found = found.unwrap();
            assert!(
                (12_345.0 / CLOSE_ENOUGH..=12_345.0).contains(&found),
                "{found}"
            );
        }
    }

    #[test]
    fn few_tries_are_enough() {
        let (_, tries) = search(1_000.0, 30_000.0, 30_000.0);
        assert!(tries <= 13, "{tries}");
    }

    #[test]
    fn a_rate_that_does_not_hold_for_long_is_lowered() {
        let (found, _) = search(1_000.0, 10_000.0, 9_000.0);
        let found = found.unwrap();
        assert!((8_500.0..=9_000.0).contains(&found), "{found}");
    }

    #[test]
    fn a_search_ends_where_nothing_or_everything_holds() {
        assert_eq!(search(1_000.0, 0.0, 0.0).0, None);
        assert_eq!(search(1_000.0, 1e9, 1e9).0, Some(1_000_000.0));
        assert_eq!(search(1_000.0, 1e9, 0.0).0, None);
    }
}
