//! The engine behind the NBoard protocol, version 2: lines on standard input and output, for
//! graphical programs and for matches against other engines.
//!
//! A search ends as soon as another line arrives, so a program can change its mind at any time.
//! Lines that mean nothing are passed over, as the protocol asks; a known command that makes no
//! sense is answered with a `status`. Knows nothing of the server.

mod answer;
mod clock;
mod command;
mod input;
mod reach;
mod session;

use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::thread;
use std::time::Duration;

use clap::Args;

use crate::config;
use crate::evaluations::{Evaluations, WeightsFile};

use input::Input;
use session::Session;

/// How the engine works.
#[derive(Clone, Debug, Args)]
pub struct NboardOptions {
    /// Threads that search [default: the number of processors].
    #[arg(long, value_name = "N", value_parser = config::threads)]
    pub threads: Option<NonZeroUsize>,

    /// What a search remembers positions in.
    #[arg(long, value_name = "BYTES", default_value = "128MiB", value_parser = config::table_size)]
    pub table_size: usize,

    /// Weights that the engine judges positions with, instead of those it comes with; once for
    /// each objective.
    #[arg(long, value_name = "FILE", value_delimiter = ',', value_parser = config::weights)]
    pub weights: Vec<WeightsFile>,

    /// How long a move or a hint takes at most, besides the depth that the program sets.
    #[arg(long, value_name = "TIME", value_parser = config::positive)]
    pub time: Option<Duration>,

    /// Searches the first eight moves of a game, too, instead of playing them from the book.
    #[arg(long)]
    pub no_book: bool,
}

/// Whether moves are played from the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BookUse {
    First,
    Never,
}

impl BookUse {
    const fn of(options: &NboardOptions) -> Self {
        if options.no_book {
            Self::Never
        } else {
            Self::First
        }
    }
}

/// Answers what comes in until it ends or says `quit`.
///
/// # Errors
///
/// If an answer cannot be written, or the system gives no thread.
pub fn run(
    options: &NboardOptions,
    input: impl Read + Send + 'static,
    output: impl Write,
) -> io::Result<()> {
    let evaluations = Evaluations::new(&options.weights);
    // They are there before the first move is asked for.
    evaluations.unpack()?;
    let threads = options
        .threads
        .or_else(|| thread::available_parallelism().ok())
        .map_or(1, NonZeroUsize::get);
    let session = Session::new(
        evaluations,
        threads,
        options.table_size,
        options.time,
        BookUse::of(options),
        output,
    );
    session.run(&Input::start(input)?)
}

#[cfg(test)]
mod tests;
