//! An endpoint: where the service is, as the caller says it.

use std::fmt;
use std::net::SocketAddr;

use http::Uri;
use http::uri::{Authority, Scheme};
use tonic::transport::Endpoint;

use crate::{ClientConfig, Error};

/// An endpoint that was found sound.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    text: String,
    uri: Uri,
    host: String,
    port: u16,
}

impl Target {
    /// Checks the endpoints of a configuration.
    pub(crate) fn all(config: &ClientConfig) -> Result<Vec<Self>, Error> {
        if config.endpoints.is_empty() {
            return Err(invalid("", &"none is given"));
        }
        config
            .endpoints
            .iter()
            .map(|text| Self::new(text))
            .collect()
    }

    fn new(text: &str) -> Result<Self, Error> {
        let uri: Uri = text.parse().map_err(|error| invalid(text, &error))?;
        let usual = match uri.scheme_str() {
            Some("http") => 80,
            Some("https") => 443,
            _ => 0,
        };
        let (Some(authority), 1..) = (uri.authority(), usual) else {
            let expected = "it must be of the form http://host:port or https://host:port";
            return Err(invalid(text, &expected));
        };
        Ok(Self {
            text: text.to_owned(),
            host: authority.host().trim_matches(['[', ']']).to_owned(),
            port: authority.port_u16().unwrap_or(usual),
            uri,
        })
    }

    /// As the caller has written it.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Where it is now by the name service.
    pub(crate) async fn addresses(&self) -> Vec<SocketAddr> {
        let found = tokio::net::lookup_host((self.host.as_str(), self.port)).await;
        let mut addresses: Vec<SocketAddr> = found.into_iter().flatten().collect();
        addresses.sort_unstable();
        addresses.dedup();
        addresses
    }

    /// The endpoint with the settings; at one of its addresses, or wherever its name leads.
    pub(crate) fn endpoint(
        &self,
        config: &ClientConfig,
        address: Option<SocketAddr>,
    ) -> Result<Endpoint, Error> {
        let error = |error: tonic::transport::Error| invalid(&self.text, &Told(&error));
        let uri = match address {
            Some(address) => at(&self.uri, address),
            None => self.uri.clone(),
        };
        let mut endpoint = Endpoint::new(uri)
            .and_then(|endpoint| {
                endpoint.user_agent(concat!("reversi-client/", env!("CARGO_PKG_VERSION")))
            })
            .map_err(error)?;
        if self.uri.scheme() == Some(&Scheme::HTTPS) {
            let tls = config.tls.config(address.map(|_| self.host.as_str()));
            endpoint = endpoint.tls_config(tls).map_err(error)?;
        }
        Ok(endpoint
            .origin(self.uri.clone())
            .connect_timeout(config.connect_timeout)
            .tcp_nodelay(true)
            .http2_keep_alive_interval(config.keepalive_interval)
            .keep_alive_timeout(config.keepalive_timeout)
            .keep_alive_while_idle(true))
    }
}

/// The URL with an address for its host.
fn at(uri: &Uri, address: SocketAddr) -> Uri {
    let mut parts = uri.clone().into_parts();
    parts.authority = Authority::try_from(address.to_string()).ok();
    Uri::from_parts(parts).unwrap_or_else(|_| uri.clone())
}

/// An error with its causes.
struct Told<'a>(&'a dyn std::error::Error);

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

fn invalid(endpoint: &str, problem: &dyn ToString) -> Error {
    Error::InvalidEndpoint {
        endpoint: endpoint.to_owned(),
        problem: problem.to_string(),
    }
}
