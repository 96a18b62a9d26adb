//! The command line.

mod bench;
mod echo;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Load test of the Reversi service.
#[derive(Debug, Parser)]
#[command(name = "reversi-loadtest", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Bench(bench::Bench),
    Echo(echo::Echo),
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Bench(bench) => bench.run(),
        Command::Echo(echo) => echo.run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("reversi-loadtest: {error}");
            ExitCode::FAILURE
        }
    }
}
