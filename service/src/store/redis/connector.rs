//! Makes connections to Redis and finds out whether they are of use.

use std::io;
use std::time::Duration;

use redis::aio::{MultiplexedConnection, SendError};
use redis::{AsyncConnectionConfig, PushInfo, RedisError, RedisResult};
use tokio::task::JoinHandle;
use tokio::time;

use super::cluster::Nodes;
use super::fault::{Fault, is_unknown_script};
use super::script::PROBE;
use super::sentinel::Sentinels;
use super::times::RedisTimes;
use super::url::Server;
use super::{RedisStoreConfig, ReplicaWait};

/// The first wait between two attempts to connect; each is twice as long as the last.
const FIRST_WAIT: Duration = Duration::from_millis(50);
/// The longest wait between two attempts: a server is back in use within about a second.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// Commands that may wait to be written; more wait in line before it. Some hundred callers at
/// once are usual, and the crate's 50 would have them wait for each other.
const COMMANDS_TO_WRITE: usize = 1024;

/// Makes connections to a server, wherever it is at the time.
#[derive(Clone, Debug)]
pub(super) struct Connector {
    place: Place,
    /// What is said of it in the log.
    name: String,
    /// How long a command may take.
    pub(super) command_timeout: Duration,
    connect_timeout: Duration,
    /// How often an idle connection is probed.
    pub(super) ping_interval: Duration,
    /// Which replicas writes wait for.
    pub(super) wait: Option<ReplicaWait>,
    /// Where it is counted how long commands take.
    pub(super) times: RedisTimes,
}

/// Which server to connect to.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// Always this one.
    Fixed(Server),
    /// The one that is the master.
    Master(Sentinels),
    /// Any node of a cluster.
    AnyNode(Nodes),
}

/// A connection, and to where.
#[derive(Clone, Debug)]
pub(super) struct Connected {
    pub(super) connection: MultiplexedConnection,
    pub(super) server: Server,
}

/// Why there is no store.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConnectError {
    /// The URL has no meaning. It may hold a password: it is not in the message.
    #[error("the URL of Redis is malformed")]
    MalformedUrl(#[source] RedisError),
    /// Nobody answers in time.
    #[error("no Redis answers at {address}")]
    NoAnswer {
        /// Host and port.
        address: String,
        /// The last error.
        source: RedisError,
    },
    /// The server does not let the service work.
    #[error("the Redis at {address} (7.0 or newer is needed) refuses")]
    Refused {
        /// Host and port.
        address: String,
        /// What it said.
        source: RedisError,
    },
}

fn late() -> RedisError {
    io::Error::from(io::ErrorKind::TimedOut).into()
}

impl Connector {
    pub(super) fn new(place: Place, config: &RedisStoreConfig) -> Self {
        let name = match &place {
            Place::Fixed(server) => server.address.to_string(),
            Place::Master(sentinels) => sentinels.master.clone(),
            Place::AnyNode(_) => "the cluster".to_owned(),
        };
        Self {
            place,
            name,
            command_timeout: config.command_timeout,
            connect_timeout: config.connect_timeout,
            ping_interval: config.ping_interval,
            wait: config.wait,
            times: config.times.clone(),
        }
    }

    /// The same, for connections that do not wait for replicas.
    pub(super) fn without_wait(&self) -> Self {
        Self {
            wait: None,
            ..self.clone()
        }
    }

    /// What is said of the server in the log: its address, if that is always the same.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    async fn locate(&self) -> RedisResult<Server> {
        match &self.place {
            Place::Fixed(server) => Ok(server.clone()),
            Place::Master(sentinels) => sentinels.master().await,
            Place::AnyNode(nodes) => nodes.any(),
        }
    }

    /// Finds out whether a connection is still one to the right server, and whether that does
    /// its work. A master that nobody has told of its end takes writes as before: what it is
    /// depends on what others say.
    pub(super) async fn check(&self, connected: &mut Connected) -> RedisResult<()> {
        probe(&mut connected.connection).await?;
        let right = match &self.place {
            Place::Fixed(_) => true,
            // Without a Sentinel that answers there is no better server.
            Place::Master(sentinels) => (sentinels.master().await)
                .map_or(true, |master| master.address == connected.server.address),
            Place::AnyNode(nodes) => nodes.has(&connected.server.address),
        };
        if right {
            Ok(())
        } else {
            Err(RedisError::from(io::Error::new(
                io::ErrorKind::NotConnected,
                format!("{} has been replaced", connected.server.address),
            )))
        }
    }

    /// Connects, trying again until the deadline.
    pub(super) async fn first<P>(
        &self,
        deadline: time::Instant,
        on_push: P,
    ) -> Result<Connected, ConnectError>
    where
        P: Fn(PushInfo) + Clone + Send + Sync + 'static,
    {
        let mut waits = Waits::default();
        let mut before = None;
        loop {
            let attempt = time::timeout_at(deadline, self.once(on_push.clone())).await;
            let source = match attempt {
                Ok(Ok(connection)) => return Ok(connection),
                Ok(Err(source)) => source,
                // That the time is up tells less than why it went by.
                Err(_) => before.take().unwrap_or_else(late),
            };
            let address = self.name.clone();
            if Fault::of(&source) == Fault::Wrong {
                return Err(ConnectError::Refused { address, source });
            }
            let next = time::Instant::now() + waits.next();
            if next >= deadline {
                return Err(ConnectError::NoAnswer { address, source });
            }
            before = Some(source);
            time::sleep_until(next).await;
        }
    }

    /// Connects, however long it takes.
    pub(super) async fn again<P>(&self, on_push: P) -> Connected
    where
        P: Fn(PushInfo) + Clone + Send + Sync + 'static,
    {
        let mut waits = Waits::default();
        let mut told = String::new();
        loop {
            let reason = match self.once(on_push.clone()).await {
                Ok(connection) => return connection,
                Err(error) => error.to_string(),
            };
            if reason != told {
                tracing::warn!(
                    address = self.name,
                    reason,
                    "no connection to Redis, trying on"
                );
                told = reason;
            }
            time::sleep(waits.next()).await;
        }
    }

    async fn once<P>(&self, on_push: P) -> RedisResult<Connected>
    where
        P: Fn(PushInfo) + Send + Sync + 'static,
    {
        let mut connected = self.to(self.locate().await?, on_push).await?;
        // It may have taken long: meanwhile another server may be the right one.
        self.check(&mut connected).await?;
        Ok(connected)
    }

    /// Connects to this server, wherever the right one is.
    pub(super) async fn to<P>(&self, server: Server, on_push: P) -> RedisResult<Connected>
    where
        P: Fn(PushInfo) + Send + Sync + 'static,
    {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.connect_timeout))
            .set_response_timeout(Some(self.command_timeout))
            .set_pipeline_buffer_size(COMMANDS_TO_WRITE)
            .set_push_sender(move |info| {
                on_push(info);
                Ok::<(), SendError>(())
            });
        let connection = server
            .client()?
            .get_multiplexed_async_connection_with_config(&config)
            .await?;
        Ok(Connected { connection, server })
    }
}

/// Finds out whether there is a server that takes writes at the other end. One that refuses
/// them for the moment is still one.
pub(super) async fn probe(connection: &mut MultiplexedConnection) -> RedisResult<()> {
    let command = PROBE.on(&[]);
    let mut answer = command.exec_async(connection).await;
    if answer.as_ref().is_err_and(is_unknown_script) {
        answer = PROBE.with_text(&command).exec_async(connection).await;
    }
    answer.or_else(|error| match Fault::of(&error) {
        Fault::Refused => Ok(()),
        Fault::Lost | Fault::Late | Fault::Wrong => Err(error),
    })
}

/// The waits between attempts: doubling, and drawn so that many servers that lost the same
/// Redis do not all come back at once.
#[derive(Debug, Default)]
pub(super) struct Waits {
    taken: u32,
}

impl Waits {
    pub(super) fn next(&mut self) -> Duration {
        let longest = FIRST_WAIT
            .saturating_mul(1 << self.taken.min(10))
            .min(LONGEST_WAIT);
        self.taken = self.taken.saturating_add(1);
        let drawn = getrandom::u32().unwrap_or(u32::MAX);
        longest.mul_f64(0.5 + 0.5 * f64::from(drawn) / f64::from(u32::MAX))
    }
}

/// A task that ends when this is dropped.
#[derive(Debug)]
pub(super) struct Background(JoinHandle<()>);

impl Background {
    pub(super) fn spawn(task: impl Future<Output = ()> + Send + 'static) -> Self {
        Self(tokio::spawn(task))
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_second() {
        let mut waits = Waits::default();
        let first = waits.next();
        assert!(first >= FIRST_WAIT / 2 && first <= FIRST_WAIT, "{first:?}");
        let last = (0..100).map(|_| waits.next()).last().unwrap();
        assert!(last >= LONGEST_WAIT / 2 && last <= LONGEST_WAIT, "{last:?}");
    }
}
