//! The server binary.

use std::pin::pin;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};
use reversi_service::app::{Drained, Server, StartError};
use reversi_service::auth::Unusable;
use reversi_service::config::Config;
use reversi_service::nboard::{self, NboardOptions};
use reversi_service::telemetry;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// EX_USAGE of sysexits.h: the configuration cannot be used.
const BAD_CONFIG: u8 = 64;

#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    #[command(flatten)]
    config: Config,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Plays by the NBoard protocol on standard input and output instead: the engine for
    /// graphical programs and for matches, without a server.
    Nboard(NboardOptions),
}

fn main() -> ExitCode {
    let Arguments { config, command } = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return refused(&error),
    };
    if let Some(Command::Nboard(options)) = command {
        return match nboard::run(&options, std::io::stdin(), std::io::stdout()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => failed(&error.to_string(), 1),
        };
    }
    // The ports and the connection to the store live here; calls are served by threads of
    // their own.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    match runtime {
        Ok(runtime) => {
            let code = runtime.block_on(run(config));
            runtime.shutdown_background();
            code
        }
        Err(error) => failed(&format!("cannot start: {error}"), 1),
    }
}

async fn run(config: Config) -> ExitCode {
    let _log = match telemetry::start(&config) {
        Ok(log) => log,
        Err(error) => return failed(&error.to_string(), BAD_CONFIG),
    };
    let addresses = match config.addresses().await {
        Ok(addresses) => addresses,
        Err(error) => return failed(&error.to_string(), BAD_CONFIG),
    };
    let (Ok(mut terminate), Ok(mut interrupt)) = (
        signal(SignalKind::terminate()),
        signal(SignalKind::interrupt()),
    ) else {
        return failed("cannot listen for signals", 1);
    };
    let store = config.store.clone();
    let server = match Server::bind(config, addresses).await {
        Ok(server) => server,
        Err(error) => return failed(&error.to_string(), code(&error)),
    };
    let admin = server
        .admin_address()
        .map_or_else(|| "off".to_owned(), |address| address.to_string());
    match server.address() {
        Ok(address) => tracing::info!(%address, %admin, %store, "serving"),
        Err(error) => return failed(&error.to_string(), 1),
    }
    let mut signals = async || {
        tokio::select! {
            _ = terminate.recv() => "SIGTERM",
            _ = interrupt.recv() => "SIGINT",
        }
    };
    let (stop, stopped) = oneshot::channel::<()>();
    let mut running = pin!(server.run(async {
        // A dropped sender stops it as well.
        let _ = stopped.await;
    }));
    let ended = tokio::select! {
        ended = running.as_mut() => ended,
        signal = signals() => {
            tracing::info!(signal, "stopping");
            drop(stop);
            tokio::select! {
                ended = running => ended,
                signal = signals() => {
                    tracing::warn!(signal, "stopping at once");
                    return ExitCode::FAILURE;
                }
            }
        }
    };
    match ended {
        Ok(Drained::Completely) => {
            tracing::info!("stopped");
            ExitCode::SUCCESS
        }
        Ok(Drained::InPart) => {
            tracing::warn!("stopped, and cut calls off");
            ExitCode::SUCCESS
        }
        Err(error) => failed(&error.to_string(), 1),
    }
}

/// Says in one line why the flags cannot be used; or prints the help that was asked for.
fn refused(error: &clap::Error) -> ExitCode {
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    ) {
        error.exit();
    }
    let text = error.to_string();
    // What is missing, or would be taken, is in the lines before the first empty one.
    let lines = text.lines().map(str::trim);
    let said: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    let line = said.join(" ");
    failed(line.trim_start_matches("error: "), BAD_CONFIG)
}

/// The exit code: files that callers are checked with are part of the configuration, what they
/// name elsewhere is not.
fn code(error: &StartError) -> u8 {
    match error {
        StartError::Unusable(Unusable::Files { .. }) => BAD_CONFIG,
        StartError::Unusable(Unusable::Url { .. })
        | StartError::Store { .. }
        | StartError::Listen { .. }
        | StartError::Threads(_) => 1,
    }
}

fn failed(message: &str, code: u8) -> ExitCode {
    telemetry::complain(message);
    ExitCode::from(code)
}
