//! Teaches the engine.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};

mod fit;
mod game;
mod learn;
mod model;
mod sample;

/// Teaches the Reversi engine.
#[derive(Debug, Parser)]
#[command(name = "reversi-train", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Objective {
    Most,
    Fewest,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Learns all phases from the end of the game to its beginning.
    Learn {
        #[arg(long, default_value = "most")]
        objective: Objective,
        #[arg(long, default_value_t = 200_000)]
        positions: usize,
        #[arg(long, default_value_t = 12)]
        solve: u32,
        #[arg(long, default_value_t = 4)]
        depth: u32,
        #[arg(long)]
        from: Option<PathBuf>,
        #[arg(long, default_value_t = 1)]
        play_depth: u32,
        #[arg(long)]
        out: PathBuf,
        #[arg(long, default_value_t = 1)]
        seed: u64,
        #[arg(long, default_value_t = 2)]
        threads: usize,
    },
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Learn {
            objective,
            positions,
            solve,
            depth,
            from,
            play_depth,
            out,
            seed,
            threads,
        } => learn::Learn {
            objective: match objective {
                Objective::Most => reversi_engine::Objective::MostDiscs,
                Objective::Fewest => reversi_engine::Objective::FewestDiscs,
            },
            positions,
            solve,
            depth,
            from,
            play_depth,
            out,
            seed,
            threads,
        }
        .run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
