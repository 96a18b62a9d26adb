//! The charts of the page.

use std::fmt::{self, Formatter};

use super::Escaped;
use crate::report::build::float;
use crate::report::chart::{Axis, Bar, Chart, Layer, Scale};
use crate::report::model::{Distribution, Interval, Report};
use crate::report::number;

/// Writes all charts; none where nothing was measured.
pub(super) fn write(f: &mut Formatter<'_>, report: &Report) -> fmt::Result {
    if report.totals.calls == 0 {
        return Ok(());
    }
    f.write_str("<section class=\"charts\">")?;
    rate(f, report)?;
    latency(f, report)?;
    percentiles(f, report)?;
    histogram(f, report)?;
    f.write_str("</section>")
}

fn figure(
    f: &mut Formatter<'_>,
    title: &str,
    legend: &[(&str, &str)],
    chart: &Chart,
) -> fmt::Result {
    write!(f, "<figure><h2>{title}</h2><figcaption>")?;
    for (class, text) in legend {
        write!(f, "<span><i class=\"{class}\"></i>{}</span>", Escaped(text))?;
    }
    write!(f, "</figcaption>{chart}</figure>")
}

fn rate(f: &mut Formatter<'_>, report: &Report) -> fmt::Result {
    let width = report.timeline.interval_s;
    let intervals = &report.timeline.intervals;
    let errors = |interval: &Interval| float(interval.errors) / width;
    let due = |interval: &Interval| float(interval.due) / width;
    let highest = intervals
        .iter()
        .map(|interval| interval.rate_per_s.max(errors(interval)).max(due(interval)))
        .fold(0.0, f64::max);
    let failed = intervals.iter().filter(|interval| interval.errors > 0);
    let mut layers = vec![Layer::Bars {
        class: "bad",
        bars: failed
            .map(|interval| Bar {
                x: (interval.at_s, interval.at_s + width),
                y: errors(interval),
                title: format!("{} failed", number::count(interval.errors)),
            })
            .collect(),
    }];
    let mut legend = vec![("a", "succeeded"), ("bad", "failed")];
    if report.totals.due.is_some() {
        legend.push(("d", "due"));
        layers.push(line(report, "d", due));
    }
    layers.push(line(report, "a", |interval| interval.rate_per_s));
    let chart = Chart {
        label: "Calls a second over time".to_owned(),
        x: time_axis(report),
        y: axis(Scale::linear(0.0, highest * 1.05), 5, number::grouped),
        layers,
    };
    figure(f, "Calls a second", &legend, &chart)
}

fn latency(f: &mut Formatter<'_>, report: &Report) -> fmt::Result {
    let intervals = report.timeline.intervals.iter();
    let answered: Vec<_> = intervals.filter(|interval| interval.p50_ms > 0.0).collect();
    let lowest = answered
        .iter()
        .map(|interval| interval.p50_ms)
        .fold(f64::INFINITY, f64::min);
    let highest = answered
        .iter()
        .map(|interval| interval.max_ms)
        .fold(0.0, f64::max);
    let lowest = if lowest.is_finite() { lowest } else { 1.0 };
    let chart = Chart {
        label: "Latency over time".to_owned(),
        x: time_axis(report),
        y: latency_axis(lowest / 1.2, highest * 1.2),
        layers: vec![
            line(report, "d", |interval| interval.max_ms),
            line(report, "b", |interval| interval.p99_ms),
            line(report, "c", |interval| interval.p90_ms),
            line(report, "a", |interval| interval.p50_ms),
        ],
    };
    let legend = [("a", "p50"), ("c", "p90"), ("b", "p99"), ("d", "slowest")];
    figure(f, from(report, "Latency over time"), &legend, &chart)
}

fn from<'a>(report: &Report, title: &'a str) -> &'a str {
    match (title, report.latency.from_due.is_some()) {
        ("Latency over time", true) => "Latency over time, from due time",
        _ => title,
    }
}

fn percentiles(f: &mut Formatter<'_>, report: &Report) -> fmt::Result {
    let latency = &report.latency;
    let both = [latency.from_due.as_ref(), Some(&latency.from_sent)];
    let shown: Vec<_> = both.into_iter().flatten().collect();
    let lowest = shown
        .iter()
        .map(|one| one.min_ms)
        .fold(f64::INFINITY, f64::min);
    let highest = shown.iter().map(|one| one.max_ms).fold(0.0, f64::max);
    let deepest = shown
        .iter()
        .map(|one| float(one.count))
        .fold(10.0, f64::max);
    let mut layers = vec![Layer::Line {
        class: "a",
        points: curve(&latency.from_sent),
    }];
    let mut legend = vec![("a", "from sending")];
    if let Some(from_due) = &latency.from_due {
        layers.push(Layer::Line {
            class: "b",
            points: curve(from_due),
        });
        legend.push(("b", "from due time: what callers see"));
    }
    let scale = Scale::logarithmic(1.0, deepest);
    let chart = Chart {
        label: "Latency by percentile".to_owned(),
        x: Axis {
            ticks: [1.0, 2.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6]
                .into_iter()
                .filter(|tick| *tick <= deepest)
                .collect(),
            scale,
            text: |rarity| {
                let percent = 100.0 - 100.0 / rarity;
                format!("{}%", (percent * 1e6).round() / 1e6)
            },
        },
        y: latency_axis(lowest / 1.2, highest * 1.2),
        layers,
    };
    figure(f, "Latency by percentile", &legend, &chart)
}

/// How rare a latency is, one in so many, and the latency.
fn curve(latency: &Distribution) -> Vec<(f64, f64)> {
    let total = float(latency.count);
    let mut below = 0.0;
    let mut points = vec![(1.0, latency.min_ms)];
    for bucket in &latency.buckets {
        below += float(bucket.count);
        let rarity = if below < total {
            total / (total - below)
        } else {
            total
        };
        points.push((rarity, bucket.up_to_ms.min(latency.max_ms)));
    }
    points
}

fn histogram(f: &mut Formatter<'_>, report: &Report) -> fmt::Result {
    let latency = report.latency.decisive();
    let total = float(latency.count.max(1));
    let highest = latency
        .buckets
        .iter()
        .map(|bucket| float(bucket.count) / total);
    let highest = highest.fold(0.0, f64::max);
    // Buckets are 24 to a decade.
    let width = 10_f64.powf(1.0 / 24.0);
    let bars: Vec<_> = latency
        .buckets
        .iter()
        .map(|bucket| {
            let (from, to) = (bucket.up_to_ms / width, bucket.up_to_ms);
            Bar {
                x: (from, to),
                y: float(bucket.count) / total,
                title: format!(
                    "{} to {}: {}",
                    number::duration(from),
                    number::duration(to),
                    number::count(bucket.count)
                ),
            }
        })
        .collect();
    let first = bars.first().map_or(1.0, |bar| bar.x.0);
    let last = bars.last().map_or(10.0, |bar| bar.x.1);
    let scale = Scale::logarithmic(first, last);
    let chart = Chart {
        label: "Histogram of latencies".to_owned(),
        x: Axis {
            ticks: scale.ticks(7),
            scale,
            text: short_duration,
        },
        y: axis(Scale::linear(0.0, highest * 1.05), 4, number::percent),
        layers: vec![Layer::Bars { class: "a", bars }],
    };
    let of = if report.latency.from_due.is_some() {
        "share of calls, from due time"
    } else {
        "share of calls, from sending"
    };
    figure(f, "Histogram of latencies", &[("a", of)], &chart)
}

fn line(report: &Report, class: &'static str, value: impl Fn(&Interval) -> f64) -> Layer {
    let half = report.timeline.interval_s / 2.0;
    let intervals = report.timeline.intervals.iter();
    Layer::Line {
        class,
        points: intervals
            .map(|interval| (interval.at_s + half, value(interval)))
            .collect(),
    }
}

fn axis(scale: Scale, ticks: u32, text: fn(f64) -> String) -> Axis {
    Axis {
        ticks: scale.ticks(ticks),
        scale,
        text,
    }
}

fn time_axis(report: &Report) -> Axis {
    axis(Scale::linear(0.0, report.window_s), 8, |seconds| {
        format!("{} s", number::grouped(seconds))
    })
}

fn latency_axis(lowest: f64, highest: f64) -> Axis {
    axis(Scale::logarithmic(lowest, highest), 5, short_duration)
}

/// Without digits that say nothing.
fn short_duration(ms: f64) -> String {
    match ms {
        ms if ms < 0.9995 => format!("{} µs", number::grouped(ms * 1e3)),
        ms if ms < 999.5 => format!("{} ms", number::grouped(ms)),
        _ => format!("{} s", number::grouped(ms / 1e3)),
    }
}
