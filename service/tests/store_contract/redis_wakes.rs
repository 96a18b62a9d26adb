//! Wake-ups come by way of Redis.

use std::time::Duration;

use reversi_service::store::{GameStore, Replaced};

use crate::redis_outages::replace;
use crate::redis_server::RedisServer;
use crate::subject::{connect, entry, eventually, id, insert, woken};

fn watched(server: &RedisServer) -> usize {
    server.command::<Vec<String>>(&["PUBSUB", "CHANNELS"]).len()
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
