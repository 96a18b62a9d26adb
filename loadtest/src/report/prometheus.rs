//! A report in the text format of Prometheus, for a textfile collector or a push gateway.

use std::fmt::{self, Display, Formatter, Write};

use super::model::{Distribution, Report};

/// Shows as Prometheus text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prometheus<'a>(pub(crate) &'a Report);

impl Display for Prometheus<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(report) = self;
        let totals = &report.totals;
        gauge(
            f,
            "window_seconds",
            "How long was measured.",
            report.window_s,
        )?;
        gauge(
            f,
            "rate_per_second",
            "Successful calls a second.",
            totals.rate_per_s,
        )?;
        gauge(
            f,
            "items_per_second",
            "Positions a second, or calls.",
            totals.items_per_s,
        )?;
        gauge(
            f,
            "error_ratio",
            "Failed calls among all.",
            totals.error_rate,
        )?;
        let float = super::build::float;
        if let Some(due) = totals.due {
            gauge(f, "due_calls", "Calls that were due.", float(due))?;
        }
        if let Some(unsent) = totals.unsent {
            gauge(
                f,
                "unsent_calls",
                "Calls that were due and never sent.",
                float(unsent),
            )?;
        }
        if let Some(cpu) = report.generator.cpu_s {
            gauge(
                f,
                "generator_cpu_seconds",
                "The generator's processor time.",
                cpu,
            )?;
        }
        self.calls(f)?;
        self.errors(f)?;
        self.latency(f)?;
        self.thresholds(f)
    }
}

const PREFIX: &str = "reversi_loadtest";

impl Prometheus<'_> {
    fn calls(&self, f: &mut Formatter<'_>) -> fmt::Result {
        head(
            f,
            "calls",
            "gauge",
            "Calls that ended, by method and whether they succeeded.",
        )?;
        for method in &self.0.methods {
            for (result, count) in [("ok", method.ok), ("error", method.errors)] {
                let method = &method.method;
                writeln!(
                    f,
                    "{PREFIX}_calls{{method=\"{method}\",result=\"{result}\"}} {count}"
                )?;
            }
        }
        Ok(())
    }

    fn errors(&self, f: &mut Formatter<'_>) -> fmt::Result {
        head(
            f,
            "errors",
            "gauge",
            "Failed calls by method, code and reason.",
        )?;
        for error in &self.0.errors {
            writeln!(
                f,
                "{PREFIX}_errors{{method=\"{}\",code=\"{}\",reason=\"{}\"}} {}",
                error.method,
                error.code,
                Escaped(&error.reason),
                error.count
            )?;
        }
        Ok(())
    }

    fn latency(&self, f: &mut Formatter<'_>) -> fmt::Result {
        head(
            f,
            "latency_seconds",
            "summary",
            "Latency by method and from when it is counted.",
        )?;
        for method in &self.0.methods {
            let latency = &method.latency;
            summary(f, &method.method, "sent", &latency.from_sent)?;
            if let Some(from_due) = &latency.from_due {
                summary(f, &method.method, "due", from_due)?;
            }
        }
        Ok(())
    }

    fn thresholds(&self, f: &mut Formatter<'_>) -> fmt::Result {
        head(
            f,
            "threshold_holds",
            "gauge",
            "1 where a threshold holds, 0 where it does not.",
        )?;
        for verdict in &self.0.thresholds {
            writeln!(
                f,
                "{PREFIX}_threshold_holds{{threshold=\"{}\"}} {}",
                Escaped(&verdict.threshold),
                u8::from(verdict.holds)
            )?;
        }
        Ok(())
    }
}

fn head(f: &mut Formatter<'_>, name: &str, kind: &str, help: &str) -> fmt::Result {
    writeln!(
        f,
        "# HELP {PREFIX}_{name} {help}\n# TYPE {PREFIX}_{name} {kind}"
    )
}

fn gauge(f: &mut Formatter<'_>, name: &str, help: &str, value: f64) -> fmt::Result {
    head(f, name, "gauge", help)?;
    writeln!(f, "{PREFIX}_{name} {value}")
}

fn summary(f: &mut Formatter<'_>, method: &str, from: &str, latency: &Distribution) -> fmt::Result {
    let labels = format!("method=\"{method}\",from=\"{from}\"");
    let name = format!("{PREFIX}_latency_seconds");
    for entry in &latency.percentiles {
        let (quantile, seconds) = (entry.percentile / 100.0, entry.ms / 1e3);
        writeln!(f, "{name}{{{labels},quantile=\"{quantile}\"}} {seconds}")?;
    }
    let sum = latency.mean_ms / 1e3 * super::build::float(latency.count);
    writeln!(
        f,
        "{name}_sum{{{labels}}} {sum}\n{name}_count{{{labels}}} {}",
        latency.count
    )
}

/// A label's value.
struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|character| match character {
            '\\' => f.write_str("\\\\"),
            '"' => f.write_str("\\\""),
            '\n' => f.write_str("\\n"),
            other => f.write_char(other),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    #[test]
    fn every_sample_has_a_type() {
        let text = Prometheus(&example::report()).to_string();
        let mut known = Vec::new();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# TYPE ") {
                known.push(rest.split(' ').next().unwrap());
            } else if !line.starts_with('#') {
                let (name, value) = line.rsplit_once(' ').unwrap();
                let name = name.split('{').next().unwrap();
                assert!(known.iter().any(|known| name.starts_with(known)), "{line}");
                assert!(value.parse::<f64>().unwrap().is_finite(), "{line}");
            }
        }
        assert!(text.contains("reversi_loadtest_calls{method=\"PlayMove\",result=\"ok\"} "));
        assert!(text.contains("from=\"due\",quantile=\"0.99\"}"));
    }

    #[test]
    fn label_values_are_escaped() {
        assert_eq!(Escaped("a\"b\\c\nd").to_string(), r#"a\"b\\c\nd"#);
    }
}
