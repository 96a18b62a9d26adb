//! The stores under test, and how to wait for them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use reversi_service::session::{EventNumber, GameId, Timestamp, head};
use reversi_service::store::{
    Entry, GameStore, Inserted, MemoryStore, MemoryStoreConfig, RedisStore, RedisStoreConfig,
    Signs, Subscription,
};

use crate::redis_server::RedisServer;

/// How long anything may take.
pub(crate) const LIMIT: Duration = Duration::from_secs(20);
/// Longer than any test.
pub(crate) const LONG: Duration = Duration::from_secs(3600);

/// A store, as two servers that share it see it.
pub(crate) struct Subject {
    pub(crate) store: Arc<dyn GameStore>,
    pub(crate) other: Arc<dyn GameStore>,
    clock: Option<ManualClock>,
    _server: Option<RedisServer>,
}

impl Subject {
    pub(crate) fn memory() -> Self {
        let clock = ManualClock::default();
        let config = MemoryStoreConfig::default();
        let store = Arc::new(MemoryStore::with_clock(config, clock.reading()));
        Self {
            store: store.clone(),
            other: store,
            clock: Some(clock),
            _server: None,
        }
    }

    pub(crate) async fn redis() -> Option<Self> {
        let server = RedisServer::start()?;
        Some(Self {
            store: Arc::new(connect(&server).await),
            other: Arc::new(connect(&server).await),
            clock: None,
            _server: Some(server),
        })
    }

    /// A store in Redis, as two servers see it.
    pub(crate) fn of(store: Arc<dyn GameStore>, other: Arc<dyn GameStore>) -> Self {
        Self {
            store,
            other,
            clock: None,
            _server: None,
        }
    }

    /// Whether the store is outside this process.
    pub(crate) fn is_remote(&self) -> bool {
        self.clock.is_none()
    }

    /// Lets time pass where it passes by hand. Elsewhere it passes by itself: wait for what it
    /// brings.
    pub(crate) fn pass(&self, time: Duration) {
        if let Some(clock) = &self.clock {
            clock.pass(time);
        }
    }
}

/// A store on this server that is not in a hurry.
pub(crate) async fn connect(server: &RedisServer) -> RedisStore {
    let connected = RedisStore::connect(patient(server.url())).await;
    connected.expect("Redis answers")
}

/// Settings of a store that is not in a hurry, since the machine may have other work.
pub(crate) fn patient(url: String) -> RedisStoreConfig {
    RedisStoreConfig {
        command_timeout: LIMIT,
        connect_timeout: LIMIT,
        ..RedisStoreConfig::new(url)
    }
}

/// Time that passes by hand.
#[derive(Clone, Default)]
pub(crate) struct ManualClock(Arc<AtomicU64>);

impl ManualClock {
    pub(crate) fn pass(&self, time: Duration) {
        let millis = u64::try_from(time.as_millis()).expect("a short time");
        self.0.fetch_add(millis, Ordering::Relaxed);
    }

    pub(crate) fn reading(&self) -> impl Fn() -> Timestamp + Send + Sync + 'static {
        let now = Arc::clone(&self.0);
        move || Timestamp::from_millis(now.load(Ordering::Relaxed))
    }
}

/// The id with this number. Numbers next to each other are in different shards.
pub(crate) fn id(number: u32) -> GameId {
    GameId::from_bits(u128::from(number))
}

pub(crate) fn at(millis: u64) -> Timestamp {
    Timestamp::from_millis(millis)
}

/// The value that a game has after this many events.
pub(crate) fn value(events: u32) -> Vec<u8> {
    let mut value = head(EventNumber(events)).to_vec();
    value.extend_from_slice(b"the rest");
    value
}

/// That value, kept for long. The game was created at 10.
pub(crate) fn entry(events: u32) -> Entry {
    kept_for(events, LONG)
}

pub(crate) fn kept_for(events: u32, time_to_live: Duration) -> Entry {
    Entry {
        created: at(10),
        value: value(events),
        time_to_live,
        due: None,
        signs: Signs::default(),
        notice: None,
    }
}

/// The same of a game that was created then.
pub(crate) fn created_at(created: u64, entry: Entry) -> Entry {
    Entry {
        created: at(created),
        ..entry
    }
}

/// That value, due at this time.
pub(crate) fn due_at(events: u32, due: Timestamp) -> Entry {
    Entry {
        due: Some(due),
        ..entry(events)
    }
}

/// Inserts a game that is not there yet.
pub(crate) async fn insert(store: &dyn GameStore, number: u32, created: u64, entry: Entry) {
    let inserted = store.insert(id(number), created_at(created, entry)).await;
    assert_eq!(inserted.expect("the store answers"), Inserted::New);
}

pub(crate) async fn get(store: &dyn GameStore, number: u32) -> Option<Vec<u8>> {
    let values = store.get(&[id(number)]).await;
    let [value] = values
        .expect("the store answers")
        .try_into()
        .expect("a value for an id");
    value
}

/// Waits for a wake-up.
pub(crate) async fn woken(subscription: &mut Subscription) {
    let woken = tokio::time::timeout(LIMIT, subscription.changed()).await;
    woken.expect("no wake-up arrived");
}

/// Waits until this is true.
pub(crate) async fn eventually(what: &str, mut is_true: impl AsyncFnMut() -> bool) {
    let deadline = Instant::now() + LIMIT;
    while !is_true().await {
        assert!(Instant::now() < deadline, "still not: {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
