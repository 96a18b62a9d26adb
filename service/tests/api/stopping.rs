//! A server that stops.

use std::time::Duration;

use reversi_proto::v1::suggest_move_request::Subject;
use reversi_proto::v1::{self, ErrorReason};
use reversi_service::app::Drained;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tonic::Code;

use crate::client::soon;
use crate::failure::assert_fails;
use crate::server::Api;

#[tokio::test]
async fn an_idle_server_stops_at_once() {
    let api = Api::start_with(&["--shutdown-grace", "1h"]).await;
    api.game().await;
    assert_eq!(api.stop().await, Drained::Completely);
}

#[tokio::test]
async fn a_connection_that_is_kept_does_not_hold_up_the_stop() {
    let api = Api::start_with(&["--shutdown-grace", "1h"]).await;
    api.game().await;
    let channel = api.channel.clone();
    assert_eq!(api.stop().await, Drained::Completely);
    drop(channel);
}

#[tokio::test]
async fn clients_that_have_not_said_enough_do_not_hold_up_the_stop() {
    let flags = ["--shutdown-grace", "1h", "--io-threads", "1"];
    let api = Api::start_with(&flags).await;
    let address = api.server.endpoint();
    let address = address.strip_prefix("http://").unwrap();
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    let mut silent = Vec::new();
    for said in [0, 1, preface.len() - 1] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(&preface[..said]).await.unwrap();
        silent.push(stream);
    }
    // They are served before this call, which comes to the same thread.
    api.game().await;
    assert_eq!(api.stop().await, Drained::Completely);
    for mut stream in silent {
        let mut rest = Vec::new();
        let _ = soon(stream.read_to_end(&mut rest)).await;
    }
}

#[tokio::test]
async fn watches_end_with_a_reason_to_go_elsewhere() {
    let mut api = Api::start_with(&["--shutdown-grace", "1h"]).await;
    let game = api.game().await;
    let mut watch = api.watch(&game.name, "").await;
    watch.snapshot().await;
    let mut games = api.watch_games("", "").await;
    api.server.begin_stop();
    assert_fails(
        games.next().await,
        Code::Unavailable,
        ErrorReason::ShuttingDown,
    );
    let ended = watch.try_next().await;
    let failure = assert_fails(ended, Code::Unavailable, ErrorReason::ShuttingDown);
    assert!(failure.retry_after.is_some());
    assert_eq!(api.stop().await, Drained::Completely);
}

#[tokio::test]
async fn counts_and_open_streams_do_not_hold_up_the_stop() {
    let mut api = Api::start_with(&["--shutdown-grace", "1h"]).await;
    let mut count = crate::counting::endless(&api).await;
    let batches = tokio_stream::pending::<v1::StreamLegalMovesRequest>();
    let mut answers = api
        .rules()
        .stream_legal_moves(batches)
        .await
        .unwrap()
        .into_inner();
    api.server.begin_stop();
    let ended = loop {
        match count.message().await {
            Ok(Some(_)) => {}
            ended => break ended,
        }
    };
    assert_fails(ended, Code::Unavailable, ErrorReason::ShuttingDown);
    assert_fails(
        answers.message().await,
        Code::Unavailable,
        ErrorReason::ShuttingDown,
    );
    assert_eq!(api.stop().await, Drained::Completely);
}

#[tokio::test]
async fn a_call_under_way_is_answered() {
    let mut api = Api::start_with(&["--shutdown-grace", "1h"]).await;
    let request = v1::SuggestMoveRequest {
        subject: Some(Subject::Line(v1::Line::default())),
        budget: Some(v1::Budget {
            time: Some(prost_types::Duration {
                seconds: 0,
                nanos: 700_000_000,
            }),
            ..Default::default()
        }),
        no_book: true,
        ..Default::default()
    };
    let mut client = api.analysis();
    let call = tokio::spawn(async move { client.suggest_move(request).await });
    // It has arrived when it is counted as started.
    crate::client::until(async || api.counts().await.started("SuggestMove") == 1.0).await;
    api.server.begin_stop();
    let suggestion = soon(call).await.unwrap().unwrap().into_inner();
    assert!(suggestion.r#move.is_some());
    assert_eq!(api.stop().await, Drained::Completely);
}

#[tokio::test]
async fn calls_that_go_on_are_cut_off_after_the_grace_period() {
    let mut api = Api::start_with(&["--shutdown-grace", "200ms"]).await;
    let request = v1::SuggestMoveRequest {
        subject: Some(Subject::Line(v1::Line::default())),
        budget: Some(v1::Budget {
            time: Some(prost_types::Duration {
                seconds: 60,
                nanos: 0,
            }),
            ..Default::default()
        }),
        no_book: true,
        ..Default::default()
    };
    let mut client = api.analysis();
    let call = tokio::spawn(async move { client.suggest_move(request).await });
    crate::client::until(async || api.counts().await.started("SuggestMove") == 1.0).await;
    let begun = std::time::Instant::now();
    api.server.begin_stop();
    assert_eq!(api.stop().await, Drained::InPart);
    assert!(begun.elapsed() >= Duration::from_millis(200));
    call.abort();
}
