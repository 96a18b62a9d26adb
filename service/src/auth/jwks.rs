//! Fetches the keys of an issuer: one GET, over TLS or not, bounded in time and size.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, HOST};
use http::{Request, StatusCode, Uri};
use http_body_util::{BodyExt, Empty, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// How long it may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How large a set of keys may be.
const MOST_BYTES: usize = 1 << 20;

/// What is at the URL.
pub(super) async fn fetch(url: &str) -> Result<Vec<u8>, String> {
    let fetched = tokio::time::timeout(PATIENCE, get(url)).await;
    fetched.map_err(|_| "no answer in time".to_owned())?
}

async fn get(url: &str) -> Result<Vec<u8>, String> {
    let uri: Uri = url.parse().map_err(|_| "not a URL".to_owned())?;
    let host = uri.host().ok_or("the URL has no host")?.to_owned();
    let secure = match uri.scheme_str() {
        Some("https") => true,
        Some("http") => false,
        _ => return Err("the URL is neither https nor http".to_owned()),
    };
    let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
    let address = (host.trim_matches(['[', ']']), port);
    let stream = TcpStream::connect(address).await.map_err(text)?;
    if !secure {
        return ask(stream, &uri).await;
    }
    let name = ServerName::try_from(host).map_err(text)?;
    let connector = TlsConnector::from(Arc::new(trusting_the_system()));
    ask(connector.connect(name, stream).await.map_err(text)?, &uri).await
}

async fn ask(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    uri: &Uri,
) -> Result<Vec<u8>, String> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(text)?;
    let connection = tokio::spawn(connection);
    let authority = uri.authority().map_or("", http::uri::Authority::as_str);
    let request = Request::get(uri.path_and_query().map_or("/", |path| path.as_str()))
        .header(HOST, authority)
        .header(ACCEPT, "application/json")
        .body(Empty::<Bytes>::new())
        .map_err(text)?;
    let answer = sender.send_request(request).await.map_err(text)?;
    if answer.status() != StatusCode::OK {
        return Err(format!("answered {}", answer.status()));
    }
    let body = Limited::new(answer.into_body(), MOST_BYTES).collect().await;
    connection.abort();
    Ok(body.map_err(text)?.to_bytes().to_vec())
}

fn trusting_the_system() -> ClientConfig {
    let mut roots = RootCertStore::empty();
    // Certificates that cannot be read are not trusted, that is all.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    ClientConfig::builder()
        .with_root_certificates(roots)
        .with_no_client_auth()
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
