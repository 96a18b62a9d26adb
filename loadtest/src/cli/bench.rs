//! `reversi-loadtest bench`.

use std::error::Error;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::bench;

/// Measures the server beside this program, each figure as a ratio to its limit
#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// The server [default: reversi-service beside this program]
    #[arg(long, value_name = "PATH")]
    server_bin: Option<PathBuf>,
    /// How long each figure is measured in each round
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = humantime::parse_duration)]
    duration: Duration,
    /// How often everything is measured; the median counts
    #[arg(long, value_name = "N", default_value = "3")]
    rounds: NonZeroUsize,
    /// Connections
    #[arg(long, value_name = "N", default_value = "16")]
    connections: NonZeroUsize,
    /// Calls in flight on a connection
    #[arg(long, value_name = "N", default_value = "16")]
    in_flight: NonZeroUsize,
}

impl Bench {
    pub(crate) fn run(self) -> Result<(), Box<dyn Error>> {
        bench::run(&bench::Options {
            server_bin: self.server_bin,
            duration: self.duration,
            rounds: self.rounds,
            connections: self.connections,
            in_flight: self.in_flight,
        })
    }
}
