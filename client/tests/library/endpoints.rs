//! Servers that are not there, or go away.

use reversi_client::{Client, Error, proto::GetGameRequest};
use tokio::{io::AsyncReadExt, net::TcpListener};

use crate::fake::{Fake, impatient};

/// A URL at which nobody listens.
async fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

/// A server that closes every connection as soon as it is spoken to.
async fn rude() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let _ = socket.read(&mut [0; 16]).await;
        }
    });
    format!("http://{address}")
}

#[tokio::test]
async fn an_unreachable_service_is_named() {
    let url = nobody().await;
    let error = Client::connect(url.as_str()).await.unwrap_err();
    assert!(
        matches!(&error, Error::Connect { endpoint, .. } if *endpoint == url),
        "{error:?}"
    );
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.contains("refused"), "{cause}");
}

#[tokio::test]
async fn an_unreachable_service_is_named_by_a_lazy_client_too() {
    let client = Client::connect_lazy(impatient([nobody().await])).unwrap();
    let error = client
        .games()
        .get_game(GetGameRequest::default())
        .await
        .unwrap_err();
    assert_eq!(error.label(), "UNREACHABLE", "{error:?}");
}

#[tokio::test]
async fn a_connection_that_breaks_is_told_from_one_that_cannot_be_made() {
    let client = Client::connect(impatient([rude().await])).await.unwrap();
    let error = client
        .games()
        .get_game(GetGameRequest::default())
        .await
        .unwrap_err();
    assert_eq!(error.label(), "CONNECTION_LOST", "{error:?}");
    assert!(error.is_retryable());
}

#[tokio::test]
async fn calls_go_to_the_replicas_that_are_there() {
    let fake = Fake::default();
    let config = impatient([nobody().await, rude().await, fake.start().await]);
    let client = Client::connect(config).await.unwrap();
    for _ in 0..10 {
        client
            .games()
            .get_game(GetGameRequest::default())
            .await
            .unwrap();
    }
    assert_eq!(fake.asked().len(), 10);
}
