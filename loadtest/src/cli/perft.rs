//! `reversi-loadtest perft`.

use std::io::Write;
use std::time::Instant;

use clap::Args;
use reversi_engine::{PerftConvention, Position, perft};
use serde::Serialize;

use super::failure::Failure;
use crate::report::build::float;
use crate::report::number;

/// Counts the leaves of the game tree to each depth, in this process
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  reversi-loadtest perft --depth 10")]
pub(crate) struct Perft {
    /// The greatest depth in plies
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=60))]
    depth: u32,
    /// How passes and finished games are counted: pass-is-ply, drop-finished or pass-is-free
    #[arg(long, value_name = "NAME", default_value = "pass-is-ply")]
    convention: PerftConvention,
    /// Writes JSON for programs instead of text for people
    #[arg(long)]
    json: bool,
}

/// The leaves at depth 1, 2, and so on.
#[derive(Serialize)]
struct Counts {
    nodes: Vec<u64>,
}

impl Perft {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let mut out = std::io::stdout().lock();
        let start = Position::standard();
        let mut nodes = Vec::new();
        for depth in 1..=self.depth {
            let started = Instant::now();
            let count = perft(&start, depth, self.convention);
            let elapsed = started.elapsed();
            nodes.push(count);
            if !self.json {
                let rate = number::grouped(float(count) / elapsed.as_secs_f64());
                writeln!(
                    out,
                    "{depth:>3}  {count:>20}  {elapsed:>10.3?}  {rate:>15}/s"
                )?;
                out.flush()?;
            }
        }
        if self.json {
            let text =
                serde_json::to_string(&Counts { nodes }).expect("invariant: numbers are JSON");
            writeln!(out, "{text}")?;
        }
        Ok(())
    }
}
