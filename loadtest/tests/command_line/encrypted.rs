//! Encrypted connections.

use std::sync::Arc;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use reversi_service::testing::TestServer;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use super::support::{loadtest, run};

/// Takes the encryption off and passes on; the URL, and the certificate in PEM.
async fn terminate(server: &TestServer) -> (String, String) {
    let names = vec!["localhost".to_owned()];
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let mut config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = server.endpoint().trim_start_matches("http://").to_owned();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let (acceptor, server) = (acceptor.clone(), server.clone());
            tokio::spawn(async move {
                // A caller that does not trust the certificate goes away.
                if let Ok(mut near) = acceptor.accept(stream).await {
                    let mut far = TcpStream::connect(server).await.unwrap();
                    let _ = copy_bidirectional(&mut near, &mut far).await;
                }
            });
        }
    });
    (format!("https://localhost:{port}"), cert.pem())
}

#[tokio::test]
async fn calls_are_made_over_tls_with_a_trusted_authority() {
    let server = TestServer::start().await;
    let (endpoint, certificate) = terminate(&server).await;
    let ca = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(ca.path(), certificate).unwrap();
    let more = ["--duration=300ms", "--ca", ca.path().to_str().unwrap()];
    let (done, report) = run(&endpoint, "legal-moves", &more).await;
    done.expect(0);
    assert_eq!(report["setup"]["tls"], true);
}

#[tokio::test]
async fn a_certificate_of_another_authority_is_refused() {
    let server = TestServer::start().await;
    let (endpoint, _) = terminate(&server).await;
    let (_, other) = terminate(&server).await;
    let ca = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(ca.path(), other).unwrap();
    let ca = ca.path().to_str().unwrap();
    let done = loadtest(&["run", "legal-moves", "--endpoint", &endpoint, "--ca", ca])
        .await
        .expect(1);
    assert!(done.err.contains("cannot reach"), "{}", done.err);
}
