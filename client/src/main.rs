//! `reversi`: the Reversi service from the command line.
//!
//! It knows nothing of the rules: it asks the service.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
