//! The same load by h2load, the load generator of nghttp2: how much of a call's cost is the
//! generator's own.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::process::Stdio;
use std::time::Duration;

use bytes::Bytes;
use tokio::process::Command;

use super::figure::Sample;
use crate::wire::Rpc;
use crate::wire::target::Endpoint;

/// A run of h2load.
#[derive(Clone, Debug)]
pub(super) struct H2loadRun<'a> {
    pub(super) endpoint: &'a Endpoint,
    pub(super) rpc: Rpc,
    /// Prefix and message.
    pub(super) frame: Bytes,
    pub(super) connections: NonZeroUsize,
    pub(super) in_flight: NonZeroUsize,
    pub(super) duration: Duration,
    pub(super) timeout: Duration,
}

/// Why h2load has no figure.
#[derive(Debug, thiserror::Error)]
pub(crate) enum H2loadError {
    /// It does not run.
    #[error("cannot run h2load (of nghttp2-client): {0}")]
    Run(#[from] io::Error),
    /// It tells something else than it used to.
    #[error("h2load tells no rate: {0}")]
    Output(String),
}

impl H2loadRun<'_> {
    /// Runs it.
    pub(super) async fn run(&self) -> Result<Sample, H2loadError> {
        let mut body = tempfile::NamedTempFile::new()?;
        body.write_all(&self.frame)?;
        let seconds = self.duration.as_secs().max(1).to_string();
        let output = Command::new("h2load")
            .args(["-t1", "-c", &self.connections.to_string()])
            .args(["-m", &self.in_flight.to_string(), "-D", &seconds])
            .args(["-H", "content-type: application/grpc", "-H", "te: trailers"])
            .args([
                "-H",
                &format!("grpc-timeout: {}m", self.timeout.as_millis()),
            ])
            .arg("-d")
            .arg(body.path())
            .arg(format!("{}{}", self.endpoint, self.rpc.path_and_query()))
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .output()
            .await?;
        let text = String::from_utf8_lossy(&output.stdout);
        let rate = rate(&text).ok_or_else(|| H2loadError::Output(text.trim().to_owned()))?;
        Ok(Sample {
            rate,
            generator_us: None,
            server_us: None,
        })
    }
}

/// The rate in a line such as `finished in 4.00s, 51234.50 req/s, 4.2MB/s`, unless calls failed.
fn rate(output: &str) -> Option<f64> {
    let starting = |start: &str| output.lines().find_map(|line| line.strip_prefix(start));
    let rate = starting("finished in ")?.split(", ").nth(1)?;
    let rate = rate.strip_suffix(" req/s")?.parse().ok()?;
    let codes = starting("status codes: ")?;
    codes.ends_with("0 3xx, 0 4xx, 0 5xx").then_some(rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "starting benchmark...\n\nfinished in 4.00s, 51234.50 req/s, 4.20MB/s\n\
                          requests: 204938 total, 204938 started\n\
                          status codes: 204938 2xx, 0 3xx, 0 4xx, 0 5xx\n";

    #[test]
    fn the_rate_is_found() {
        assert_eq!(rate(OUTPUT), Some(51_234.5));
    }

    #[test]
    fn failed_calls_have_no_rate() {
        assert_eq!(rate(&OUTPUT.replace("0 5xx", "7 5xx")), None);
        assert_eq!(rate("could not connect"), None);
    }
}
