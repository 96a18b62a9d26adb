//! The log. It never holds a call up and never brings the server down: lines that cannot be
//! written fast enough, or at all, are dropped.

use std::backtrace::Backtrace;
use std::io::{self, IsTerminal, Write};
use std::panic;

use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;

use crate::config::{Config, ConfigError, LogFormat};

/// Writes out what is still to be logged when dropped.
#[derive(Debug)]
#[must_use]
pub struct Log {
    _writer: WorkerGuard,
}

/// Starts to log to standard error, panics included.
///
/// # Errors
///
/// [`ConfigError::LogFilter`] if the filter cannot be read.
pub fn start(config: &Config) -> Result<Log, ConfigError> {
    let filter = EnvFilter::try_new(&config.log).map_err(|source| ConfigError::LogFilter {
        filter: config.log.clone(),
        source,
    })?;
    let (writer, guard) = NonBlockingBuilder::default()
        .lossy(true)
        .thread_name("log")
        .finish(io::stderr());
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(writer)
        .log_internal_errors(false);
    let text = match config.log_format {
        LogFormat::Auto => io::stderr().is_terminal(),
        LogFormat::Text => true,
        LogFormat::Json => false,
    };
    if text {
        log.with_ansi(io::stderr().is_terminal()).init();
    } else {
        log.json().flatten_event(true).init();
    }
    panic::set_hook(Box::new(|panic| {
        let backtrace = Backtrace::capture();
        tracing::error!(%panic, %backtrace, "a panic: please report it");
    }));
    Ok(Log { _writer: guard })
}

/// Says in one line on standard error why the server does not run.
pub fn complain(message: &str) {
    // There is nobody to tell if it cannot be written.
    let _ = writeln!(io::stderr(), "reversi-service: {message}");
}
