//! What a clock shows.

use reversi_client::proto::ClockReading;
use serde::Serialize;

use super::side;

/// What a clock shows, for programs.
#[derive(Debug, Serialize)]
pub(crate) struct ClockView {
    black_remaining_ms: i64,
    white_remaining_ms: i64,
    as_of: Option<String>,
    /// Whose time runs; nothing if nobody's does.
    running: Option<&'static str>,
    deadline: Option<String>,
}

impl From<&ClockReading> for ClockView {
    fn from(reading: &ClockReading) -> Self {
        let time = |time: Option<prost_types::Timestamp>| time.map(|time| time.to_string());
        Self {
            black_remaining_ms: milliseconds(reading.black_remaining),
            white_remaining_ms: milliseconds(reading.white_remaining),
            as_of: time(reading.as_of),
            running: side(reading.running()),
            deadline: time(reading.deadline),
        }
    }
}

/// What both sides had left when the clock was read, for people.
pub(crate) fn remaining(reading: &ClockReading) -> String {
    let [black, white] = [reading.black_remaining, reading.white_remaining].map(left);
    format!("X {black} O {white} left")
}

fn milliseconds(time: Option<prost_types::Duration>) -> i64 {
    let time = time.unwrap_or_default();
    time.seconds
        .saturating_mul(1000)
        .saturating_add(i64::from(time.nanos) / 1_000_000)
}

/// A time as people write it: `0:07`, `12:30`, `100:00:00`.
fn left(time: Option<prost_types::Duration>) -> String {
    let seconds = milliseconds(time) / 1000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_on_a_clock() {
        let left = |seconds| {
            left(Some(prost_types::Duration {
                seconds,
                nanos: 999_000_000,
            }))
        };
        assert_eq!(left(7), "0:07");
        assert_eq!(left(750), "12:30");
        assert_eq!(left(3600 * 100), "100:00:00");
    }
}
