//! The command line: what it takes, and one file a command.
//!
//! Exit codes: 0 done, 1 failed (a threshold broken, something worse, no server, nothing
//! measured), 2 wrong usage, 130 interrupted.

mod bench;
mod compare;
mod connection;
mod echo;
mod failure;
mod files;
mod local;
mod output;
mod perft;
mod progress;
mod run;
mod what;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Load test of the Reversi service.
#[derive(Debug, Parser)]
#[command(
    name = "reversi-loadtest",
    version,
    max_term_width = 100,
    after_help = "Examples:\n  reversi-loadtest run legal-moves --rate 5000 --threshold 'p99<10ms'\n  \
                  reversi-loadtest run play --sessions 2000 --think 500ms --html report.html\n  \
                  reversi-loadtest bench"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(Box<run::Run>),
    Compare(compare::Compare),
    Bench(bench::Bench),
    Local(local::Local),
    Perft(perft::Perft),
    Echo(echo::Echo),
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Run(run) => run.run(),
        Command::Compare(compare) => compare.run(),
        Command::Bench(bench) => bench.run(),
        Command::Local(local) => local.run(),
        Command::Perft(perft) => perft.run(),
        Command::Echo(echo) => echo.run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_has_an_example_in_its_help() {
        for command in Cli::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string);
            assert!(
                help.is_some_and(|help| help.contains("reversi-loadtest ")),
                "{}",
                command.get_name()
            );
            assert!(command.get_about().is_some(), "{}", command.get_name());
        }
    }
}
