//! TLS of the port: the server's certificate, and with mutual TLS the certificates of clients.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};
use tokio_rustls::server::TlsStream;
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::{FromDer, X509Certificate};

use crate::auth::{Tenant, Unusable, Watched};

/// What HTTP/2 is called in the handshake; nothing else is spoken.
const HTTP_2: &[u8] = b"h2";
/// How long a handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// The files of a port's TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate chain, PEM.
    pub certificate: PathBuf,
    /// Its key, PEM.
    pub key: PathBuf,
    /// Whose certificates clients have to show, PEM; without, they show none.
    pub client_authorities: Option<PathBuf>,
}

/// The TLS of a port. New certificates are taken without a restart: connections that are open go
/// on with the old ones.
#[derive(Clone, Debug)]
pub(crate) struct Tls(Arc<Watched<ServerConfig>>);

impl Tls {
    /// Reads the files.
    pub(crate) fn open(files: &TlsFiles) -> Result<Self, Unusable> {
        let mut paths = vec![files.certificate.clone(), files.key.clone()];
        paths.extend(files.client_authorities.clone());
        Watched::open(paths, server_config).map(|config| Self(Arc::new(config)))
    }

    /// Looks again and again whether the files have changed.
    pub(crate) fn follow(&self, tasks: &mut JoinSet<()>) {
        tasks.spawn(Arc::clone(&self.0).follow());
    }

    /// Shakes hands.
    pub(crate) async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        let acceptor = TlsAcceptor::from(self.0.now());
        let stream = timeout(HANDSHAKE, acceptor.accept(stream)).await??;
        // Who offers other protocols only is refused by the handshake; who offers none may still
        // speak another one.
        match stream.get_ref().1.alpn_protocol() {
            Some(HTTP_2) => Ok(stream),
            _ => Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the client does not speak h2",
            )),
        }
    }
}

/// The tenant that the certificate of a connection stands for: its first DNS name or URI, or where
/// it has none, its common name.
pub(crate) fn tenant(stream: &TlsStream<TcpStream>) -> Option<Tenant> {
    let certificate = stream.get_ref().1.peer_certificates()?.first()?;
    tenant_of(certificate)
}

fn tenant_of(certificate: &CertificateDer<'_>) -> Option<Tenant> {
    let (_, certificate) = X509Certificate::from_der(certificate).ok()?;
    let names = certificate.subject_alternative_name().ok().flatten();
    let name = names.and_then(|names| {
        names.value.general_names.iter().find_map(|name| {
            if let GeneralName::DNSName(name) | GeneralName::URI(name) = name {
                Some(*name)
            } else {
                None
            }
        })
    });
    let common = certificate.subject().iter_common_name().next();
    let name = name.or_else(|| common?.as_str().ok())?;
    Tenant::named(name)
}

fn server_config(files: &[Vec<u8>]) -> Result<ServerConfig, String> {
    let certificates = certificates(&files[0])?;
    let key = PrivateKeyDer::from_pem_slice(&files[1])
        .map_err(|_| "the second file has no private key in PEM".to_owned())?;
    let builder = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(text)?;
    let builder = match files.get(2) {
        None => builder.with_no_client_auth(),
        Some(authorities) => {
            let mut roots = RootCertStore::empty();
            for authority in self::certificates(authorities)? {
                roots.add(authority).map_err(text)?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider());
            builder.with_client_cert_verifier(verifier.build().map_err(text)?)
        }
    };
    let mut config = builder.with_single_cert(certificates, key).map_err(text)?;
    config.alpn_protocols = vec![HTTP_2.to_vec()];
    Ok(config)
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) | Err(_) => Err("there is no certificate in PEM".to_owned()),
    }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, DnType, KeyPair, SanType};

    use super::*;

    fn certificate(names: &[SanType], common: &str) -> CertificateDer<'static> {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.subject_alt_names = names.to_vec();
        params.distinguished_name.push(DnType::CommonName, common);
        let key = KeyPair::generate().unwrap();
        params.self_signed(&key).unwrap().der().clone()
    }

    #[test]
    fn a_certificate_names_its_tenant() {
        let dns = SanType::DnsName("acme.example".try_into().unwrap());
        let uri = SanType::URI("spiffe://cluster/ns/acme".try_into().unwrap());
        for (names, common, tenant) in [
            (vec![dns], "else", Some("acme.example")),
            (vec![uri], "else", Some("spiffe://cluster/ns/acme")),
            (vec![], "acme", Some("acme")),
            (vec![], "two words", None),
        ] {
            let found = tenant_of(&certificate(&names, common));
            assert_eq!(found, tenant.and_then(Tenant::named));
        }
    }

    #[test]
    fn files_without_what_is_needed_are_refused() {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        let pem = params.self_signed(&key).unwrap().pem().into_bytes();
        let key = key.serialize_pem().into_bytes();
        let other = KeyPair::generate().unwrap().serialize_pem().into_bytes();
        assert!(server_config(&[pem.clone(), key.clone()]).is_ok());
        assert!(server_config(&[pem.clone(), key.clone(), pem.clone()]).is_ok());
        for files in [
            vec![key.clone(), key.clone()],
            vec![pem.clone(), pem.clone()],
            vec![pem.clone(), other],
            vec![pem, key, b"nothing".to_vec()],
        ] {
            assert!(server_config(&files).is_err());
        }
    }
}
