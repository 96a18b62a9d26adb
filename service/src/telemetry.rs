//! The log.

use std::io::{self, IsTerminal};

use tracing_subscriber::EnvFilter;

use crate::config::{Config, ConfigError, LogFormat};

/// Starts to log to standard error.
///
/// # Errors
///
/// [`ConfigError::LogFilter`] if the filter cannot be read.
pub fn start(config: &Config) -> Result<(), ConfigError> {
    let filter = EnvFilter::try_new(&config.log).map_err(|source| ConfigError::LogFilter {
        filter: config.log.clone(),
        source,
    })?;
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr);
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
    Ok(())
}
