//! The options that say which servers to call, and how.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::failure::Failure;
use crate::wire::Target;
use crate::wire::target::{Endpoint, Transport};

/// Connections and lanes that a machine has the ports and the memory for.
pub(crate) const MOST: u64 = 100_000;

/// Which servers to call.
#[derive(Debug, Args)]
#[command(next_help_heading = "Connection")]
pub(crate) struct Connection {
    /// The servers, separated by commas; connections are spread over them in turn
    #[arg(
        long,
        env = "REVERSI_ENDPOINT",
        value_name = "URL",
        value_delimiter = ',',
        default_value = "http://127.0.0.1:50051"
    )]
    endpoint: Vec<Endpoint>,
    /// Connections in all
    #[arg(long, value_name = "N", default_value = "8", value_parser = many)]
    pub(crate) connections: NonZeroUsize,
    /// The most calls in flight on a connection; in a closed load, that many are
    #[arg(long, value_name = "N", default_value = "8", value_parser = many)]
    pub(crate) in_flight: NonZeroUsize,
    /// Generator threads [default: half of the processors]
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<NonZeroUsize>,
    /// How long a call may take
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = positive)]
    pub(crate) timeout: Duration,
    /// How long a server may take to answer a new connection, and to come back when all are lost
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = positive)]
    pub(crate) patience: Duration,
    /// Encrypts the connections also to endpoints without https://
    #[arg(long)]
    tls: bool,
    /// The certificate authorities to trust, in PEM; required with TLS
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// The bearer token to send
    #[arg(
        long,
        value_name = "TOKEN",
        env = "REVERSI_TOKEN",
        hide_env_values = true
    )]
    token: Option<String>,
}

impl Connection {
    /// The servers, ready to be called.
    pub(crate) fn targets(&self) -> Result<Vec<Target>, Failure> {
        let endpoints = self.endpoint.iter().map(|endpoint| {
            let mut endpoint = endpoint.clone();
            if self.tls {
                endpoint.transport = Transport::Tls;
            }
            endpoint
        });
        let endpoints: Vec<_> = endpoints.collect();
        let tls = if self.uses_tls() {
            Some(self.tls_config()?)
        } else {
            None
        };
        endpoints
            .into_iter()
            .map(|endpoint| {
                let tls = match endpoint.transport {
                    Transport::Plain => None,
                    Transport::Tls => tls.clone(),
                };
                Target::new(endpoint, tls, self.timeout, self.token.as_deref())
                    .map_err(|_| Failure::Usage("the token cannot be sent in a header".to_owned()))
            })
            .collect()
    }

    /// Whether any connection is encrypted.
    pub(crate) fn uses_tls(&self) -> bool {
        let encrypted = |endpoint: &Endpoint| endpoint.transport == Transport::Tls;
        self.tls || self.endpoint.iter().any(encrypted)
    }

    /// Generator threads.
    pub(crate) fn threads(&self) -> NonZeroUsize {
        let threads = self.threads.unwrap_or_else(|| {
            let processors = std::thread::available_parallelism().map_or(1, usize::from);
            NonZeroUsize::new(processors / 2).unwrap_or(NonZeroUsize::MIN)
        });
        threads.min(self.connections)
    }

    fn tls_config(&self) -> Result<Arc<ClientConfig>, Failure> {
        let Some(path) = &self.ca else {
            return Err(Failure::Usage(
                "TLS needs --ca FILE with the certificate authorities to trust".to_owned(),
            ));
        };
        let unusable = |why: String| Failure::Usage(format!("{}: {why}", path.display()));
        let mut roots = RootCertStore::empty();
        let certificates =
            CertificateDer::pem_file_iter(path).map_err(|error| unusable(error.to_string()))?;
        for certificate in certificates {
            let certificate = certificate.map_err(|error| unusable(error.to_string()))?;
            roots
                .add(certificate)
                .map_err(|error| unusable(error.to_string()))?;
        }
        if roots.is_empty() {
            return Err(unusable("no certificate in it".to_owned()));
        }
        let mut config = ClientConfig::builder()
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"h2".to_vec()];
        Ok(Arc::new(config))
    }
}

/// A number from 1 to [`MOST`].
pub(crate) fn many(text: &str) -> Result<NonZeroUsize, String> {
    up_to(text, MOST)
}

/// A number of threads.
pub(crate) fn threads(text: &str) -> Result<NonZeroUsize, String> {
    up_to(text, 1_024)
}

fn up_to(text: &str, most: u64) -> Result<NonZeroUsize, String> {
    let number: u64 = text
        .parse()
        .map_err(|_| "expected a whole number".to_owned())?;
    if number > most {
        return Err(format!("{most} at most"));
    }
    usize::try_from(number)
        .ok()
        .and_then(NonZeroUsize::new)
        .ok_or_else(|| "1 at least".to_owned())
}

/// A time that is not zero.
pub(crate) fn positive(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if time.is_zero() {
        return Err("must be longer than nothing".to_owned());
    }
    if time > LONGEST {
        return Err(format!("{} at most", humantime::format_duration(LONGEST)));
    }
    Ok(time)
}

/// No run and no call is longer.
const LONGEST: Duration = Duration::from_hours(24 * 30);
