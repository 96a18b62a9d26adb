//! Makes a report out of what was measured.

use std::time::Duration;

use super::model::{
    Bucket, Distribution, Environment, ErrorKind, Generator, Interval, Latencies, Method,
    Percentile, Report, SCHEMA_VERSION, Setup, Thread, Timeline, Totals,
};
use crate::load::Outcome;
use crate::measure::{CpuTime, Latency, Measured};

/// The percentiles listed.
pub(crate) const PERCENTILES: [f64; 10] = [
    10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99, 99.999,
];
/// Buckets to a factor of ten in the histograms of a report: each is 10 % wide.
const BUCKETS_PER_DECADE: f64 = 24.0;

/// The report of a run.
pub(crate) fn report(setup: Setup, environment: Environment, outcome: &Outcome) -> Report {
    let window = outcome.window.as_secs_f64();
    let methods: Vec<_> = outcome
        .methods
        .iter()
        .map(|(rpc, measured)| Method {
            method: rpc.name().to_owned(),
            ok: measured.ok,
            errors: measured.errors,
            rate_per_s: per_second(measured.ok, window),
            latency: latencies(measured),
        })
        .collect();
    let mut all = Measured::new();
    for (rpc, measured) in &outcome.methods {
        if rpc.is_call() {
            all.add(measured);
        }
    }
    let mut report = Report {
        schema_version: SCHEMA_VERSION,
        started_at: humantime::format_rfc3339_millis(outcome.began).to_string(),
        setup,
        environment,
        window_s: window,
        cut_short: outcome.cut_short.as_ref().map(ToString::to_string),
        totals: totals(outcome, &all),
        latency: latencies(&all),
        methods,
        errors: errors(outcome),
        timeline: timeline(outcome),
        generator: generator(outcome, all.ok + all.errors),
        thresholds: Vec::new(),
        search: None,
        warnings: Vec::new(),
    };
    report.generator.is_bottleneck = super::warnings::is_bottleneck(&report);
    report.warnings = super::warnings::warnings(&report, outcome.capped, outcome.reopened);
    report
}

fn totals(outcome: &Outcome, all: &Measured) -> Totals {
    let window = outcome.window.as_secs_f64();
    let calls = all.ok + all.errors;
    let punctuality = outcome.punctuality.as_ref();
    let due = outcome.timeline.intervals().iter();
    Totals {
        calls,
        ok: all.ok,
        errors: all.errors,
        error_rate: ratio(all.errors, calls),
        rate_per_s: per_second(all.ok, window),
        items: all.items,
        items_per_s: per_second(all.items, window),
        due: punctuality.map(|_| due.map(|interval| interval.due).sum()),
        unsent: punctuality.map(|punctuality| punctuality.unsent),
        delayed: punctuality.map(|punctuality| punctuality.delayed),
        received_bytes: outcome.transferred.0,
        sent_bytes: outcome.transferred.1,
    }
}

fn errors(outcome: &Outcome) -> Vec<ErrorKind> {
    let mut errors: Vec<_> = outcome
        .faults
        .iter()
        .map(|(kind, fault)| ErrorKind {
            method: kind.rpc.name().to_owned(),
            code: kind.code.to_owned(),
            reason: kind.reason.clone(),
            count: fault.count,
            example: fault.example.clone(),
        })
        .collect();
    errors.sort_by_key(|kind| std::cmp::Reverse(kind.count));
    errors
}

fn timeline(outcome: &Outcome) -> Timeline {
    let width = outcome.timeline.width();
    let intervals = outcome.timeline.intervals().iter().zip(0_u32..);
    let intervals = intervals.map(|(interval, index)| {
        let at = width * index;
        // The last one may be cut off.
        let length = width.min(outcome.window.saturating_sub(at));
        let quantile = |share| ms(interval.latency.quantile(share));
        Interval {
            at_s: at.as_secs_f64(),
            ok: interval.ok,
            errors: interval.errors,
            due: interval.due,
            rate_per_s: per_second(interval.ok, length.as_secs_f64()),
            p50_ms: quantile(0.5),
            p90_ms: quantile(0.9),
            p99_ms: quantile(0.99),
            max_ms: ms(interval.latency.max()),
        }
    });
    Timeline {
        interval_s: width.as_secs_f64(),
        intervals: intervals.collect(),
    }
}

fn generator(outcome: &Outcome, calls: u64) -> Generator {
    let window = outcome.window.as_secs_f64();
    let cpu = outcome.cpu_used().map(|cpu| cpu.as_secs_f64());
    let share = |time: Duration| {
        if window > 0.0 {
            time.as_secs_f64() / window
        } else {
            0.0
        }
    };
    let threads = outcome.cpu.iter().flatten();
    let threads = threads.map(|CpuTime { used, waited }| Thread {
        busy: share(*used),
        waiting: share(*waited),
    });
    Generator {
        cpu_s: cpu,
        cpu_us_per_call: cpu
            .filter(|_| calls > 0)
            .map(|cpu| cpu * 1e6 / float(calls)),
        threads: threads.collect(),
        lateness: outcome
            .punctuality
            .as_ref()
            .map(|punctuality| distribution(&punctuality.lateness)),
        is_bottleneck: false,
    }
}

fn latencies(measured: &Measured) -> Latencies {
    Latencies {
        from_due: (measured.from_due.count() > 0).then(|| distribution(&measured.from_due)),
        from_sent: distribution(&measured.from_sent),
    }
}

/// A histogram as a report shows it.
pub(crate) fn distribution(latency: &Latency) -> Distribution {
    let percentiles = PERCENTILES.map(|percentile| Percentile {
        percentile,
        ms: ms(latency.quantile(percentile / 100.0)),
    });
    Distribution {
        count: latency.count(),
        min_ms: ms(latency.min()),
        mean_ms: ms(latency.mean()),
        deviation_ms: ms(latency.deviation()),
        max_ms: ms(latency.max()),
        percentiles: if latency.count() > 0 {
            percentiles.to_vec()
        } else {
            Vec::new()
        },
        buckets: buckets(latency),
    }
}

fn buckets(latency: &Latency) -> Vec<Bucket> {
    let mut buckets: Vec<Bucket> = Vec::new();
    for (longest, count) in latency.buckets() {
        let step = (ms(longest).max(1e-4).log10() * BUCKETS_PER_DECADE).ceil();
        let up_to_ms = 10_f64.powf(step / BUCKETS_PER_DECADE);
        match buckets.last_mut() {
            Some(last) if last.up_to_ms >= up_to_ms => last.count += count,
            _ => buckets.push(Bucket { up_to_ms, count }),
        }
    }
    buckets
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

fn per_second(count: u64, seconds: f64) -> f64 {
    if seconds > 0.0 {
        float(count) / seconds
    } else {
        0.0
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole > 0 {
        float(part) / float(whole)
    } else {
        0.0
    }
}

/// Exact up to 2^53, which no run reaches.
#[allow(clippy::cast_precision_loss)]
pub(crate) const fn float(count: u64) -> f64 {
    count as f64
}
