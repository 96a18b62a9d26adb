//! The connections to the service: one for each endpoint, used in turn.
//!
//! A connection reconnects by itself. One that has just failed rests for a moment, so that
//! a repeat, and the calls after it, go to the others.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError, RwLock, Weak,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::Instant,
};
use tonic::transport::Channel;

use crate::{ClientConfig, Error, target::Target};

/// How long a connection that failed is left out while there are others.
const REST: Duration = Duration::from_secs(1);

/// All connections of a client. There is at least one.
#[derive(Debug)]
pub(crate) struct Connections {
    all: Arc<RwLock<Vec<Arc<Connection>>>>,
    next: AtomicUsize,
}

/// The connection to one endpoint, or to one of its addresses.
#[derive(Debug)]
pub(crate) struct Connection {
    endpoint: String,
    address: Option<SocketAddr>,
    channel: Channel,
    resting_until: Mutex<Option<Instant>>,
    permits: Semaphore,
}

impl Connections {
    /// Prepares the connections; each is made when it is first needed.
    pub(crate) fn lazy(config: &ClientConfig) -> Result<Self, Error> {
        let targets = Target::all(config)?;
        let mut all = Vec::new();
        for target in &targets {
            let channel = target.endpoint(config, None)?.connect_lazy();
            all.push(Connection::new(config, target, None, channel));
        }
        Ok(Self::new(config, targets, all))
    }

    /// Prepares the connections and makes the first that can be made.
    pub(crate) async fn eager(config: &ClientConfig) -> Result<Self, Error> {
        let targets = Target::all(config)?;
        let mut all = Vec::new();
        let mut connected = false;
        let mut failed = None;
        for target in &targets {
            let endpoint = target.endpoint(config, None)?;
            let mut channel = None;
            if !connected {
                match endpoint.connect().await {
                    Ok(made) => channel = Some(made),
                    Err(error) => {
                        failed.get_or_insert_with(|| Error::from_connect(target.text(), &error));
                    }
                }
            }
            let rests = channel.is_none() && !connected;
            connected |= channel.is_some();
            let channel = channel.unwrap_or_else(|| endpoint.connect_lazy());
            let connection = Connection::new(config, target, None, channel);
            if rests {
                connection.rest();
            }
            all.push(connection);
        }
        match failed {
            Some(error) if !connected => Err(error),
            Some(_) | None => Ok(Self::new(config, targets, all)),
        }
    }

    fn new(config: &ClientConfig, targets: Vec<Target>, all: Vec<Arc<Connection>>) -> Self {
        let all = Arc::new(RwLock::new(all));
        if let Some(interval) = config.resolve_interval {
            // Ends with the client.
            let following = follow(Arc::downgrade(&all), targets, config.clone(), interval);
            tokio::spawn(following);
        }
        Self {
            all,
            next: AtomicUsize::new(0),
        }
    }

    /// The next connection in turn that does not rest; the next in turn when all rest.
    pub(crate) fn pick(&self) -> Arc<Connection> {
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        let start = self.next.fetch_add(1, Ordering::Relaxed) % all.len();
        let (before, after) = all.split_at(start);
        let awake = after
            .iter()
            .chain(before)
            .find(|connection| !connection.is_resting());
        Arc::clone(awake.unwrap_or(&all[start]))
    }
}

/// Asks again and again where the endpoints are, and keeps a connection to each address: new
/// servers are called soon, and those that have left no longer.
async fn follow(
    all: Weak<RwLock<Vec<Arc<Connection>>>>,
    targets: Vec<Target>,
    config: ClientConfig,
    interval: Duration,
) {
    let mut ticks = tokio::time::interval(interval);
    loop {
        ticks.tick().await;
        let mut found = Vec::new();
        for target in &targets {
            for address in target.addresses().await {
                found.push((target, address));
            }
        }
        let Some(all) = all.upgrade() else {
            return;
        };
        // A name service that does not answer takes nobody's connections away.
        if found.is_empty() {
            continue;
        }
        let known = all.read().unwrap_or_else(PoisonError::into_inner).clone();
        let now: Vec<Arc<Connection>> = found
            .into_iter()
            .filter_map(|(target, address)| {
                let there = known.iter().find(|connection| {
                    connection.address == Some(address) && connection.endpoint == target.text()
                });
                there.cloned().or_else(|| {
                    let endpoint = target.endpoint(&config, Some(address)).ok()?;
                    let channel = endpoint.connect_lazy();
                    Some(Connection::new(&config, target, Some(address), channel))
                })
            })
            .collect();
        if !now.is_empty() {
            *all.write().unwrap_or_else(PoisonError::into_inner) = now;
        }
    }
}

impl Connection {
    fn new(
        config: &ClientConfig,
        target: &Target,
        address: Option<SocketAddr>,
        channel: Channel,
    ) -> Arc<Self> {
        Arc::new(Self {
            endpoint: target.text().to_owned(),
            address,
            channel,
            resting_until: Mutex::new(None),
            permits: Semaphore::new(config.max_in_flight.min(Semaphore::MAX_PERMITS)),
        })
    }

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

    fn picks(connections: &Connections, count: usize) -> Vec<String> {
        (0..count)
            .map(|_| connections.pick().endpoint().to_owned())
            .collect()
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
        let second = Arc::clone(&connections.all.read().unwrap()[1]);
        let error = second.fault(REST, tonic::Status::unavailable("gone"));
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
        for connection in connections.all.read().unwrap().iter() {
            connection.rest();
        }
        assert_eq!(picks(&connections, 2), ["http://a:1", "http://b:1"]);
    }

    #[tokio::test]
    async fn a_name_leads_to_all_its_addresses() {
        let config = ClientConfig::new(["http://localhost:1"]).resolve(Duration::from_millis(10));
        let connections = Connections::lazy(&config).unwrap();
        let known = Target::all(&config).unwrap()[0].addresses().await;
        assert!(!known.is_empty());
        let mut ticks = tokio::time::interval(Duration::from_millis(5));
        loop {
            ticks.tick().await;
            let all = connections.all.read().unwrap().clone();
            let addresses: Vec<_> = all.iter().filter_map(|c| c.address).collect();
            if addresses == known {
                break;
            }
        }
        let before = connections.pick();
        ticks.tick().await;
        let again: Vec<_> = (0..known.len()).map(|_| connections.pick()).collect();
        assert!(again.iter().any(|c| Arc::ptr_eq(c, &before)), "it is kept");
        assert_eq!(before.endpoint(), "http://localhost:1");
    }

    #[tokio::test]
    async fn what_is_no_endpoint_is_refused_before_any_call() {
        for text in [
            "",
            "localhost:50051",
            "ftp://a:1",
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
