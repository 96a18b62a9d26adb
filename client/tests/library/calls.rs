//! Deadlines, retries and request ids of single calls.

use std::time::Duration;

use reversi_client::{
    Code, Error,
    proto::{
        CreateGameRequest, DeleteGameRequest, GetGameRequest, PlayMoveRequest, ResignRequest,
        TakeBackRequest,
    },
};
use tokio::net::TcpListener;
use tonic::Status;
use tonic_types::{ErrorDetails, StatusExt};

use crate::fake::{Fake, impatient};

#[tokio::test]
async fn a_read_is_repeated_while_the_service_is_unavailable() {
    let fake = Fake::default();
    fake.fail_with([Status::unavailable("1"), Status::unavailable("2")]);
    let client = fake.client().await;
    let got = client.games().get_game(GetGameRequest::default()).await;
    assert!(got.is_ok(), "{got:?}");
    assert_eq!(fake.asked().len(), 3);
}

#[tokio::test]
async fn a_write_is_repeated_with_one_request_id_of_the_clients_own() {
    let fake = Fake::default();
    let client = fake.client().await;
    let games = client.games();

    fake.fail_with([Status::unavailable("1")]);
    games
        .create_game(CreateGameRequest::default())
        .await
        .unwrap();
    fake.fail_with([Status::unavailable("1")]);
    games.play_move(PlayMoveRequest::default()).await.unwrap();
    fake.fail_with([Status::unavailable("1")]);
    games.take_back(TakeBackRequest::default()).await.unwrap();
    fake.fail_with([Status::unavailable("1")]);
    games.resign(ResignRequest::default()).await.unwrap();
    fake.fail_with([Status::unavailable("1")]);
    games
        .delete_game(DeleteGameRequest::default())
        .await
        .unwrap();

    let asked = fake.asked();
    assert_eq!(asked.len(), 10);
    let ids: Vec<_> = asked.chunks(2).map(|pair| &pair[0].request_id).collect();
    for (pair, id) in asked.chunks(2).zip(&ids) {
        assert_eq!(pair[0].rpc, pair[1].rpc);
        assert_eq!(pair[1].request_id, **id, "{}", pair[0].rpc);
        assert_eq!(id.len(), 32, "{}", pair[0].rpc);
        assert_eq!(ids.iter().filter(|other| *other == id).count(), 1);
    }
}

#[tokio::test]
async fn the_token_of_a_seat_is_shown_and_no_other_client_has_it() {
    let fake = Fake::default();
    let client = fake.client().await;
    for (client, token) in [
        (client.with_seat_token("0123"), Some("0123")),
        // What cannot stand in metadata is no token, and the service says so.
        (client.with_seat_token("a\nb"), Some("")),
        (client.clone(), None),
    ] {
        fake.fail_with([Status::unavailable("1")]);
        let request = PlayMoveRequest::default();
        client.games().play_move(request).await.unwrap();
        let asked = fake.asked();
        let shown: Vec<_> = asked
            .iter()
            .rev()
            .take(2)
            .map(|asked| asked.seat_token.as_deref())
            .collect();
        assert_eq!(shown, [token, token]);
        assert!(!format!("{client:?}").contains("0123"));
    }
}

#[tokio::test]
async fn the_callers_request_id_is_sent() {
    let fake = Fake::default();
    let request = PlayMoveRequest {
        request_id: "mine".to_owned(),
        ..Default::default()
    };
    let client = fake.client().await;
    client.games().play_move(request).await.unwrap();
    assert_eq!(fake.asked()[0].request_id, "mine");
}

#[tokio::test]
async fn a_refusal_is_not_repeated() {
    let fake = Fake::default();
    let mut details = ErrorDetails::new();
    details.set_error_info(
        "STALE_ETAG",
        "reversi.v1",
        [("etag".to_owned(), "7".to_owned())],
    );
    fake.fail_with([Status::with_error_details(
        Code::Aborted,
        "it moved",
        details,
    )]);
    let client = fake.client().await;
    let error = client
        .games()
        .play_move(PlayMoveRequest::default())
        .await
        .unwrap_err();
    assert_eq!(error.label(), "STALE_ETAG");
    assert_eq!(error.metadata("etag"), Some("7"));
    assert_eq!(fake.asked().len(), 1);
}

#[tokio::test]
async fn every_attempt_is_sent_what_is_left_of_the_deadline() {
    let fake = Fake::default();
    fake.fail_with([Status::unavailable("1")]);
    let client = fake.client().await.with_timeout(Duration::from_secs(5));
    client
        .games()
        .get_game(GetGameRequest::default())
        .await
        .unwrap();
    let left: Vec<_> = fake
        .asked()
        .iter()
        .map(|asked| microseconds(asked.timeout.as_deref().unwrap()))
        .collect();
    assert!(left[0] <= 5_000_000 && left[1] < left[0], "{left:?}");
}

#[tokio::test]
async fn a_server_that_says_nothing_is_given_up_at_the_deadline() {
    // Connections are accepted by the kernel, and nobody answers.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let config = impatient([url]).timeout(Duration::from_millis(50));
    let client = reversi_client::Client::connect(config).await.unwrap();
    let error = client
        .games()
        .get_game(GetGameRequest::default())
        .await
        .unwrap_err();
    assert!(matches!(error, Error::DeadlineExceeded { .. }), "{error:?}");
    assert_eq!(error.to_string(), "no answer within 50ms");
}

/// A `grpc-timeout` in microseconds.
fn microseconds(text: &str) -> u64 {
    let (number, unit) = text.split_at(text.len() - 1);
    let number: u64 = number.parse().unwrap();
    match unit {
        "n" => number / 1000,
        "u" => number,
        "m" => number * 1000,
        _ => number * 1_000_000,
    }
}
