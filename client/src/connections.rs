//! The connections to the service: one for each endpoint, used in turn.
//!
//! A connection reconnects by itself. One that has just failed rests for a moment, so that
//! a repeat, and the calls after it, go to the others.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use http::Uri;
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::Instant,
};
use tonic::transport::{Channel, Endpoint};

use crate::{ClientConfig, Error};

/// How long a connection that failed is left out while there are others.
const REST: Duration = Duration::from_secs(1);

/// All connections of a client. There is at least one.
#[derive(Debug)]
pub(crate) struct Connections {
    all: Vec<Connection>,
    next: AtomicUsize,
}

/// The connection to one endpoint.
#[derive(Debug)]
pub(crate) struct Connection {
    endpoint: String,
    channel: Channel,
    resting_until: Mutex<Option<Instant>>,
    permits: Semaphore,
}

impl Connections {
    /// Prepares the connections; each is made when it is first needed.
    pub(crate) fn lazy(config: &ClientConfig) -> Result<Self, Error> {
        let prepared = prepare(config)?;
        Ok(Self::new(config, prepared, |endpoint| {
            endpoint.connect_lazy()
        }))
    }

    /// Prepares the connections and makes the first that can be made.
    pub(crate) async fn eager(config: &ClientConfig) -> Result<Self, Error> {
        let prepared = prepare(config)?;
        let mut connected = None;
        let mut failed = None;
        for (index, (text, endpoint)) in prepared.iter().enumerate() {
            match endpoint.connect().await {
                Ok(channel) => {
                    connected = Some((index, channel));
                    break;
                }
                Err(error) => {
                    failed.get_or_insert_with(|| Error::from_connect(text, &error));
                }
            }
        }
        if let (None, Some(error)) = (&connected, failed) {
            return Err(error);
        }
        let mut connections = Self::new(config, prepared, Endpoint::connect_lazy);
        if let Some((index, channel)) = connected {
            for connection in &connections.all[..index] {
                connection.rest();
            }
            connections.all[index].channel = channel;
        }
        Ok(connections)
    }

    fn new(
        config: &ClientConfig,
        prepared: Vec<(String, Endpoint)>,
        connect: impl Fn(&Endpoint) -> Channel,
    ) -> Self {
        let all = prepared
            .into_iter()
            .map(|(text, endpoint)| Connection {
                channel: connect(&endpoint),
                endpoint: text,
                resting_until: Mutex::new(None),
                permits: Semaphore::new(config.max_in_flight.min(Semaphore::MAX_PERMITS)),
            })
            .collect();
        Self {
            all,
            next: AtomicUsize::new(0),
        }
    }

    /// The next connection in turn that does not rest; the next in turn when all rest.
    pub(crate) fn pick(&self) -> &Connection {
        let start = self.next.fetch_add(1, Ordering::Relaxed) % self.all.len();
        let (before, after) = self.all.split_at(start);
        after
            .iter()
            .chain(before)
            .find(|connection| !connection.is_resting())
            .unwrap_or(&self.all[start])
    }
}

impl Connection {
    pub(crate) fn endpoint(&self) -> &str {
        &self.endpoint
    }

    pub(crate) fn channel(&self) -> Channel {
        self.channel.clone()
    }

    /// Waits until one more unary call fits on the connection.
    pub(crate) async fn permit(&self) -> Option<SemaphorePermit<'_>> {
        // The semaphore is never closed: there is no error to report.
        self.permits.acquire().await.ok()
    }

    /// The error of a call, after which the connection may need a rest.
    pub(crate) fn fault(&self, timeout: Duration, status: tonic::Status) -> Error {
        let error = Error::from_status(&self.endpoint, timeout, status);
        if error.is_unavailable() {
            self.rest();
        }
        error
    }

    fn rest(&self) {
        *self
            .resting_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(Instant::now() + REST);
    }

    fn is_resting(&self) -> bool {
        self.resting_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_some_and(|until| Instant::now() < until)
    }
}

/// Checks the endpoints and applies the settings.
fn prepare(config: &ClientConfig) -> Result<Vec<(String, Endpoint)>, Error> {
    if config.endpoints.is_empty() {
        return Err(invalid("", &"none is given"));
    }
    config
        .endpoints
        .iter()
        .map(|text| Ok((text.clone(), endpoint(text, config)?)))
        .collect()
}

fn endpoint(text: &str, config: &ClientConfig) -> Result<Endpoint, Error> {
    let uri: Uri = text.parse().map_err(|error| invalid(text, &error))?;
    let is_secure = uri.scheme_str() == Some("https");
    if !(is_secure || uri.scheme_str() == Some("http")) || uri.authority().is_none() {
        let expected = "it must be of the form http://host:port or https://host:port";
        return Err(invalid(text, &expected));
    }
    let endpoint = Endpoint::new(uri)
        .and_then(|endpoint| {
            endpoint.user_agent(concat!("reversi-client/", env!("CARGO_PKG_VERSION")))
        })
        .map_err(|error| invalid(text, &error))?;
    let endpoint = if is_secure {
        endpoint
            .tls_config(config.tls.config())
            .map_err(|error| invalid(text, &Told(&error)))?
    } else {
        endpoint
    };
    Ok(endpoint
        .connect_timeout(config.connect_timeout)
        .tcp_nodelay(true)
        .http2_keep_alive_interval(config.keepalive_interval)
        .keep_alive_timeout(config.keepalive_timeout)
        .keep_alive_while_idle(true))
}

/// An error with its causes.
struct Told<'a>(&'a dyn std::error::Error);

impl std::fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

fn invalid(endpoint: &str, problem: &dyn ToString) -> Error {
    Error::InvalidEndpoint {
        endpoint: endpoint.to_owned(),
        problem: problem.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> Connections {
        Connections::lazy(&ClientConfig::new([
            "http://a:1",
            "http://b:1",
            "http://c:1",
        ]))
        .unwrap()
    }

    fn picks(connections: &Connections, count: usize) -> Vec<&str> {
        (0..count).map(|_| connections.pick().endpoint()).collect()
    }

    #[tokio::test]
    async fn connections_are_used_in_turn() {
        assert_eq!(
            picks(&three(), 4),
            ["http://a:1", "http://b:1", "http://c:1", "http://a:1"]
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_failed_connection_rests_and_comes_back() {
        let connections = three();
        let error = connections.all[1].fault(REST, tonic::Status::unavailable("gone"));
        assert!(error.is_unavailable());
        assert_eq!(
            picks(&connections, 3),
            ["http://a:1", "http://c:1", "http://c:1"]
        );
        tokio::time::advance(REST).await;
        assert_eq!(
            picks(&connections, 3),
            ["http://a:1", "http://b:1", "http://c:1"]
        );
    }

    #[tokio::test]
    async fn when_all_rest_they_are_used_all_the_same() {
        let connections = three();
        for connection in &connections.all {
            connection.rest();
        }
        assert_eq!(picks(&connections, 2), ["http://a:1", "http://b:1"]);
    }

    #[tokio::test]
    async fn what_is_no_endpoint_is_refused_before_any_call() {
        for text in [
            "",
            "localhost:50051",
            "https://a:1",
            "http://",
            "not a url",
            "/x",
        ] {
            let error = Connections::lazy(&text.into()).unwrap_err();
            assert!(
                matches!(error, Error::InvalidEndpoint { .. }),
                "{text}: {error}"
            );
        }
        let none: [&str; 0] = [];
        assert!(Connections::lazy(&ClientConfig::new(none)).is_err());
    }
}
