//! Whether one run was better than another, and by more than chance.
//!
//! The intervals of each run tell how much its figures scatter by themselves. A change counts when
//! it is larger than that and larger than what is called small. What differs from run to run, such
//! as the temperature of a machine, is in no single run and so not in the bound either.

use std::fmt::{self, Display, Formatter};

use crate::report::Report;
use crate::report::model::Interval;
use crate::report::number;

/// 95 % of a normal distribution lie within so many deviations; few intervals need more, see
/// [`coverage`].
const DEVIATIONS: f64 = 1.96;
/// With fewer intervals nothing can be said about noise.
const FEWEST_INTERVALS: usize = 4;

/// How a figure changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// For the better.
    Better,
    /// For the worse.
    Worse,
    /// Not by more than chance, or by too little to matter.
    Same,
    /// The runs are too short to tell.
    Unknown,
}

/// One figure of both runs.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    /// Its name.
    pub(crate) name: &'static str,
    /// In the first run.
    pub(crate) before: f64,
    /// In the second.
    pub(crate) after: f64,
    /// The change as a share of the first.
    pub(crate) change: f64,
    /// By how much the change may be off, as a share of the first.
    pub(crate) noise: Option<f64>,
    /// What it means.
    pub(crate) verdict: Verdict,
    show: fn(f64) -> String,
}

#[derive(Clone, Copy)]
enum Direction {
    HigherIsBetter,
    LowerIsBetter,
}

/// Compares two runs. Changes up to `small`, as a share, do not matter.
pub(crate) fn compare(before: &Report, after: &Report, small: f64) -> Vec<Change> {
    let latency =
        |report: &Report, percentile| report.latency.decisive().at(percentile).unwrap_or_default();
    let figure =
        |name, value: &dyn Fn(&Report) -> f64, series: fn(&Interval) -> f64, direction, show| {
            let (old, new) = (value(before), value(after));
            let noise = noise(&values(before, series), &values(after, series));
            change(name, (old, new), noise, direction, small, show)
        };
    let per_second: fn(f64) -> String = |rate| format!("{}/s", number::grouped(rate));
    use Direction::{HigherIsBetter, LowerIsBetter};
    let mut changes = vec![
        figure(
            "rate",
            &|report| report.totals.rate_per_s,
            |interval| interval.rate_per_s,
            HigherIsBetter,
            per_second,
        ),
        figure(
            "p50",
            &|report| latency(report, 50.0),
            |interval| interval.p50_ms,
            LowerIsBetter,
            number::duration,
        ),
        figure(
            "p90",
            &|report| latency(report, 90.0),
            |interval| interval.p90_ms,
            LowerIsBetter,
            number::duration,
        ),
        figure(
            "p99",
            &|report| latency(report, 99.0),
            |interval| interval.p99_ms,
            LowerIsBetter,
            number::duration,
        ),
    ];
    changes.push(errors(before, after));
    changes
}

/// The figures of the whole intervals: the last one may be cut off.
fn values(report: &Report, value: fn(&Interval) -> f64) -> Vec<f64> {
    let timeline = &report.timeline;
    let whole = timeline
        .intervals
        .iter()
        .filter(|interval| interval.at_s + timeline.interval_s <= report.window_s + 1e-6);
    whole.map(value).collect()
}

fn change(
    name: &'static str,
    (before, after): (f64, f64),
    noise: Option<f64>,
    direction: Direction,
    small: f64,
    show: fn(f64) -> String,
) -> Change {
    let change = if before > 0.0 {
        after / before - 1.0
    } else {
        0.0
    };
    let verdict = match noise {
        None => Verdict::Unknown,
        Some(noise) if change.abs() <= noise.max(small) => Verdict::Same,
        Some(_) => match direction {
            Direction::HigherIsBetter if change > 0.0 => Verdict::Better,
            Direction::LowerIsBetter if change < 0.0 => Verdict::Better,
            Direction::HigherIsBetter | Direction::LowerIsBetter => Verdict::Worse,
        },
    };
    Change {
        name,
        before,
        after,
        change,
        noise,
        verdict,
        show,
    }
}

/// Errors are rare, and their own size is their noise: that of a Poisson count.
fn errors(before: &Report, after: &Report) -> Change {
    let (old, new) = (&before.totals, &after.totals);
    let float = crate::report::build::float;
    let deviation = |errors: u64, calls: u64| float(errors).max(1.0).sqrt() / float(calls.max(1));
    let noise =
        DEVIATIONS * deviation(old.errors, old.calls).hypot(deviation(new.errors, new.calls));
    let difference = new.error_rate - old.error_rate;
    let verdict = if difference.abs() <= noise {
        Verdict::Same
    } else if difference < 0.0 {
        Verdict::Better
    } else {
        Verdict::Worse
    };
    Change {
        name: "error rate",
        before: old.error_rate,
        after: new.error_rate,
        change: if old.error_rate > 0.0 {
            new.error_rate / old.error_rate - 1.0
        } else {
            0.0
        },
        noise: None,
        verdict,
        show: number::percent,
    }
}

/// By how much the relative difference of two means may be off by chance, at 95 %.
fn noise(before: &[f64], after: &[f64]) -> Option<f64> {
    let (first, second) = (Series::of(before)?, Series::of(after)?);
    if first.mean <= 0.0 {
        return None;
    }
    let error = first.error.hypot(second.error);
    let intervals = first.independent.min(second.independent);
    Some(coverage(intervals) * error / first.mean)
}

/// So many standard errors cover 95 %: Student's distribution, to 2 % from 3 degrees of freedom on
/// (the first terms of its expansion, Abramowitz and Stegun 26.7.5).
fn coverage(independent: f64) -> f64 {
    let freedom = (independent - 1.0).max(2.0);
    let z = DEVIATIONS;
    let first = (z.powi(3) + z) / (4.0 * freedom);
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * freedom.powi(2));
    z + first + second
}

/// What is known of a mean.
struct Series {
    mean: f64,
    /// Its standard error.
    error: f64,
    /// How many independent values are worth as much: neighbours that are alike say less.
    independent: f64,
}

impl Series {
    fn of(values: &[f64]) -> Option<Self> {
        if values.len() < FEWEST_INTERVALS {
            return None;
        }
        #[allow(clippy::cast_precision_loss)]
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let square = |value: &f64| (value - mean).powi(2);
        let squares = values.iter().map(square).sum::<f64>();
        let neighbours = values
            .windows(2)
            .map(|pair| (pair[0] - mean) * (pair[1] - mean));
        let alike = if squares > 0.0 {
            (neighbours.sum::<f64>() / squares).clamp(0.0, 0.9)
        } else {
            0.0
        };
        let independent = (count * (1.0 - alike) / (1.0 + alike)).max(2.0);
        Some(Self {
            mean,
            error: (squares / (count - 1.0) / independent).sqrt(),
            independent,
        })
    }
}

/// What makes two runs incomparable.
pub(crate) fn differences(before: &Report, after: &Report) -> Vec<String> {
    let mut differences = Vec::new();
    let mut differ = |what: &str, old: String, new: String| {
        if old != new {
            differences.push(format!("{what}: {old} and {new}"));
        }
    };
    let (old, new) = (&before.setup, &after.setup);
    differ("workload", old.workload.clone(), new.workload.clone());
    differ("load", format!("{:?}", old.load), format!("{:?}", new.load));
    let shape = |setup: &crate::report::model::Setup| {
        format!(
            "{} x {} in {} lanes",
            setup.connections, setup.in_flight, setup.lanes
        )
    };
    differ("connections", shape(old), shape(new));
    differ("TLS", old.tls.to_string(), new.tls.to_string());
    let machine = |report: &Report| {
        let environment = &report.environment;
        let cpu = environment.cpu.as_deref().unwrap_or("unknown");
        format!("{} x {cpu}", environment.processors)
    };
    differ("machine", machine(before), machine(after));
    differences
}

impl Display for Change {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let signed = |share: f64| format!("{:+.1} %", share * 100.0);
        let noise = self
            .noise
            .map_or(String::new(), |noise| format!("± {:.1} %", noise * 100.0));
        let verdict = match self.verdict {
            Verdict::Better => "better",
            Verdict::Worse => "WORSE",
            Verdict::Same => "no change that matters",
            Verdict::Unknown => "too short to tell",
        };
        write!(
            f,
            "{:<11}{:>13}{:>13}{:>10} {:>9}  {verdict}",
            self.name,
            (self.show)(self.before),
            (self.show)(self.after),
            signed(self.change),
            noise
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::report::example;

    /// A run whose intervals scatter by `scatter` around `rate`.
    fn run(rate: f64, scatter: f64, seed: u64) -> Report {
        let mut report = example::report();
        let mut random = Random::new(seed);
        for interval in &mut report.timeline.intervals {
            interval.rate_per_s = rate * (1.0 + scatter * (random.unit() - 0.5));
        }
        report.totals.rate_per_s = rate;
        report
    }

    fn verdict(before: &Report, after: &Report, small: f64) -> Verdict {
        compare(before, after, small)[0].verdict
    }

    #[test]
    fn a_change_beyond_the_noise_counts() {
        let before = run(1_000.0, 0.02, 1);
        assert_eq!(verdict(&before, &run(900.0, 0.02, 2), 0.05), Verdict::Worse);
        assert_eq!(
            verdict(&before, &run(1_100.0, 0.02, 2), 0.05),
            Verdict::Better
        );
    }

    #[test]
    fn a_change_within_the_noise_does_not() {
        let before = run(1_000.0, 0.8, 1);
        assert_eq!(verdict(&before, &run(920.0, 0.8, 2), 0.0), Verdict::Same);
    }

    #[test]
    fn a_small_change_does_not_matter_however_certain() {
        let before = run(1_000.0, 0.001, 1);
        assert_eq!(verdict(&before, &run(970.0, 0.001, 2), 0.05), Verdict::Same);
        assert_eq!(
            verdict(&before, &run(970.0, 0.001, 2), 0.01),
            Verdict::Worse
        );
    }

    #[test]
    fn a_short_run_tells_nothing() {
        let mut before = run(1_000.0, 0.0, 1);
        before.timeline.intervals.truncate(2);
        assert_eq!(verdict(&before, &run(10.0, 0.0, 2), 0.05), Verdict::Unknown);
    }

    #[test]
    fn the_bound_covers_what_chance_does() {
        // Two runs of the same kind differ beyond the bound in about one case of twenty.
        let beyond = (0..1_000).filter(|number| {
            let series = |seed| {
                let mut random = Random::new(seed);
                let sums = (0..10).map(|_| (0..12).map(|_| random.unit()).sum::<f64>());
                sums.collect::<Vec<_>>()
            };
            let (a, b) = (series(2 * number), series(2 * number + 1));
            let mean = |values: &[f64]| values.iter().sum::<f64>() / 10.0;
            (mean(&b) / mean(&a) - 1.0).abs() > noise(&a, &b).unwrap()
        });
        let beyond = beyond.count();
        assert!((10..90).contains(&beyond), "{beyond} of 1000");
    }

    #[test]
    fn errors_count_when_there_are_more_than_chance_brings() {
        let with_errors = |errors: u64| {
            let mut report = run(1_000.0, 0.0, 1);
            report.totals.calls = 100_000;
            report.totals.errors = errors;
            report.totals.error_rate = crate::report::build::float(errors) / 1e5;
            report
        };
        let last = |a, b| {
            compare(&with_errors(a), &with_errors(b), 0.05)
                .pop()
                .unwrap()
                .verdict
        };
        assert_eq!(last(0, 1), Verdict::Same);
        assert_eq!(last(0, 10), Verdict::Worse);
        assert_eq!(last(100, 110), Verdict::Same);
        assert_eq!(last(200, 100), Verdict::Better);
    }

    #[test]
    fn other_setups_are_told() {
        let before = run(1.0, 0.0, 1);
        let mut after = before.clone();
        assert_eq!(differences(&before, &after), Vec::<String>::new());
        after.setup.workload = "play".to_owned();
        assert_eq!(differences(&before, &after).len(), 1);
    }
}
