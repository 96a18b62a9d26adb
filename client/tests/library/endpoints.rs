//! Servers that are not there, or go away.

use reversi_client::{Client, Error, proto::GetGameRequest};
use tokio::{
    io::AsyncReadExt,
    net::{TcpListener, TcpSocket},
};

use crate::fake::{Fake, impatient};

/// A URL at which nobody listens. The socket keeps the port from being given to others.
fn nobody() -> (TcpSocket, String) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let url = format!("http://{}", socket.local_addr().unwrap());
    (socket, url)
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
    let (_socket, url) = nobody();
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
    let (_socket, url) = nobody();
    let client = Client::connect_lazy(impatient([url])).unwrap();
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
    let (_socket, url) = nobody();
    let config = impatient([url, rude().await, fake.start().await]);
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
