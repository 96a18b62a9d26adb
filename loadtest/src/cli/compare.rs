//! `reversi-loadtest compare`.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use super::failure::Failure;
use super::files;
use crate::compare::{Verdict, compare, differences};
use crate::report::Report;
use crate::report::model::SCHEMA_VERSION;

/// Compares two runs, and fails if the second is worse
#[derive(Debug, Args)]
#[command(
    after_help = "A change counts when it is larger than what the intervals of each run scatter by \
                  themselves (95 %), and larger than --small.\n\nExamples:\n  \
                  reversi-loadtest run legal-moves --json before.json\n  \
                  reversi-loadtest compare before.json after.json --small 3%"
)]
pub(crate) struct Compare {
    /// The JSON report of the first run
    before: PathBuf,
    /// The JSON report of the second run
    after: PathBuf,
    /// Changes up to this do not matter
    #[arg(long, value_name = "SHARE", default_value = "5%", value_parser = share)]
    small: f64,
    /// Compares also what was measured differently
    #[arg(long)]
    anyway: bool,
}

impl Compare {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let (before, after) = (load(&self.before)?, load(&self.after)?);
        let mut out = std::io::stdout().lock();
        let differences = differences(&before, &after);
        if !differences.is_empty() {
            let text = format!("measured differently: {}", differences.join("; "));
            if !self.anyway {
                return Err(Failure::Usage(format!("{text} (--anyway compares them)")));
            }
            writeln!(out, "{text}\n")?;
        }
        let changes = compare(&before, &after, self.small);
        writeln!(
            out,
            "{:<11}{:>13}{:>13}{:>10} {:>9}",
            "", "before", "after", "change", "noise"
        )?;
        for change in &changes {
            writeln!(out, "{change}")?;
        }
        out.flush()?;
        let named = |verdict| {
            let changes = changes
                .iter()
                .filter(move |change| change.verdict == verdict);
            changes
                .map(|change| change.name)
                .collect::<Vec<_>>()
                .join(", ")
        };
        let (worse, unknown) = (named(Verdict::Worse), named(Verdict::Unknown));
        if !worse.is_empty() {
            return Err(Failure::Broken(format!("worse: {worse}")));
        }
        if !unknown.is_empty() {
            return Err(Failure::Broken(format!("too short to tell: {unknown}")));
        }
        Ok(())
    }
}

fn load(path: &Path) -> Result<Report, Failure> {
    let text = files::read(path)?;
    let wrong = |why: String| Failure::Usage(format!("{}: {why}", path.display()));
    let report: Report = serde_json::from_str(&text)
        .map_err(|error| wrong(format!("not a report of this program: {error}")))?;
    if report.schema_version != SCHEMA_VERSION {
        return Err(wrong(format!(
            "a report of version {}, not {SCHEMA_VERSION}",
            report.schema_version
        )));
    }
    if report.totals.calls == 0 {
        return Err(wrong("nothing was measured in that run".to_owned()));
    }
    Ok(report)
}

fn share(text: &str) -> Result<f64, String> {
    let value = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse().map(|percent: f64| percent / 100.0),
        None => text.parse(),
    };
    value
        .ok()
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| "expected a share such as 5% or 0.05".to_owned())
}
