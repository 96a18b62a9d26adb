//! `reversi-loadtest echo`.

use std::io::Write;
use std::net::SocketAddr;
use std::num::NonZeroUsize;

use clap::Args;

use super::connection::threads;
use super::failure::Failure;
use crate::echo::{Runtime, serve};

/// Serves bare tonic echo: the limit of what a service on tonic can reach
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  reversi-loadtest echo --listen 127.0.0.1:50060\n  \
                        reversi-loadtest run echo --endpoint http://127.0.0.1:50060"
)]
pub(crate) struct Echo {
    /// Where to serve; port 0 takes a free one
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// How the work is spread over processors
    #[arg(long, value_enum, default_value = "current-thread")]
    runtime: Runtime,
    /// Server threads [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<NonZeroUsize>,
    /// Also does in this Redis what moves of the service do there
    #[arg(long, value_name = "URL")]
    redis: Option<String>,
}

impl Echo {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let threads = match self.threads {
            Some(threads) => threads,
            None => std::thread::available_parallelism()?,
        };
        let redis = self.redis.map(redis::Client::open).transpose();
        let redis = redis.map_err(|error| Failure::Usage(format!("--redis: {error}")))?;
        serve(
            self.listen,
            self.runtime,
            threads,
            redis.as_ref(),
            |address| {
                let mut out = std::io::stdout().lock();
                writeln!(out, "http://{address}")?;
                out.flush()
            },
        )?;
        Ok(())
    }
}
