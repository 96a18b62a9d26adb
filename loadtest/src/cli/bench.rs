//! `reversi-loadtest bench`.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::connection::{many, positive, threads};
use super::failure::Failure;
use super::files;
use crate::bench::{self, BenchError, H2load, Service};
use crate::wire::target::Endpoint;

/// Starts the server beside this program, and measures it as a ratio to its limits
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  reversi-loadtest bench\n  reversi-loadtest bench --server-bin \
                        target/release/reversi-service --rounds 5\n  reversi-loadtest bench --only \
                        '64 a'"
)]
pub(crate) struct Bench {
    /// The server [default: reversi-service beside this program]
    #[arg(long, value_name = "PATH")]
    server_bin: Option<PathBuf>,
    /// Measures this server instead of starting one
    #[arg(long, value_name = "URL", conflicts_with_all = ["server_bin", "port"])]
    endpoint: Option<Endpoint>,
    /// The port to run it on [default: a free one]
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    /// How long each figure is measured in each round
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = positive)]
    duration: Duration,
    /// How often everything is measured
    #[arg(long, value_name = "N", default_value = "3", value_parser = many)]
    rounds: NonZeroUsize,
    /// Connections
    #[arg(long, value_name = "N", default_value = "16", value_parser = many)]
    connections: NonZeroUsize,
    /// Calls in flight on a connection
    #[arg(long, value_name = "N", default_value = "16", value_parser = many)]
    in_flight: NonZeroUsize,
    /// Generator threads
    #[arg(long, value_name = "N", default_value = "1", value_parser = threads)]
    threads: NonZeroUsize,
    /// A Redis to measure moves on, beside bare tonic that does the same there; its data are left
    #[arg(long, value_name = "URL")]
    redis: Option<String>,
    /// Has h2load (of nghttp2-client) make the same calls, for comparison
    #[arg(long)]
    h2load: bool,
    /// Measures only figures whose titles contain this; ratios have two figures
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// Writes the figures as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

impl Bench {
    pub(crate) fn run(self) -> Result<(), Failure> {
        files::check_writable(self.json.as_deref())?;
        let options = bench::Options {
            service: match self.endpoint {
                Some(endpoint) => Service::Running(endpoint),
                None => Service::Start {
                    program: self.server_bin,
                    port: self.port,
                },
            },
            duration: self.duration,
            rounds: self.rounds,
            connections: self.connections,
            in_flight: self.in_flight,
            threads: self.threads,
            redis: self.redis,
            h2load: if self.h2load {
                H2load::Measure
            } else {
                H2load::Skip
            },
            only: self.only,
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let style = ProgressStyle::with_template("{msg}");
        let line = ProgressBar::new_spinner();
        if let Ok(style) = style {
            line.set_style(style);
        }
        let table = runtime.block_on(bench::run(&options, |text| {
            line.set_message(text.to_owned());
        }));
        line.finish_and_clear();
        let table = match table {
            Err(BenchError::Interrupted) => return Err(Failure::Interrupted),
            Err(error @ BenchError::Unknown { .. }) => {
                return Err(Failure::Usage(error.to_string()));
            }
            table => table?,
        };
        let mut out = std::io::stdout().lock();
        write!(out, "{table}")?;
        out.flush()?;
        files::write(self.json.as_deref(), || {
            serde_json::to_string_pretty(&table).expect("invariant: the table is JSON")
        })
    }
}
