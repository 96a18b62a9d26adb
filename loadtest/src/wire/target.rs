//! Where calls go and what they carry: address, TLS, headers.

use std::fmt;
use std::io;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use http::header::{self, HeaderMap, HeaderName, HeaderValue, InvalidHeaderValue};
use http::uri::{Authority, Scheme, Uri};
use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::{InvalidDnsNameError, ServerName};

use super::rpc::Rpc;

/// A server's address: `http://host:port`, `https://host:port` or `host:port`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Endpoint {
    /// Host and port.
    pub(crate) authority: Authority,
    /// Whether the connection is encrypted.
    pub(crate) transport: Transport,
}

/// What the bytes of a connection go through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    /// TCP alone.
    Plain,
    /// TLS over TCP.
    Tls,
}

/// The text is no address of a server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ParseEndpointError {
    /// Not of the form of an address.
    #[error("expected http://host:port or https://host:port")]
    Form,
    /// An address without a port.
    #[error("the port is missing")]
    Port,
}

impl FromStr for Endpoint {
    type Err = ParseEndpointError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (transport, rest) = match text.split_once("://") {
            None => (Transport::Plain, text),
            Some(("http", rest)) => (Transport::Plain, rest),
            Some(("https", rest)) => (Transport::Tls, rest),
            Some(_) => return Err(ParseEndpointError::Form),
        };
        let authority = rest.strip_suffix('/').unwrap_or(rest);
        let authority: Authority = authority.parse().map_err(|_| ParseEndpointError::Form)?;
        if authority.as_str().contains('@') || authority.host().is_empty() {
            return Err(ParseEndpointError::Form);
        }
        if authority.port_u16().is_none_or(|port| port == 0) {
            return Err(ParseEndpointError::Port);
        }
        Ok(Self {
            authority,
            transport,
        })
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.transport {
            Transport::Plain => "http",
            Transport::Tls => "https",
        };
        write!(f, "{scheme}://{}", self.authority)
    }
}

/// A connection is a stream of bytes both ways.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Unpin {}
impl<T: AsyncRead + AsyncWrite + Unpin> Stream for T {}

/// A server to call, with everything that its calls have in common.
#[derive(Clone)]
pub(crate) struct Target {
    endpoint: Endpoint,
    tls: Option<Arc<ClientConfig>>,
    uris: Arc<[Uri]>,
    headers: HeaderMap,
    /// Without a deadline.
    unlimited: HeaderMap,
}

impl fmt::Debug for Target {
    /// Without the headers: they may hold a token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Target").field(&self.endpoint).finish()
    }
}

impl Target {
    /// A server whose calls carry this deadline and, if there is one, this bearer token.
    ///
    /// # Errors
    ///
    /// If the token cannot be sent in a header.
    pub(crate) fn new(
        endpoint: Endpoint,
        tls: Option<Arc<ClientConfig>>,
        deadline: Duration,
        token: Option<&str>,
    ) -> Result<Self, InvalidHeaderValue> {
        let scheme = match endpoint.transport {
            Transport::Plain => Scheme::HTTP,
            Transport::Tls => Scheme::HTTPS,
        };
        let uris = Rpc::ALL.iter().map(|rpc| {
            let mut parts = http::uri::Parts::default();
            parts.scheme = Some(scheme.clone());
            parts.authority = Some(endpoint.authority.clone());
            parts.path_and_query = Some(rpc.path_and_query());
            Uri::from_parts(parts).expect("invariant: all three parts are there")
        });
        let unlimited = headers(token)?;
        let mut headers = unlimited.clone();
        headers.insert(
            HeaderName::from_static("grpc-timeout"),
            HeaderValue::try_from(format!("{}m", deadline.as_millis().min(MAX_TIMEOUT_MS)))?,
        );
        Ok(Self {
            uris: uris.collect(),
            headers,
            unlimited,
            endpoint,
            tls,
        })
    }

    /// Its address.
    pub(crate) const fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// A request's head.
    pub(crate) fn request(&self, rpc: Rpc) -> http::Request<()> {
        let mut request = http::Request::new(());
        *request.method_mut() = http::Method::POST;
        *request.version_mut() = http::Version::HTTP_2;
        *request.uri_mut() = self.uris[rpc.index()].clone();
        let headers = if rpc.is_long_lived() {
            &self.unlimited
        } else {
            &self.headers
        };
        request.headers_mut().clone_from(headers);
        request
    }

    /// Opens a connection.
    ///
    /// # Errors
    ///
    /// What the system or the TLS handshake says.
    pub(crate) async fn connect(&self) -> io::Result<Box<dyn Stream>> {
        let authority = &self.endpoint.authority;
        let port = authority.port_u16().unwrap_or_default();
        let host = authority
            .host()
            .trim_start_matches('[')
            .trim_end_matches(']');
        let tcp = TcpStream::connect((host, port)).await?;
        tcp.set_nodelay(true)?;
        let tcp = BufReader::with_capacity(READ_AHEAD, tcp);
        let Some(tls) = &self.tls else {
            return Ok(Box::new(tcp));
        };
        let name = ServerName::try_from(host.to_owned())
            .map_err(|error: InvalidDnsNameError| io::Error::other(error))?;
        let connector = TlsConnector::from(Arc::clone(tls));
        Ok(Box::new(connector.connect(name, tcp).await?))
    }
}

fn headers(token: Option<&str>) -> Result<HeaderMap, InvalidHeaderValue> {
    let mut headers = HeaderMap::new();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/grpc"),
    );
    headers.insert(header::TE, HeaderValue::from_static("trailers"));
    headers.insert(
        header::USER_AGENT,
        HeaderValue::from_static(concat!("reversi-loadtest/", env!("CARGO_PKG_VERSION"))),
    );
    if let Some(token) = token {
        let mut value = HeaderValue::try_from(format!("Bearer {token}"))?;
        value.set_sensitive(true);
        headers.insert(header::AUTHORIZATION, value);
    }
    Ok(headers)
}

/// What is read at a time, if the peer has sent as much: h2 reads 8 KiB, which some answers on a
/// stream exceed.
const READ_AHEAD: usize = 16 << 10;

/// A `grpc-timeout` has at most eight digits (gRPC over HTTP/2).
const MAX_TIMEOUT_MS: u128 = 99_999_999;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_a_url_or_host_and_port() {
        for text in ["http://localhost:50051", "https://[::1]:1"] {
            assert_eq!(text.parse::<Endpoint>().unwrap().to_string(), text);
        }
        let plain: Endpoint = "10.0.0.1:50051".parse().unwrap();
        assert_eq!(plain.to_string(), "http://10.0.0.1:50051");
    }

    #[test]
    fn what_is_no_endpoint_is_refused() {
        for (text, error) in [
            ("ftp://a:1", ParseEndpointError::Form),
            ("http://a b:1", ParseEndpointError::Form),
            ("user@host:1", ParseEndpointError::Form),
            ("", ParseEndpointError::Form),
            ("localhost", ParseEndpointError::Port),
            ("localhost:0", ParseEndpointError::Port),
        ] {
            assert_eq!(text.parse::<Endpoint>(), Err(error), "{text}");
        }
    }
}
