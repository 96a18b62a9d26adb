//! The options that say where a report goes.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::failure::Failure;
use super::files;
use crate::report::Report;
use crate::report::html::Html;
use crate::report::prometheus::Prometheus;
use crate::report::summary::Summary;
use crate::threshold::Threshold;

/// Where a report goes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct Output {
    /// Writes the report as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Writes the report as a web page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Writes the report as Prometheus text
    #[arg(long, value_name = "FILE")]
    prometheus: Option<PathBuf>,
    /// Fails unless this holds, such as p99<10ms, error_rate<0.1% or PlayMove.rate>500; may be
    /// given several times
    #[arg(long, value_name = "METRIC<BOUND")]
    pub(crate) threshold: Vec<Threshold>,
    /// Shows nothing while it runs
    #[arg(long)]
    pub(crate) quiet: bool,
}

impl Output {
    /// Makes sure that the files can be written.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        [&self.json, &self.html, &self.prometheus]
            .into_iter()
            .try_for_each(|path| files::check_writable(path.as_deref()))
    }

    /// Prints and writes the report.
    pub(crate) fn write(&self, report: &Report) -> Result<(), Failure> {
        let summary = Summary {
            report,
            thresholds: &self.threshold,
        };
        let mut out = std::io::stdout().lock();
        write!(out, "{summary}")?;
        out.flush()?;
        files::write(self.json.as_deref(), || json(report))?;
        files::write(self.html.as_deref(), || Html(report).to_string())?;
        files::write(self.prometheus.as_deref(), || {
            Prometheus(report).to_string()
        })
    }
}

fn json(report: &Report) -> String {
    let mut text =
        serde_json::to_string_pretty(report).expect("invariant: the report has only text as keys");
    text.push('\n');
    text
}
