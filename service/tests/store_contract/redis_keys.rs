//! What is in Redis, and that nothing is left there.

use std::time::Duration;

use reversi_service::store::{GameStore, Listing, Place, Replaced, StoreError};

use crate::live_games::{count_in, counted, game};
use crate::redis_outages::replace;
use crate::redis_server::{Persistence, RedisServer};
use crate::subject::{
    at, connect, created_at, entry, eventually, get, id, insert, kept_for, value, woken,
};

/// The key of the index that lists a game, as the documentation of the keys has it.
fn index(number: u32) -> String {
    let shard = crc32fast::hash(id(number).as_str().as_bytes()) % 64;
    format!("rv:{{{shard:02}}}:games")
}

/// The key of a game's value.
pub(crate) fn value_key(number: u32) -> String {
    index(number).replace("games", id(number).as_str())
}

/// How many places there are in all indexes.
fn indexed(server: &RedisServer) -> usize {
    let indexes: Vec<String> = server.command(&["KEYS", "rv:{*}:games"]);
    let leaves = |index: &String| -> Vec<String> { server.command(&["ZRANGE", index, "0", "-1"]) };
    let places = |index: &String, leaf: &String| -> usize {
        server.command(&["ZCARD", &format!("{index}:{leaf}")])
    };
    let all = |index: &String| -> usize {
        let leaves = leaves(index);
        leaves.iter().map(|leaf| places(index, leaf)).sum()
    };
    indexes.iter().map(all).sum()
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
        .replace(id(1), &value(0), kept_for(1, long), Listing::Keep)
        .await;
    assert_eq!(renewed.unwrap(), Replaced::Done);
    // Does not shorten it.
    let other = (2..).find(|number| index(*number) == index(1));
    insert(&store, other.unwrap(), 10, kept_for(0, short)).await;
    let left: u64 = server.command(&["PTTL", &index(1)]);
    assert!(left > 50_000, "{left}");
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
async fn foreign_data_is_an_error_and_is_left_alone() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let store = connect(&server).await;
    let key = value_key(1);
    server.command::<()>(&["HSET", &key, "field", "text"]);
    let answer = store.insert(id(1), created_at(10, entry(0))).await;
    assert!(matches!(answer, Err(StoreError::Failed(_))), "{answer:?}");
    let answer = replace(&store, 0).await;
    assert!(matches!(answer, Err(StoreError::Failed(_))), "{answer:?}");
    let answer = store.get(&[id(1)]).await;
    assert!(matches!(answer, Err(StoreError::Failed(_))), "{answer:?}");
    assert_eq!(server.command::<String>(&["HGET", &key, "field"]), "text");
    server.command::<()>(&["SET", "rv:{00}:secret", "short"]);
    let answer = store.shared_secret([0; 16]).await;
    assert!(matches!(answer, Err(StoreError::Failed(_))), "{answer:?}");
    // Strangers in an index do not hide what is listed after them.
    server.command::<()>(&["ZADD", &index(2), "99", "stranger"]);
    insert(&store, 2, 10, entry(0)).await;
    assert_eq!(store.list(None, 10).await.unwrap().len(), 1);
}

#[tokio::test]
async fn live_games_whose_leaf_expired_are_counted_no_more() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let store = connect(&server).await;
    for number in 0..300 {
        assert!(count_in(&store, game(1, number, number.into()), 300).await);
    }
    assert!(!count_in(&store, game(1, 300, 300), 300).await);
    let index: String = server.command::<Vec<String>>(&["KEYS", "rv:{*}:live:*:n"])[0].clone();
    let index = index.strip_suffix(":n").unwrap();
    let leaves: Vec<String> = server.command(&["ZRANGE", index, "0", "-1"]);
    assert_eq!(leaves, ["0", "120", "240"]);
    let gone: u32 = server.command(&["DEL", &format!("{index}:120")]);
    assert_eq!(gone, 1);
    assert_eq!(counted(&store, 1).await.len(), 180);
    for number in 300..420 {
        assert!(count_in(&store, game(1, number, number.into()), 300).await);
    }
    assert!(!count_in(&store, game(1, 420, 420), 300).await);
    for place in counted(&store, 1).await {
        store.count_out(place).await.unwrap();
    }
    let left: Vec<String> = server.command(&["KEYS", "rv:{*}:live:*"]);
    assert_eq!(left, [""; 0]);
}
