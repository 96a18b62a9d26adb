//! The admin port, asked over plain HTTP.

#![allow(dead_code, reason = "each test binary uses its part")]

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::client::soon;

/// The status line and the body that an admin port answers.
pub(crate) async fn get(endpoint: &str, path: &str) -> (String, String) {
    let (head, body) = get_as(endpoint, path, "*/*").await;
    (head.lines().next().unwrap().to_owned(), body)
}

/// The head and the body that an admin port answers to those who read this media type.
pub(crate) async fn get_as(endpoint: &str, path: &str, accept: &str) -> (String, String) {
    let address = endpoint.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "GET {path} HTTP/1.1\r\nhost: test\r\naccept: {accept}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    soon(stream.read_to_string(&mut answer)).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

/// What a server has counted.
#[derive(Debug)]
pub(crate) struct Counts(pub(crate) String);

impl Counts {
    pub(crate) async fn of(endpoint: &str) -> Self {
        let (status, body) = get(endpoint, "/metrics").await;
        assert_eq!(status, "HTTP/1.1 200 OK");
        Self(body)
    }

    /// The value of a metric with these labels.
    pub(crate) fn value(&self, name: &str, labels: &[&str]) -> f64 {
        let metric = |line: &&str| {
            let rest = line.strip_prefix(name);
            rest.is_some_and(|rest| rest.starts_with(['{', ' ']))
                && labels.iter().all(|label| line.contains(label))
        };
        let line = self.0.lines().find(metric);
        let line = line.unwrap_or_else(|| panic!("no {name} {labels:?} in\n{}", self.0));
        line.rsplit_once(' ').unwrap().1.parse().unwrap()
    }

    /// How many calls of a method have begun.
    pub(crate) fn started(&self, method: &str) -> f64 {
        let method = format!("grpc_method=\"{method}\"");
        self.value("grpc_server_started_total", &[&method])
    }

    /// How many calls of a method have ended with a code.
    pub(crate) fn ended(&self, method: &str, code: &str) -> f64 {
        let method = format!("grpc_method=\"{method}\"");
        let code = format!("grpc_code=\"{code}\"");
        self.value("grpc_server_handled_total", &[&method, &code])
    }

    /// How many searches wait for a thread.
    pub(crate) fn queued(&self) -> f64 {
        self.value("reversi_compute_queued_jobs", &["pool=\"search\""])
    }

    /// How many searches run.
    pub(crate) fn running(&self) -> f64 {
        self.value("reversi_compute_running_jobs", &["pool=\"search\""])
    }
}
