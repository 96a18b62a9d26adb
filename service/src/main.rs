//! The server binary.

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;
use reversi_service::app::Server;
use reversi_service::config::Config;
use reversi_service::telemetry;
use tokio::signal::unix::{SignalKind, signal};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// EX_USAGE of sysexits.h: the configuration cannot be used.
const BAD_CONFIG: u8 = 64;

fn main() -> ExitCode {
    let config = match Config::try_parse() {
        Ok(config) => config,
        Err(error) => return refused(&error),
    };
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
    if let Err(error) = telemetry::start(&config) {
        return failed(&error.to_string(), BAD_CONFIG);
    }
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
        Err(error) => return failed(&error.to_string(), 1),
    };
    let admin = server.admin_address();
    match server.address() {
        Ok(address) => tracing::info!(%address, ?admin, %store, "serving"),
        Err(error) => return failed(&error.to_string(), 1),
    }
    let shutdown = async {
        let name = tokio::select! {
            _ = terminate.recv() => "SIGTERM",
            _ = interrupt.recv() => "SIGINT",
        };
        tracing::info!(signal = name, "stopping");
    };
    match server.run(shutdown).await {
        Ok(drained) => {
            tracing::info!(?drained, "stopped");
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
    let line = text.lines().next().unwrap_or_default();
    failed(line.trim_start_matches("error: "), BAD_CONFIG)
}

fn failed(message: &str, code: u8) -> ExitCode {
    eprintln!("reversi-service: {message}");
    ExitCode::from(code)
}
