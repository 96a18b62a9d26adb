//! A profile as it is written on the command line.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::profile::Profile;

/// The highest rate that can be asked for, in calls a second: ten times what the fastest generator
/// of one machine does.
const HIGHEST: f64 = 10_000_000.0;
/// The lowest: a call in a thousand seconds.
const LOWEST: f64 = 0.001;

/// How a rate is asked for: `1000`, `100..5000`, or `100:10s,500:10s`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    /// The same rate all the time.
    Constant(f64),
    /// A rate that changes evenly from the first to the second.
    Ramp(f64, f64),
    /// One rate after the other, each for its time.
    Steps(Vec<(f64, Duration)>),
}

/// The text asks for no rate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ParseShapeError {
    /// A rate that is none, or out of range.
    #[error("{text:?} is no rate from {LOWEST} to {HIGHEST} calls a second")]
    Rate {
        /// What stands in its place.
        text: String,
    },
    /// A time that is none.
    #[error("{text:?} is no time such as 10s")]
    Time {
        /// What stands in its place.
        text: String,
    },
}

impl FromStr for Shape {
    type Err = ParseShapeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some((from, to)) = text.split_once("..") {
            return Ok(Self::Ramp(rate(from)?, rate(to)?));
        }
        if !text.contains(':') {
            return rate(text).map(Self::Constant);
        }
        let step = |text: &str| {
            let (rate_text, time) = text.split_once(':').unwrap_or((text, ""));
            Ok((rate(rate_text)?, self::time(time)?))
        };
        text.split(',')
            .map(step)
            .collect::<Result<_, _>>()
            .map(Self::Steps)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(rate) => write!(f, "{rate}"),
            Self::Ramp(from, to) => write!(f, "{from}..{to}"),
            Self::Steps(steps) => {
                for (index, (rate, time)) in steps.iter().enumerate() {
                    let comma = if index == 0 { "" } else { "," };
                    write!(f, "{comma}{rate}:{}", humantime::format_duration(*time))?;
                }
                Ok(())
            }
        }
    }
}

impl Shape {
    /// The profile, with a ramp that takes the whole run.
    pub(crate) fn profile(&self, duration: Duration) -> Profile {
        match self {
            Self::Constant(rate) => Profile::constant(*rate),
            Self::Ramp(from, to) => Profile::ramp(*from, *to, duration),
            Self::Steps(steps) => Profile::steps(steps.iter().copied()),
        }
    }

    /// How long a run with it must be, where it says so.
    pub(crate) fn length(&self) -> Option<Duration> {
        match self {
            Self::Constant(_) | Self::Ramp(..) => None,
            Self::Steps(steps) => Some(steps.iter().map(|(_, time)| *time).sum()),
        }
    }
}

fn rate(text: &str) -> Result<f64, ParseShapeError> {
    let (number, factor) = match text.strip_suffix('k') {
        Some(number) => (number, 1_000.0),
        None => (text, 1.0),
    };
    let rate = number.parse::<f64>().map(|number| number * factor).ok();
    // Not a number is in no range.
    rate.filter(|rate| (LOWEST..=HIGHEST).contains(rate))
        .ok_or_else(|| ParseShapeError::Rate {
            text: text.to_owned(),
        })
}

fn time(text: &str) -> Result<Duration, ParseShapeError> {
    let time = humantime::parse_duration(text).ok();
    time.filter(|time| !time.is_zero())
        .ok_or_else(|| ParseShapeError::Time {
            text: text.to_owned(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_read_and_written_alike() {
        let steps = vec![
            (100.0, Duration::from_secs(10)),
            (500.5, Duration::from_millis(1_500)),
        ];
        for (text, shape) in [
            ("1000", Shape::Constant(1_000.0)),
            ("100..5000", Shape::Ramp(100.0, 5_000.0)),
            ("100:10s,500.5:1s 500ms", Shape::Steps(steps)),
        ] {
            assert_eq!(text.parse(), Ok(shape.clone()));
            assert_eq!(shape.to_string(), text);
        }
        assert_eq!("2.5k".parse(), Ok(Shape::Constant(2_500.0)));
    }

    #[test]
    fn what_is_no_rate_is_refused() {
        for text in [
            "", "0", "-1", "NaN", "inf", "1e300", "fast", "..5", "1..", "5:", ":5s", "5:0s",
            "1:1s,",
        ] {
            assert!(text.parse::<Shape>().is_err(), "{text:?}");
        }
    }
}
