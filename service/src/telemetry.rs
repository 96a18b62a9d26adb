//! The log and the traces. The log never holds a call up and never brings the server down: lines that cannot be
//! written fast enough, or at all, are dropped.

pub(crate) mod traces;

use std::backtrace::Backtrace;
use std::io::{self, IsTerminal, Write};
use std::panic;

use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt};

use crate::config::{Config, ConfigError, LogFormat};
use traces::Traces;

/// Writes out what is still to be logged and traced when dropped.
#[derive(Debug)]
#[must_use]
pub struct Log {
    _traces: Option<Traces>,
    _writer: WorkerGuard,
}

/// Starts to log to standard error, panics included, and to send traces where that is asked for.
///
/// # Errors
///
/// [`ConfigError::LogFilter`] if the filter cannot be read, [`ConfigError::Traces`] if traces
/// cannot be sent.
pub fn start(config: &Config) -> Result<Log, ConfigError> {
    let filter = EnvFilter::try_new(&config.log).map_err(|source| ConfigError::LogFilter {
        filter: config.log.clone(),
        source,
    })?;
    // Spans of traces are no lines of the log.
    let filter = filter.add_directive(traces::SILENT.parse().expect("invariant: a directive"));
    let (writer, guard) = NonBlockingBuilder::default()
        .lossy(true)
        .thread_name("log")
        .finish(io::stderr());
    let lines = fmt::layer().with_writer(writer).log_internal_errors(false);
    let text = match config.log_format {
        LogFormat::Auto => io::stderr().is_terminal(),
        LogFormat::Text => true,
        LogFormat::Json => false,
    };
    let lines = if text {
        lines.with_ansi(io::stderr().is_terminal()).boxed()
    } else {
        lines.json().flatten_event(true).boxed()
    };
    let traces = config
        .otlp_endpoint
        .as_deref()
        .map(|endpoint| Traces::start(endpoint, config.trace_share))
        .transpose()?;
    let spans = traces.as_ref().map(Traces::layer);
    tracing_subscriber::registry()
        .with(lines.with_filter(filter))
        .with(spans)
        .init();
    panic::set_hook(Box::new(|panic| {
        let backtrace = Backtrace::capture();
        tracing::error!(%panic, %backtrace, "a panic: please report it");
    }));
    Ok(Log {
        _traces: traces,
        _writer: guard,
    })
}

/// Says in one line on standard error why the server does not run.
pub fn complain(message: &str) {
    // There is nobody to tell if it cannot be written.
    let _ = writeln!(io::stderr(), "reversi-service: {message}");
}
