//! `reversi-loadtest perft`.

use std::io::Write;
use std::num::NonZeroUsize;
use std::time::Instant;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use reversi_engine::{PerftConvention, PerftOptions, Position, perft_run};
use serde::Serialize;

use super::connection::threads;
use super::failure::Failure;
use crate::report::build::float;
use crate::report::number;

/// Counts the leaves of the game tree to each depth, in this process
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  reversi-loadtest perft --depth 10\n  \
                        reversi-loadtest perft --depth 14 --threads 2 --hash")]
pub(crate) struct Perft {
    /// The greatest depth in plies
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=60))]
    depth: u32,
    /// How passes and finished games are counted: pass-is-ply, drop-finished or pass-is-free
    #[arg(long, value_name = "NAME", default_value = "pass-is-ply")]
    convention: PerftConvention,
    /// Threads
    #[arg(long, value_name = "N", default_value = "1", value_parser = threads)]
    threads: NonZeroUsize,
    /// Counts boards that are reached in several ways once, in so many MiB of memory
    #[arg(
        long,
        value_name = "MIB",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "512",
        value_parser = clap::value_parser!(u32).range(1..=65_536)
    )]
    hash: Option<u32>,
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
        let mut nodes = Vec::new();
        for depth in 1..=self.depth {
            let started = Instant::now();
            let count = self.count(depth);
            let elapsed = started.elapsed();
            nodes.push(count);
            if !self.json {
                let rate = number::grouped(float(count) / elapsed.as_secs_f64());
                writeln!(
                    out,
                    "{depth:>3}  {count:>20}  {elapsed:>10.3?}  {rate:>17}/s"
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

    fn count(&self, depth: u32) -> u64 {
        let options = PerftOptions {
            threads: self.threads,
            table_bytes: self.hash.unwrap_or_default() as usize * (1 << 20),
            ..PerftOptions::default()
        };
        // On standard error, and only on a terminal.
        let bar = ProgressBar::new(0);
        if let Ok(style) = ProgressStyle::with_template("depth {msg} {bar:30} {pos}/{len} subtrees")
        {
            bar.set_style(style);
        }
        bar.set_message(depth.to_string());
        let count = perft_run(
            &Position::standard(),
            depth,
            self.convention,
            &options,
            &mut |progress| {
                bar.set_length(progress.subtrees as u64);
                bar.set_position(progress.subtrees_done as u64);
            },
            &|| false,
        );
        bar.finish_and_clear();
        count.expect("invariant: only the stop that was never asked for gives none")
    }
}
