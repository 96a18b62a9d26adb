//! What makes the figures of a run doubtful.

use super::build::float;
use super::model::Report;
use super::number;

/// A generator thread that is on a processor for more of the time than this has no time left.
const BUSY: f64 = 0.9;
/// A generator that waits for a processor for more of the time than this is held up by others.
const WAITING: f64 = 0.2;
/// Lateness that spoils latencies: more than this share of the median.
const LATE: f64 = 0.5;
/// Calls delayed or unsent that matter.
const MANY: f64 = 0.001;

/// Whether the generator, and not the server, set the limit.
pub(crate) fn is_bottleneck(report: &Report) -> bool {
    let threads = &report.generator.threads;
    threads
        .iter()
        .any(|thread| thread.busy + thread.waiting > BUSY && thread.busy > thread.waiting)
}

/// What a reader has to know.
pub(crate) fn warnings(report: &Report, capped: Option<usize>, reopened: u64) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut warn = |text: String| warnings.push(text);
    let generator = &report.generator;
    if report.environment.generator_build != "release" {
        warn(
            "this generator is a debug build: it is slow and the figures are worth nothing".into(),
        );
    }
    if generator.is_bottleneck {
        warn(
            "the generator had no time left: it set the limit, not the server; give it more \
              --threads or a machine of its own"
                .into(),
        );
    } else if generator
        .threads
        .iter()
        .any(|thread| thread.waiting > WAITING)
    {
        warn(
            "the generator often waited for a processor: this machine was too busy for it, and \
              part of the latency is its own"
                .into(),
        );
    }
    if let Some(late) = generator.lateness.as_ref().and_then(|late| late.at(99.0)) {
        let median = report.latency.from_sent.at(50.0).unwrap_or_default();
        if late > median * LATE && late > 0.5 {
            warn(format!(
                "1 % of the calls were sent {} late or more by the generator itself",
                number::duration(late)
            ));
        }
    }
    let totals = &report.totals;
    if let (Some(due), Some(delayed), Some(unsent)) = (totals.due, totals.delayed, totals.unsent) {
        let share = |count| {
            if due > 0 {
                float(count) / float(due)
            } else {
                0.0
            }
        };
        if share(unsent) > MANY {
            warn(format!(
                "{} of {} due calls were never sent: the server did not keep up, and the \
                 latencies from due time are lower bounds",
                number::count(unsent),
                number::count(due)
            ));
        } else if share(delayed) > MANY {
            warn(format!(
                "{} of {} due calls had to wait for a free lane; their wait is in the latency \
                 from due time. More --connections or --in-flight would send them in time",
                number::count(delayed),
                number::count(due)
            ));
        }
    }
    if let Some(capped) = capped {
        warn(format!(
            "{capped} calls in flight on a connection instead of {}: the server allows no more",
            report.setup.in_flight
        ));
    }
    if reopened > 0 {
        warn(format!(
            "connections were lost and opened again {reopened} times"
        ));
    }
    warnings
}
