//! Redis goes away, and comes back.

use std::error::Error;
use std::time::{Duration, Instant};

use reversi_service::store::{
    Availability, GameStore, Listing, RedisStore, RedisStoreConfig, Replaced, StoreError,
};
use tokio::sync::watch;

use crate::redis_server::{Persistence, RedisServer, free_port};
use crate::subject::{
    LIMIT, connect, created_at, entry, eventually, get, id, insert, kept_for, value, woken,
};

/// Well above the command timeout of 500 ms, well below what a caller would notice as hanging.
pub(crate) const QUICKLY: Duration = Duration::from_secs(2);

pub(crate) async fn replace(store: &RedisStore, events: u32) -> Result<Replaced, StoreError> {
    store
        .replace(id(1), &value(events), entry(events + 1), Listing::Keep)
        .await
}

pub(crate) fn unavailable<T: std::fmt::Debug>(answer: &Result<T, StoreError>) {
    assert!(
        matches!(answer, Err(StoreError::Unavailable(_))),
        "{answer:?}"
    );
}

/// All that an error says.
pub(crate) fn chain(error: &StoreError) -> String {
    let mut text = format!("{error:?} {error}");
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}

pub(crate) async fn becomes(
    availability: &mut watch::Receiver<Availability>,
    wanted: Availability,
) {
    let waited = tokio::time::timeout(LIMIT, availability.wait_for(|now| *now == wanted)).await;
    waited.expect("availability does not change").unwrap();
}

/// Checks that everything fails, and soon.
async fn all_is_unavailable(store: &RedisStore) {
    let start = Instant::now();
    unavailable(&store.insert(id(2), created_at(10, entry(0))).await);
    unavailable(&store.get(&[id(1)]).await);
    unavailable(&store.get(&[id(1), id(2)]).await);
    unavailable(&replace(store, 0).await);
    unavailable(&store.list(None, 10).await);
    unavailable(&store.subscribe(id(1)).await);
    unavailable(&store.shared_secret([0; 16]).await);
    assert!(start.elapsed() < QUICKLY, "{:?}", start.elapsed());
}

async fn get_one(store: &RedisStore) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
    store.get(&[id(1)]).await
}

#[tokio::test]
async fn an_outage_is_noticed_and_survived() {
    let Some(mut server) = RedisServer::start_with(Persistence::AppendOnly, &[]) else {
        return;
    };
    let (store, other) = (connect(&server).await, connect(&server).await);
    let mut availability = store.availability();
    insert(&store, 1, 10, entry(0)).await;
    let mut subscription = store.subscribe(id(1)).await.unwrap();
    for round in 0..3 {
        server.kill();
        becomes(&mut availability, Availability::Unavailable).await;
        all_is_unavailable(&store).await;
        server.restart();
        becomes(&mut availability, Availability::Available).await;
        woken(&mut subscription).await;
        becomes(&mut other.availability(), Availability::Available).await;
        assert_eq!(replace(&other, round).await.unwrap(), Replaced::Done);
        woken(&mut subscription).await;
        assert_eq!(get(&store, 1).await, Some(value(round + 1)));
    }
}

#[tokio::test]
async fn a_server_that_hangs_is_noticed_and_survived() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let config = RedisStoreConfig::new(server.url());
    let store = RedisStore::connect(config).await.unwrap();
    let mut availability = store.availability();
    insert(&store, 1, 10, entry(0)).await;
    let mut subscription = store.subscribe(id(1)).await.unwrap();
    server.pause();
    let start = Instant::now();
    unavailable(&get_one(&store).await);
    assert!(start.elapsed() < QUICKLY, "{:?}", start.elapsed());
    becomes(&mut availability, Availability::Unavailable).await;
    all_is_unavailable(&store).await;
    server.resume();
    becomes(&mut availability, Availability::Available).await;
    woken(&mut subscription).await;
    assert_eq!(get(&store, 1).await, Some(value(0)));
}

#[tokio::test]
async fn a_server_that_becomes_a_replica_is_left() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let store = connect(&server).await;
    insert(&store, 1, 10, entry(0)).await;
    let mut availability = store.availability();
    let nobody = free_port().to_string();
    server.command::<()>(&["REPLICAOF", "127.0.0.1", &nobody]);
    unavailable(&replace(&store, 0).await);
    becomes(&mut availability, Availability::Unavailable).await;
    server.command::<()>(&["REPLICAOF", "NO", "ONE"]);
    becomes(&mut availability, Availability::Available).await;
    assert_eq!(replace(&store, 0).await.unwrap(), Replaced::Done);
}

#[tokio::test]
async fn closed_connections_are_made_again() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let (store, other) = (connect(&server).await, connect(&server).await);
    insert(&store, 1, 10, entry(0)).await;
    let mut subscription = store.subscribe(id(1)).await.unwrap();
    for events in 0..10 {
        let _: usize = server.command(&["CLIENT", "KILL", "TYPE", "pubsub"]);
        let _: usize = server.command(&["CLIENT", "KILL", "TYPE", "normal"]);
        // All that is watched is woken once it is subscribed to again.
        woken(&mut subscription).await;
        eventually("replaced", async || match replace(&other, events).await {
            Ok(Replaced::Done) => true,
            Ok(answer) => panic!("{answer:?}"),
            Err(_) => false,
        })
        .await;
        eventually("back", async || get_one(&store).await.is_ok()).await;
        while get(&store, 1).await != Some(value(events + 1)) {
            woken(&mut subscription).await;
        }
    }
}

#[tokio::test]
async fn a_server_without_memory_refuses_writes_but_not_reads() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let store = connect(&server).await;
    insert(&store, 1, 10, entry(0)).await;
    server.command::<()>(&["CONFIG", "SET", "maxmemory", "1"]);
    let refused = store.insert(id(2), created_at(10, entry(0))).await;
    assert!(
        chain(refused.as_ref().unwrap_err()).contains("OOM"),
        "{refused:?}"
    );
    unavailable(&refused);
    unavailable(&replace(&store, 0).await);
    assert_eq!(get(&store, 1).await, Some(value(0)));
    assert_eq!(store.list(None, 10).await.unwrap().len(), 1);
    let availability = store.availability();
    assert_eq!(*availability.borrow(), Availability::Available);
    server.command::<()>(&["CONFIG", "SET", "maxmemory", "0"]);
    assert_eq!(replace(&store, 0).await.unwrap(), Replaced::Done);
}

#[tokio::test]
async fn scripts_are_loaded_again_when_redis_has_forgotten_them() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let store = connect(&server).await;
    let flush = || server.command::<()>(&["SCRIPT", "FLUSH"]);
    flush();
    insert(&store, 1, 10, entry(0)).await;
    flush();
    assert_eq!(replace(&store, 0).await.unwrap(), Replaced::Done);
    insert(&store, 2, 20, kept_for(0, Duration::from_millis(1))).await;
    eventually("forgotten", async || get(&store, 2).await.is_none()).await;
    flush();
    let listed = store.list(None, 10).await.unwrap();
    assert_eq!(listed.len(), 1);
}

#[tokio::test]
async fn acknowledged_writes_survive_a_crash_with_the_append_only_file() {
    let Some(mut server) = RedisServer::start_with(Persistence::AppendOnly, &[]) else {
        return;
    };
    let store = connect(&server).await;
    insert(&store, 1, 10, entry(0)).await;
    for events in 0..50 {
        assert_eq!(replace(&store, events).await.unwrap(), Replaced::Done);
    }
    let secret = store.shared_secret([7; 16]).await.unwrap();
    server.restart();
    let store = connect(&server).await;
    assert_eq!(get(&store, 1).await, Some(value(50)));
    assert_eq!(store.list(None, 10).await.unwrap().len(), 1);
    assert_eq!(store.shared_secret([8; 16]).await.unwrap(), secret);
}
