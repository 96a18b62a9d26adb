//! What is demanded of a run: `p99<10ms`, `error_rate<0.1%`, `PlayMove.p99<=20ms`.
//!
//! Knows a report's figures; nothing of how they came about.

use std::fmt;
use std::str::FromStr;

use crate::report::Report;
use crate::report::model::{Distribution, Verdict};

/// A demand: a metric, a comparison and a bound.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Threshold {
    /// As it was written.
    text: String,
    /// The method, or all of them.
    method: Option<String>,
    metric: Metric,
    comparison: Comparison,
    /// In the metric's unit.
    bound: f64,
}

/// What can be demanded.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Metric {
    /// A percentile of the latency, in milliseconds.
    Percentile(f64),
    /// The mean latency, in milliseconds.
    Mean,
    /// The longest latency, in milliseconds.
    Max,
    /// Successful calls a second.
    Rate,
    /// Failed calls among all, from 0 to 1.
    ErrorRate,
    /// Failed calls.
    Errors,
    /// Calls that were due and never sent.
    Unsent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Below,
    AtMost,
    Above,
    AtLeast,
}

/// The text is no threshold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ParseThresholdError {
    /// Nothing is compared.
    #[error("expected METRIC<BOUND, such as p99<10ms or error_rate<0.1%")]
    Comparison,
    /// What is compared is unknown.
    #[error(
        "{metric:?} is no metric: p50, p90, p95, p99, p99.9, p99.99, mean, max, rate, \
         error_rate, errors or unsent, after a method's name and a dot if it is not for all"
    )]
    Metric {
        /// What stands in its place.
        metric: String,
    },
    /// What it is compared with is no value of the metric.
    #[error("{bound:?} is not {expected}")]
    Bound {
        /// What stands in its place.
        bound: String,
        /// What should.
        expected: &'static str,
    },
}

impl FromStr for Threshold {
    type Err = ParseThresholdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let at = text
            .find(['<', '>'])
            .ok_or(ParseThresholdError::Comparison)?;
        let (left, right) = text.split_at(at);
        let (comparison, bound) = [
            ("<=", Comparison::AtMost),
            (">=", Comparison::AtLeast),
            ("<", Comparison::Below),
            (">", Comparison::Above),
        ]
        .into_iter()
        .find_map(|(sign, comparison)| Some((comparison, right.strip_prefix(sign)?)))
        .ok_or(ParseThresholdError::Comparison)?;
        let left = left.trim();
        // A method's name begins with a capital letter, a metric's does not.
        let (method, metric) = match left.split_once('.') {
            Some((method, metric))
                if method.starts_with(|first: char| first.is_ascii_uppercase()) =>
            {
                (Some(method.to_owned()), metric)
            }
            Some(_) | None => (None, left),
        };
        let metric: Metric = metric.parse()?;
        Ok(Self {
            text: text.to_owned(),
            bound: metric.bound(bound.trim())?,
            method,
            metric,
            comparison,
        })
    }
}

impl FromStr for Metric {
    type Err = ParseThresholdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let percentile = text
            .strip_prefix('p')
            .and_then(|number| number.parse::<f64>().ok())
            .filter(|number| crate::report::build::PERCENTILES.contains(number));
        Ok(match (percentile, text) {
            (Some(percentile), _) => Self::Percentile(percentile),
            (None, "mean") => Self::Mean,
            (None, "max") => Self::Max,
            (None, "rate") => Self::Rate,
            (None, "error_rate") => Self::ErrorRate,
            (None, "errors") => Self::Errors,
            (None, "unsent") => Self::Unsent,
            (None, _) => {
                return Err(ParseThresholdError::Metric {
                    metric: text.to_owned(),
                });
            }
        })
    }
}

impl Metric {
    /// Reads a value of this metric.
    fn bound(self, text: &str) -> Result<f64, ParseThresholdError> {
        let (value, expected) = match self {
            Self::Percentile(_) | Self::Mean | Self::Max => (
                humantime::parse_duration(text)
                    .ok()
                    .map(|time| time.as_secs_f64() * 1e3),
                "a time such as 10ms",
            ),
            Self::Rate | Self::Errors | Self::Unsent => (text.parse().ok(), "a number"),
            Self::ErrorRate => {
                let value = match text.strip_suffix('%') {
                    Some(percent) => percent.trim().parse().map(|percent: f64| percent / 100.0),
                    None => text.parse(),
                };
                let share = value.ok().filter(|share| (0.0..=1.0).contains(share));
                (share, "a share such as 0.1% or 0.001")
            }
        };
        value
            .filter(|value| value.is_finite() && *value >= 0.0)
            .ok_or_else(|| ParseThresholdError::Bound {
                bound: text.to_owned(),
                expected,
            })
    }
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Threshold {
    /// Whether the run keeps to it. A run in which nothing of the kind was measured does not.
    pub(crate) fn verdict(&self, report: &Report) -> Verdict {
        let value = self.value(report);
        Verdict {
            threshold: self.text.clone(),
            value,
            holds: value.is_some_and(|value| match self.comparison {
                Comparison::Below => value < self.bound,
                Comparison::AtMost => value <= self.bound,
                Comparison::Above => value > self.bound,
                Comparison::AtLeast => value >= self.bound,
            }),
        }
    }

    /// Whether it is about errors, so that it takes the place of what is demanded anyway.
    pub(crate) const fn is_about_errors(&self) -> bool {
        matches!(self.metric, Metric::ErrorRate | Metric::Errors)
    }

    fn value(&self, report: &Report) -> Option<f64> {
        let totals = &report.totals;
        let (ok, errors, rate, latency) = match &self.method {
            None => (totals.ok, totals.errors, totals.rate_per_s, &report.latency),
            Some(name) => {
                let method = report
                    .methods
                    .iter()
                    .find(|method| method.method == *name)?;
                (method.ok, method.errors, method.rate_per_s, &method.latency)
            }
        };
        if ok + errors == 0 {
            return None;
        }
        let latency: &Distribution = latency.decisive();
        let measured = |value| (latency.count > 0).then_some(value);
        let float = crate::report::build::float;
        match self.metric {
            Metric::Percentile(percentile) => latency.at(percentile),
            Metric::Mean => measured(latency.mean_ms),
            Metric::Max => measured(latency.max_ms),
            Metric::Rate => Some(rate),
            Metric::ErrorRate => Some(float(errors) / float(ok + errors)),
            Metric::Errors => Some(float(errors)),
            Metric::Unsent => Some(float(totals.unsent.unwrap_or_default())),
        }
    }

    /// A value of its metric, for people.
    pub(crate) fn show(&self, value: f64) -> String {
        use crate::report::number;
        match self.metric {
            Metric::Percentile(_) | Metric::Mean | Metric::Max => number::duration(value),
            Metric::Rate => format!("{}/s", number::grouped(value)),
            Metric::ErrorRate => number::percent(value),
            Metric::Errors | Metric::Unsent => number::grouped(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    fn holds(text: &str, report: &Report) -> bool {
        text.parse::<Threshold>().unwrap().verdict(report).holds
    }

    #[test]
    fn each_form_is_read() {
        for (text, metric, bound) in [
            ("p99<10ms", Metric::Percentile(99.0), 10.0),
            ("p99.9 <= 1s", Metric::Percentile(99.9), 1_000.0),
            ("mean<250us", Metric::Mean, 0.25),
            ("rate>=5000", Metric::Rate, 5_000.0),
            ("error_rate<0.1%", Metric::ErrorRate, 0.001),
            ("error_rate<=0.5", Metric::ErrorRate, 0.5),
            ("errors<1", Metric::Errors, 1.0),
            ("unsent<=0", Metric::Unsent, 0.0),
        ] {
            let threshold: Threshold = text.parse().unwrap();
            assert_eq!(
                (threshold.metric, threshold.method),
                (metric, None),
                "{text}"
            );
            assert!((threshold.bound - bound).abs() < 1e-9, "{text}");
        }
        let threshold: Threshold = "PlayMove.p99.9<1s".parse().unwrap();
        assert_eq!(threshold.method.as_deref(), Some("PlayMove"));
        assert_eq!(threshold.metric, Metric::Percentile(99.9));
    }

    #[test]
    fn what_is_no_threshold_is_refused() {
        for text in [
            "",
            "p99",
            "p99=1ms",
            "p101<1ms",
            "p98.7<1ms",
            "latency<1ms",
            "p99<10",
            "p99<-1ms",
            "p99<fast",
            "rate>fast",
            "rate>NaN",
            "error_rate<150%",
            "errors<-1",
            "PlayMove<1ms",
            "PlayMove.x<1",
        ] {
            assert!(text.parse::<Threshold>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_threshold_holds_or_not() {
        let report = example::report();
        for (text, expected) in [
            ("errors<=10", true),
            ("errors<10", false),
            ("error_rate<=1%", true),
            ("error_rate<1%", false),
            ("rate>98", true),
            ("unsent<=7", true),
            ("unsent<7", false),
            ("p50<1h", true),
            ("p50>1h", false),
            ("PlayMove.rate<21", true),
            ("PlayMove.errors<1", true),
        ] {
            assert_eq!(holds(text, &report), expected, "{text}");
        }
    }

    #[test]
    fn nothing_measured_keeps_to_nothing() {
        let report = example::empty();
        for text in [
            "p99<1h",
            "errors<1",
            "error_rate<1",
            "rate<1000000",
            "max<1h",
        ] {
            assert!(!holds(text, &report), "{text}");
        }
        assert!(!holds("NoSuchMethod.errors<1", &example::report()));
    }
}
