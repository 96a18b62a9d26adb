//! The tables of the page.

use std::fmt::{self, Formatter};

use super::Escaped;
use crate::report::model::{Distribution, Report};
use crate::report::number;

/// The percentiles shown.
const SHOWN: [f64; 6] = [50.0, 90.0, 99.0, 99.9, 99.99, 99.999];

/// Writes all tables that have something in them.
pub(super) fn write(f: &mut Formatter<'_>, report: &Report) -> fmt::Result {
    thresholds(f, report)?;
    if report.totals.calls > 0 {
        latency(f, report)?;
    }
    methods(f, report)?;
    errors(f, report)?;
    search(f, report)?;
    generator(f, report)
}

/// A table: its head, then its rows. Cells of columns named with a leading `<` hold text.
fn table<const N: usize>(
    f: &mut Formatter<'_>,
    title: &str,
    head: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
) -> fmt::Result {
    let class = |name: &str| {
        if name.starts_with('<') {
            " class=\"text\""
        } else {
            ""
        }
    };
    write!(f, "<section class=\"card\"><h2>{title}</h2><table><tr>")?;
    for name in head {
        write!(
            f,
            "<th{}>{}</th>",
            class(name),
            Escaped(name.trim_start_matches('<'))
        )?;
    }
    f.write_str("</tr>")?;
    for row in rows {
        f.write_str("<tr>")?;
        for (name, cell) in head.iter().zip(row) {
            write!(f, "<td{}>{}</td>", class(name), Escaped(&cell))?;
        }
        f.write_str("</tr>")?;
    }
    f.write_str("</table></section>")
}

fn thresholds(f: &mut Formatter<'_>, report: &Report) -> fmt::Result {
    if report.thresholds.is_empty() {
        return Ok(());
    }
    f.write_str("<section class=\"card\"><h2>Thresholds</h2><table>")?;
    for verdict in &report.thresholds {
        let (class, word) = if verdict.holds {
            ("good", "holds")
        } else {
            ("broken", "broken")
        };
        write!(
            f,
            "<tr><td>{}</td><td class=\"{class}\">{word}</td></tr>",
            Escaped(&verdict.threshold)
        )?;
    }
    f.write_str("</table></section>")
}

fn at(latency: &Distribution, percentile: f64) -> String {
    latency
        .at(percentile)
        .map_or("-".to_owned(), number::duration)
}

fn latency(f: &mut Formatter<'_>, report: &Report) -> fmt::Result {
    let rows = [
        ("from due time", report.latency.from_due.as_ref()),
        ("from sending", Some(&report.latency.from_sent)),
    ];
    let rows = rows.into_iter().filter_map(|(name, latency)| {
        let latency = latency?;
        let [a, b, c, d, e, g] = SHOWN.map(|percentile| at(latency, percentile));
        let (max, mean) = (
            number::duration(latency.max_ms),
            number::duration(latency.mean_ms),
        );
        Some([name.to_owned(), a, b, c, d, e, g, max, mean])
    });
    let head = [
        "", "p50", "p90", "p99", "p99.9", "p99.99", "p99.999", "max", "mean",
    ];
    table(f, "Latency", head, rows)
}

fn methods(f: &mut Formatter<'_>, report: &Report) -> fmt::Result {
    let rows = report.methods.iter().map(|method| {
        let latency = method.latency.decisive();
        [
            method.method.clone(),
            number::grouped(method.rate_per_s),
            number::count(method.ok),
            number::count(method.errors),
            at(latency, 50.0),
            at(latency, 90.0),
            at(latency, 99.0),
            at(latency, 99.9),
            number::duration(latency.max_ms),
        ]
    });
    if report.methods.is_empty() {
        return Ok(());
    }
    let head = [
        "method",
        "/s",
        "succeeded",
        "failed",
        "p50",
        "p90",
        "p99",
        "p99.9",
        "max",
    ];
    table(f, "Methods", head, rows)
}

fn errors(f: &mut Formatter<'_>, report: &Report) -> fmt::Result {
    if report.errors.is_empty() {
        return Ok(());
    }
    let rows = report.errors.iter().map(|error| {
        [
            error.method.clone(),
            number::count(error.count),
            error.code.clone(),
            error.reason.clone(),
            error.example.clone(),
        ]
    });
    table(
        f,
        "Failed calls",
        ["method", "count", "<code", "<reason", "<such as"],
        rows,
    )
}

fn search(f: &mut Formatter<'_>, report: &Report) -> fmt::Result {
    let Some(search) = &report.search else {
        return Ok(());
    };
    let rows = search.probes.iter().map(|probe| {
        [
            number::grouped(probe.rate),
            number::duration(probe.p50_ms),
            number::duration(probe.p99_ms),
            if probe.holds {
                "holds".to_owned()
            } else {
                probe.broken.join(", ")
            },
        ]
    });
    let title = format!("Rates tried for {}", Escaped(&search.slo.join(" and ")));
    table(f, &title, ["calls a second", "p50", "p99", "<"], rows)
}

fn generator(f: &mut Formatter<'_>, report: &Report) -> fmt::Result {
    let generator = &report.generator;
    let rows = generator.threads.iter().zip(1..).map(|(thread, index)| {
        [
            format!("thread {index}"),
            number::percent(thread.busy),
            number::percent(thread.waiting),
        ]
    });
    let mut title = "What the generator itself used".to_owned();
    if let Some(us) = generator.cpu_us_per_call {
        title.push_str(&format!(
            ": {} of a processor a call",
            number::duration(us / 1e3)
        ));
    }
    let late = generator.lateness.as_ref().and_then(|late| late.at(99.0));
    if let Some(late) = late {
        title.push_str(&format!(
            "; 99 % of calls sent within {} of due",
            number::duration(late)
        ));
    }
    table(f, &title, ["", "on a processor", "waiting for one"], rows)
}
