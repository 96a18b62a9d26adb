//! What only the store in Redis does: it outlives outages, and leaves nothing behind.

use std::error::Error;
use std::time::{Duration, Instant};

use reversi_service::session::EventNumber;
use reversi_service::store::{
    Availability, GameStore, Listing, Place, RedisStore, RedisStoreConfig, Replaced, StoreError,
};
use tokio::sync::watch;

use crate::redis_server::{Persistence, RedisServer, free_port};
use crate::subject::{
    LIMIT, at, connect, entry, eventually, get, id, insert, kept_for, value, woken,
};

/// Well above the command timeout of 500 ms, well below what a caller would notice as hanging.
const QUICKLY: Duration = Duration::from_secs(2);

async fn becomes(availability: &mut watch::Receiver<Availability>, wanted: Availability) {
    let waited = tokio::time::timeout(LIMIT, availability.wait_for(|now| *now == wanted)).await;
    waited.expect("availability does not change").unwrap();
}

async fn replace(store: &RedisStore, events: u32) -> Result<Replaced, StoreError> {
    store
        .replace(id(1), EventNumber(events), entry(events + 1), Listing::Keep)
        .await
}

fn unavailable<T: std::fmt::Debug>(answer: &Result<T, StoreError>) {
    assert!(
        matches!(answer, Err(StoreError::Unavailable(_))),
        "{answer:?}"
    );
}

/// Checks that everything fails, and soon.
async fn all_is_unavailable(store: &RedisStore) {
    let start = Instant::now();
    unavailable(&store.insert(id(2), at(10), entry(0)).await);
    unavailable(&store.get(&[id(1)]).await);
    unavailable(&store.get(&[id(1), id(2)]).await);
    unavailable(&replace(store, 0).await);
    unavailable(&store.list(None, 10).await);
    unavailable(&store.subscribe(id(1)).await);
    unavailable(&store.shared_secret([0; 16]).await);
    assert!(start.elapsed() < QUICKLY, "{:?}", start.elapsed());
}

fn chain(error: &StoreError) -> String {
    let mut text = format!("{error:?} {error}");
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}

fn watched(server: &RedisServer) -> usize {
    server.command::<Vec<String>>(&["PUBSUB", "CHANNELS"]).len()
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

async fn get_one(store: &RedisStore) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
    store.get(&[id(1)]).await
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
async fn local_replacements_wake_while_no_wakes_arrive_from_redis() {
    // A user that may do everything but subscribe: as if the second connection were lost.
    let Some(server) = RedisServer::start() else {
        return;
    };
    let store = connect(&server).await;
    insert(&store, 1, 10, entry(0)).await;
    let mut subscription = store.subscribe(id(1)).await.unwrap();
    server.command::<()>(&["ACL", "SETUSER", "default", "-subscribe"]);
    let _: usize = server.command(&["CLIENT", "KILL", "TYPE", "pubsub"]);
    eventually("refused", async || store.subscribe(id(2)).await.is_err()).await;
    let mut events = 0;
    eventually("woken", async || {
        assert_eq!(replace(&store, events).await.unwrap(), Replaced::Done);
        events += 1;
        tokio::time::timeout(Duration::ZERO, subscription.changed())
            .await
            .is_ok()
    })
    .await;
}

#[tokio::test]
async fn thousands_of_games_are_watched_again_after_an_outage() {
    const GAMES: u32 = 3000;
    let Some(mut server) = RedisServer::start() else {
        return;
    };
    let store = connect(&server).await;
    let mut subscriptions = Vec::new();
    for number in 0..GAMES {
        subscriptions.push(store.subscribe(id(number)).await.unwrap());
    }
    assert_eq!(watched(&server), 3000);
    server.restart();
    for subscription in &mut subscriptions {
        woken(subscription).await;
    }
    assert_eq!(watched(&server), 3000);
    drop(subscriptions);
    eventually("nothing is watched", async || watched(&server) == 0).await;
}

#[tokio::test]
async fn a_game_without_watchers_is_unsubscribed() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let store = connect(&server).await;
    let first = store.subscribe(id(1)).await.unwrap();
    let second = store.subscribe(id(1)).await.unwrap();
    let other = store.subscribe(id(2)).await.unwrap();
    assert_eq!(watched(&server), 2);
    drop(first);
    drop(other);
    eventually("one is watched", async || watched(&server) == 1).await;
    drop(second);
    eventually("none is watched", async || watched(&server) == 0).await;
}

#[tokio::test]
async fn a_dropped_store_closes_its_connections() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let clients = || {
        server
            .command::<String>(&["CLIENT", "LIST"])
            .lines()
            .count()
    };
    let before = clients();
    let store = connect(&server).await;
    let subscription = store.subscribe(id(1)).await.unwrap();
    assert_eq!(clients(), before + 2);
    drop(store);
    eventually("closed", async || clients() == before).await;
    drop(subscription);
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
async fn a_server_without_memory_refuses_writes_but_not_reads() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let store = connect(&server).await;
    insert(&store, 1, 10, entry(0)).await;
    server.command::<()>(&["CONFIG", "SET", "maxmemory", "1"]);
    let refused = store.insert(id(2), at(10), entry(0)).await;
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
async fn listing_takes_expired_games_out_of_the_index() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let store = connect(&server).await;
    insert(&store, 1, 0, entry(0)).await;
    for number in 2..500 {
        let time_to_live = Duration::from_millis(1);
        insert(&store, number, number.into(), kept_for(0, time_to_live)).await;
    }
    eventually("forgotten", async || get(&store, 499).await.is_none()).await;
    let page = store.list(None, 10).await.unwrap();
    let first = Place {
        created: at(0),
        id: id(1),
    };
    assert_eq!(page, [first]);
    assert_eq!(indexed(&server), 1);
}

#[tokio::test]
async fn insertions_take_expired_games_out_of_the_index() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let store = connect(&server).await;
    for number in 0..6000 {
        let time_to_live = Duration::from_millis(1);
        insert(&store, number, number.into(), kept_for(0, time_to_live)).await;
    }
    // Without it there would be 6,000. Of those that have not yet expired or were not drawn, a
    // few are left in each of the 64 indexes.
    assert!(indexed(&server) < 1000, "{}", indexed(&server));
}

#[tokio::test]
async fn a_database_that_nobody_uses_becomes_empty() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let store = connect(&server).await;
    for number in 0..100 {
        let time_to_live = Duration::from_millis(50);
        insert(&store, number, 10, kept_for(0, time_to_live)).await;
    }
    eventually("empty", async || server.command::<usize>(&["DBSIZE"]) == 0).await;
}

#[tokio::test]
async fn an_index_lives_as_long_as_the_game_that_lives_longest() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let store = connect(&server).await;
    let (short, long) = (Duration::from_millis(200), Duration::from_secs(60));
    insert(&store, 1, 10, kept_for(0, short)).await;
    let renewed = store
        .replace(id(1), EventNumber(0), kept_for(1, long), Listing::Keep)
        .await;
    assert_eq!(renewed.unwrap(), Replaced::Done);
    // Does not shorten it.
    let other = (2..).find(|number| index(*number) == index(1));
    insert(&store, other.unwrap(), 10, kept_for(0, short)).await;
    let left: u64 = server.command(&["PTTL", &index(1)]);
    assert!(left > 50_000, "{left}");
}

/// The key of the index that lists a game, as the documentation of the keys has it.
fn index(number: u32) -> String {
    let shard = crc32fast::hash(id(number).as_str().as_bytes()) % 64;
    format!("rv:{{{shard:02}}}:games")
}

/// How many places there are in all indexes.
fn indexed(server: &RedisServer) -> usize {
    let indexes: Vec<String> = server.command(&["KEYS", "rv:{*}:games"]);
    let places = |index: &String| server.command::<usize>(&["ZCARD", index]);
    indexes.iter().map(places).sum()
}

#[tokio::test]
async fn every_command_stays_in_one_slot_of_a_cluster() {
    let Some(server) = RedisServer::start_with(Persistence::None, &["--cluster-enabled", "yes"])
    else {
        return;
    };
    server.command::<()>(&["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]);
    let state = || server.command::<String>(&["CLUSTER", "INFO"]);
    eventually("the cluster is up", async || {
        state().contains("cluster_state:ok")
    })
    .await;
    let store = connect(&server).await;
    for number in 0..500 {
        let time_to_live = Duration::from_millis(if number % 2 == 0 { 1 } else { 60_000 });
        insert(&store, number, number.into(), kept_for(0, time_to_live)).await;
    }
    let mut subscription = store.subscribe(id(1)).await.unwrap();
    assert_eq!(replace(&store, 0).await.unwrap(), Replaced::Done);
    woken(&mut subscription).await;
    let ids: Vec<_> = (0..500).map(id).collect();
    eventually("half are forgotten", async || {
        store.get(&ids).await.unwrap().iter().flatten().count() == 250
    })
    .await;
    assert_eq!(store.list(None, 500).await.unwrap().len(), 250);
    store.shared_secret([0; 16]).await.unwrap();
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

#[tokio::test]
async fn foreign_data_is_an_error_and_is_left_alone() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let store = connect(&server).await;
    let key = index(1).replace("games", id(1).as_str());
    server.command::<()>(&["HSET", &key, "field", "text"]);
    let answer = store.insert(id(1), at(10), entry(0)).await;
    assert!(matches!(answer, Err(StoreError::Failed(_))), "{answer:?}");
    let answer = replace(&store, 0).await;
    assert!(matches!(answer, Err(StoreError::Failed(_))), "{answer:?}");
    let answer = get_one(&store).await;
    assert!(matches!(answer, Err(StoreError::Failed(_))), "{answer:?}");
    assert_eq!(server.command::<String>(&["HGET", &key, "field"]), "text");
    server.command::<()>(&["SET", "rv:secret", "short"]);
    let answer = store.shared_secret([0; 16]).await;
    assert!(matches!(answer, Err(StoreError::Failed(_))), "{answer:?}");
    // Strangers in an index do not hide what is listed after them.
    server.command::<()>(&["ZADD", &index(2), "99", "stranger"]);
    insert(&store, 2, 10, entry(0)).await;
    assert_eq!(store.list(None, 10).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_limited_user_is_enough() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    server.command::<()>(&[
        "ACL",
        "SETUSER",
        "reversi",
        "on",
        ">hunter2",
        "resetchannels",
        "~rv:*",
        "&rv:w:*",
        "+@read",
        "+@write",
        "+@scripting",
        "+@pubsub",
        "+@connection",
        "-@dangerous",
    ]);
    let url = format!("redis://reversi:hunter2@127.0.0.1:{}", server.port());
    let store = RedisStore::connect(RedisStoreConfig::new(url))
        .await
        .unwrap();
    insert(&store, 1, 10, entry(0)).await;
    let mut subscription = store.subscribe(id(1)).await.unwrap();
    assert_eq!(replace(&store, 0).await.unwrap(), Replaced::Done);
    woken(&mut subscription).await;
    assert_eq!(store.list(None, 10).await.unwrap().len(), 1);
    store.shared_secret([0; 16]).await.unwrap();
}

#[tokio::test]
async fn a_wrong_password_is_told_but_not_repeated() {
    let Some(server) = RedisServer::start_with(Persistence::None, &["--requirepass", "right"])
    else {
        return;
    };
    let config = RedisStoreConfig::new(format!("redis://:hunter2@127.0.0.1:{}", server.port()));
    assert!(!format!("{config:?}").contains("hunter2"));
    let error = RedisStore::connect(config).await.unwrap_err();
    assert!(matches!(error, StoreError::Failed(_)), "{error:?}");
    let text = chain(&error);
    assert!(!text.contains("hunter2"), "{text}");
    assert!(text.contains(&server.port().to_string()), "{text}");
}

#[tokio::test]
async fn a_malformed_url_is_told_but_not_repeated() {
    for url in [
        "",
        "hunter2",
        "http://user:hunter2@host",
        "redis://host:hunter2/x",
    ] {
        let error = RedisStore::connect(RedisStoreConfig::new(url))
            .await
            .unwrap_err();
        assert!(matches!(error, StoreError::Failed(_)), "{url}: {error:?}");
        let text = chain(&error);
        assert!(
            text.contains("URL") && !text.contains("hunter2"),
            "{url}: {text}"
        );
    }
}

#[tokio::test]
async fn without_a_server_connecting_fails_in_time() {
    let port = free_port();
    let mut config = RedisStoreConfig::new(format!("redis://:hunter2@127.0.0.1:{port}"));
    config.connect_timeout = Duration::from_millis(300);
    let start = Instant::now();
    let error = RedisStore::connect(config).await.unwrap_err();
    assert!(start.elapsed() < QUICKLY, "{:?}", start.elapsed());
    let text = chain(&error);
    assert!(text.contains(&format!("127.0.0.1:{port}")), "{text}");
    assert!(!text.contains("hunter2"), "{text}");
    unavailable::<()>(&Err(error));
}

#[tokio::test]
async fn connecting_waits_for_a_server_that_is_about_to_start() {
    let Some(mut server) = RedisServer::start() else {
        return;
    };
    server.kill();
    let config = RedisStoreConfig {
        connect_timeout: LIMIT,
        ..RedisStoreConfig::new(server.url())
    };
    let connecting = tokio::spawn(RedisStore::connect(config));
    tokio::task::yield_now().await;
    server.restart();
    let store = connecting.await.unwrap().unwrap();
    insert(&store, 1, 10, entry(0)).await;
}
