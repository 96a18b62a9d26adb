//! How a command fails.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::bench::BenchError;
use crate::load::LoadError;

/// The exit code of wrong usage.
const USAGE: u8 = 2;
/// The exit code of an interrupted command, as shells have it: 128 and the number of SIGINT.
const INTERRUPTED: u8 = 130;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// What was asked for makes no sense.
    #[error("{0}")]
    Usage(String),
    /// There was no run.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The benchmark could not be made.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The command was done, and its result is not what was demanded.
    #[error("{0}")]
    Broken(String),
    /// Somebody stopped it.
    #[error("interrupted")]
    Interrupted,
}

impl Failure {
    /// Says what is wrong; the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        if let Self::Io(error) = self
            && error.kind() == io::ErrorKind::BrokenPipe
        {
            // Whoever read the output has seen enough.
            return ExitCode::SUCCESS;
        }
        eprintln!("reversi-loadtest: {self}");
        match self {
            Self::Usage(_) => ExitCode::from(USAGE),
            Self::Interrupted | Self::Load(LoadError::Cancelled) => ExitCode::from(INTERRUPTED),
            Self::Load(_) | Self::Bench(_) | Self::File { .. } | Self::Io(_) | Self::Broken(_) => {
                ExitCode::FAILURE
            }
        }
    }
}
