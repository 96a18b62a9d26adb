//! Games in Redis, shared by all servers.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::watch;

use super::{
    Availability, Entry, GameStore, Inserted, Listing, Place, Replaced, StoreError, StoreKind,
    Subscription,
};
use crate::session::{EventNumber, GameId, Timestamp};

/// Settings of a [`RedisStore`].
#[derive(Clone)]
pub struct RedisStoreConfig {
    /// Where Redis is: `redis://[user:password@]host[:port][/database]`.
    pub url: String,
    /// How long a command may take.
    pub command_timeout: Duration,
    /// How long the first connection may take.
    pub connect_timeout: Duration,
    /// How often an idle connection is tried.
    pub ping_interval: Duration,
}

impl RedisStoreConfig {
    /// The defaults with this URL.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            command_timeout: Duration::from_millis(500),
            connect_timeout: Duration::from_secs(2),
            ping_interval: Duration::from_secs(1),
        }
    }
}

impl fmt::Debug for RedisStoreConfig {
    /// Without the URL, which may hold a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStoreConfig")
            .field("command_timeout", &self.command_timeout)
            .field("connect_timeout", &self.connect_timeout)
            .field("ping_interval", &self.ping_interval)
            .finish_non_exhaustive()
    }
}

/// A store in Redis.
#[derive(Debug)]
pub struct RedisStore {
    availability: watch::Sender<Availability>,
}

impl RedisStore {
    /// Connects to Redis.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the URL is malformed or Redis cannot be reached in time.
    #[expect(clippy::unused_async, reason = "connects")]
    pub async fn connect(config: RedisStoreConfig) -> Result<Self, StoreError> {
        let _ = config.url.as_str();
        Err(unfinished())
    }
}

fn unfinished() -> StoreError {
    StoreError::Failed("Redis is not supported yet".into())
}

#[async_trait]
impl GameStore for RedisStore {
    fn kind(&self) -> StoreKind {
        StoreKind::Redis
    }

    async fn insert(&self, _: GameId, _: Timestamp, _: Entry) -> Result<Inserted, StoreError> {
        Err(unfinished())
    }

    async fn get(&self, _: &[GameId]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        Err(unfinished())
    }

    async fn replace(
        &self,
        _: GameId,
        _: EventNumber,
        _: Entry,
        _: Listing,
    ) -> Result<Replaced, StoreError> {
        Err(unfinished())
    }

    async fn list(&self, _: Option<Place>, _: usize) -> Result<Vec<Place>, StoreError> {
        Err(unfinished())
    }

    async fn subscribe(&self, _: GameId) -> Result<Subscription, StoreError> {
        Err(unfinished())
    }

    async fn shared_secret(&self, _: [u8; 16]) -> Result<[u8; 16], StoreError> {
        Err(unfinished())
    }

    fn availability(&self) -> watch::Receiver<Availability> {
        self.availability.subscribe()
    }
}
