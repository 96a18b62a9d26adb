//! How a rate changes over time.

use std::time::Duration;

/// A rate over time, in straight pieces. Its last rate goes on for ever.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Profile {
    pieces: Vec<Piece>,
}

/// A part of a profile in which the rate changes evenly.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Piece {
    /// Calls a second at the beginning.
    from: f64,
    /// Calls a second at the end.
    to: f64,
    /// Its length in seconds; without one it has no end.
    seconds: Option<f64>,
}

impl Piece {
    /// The calls due within the first `seconds` of the piece.
    fn calls(self, seconds: f64) -> f64 {
        self.from
            .mul_add(seconds, self.slope() * seconds * seconds / 2.0)
    }

    /// The seconds after which `calls` are due: the inverse of [`Self::calls`].
    fn seconds(self, calls: f64) -> f64 {
        let slope = self.slope();
        if slope == 0.0 {
            return calls / self.from;
        }
        // The root of slope/2 t² + from t = calls, in the form that does not cancel.
        let root = (2.0 * slope)
            .mul_add(calls, self.from * self.from)
            .max(0.0)
            .sqrt();
        2.0 * calls / (self.from + root)
    }

    fn slope(self) -> f64 {
        self.seconds
            .map_or(0.0, |seconds| (self.to - self.from) / seconds)
    }
}

impl Profile {
    /// The same rate for ever.
    pub(crate) fn constant(rate: f64) -> Self {
        Self {
            pieces: vec![Piece {
                from: rate,
                to: rate,
                seconds: None,
            }],
        }
    }

    /// A rate that changes evenly within that time, then stays.
    pub(crate) fn ramp(from: f64, to: f64, within: Duration) -> Self {
        Self {
            pieces: vec![Piece {
                from,
                to,
                seconds: Some(within.as_secs_f64()),
            }],
        }
    }

    /// Rates one after the other.
    pub(crate) fn steps(steps: impl IntoIterator<Item = (f64, Duration)>) -> Self {
        let piece = |(rate, time): (f64, Duration)| Piece {
            from: rate,
            to: rate,
            seconds: Some(time.as_secs_f64()),
        };
        Self {
            pieces: steps.into_iter().map(piece).collect(),
        }
    }

    /// The same after a time at the first rate.
    pub(crate) fn after(mut self, warm_up: Duration) -> Self {
        if warm_up.is_zero() {
            return self;
        }
        let rate = self.first_rate();
        self.pieces.insert(
            0,
            Piece {
                from: rate,
                to: rate,
                seconds: Some(warm_up.as_secs_f64()),
            },
        );
        self
    }

    /// The rate that it begins with.
    pub(crate) fn first_rate(&self) -> f64 {
        self.pieces.first().map_or(0.0, |piece| piece.from)
    }

    /// The calls due before that time: the inverse of [`Self::time_of`].
    pub(crate) fn calls_by(&self, time: Duration) -> f64 {
        let mut left = time.as_secs_f64();
        let mut calls = 0.0;
        for piece in &self.pieces {
            let seconds = piece.seconds.map_or(left, |seconds| seconds.min(left));
            calls += piece.calls(seconds);
            left -= seconds;
        }
        calls + left * self.pieces.last().map_or(0.0, |piece| piece.to)
    }

    /// The time at which `calls` are due in all; fractions count.
    pub(crate) fn time_of(&self, mut calls: f64) -> Duration {
        let mut passed = 0.0;
        for piece in &self.pieces {
            if let Some(seconds) = piece.seconds {
                let within = piece.calls(seconds);
                if calls >= within {
                    calls -= within;
                    passed += seconds;
                    continue;
                }
            }
            return duration(passed + piece.seconds(calls));
        }
        let last = self.pieces.last().map_or(1.0, |piece| piece.to);
        duration(passed + calls / last)
    }
}

/// To the nearest nanosecond.
fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_constant_rate_spaces_calls_evenly() {
        let profile = Profile::constant(1_000.0);
        for number in [0, 1, 7, 1_000, 123_456_789] {
            let exact = Duration::from_millis(number);
            #[allow(clippy::cast_precision_loss)]
            let calls = number as f64;
            assert_eq!(profile.time_of(calls), exact);
        }
    }

    #[test]
    fn a_ramp_has_its_mean_rate_on_the_whole() {
        let profile = Profile::ramp(0.0, 100.0, seconds(10));
        // Half a·t²: 500 calls in all, a quarter of them in the first half.
        assert_eq!(profile.time_of(500.0), seconds(10));
        assert_eq!(profile.time_of(125.0), seconds(5));
        let falling = Profile::ramp(100.0, 0.0, seconds(10));
        assert_eq!(falling.time_of(375.0), seconds(5));
    }

    #[test]
    fn a_ramp_stays_at_its_last_rate() {
        let profile = Profile::ramp(50.0, 150.0, seconds(10));
        assert_eq!(profile.time_of(1_000.0), seconds(10));
        assert_eq!(profile.time_of(1_150.0), seconds(11));
    }

    #[test]
    fn steps_follow_each_other() {
        let profile = Profile::steps([(10.0, seconds(2)), (100.0, seconds(1))]);
        assert_eq!(profile.time_of(19.0), Duration::from_millis(1_900));
        assert_eq!(profile.time_of(20.0), seconds(2));
        assert_eq!(profile.time_of(70.0), Duration::from_millis(2_500));
    }

    #[test]
    fn the_calls_by_a_time_are_the_inverse_of_the_time_of_calls() {
        let profile = Profile::ramp(10.0, 110.0, seconds(10)).after(seconds(3));
        for calls in [0.0, 17.0, 30.0, 400.0, 630.0, 2_000.0] {
            let back = profile.calls_by(profile.time_of(calls));
            assert!((back - calls).abs() < 1e-3, "{calls}: {back}");
        }
    }

    #[test]
    fn a_warm_up_goes_at_the_first_rate() {
        let ramp = Profile::ramp(10.0, 20.0, seconds(10));
        assert_eq!(ramp.clone().after(Duration::ZERO), ramp);
        let profile = ramp.after(seconds(3));
        assert_eq!(profile.time_of(30.0), seconds(3));
        assert_eq!(profile.time_of(180.0), seconds(13));
    }
}
