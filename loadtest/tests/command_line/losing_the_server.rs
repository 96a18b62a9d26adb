//! Servers that are not there, are something else, or go away.

use std::time::Instant;

use reversi_service::testing::TestServer;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::process::Command;

use super::proxy::Proxy;
use super::support::{end, loadtest, number, report, start};

/// A load that goes on until something happens.
fn long_run<'a>(endpoint: &'a str, json: &'a str) -> Vec<&'a str> {
    vec![
        "run",
        "legal-moves",
        "--endpoint",
        endpoint,
        "--connections=2",
        "--in-flight=2",
        "--warm-up=0s",
        "--duration=1h",
        "--patience=500ms",
        "--json",
        json,
    ]
}

#[tokio::test]
async fn a_server_that_is_not_there_is_told() {
    // The port is free once the listener is gone.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let done = loadtest(&["run", "legal-moves", "--endpoint", &address])
        .await
        .expect(1);
    assert!(done.err.contains("cannot reach http://"), "{}", done.err);
}

#[tokio::test]
async fn a_server_that_speaks_no_grpc_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let answering = tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let answer = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n";
            stream.write_all(answer).await.unwrap();
        }
    });
    let done = loadtest(&["run", "legal-moves", "--endpoint", &address])
        .await
        .expect(1);
    assert!(
        done.err.contains("does not answer as a gRPC server"),
        "{}",
        done.err
    );
    answering.abort();
}

#[tokio::test]
async fn a_server_that_says_nothing_is_told_soon() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let arguments = [
        "run",
        "legal-moves",
        "--endpoint",
        &address,
        "--patience=200ms",
    ];
    let started = Instant::now();
    let done = loadtest(&arguments).await.expect(1);
    assert!(
        done.err.contains("does not answer as a gRPC server"),
        "{}",
        done.err
    );
    assert!(started.elapsed().as_secs() < 20);
    drop(listener);
}

#[tokio::test]
async fn a_server_that_dies_ends_the_run_with_what_was_measured() {
    let server = TestServer::start().await;
    let mut proxy = Proxy::to(&server.endpoint()).await;
    let file = tempfile::NamedTempFile::new().unwrap();
    let run = start(&long_run(&proxy.endpoint(), file.path().to_str().unwrap()));
    proxy.under_load().await;
    proxy.close();
    let done = end(run).await.expect(1);
    assert!(done.err.contains("the server is gone"), "{}", done.err);
    let report = report(file.path());
    assert!(number(&report, "/totals/ok") > 0.0);
    assert!(report["cut_short"].as_str().unwrap().contains("gone"));
}

#[tokio::test]
async fn connections_that_are_lost_are_opened_again() {
    let server = TestServer::start().await;
    let mut proxy = Proxy::to(&server.endpoint()).await;
    let file = tempfile::NamedTempFile::new().unwrap();
    let endpoint = proxy.endpoint();
    let mut arguments = long_run(&endpoint, file.path().to_str().unwrap());
    arguments.retain(|argument| !argument.starts_with("--duration"));
    arguments.extend(["--duration=2s", "--rate=2000"]);
    let run = start(&arguments);
    proxy.under_load().await;
    proxy.cut();
    let done = end(run).await.expect(0);
    assert!(
        done.out.contains("were lost and opened again"),
        "{}",
        done.out
    );
    let report = report(file.path());
    assert!(number(&report, "/totals/ok") > 0.0);
    assert!(report["cut_short"].is_null());
}

#[tokio::test]
async fn a_server_that_stops_in_good_order_costs_no_call() {
    let (staying, mut going) = (TestServer::start().await, TestServer::start().await);
    let mut proxy = Proxy::to(&going.endpoint()).await;
    let file = tempfile::NamedTempFile::new().unwrap();
    let endpoints = format!("{},{}", staying.endpoint(), proxy.endpoint());
    let mut arguments = long_run(&endpoints, file.path().to_str().unwrap());
    arguments.retain(|argument| !argument.starts_with("--duration"));
    arguments.extend(["--duration=1s", "--rate=1000"]);
    let run = start(&arguments);
    proxy.under_load().await;
    going.begin_stop();
    end(run).await.expect(0);
    let report = report(file.path());
    assert!(number(&report, "/totals/errors") < 1.0, "{report:#}");
    assert!(number(&report, "/totals/ok") > 0.0);
}

#[tokio::test]
async fn an_interrupt_ends_the_run_with_what_was_measured() {
    let server = TestServer::start().await;
    let mut proxy = Proxy::to(&server.endpoint()).await;
    let file = tempfile::NamedTempFile::new().unwrap();
    let run = start(&long_run(&proxy.endpoint(), file.path().to_str().unwrap()));
    proxy.under_load().await;
    let process = run.id().unwrap().to_string();
    let interrupted = Command::new("kill").args(["-INT", &process]).status().await;
    assert!(interrupted.unwrap().success());
    end(run).await.expect(130);
    let report = report(file.path());
    assert_eq!(report["cut_short"], "interrupted");
    assert!(number(&report, "/totals/ok") > 0.0);
}
