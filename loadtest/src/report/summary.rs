//! A report as text for people.

use std::fmt::{self, Display, Formatter};

use super::model::{Distribution, Load, Report};
use super::number;
use crate::threshold::Threshold;

/// The percentiles shown.
const SHOWN: [f64; 5] = [50.0, 90.0, 99.0, 99.9, 99.99];

/// Shows as text of a few lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Summary<'a> {
    /// What to show.
    pub(crate) report: &'a Report,
    /// The thresholds that its verdicts are about, in the same order.
    pub(crate) thresholds: &'a [Threshold],
}

impl Display for Summary<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let report = self.report;
        self.head(f)?;
        if report.totals.calls == 0 {
            writeln!(f, "\nnothing was measured")?;
        } else {
            self.calls(f)?;
            self.latency(f)?;
            self.methods(f)?;
        }
        self.errors(f)?;
        self.generator(f)?;
        self.search(f)?;
        self.verdicts(f)?;
        if let Some(why) = &report.cut_short {
            writeln!(f, "\nended before its time: {why}")?;
        }
        for warning in &report.warnings {
            writeln!(f, "\nwarning: {warning}")?;
        }
        Ok(())
    }
}

/// The setup in one line.
pub(crate) fn load_line(report: &Report) -> String {
    let setup = &report.setup;
    let load = match &setup.load {
        Load::Open { rate, arrivals } => format!("open, {rate}/s, {arrivals}"),
        Load::Closed { think_ms } if *think_ms > 0.0 => {
            format!("closed, think time {}", number::duration(*think_ms))
        }
        Load::Closed { .. } => "closed".to_owned(),
    };
    format!(
        "{load}: {} x {} in flight, {}, {}",
        number::things(setup.connections, "connection"),
        setup.in_flight,
        number::things(setup.lanes, "lane"),
        number::things(setup.threads, "thread")
    )
}

/// The server in one line.
pub(crate) fn server_line(report: &Report) -> String {
    let endpoints = report.setup.endpoints.join(", ");
    match &report.environment.server {
        None => format!("{endpoints} (does not tell its version)"),
        Some(server) => format!(
            "{endpoints}, version {}, games in {}, kernel {}",
            server.version, server.store, server.kernel
        ),
    }
}

impl Summary<'_> {
    fn head(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let report = self.report;
        writeln!(f, "{}", report.setup.workload)?;
        writeln!(f, "  {}", server_line(report))?;
        writeln!(f, "  {}", load_line(report))?;
        writeln!(
            f,
            "  {:.1} s measured after {:.1} s of warm-up",
            report.window_s, report.setup.warm_up_s
        )
    }

    fn calls(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let totals = &self.report.totals;
        writeln!(
            f,
            "\ncalls      {}/s   {} ok, {} failed ({})",
            number::grouped(totals.rate_per_s),
            number::count(totals.ok),
            number::count(totals.errors),
            number::percent(totals.error_rate)
        )?;
        if totals.items != totals.ok {
            writeln!(f, "positions  {}/s", number::grouped(totals.items_per_s))?;
        }
        if let (Some(due), Some(unsent), Some(delayed)) =
            (totals.due, totals.unsent, totals.delayed)
        {
            writeln!(
                f,
                "due        {}, of them {} never sent and {} sent late for want of a free lane",
                number::count(due),
                number::count(unsent),
                number::count(delayed)
            )?;
        }
        writeln!(
            f,
            "messages   {} received, {} sent, warm-up included",
            number::bytes(totals.received_bytes),
            number::bytes(totals.sent_bytes)
        )
    }

    fn latency(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let latency = &self.report.latency;
        write!(f, "\n{:<24}", "latency")?;
        for percentile in SHOWN {
            write!(f, "{:>9}", format!("p{percentile}"))?;
        }
        writeln!(f, "{:>9}{:>9}", "max", "mean")?;
        if let Some(from_due) = &latency.from_due {
            row(f, "from due time", from_due)?;
        }
        row(f, "from sending", &latency.from_sent)
    }

    fn methods(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let methods = &self.report.methods;
        if methods.len() < 2 {
            return Ok(());
        }
        write!(f, "\n{:<24}", "method")?;
        writeln!(
            f,
            "{:>11}{:>9}{:>9}{:>9}{:>9}",
            "/s", "failed", "p50", "p99", "max"
        )?;
        for method in methods {
            let latency = method.latency.decisive();
            let at = |percentile| {
                latency
                    .at(percentile)
                    .map_or("-".to_owned(), number::duration)
            };
            writeln!(
                f,
                "  {:<22}{:>11}{:>9}{:>9}{:>9}{:>9}",
                method.method,
                number::grouped(method.rate_per_s),
                number::count(method.errors),
                at(50.0),
                at(99.0),
                number::duration(latency.max_ms)
            )?;
        }
        Ok(())
    }

    fn errors(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.report.errors.is_empty() {
            return Ok(());
        }
        writeln!(f, "\nfailed calls")?;
        for error in &self.report.errors {
            writeln!(
                f,
                "  {:>9} {} {} {}\n            such as: {}",
                number::count(error.count),
                error.method,
                error.code,
                error.reason,
                error.example
            )?;
        }
        Ok(())
    }

    fn generator(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let generator = &self.report.generator;
        let Some(per_call) = generator.cpu_us_per_call else {
            return Ok(());
        };
        let busy = generator
            .threads
            .iter()
            .map(|thread| thread.busy)
            .sum::<f64>();
        write!(
            f,
            "\ngenerator  {} of a processor in all, {} a call",
            number::percent(busy),
            number::duration(per_call / 1e3)
        )?;
        let late = generator.lateness.as_ref().and_then(|late| late.at(99.0));
        match late {
            Some(late) => writeln!(f, "; 99 % sent within {} of due", number::duration(late)),
            None => writeln!(f),
        }
    }

    fn search(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(search) = &self.report.search else {
            return Ok(());
        };
        writeln!(f, "\nrates tried for {}", search.slo.join(" and "))?;
        for probe in &search.probes {
            let verdict = if probe.holds {
                "holds".to_owned()
            } else {
                format!("does not hold: {}", probe.broken.join(", "))
            };
            writeln!(
                f,
                "  {:>11}/s  p50 {:>8}  p99 {:>8}  {verdict}",
                number::grouped(probe.rate),
                number::duration(probe.p50_ms),
                number::duration(probe.p99_ms)
            )?;
        }
        match search.highest_rate {
            Some(rate) => writeln!(f, "highest rate that holds: {}/s", number::grouped(rate)),
            None => writeln!(f, "no rate tried holds"),
        }
    }

    fn verdicts(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.report.thresholds.is_empty() {
            writeln!(f, "\nthresholds")?;
        }
        for (verdict, threshold) in self.report.thresholds.iter().zip(self.thresholds) {
            let word = if verdict.holds { "holds " } else { "BROKEN" };
            let value = verdict
                .value
                .map_or("nothing measured".to_owned(), |value| threshold.show(value));
            writeln!(f, "  {word}  {threshold}  ({value})")?;
        }
        Ok(())
    }
}

fn row(f: &mut Formatter<'_>, name: &str, latency: &Distribution) -> fmt::Result {
    write!(f, "  {name:<22}")?;
    for percentile in SHOWN {
        let value = latency
            .at(percentile)
            .map_or("-".to_owned(), number::duration);
        write!(f, "{value:>9}")?;
    }
    writeln!(
        f,
        "{:>9}{:>9}",
        number::duration(latency.max_ms),
        number::duration(latency.mean_ms)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    fn text(report: &Report) -> String {
        Summary {
            report,
            thresholds: &["p99<1h".parse().unwrap()],
        }
        .to_string()
    }

    #[test]
    fn it_names_everything_that_matters() {
        let text = text(&example::report());
        for part in [
            "mixed <legal-moves=80",
            "from due time",
            "from sending",
            "7 never sent",
            "PlayMove",
            "DEADLINE_EXCEEDED (no answer in time)",
            "generator",
            "highest rate that holds: 4,000/s",
            "holds   p99<1h",
            "warning: ",
        ] {
            assert!(text.contains(part), "{part} in:\n{text}");
        }
    }

    #[test]
    fn it_says_so_when_nothing_was_measured() {
        let text = text(&example::empty());
        assert!(text.contains("nothing was measured"), "{text}");
        assert!(
            text.contains("the server is gone: connection lost"),
            "{text}"
        );
    }
}
