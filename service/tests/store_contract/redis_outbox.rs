//! What a write has left for the lists gets there, whoever carries it over.

use std::time::Duration;

use reversi_service::session::Topic;
use reversi_service::store::{Entry, GameStore, ListChange, Notice};

use crate::redis_server::{Persistence, RedisServer};
use crate::subject::{connect, entry, eventually, id, insert, kept_for};

const ANNA: Topic = Topic(0xa0);

fn put(entry: Entry) -> Entry {
    Entry {
        notice: Some(Notice {
            change: ListChange::Put,
            topics: vec![ANNA],
        }),
        ..entry
    }
}

/// The notices that are in no list yet.
fn left(server: &RedisServer) -> usize {
    let outboxes: Vec<String> = server.command(&["KEYS", "rv:{*}:outbox"]);
    let length = |outbox: &String| server.command::<usize>(&["XLEN", outbox]);
    outboxes.iter().map(length).sum()
}

#[tokio::test]
async fn what_a_server_has_left_is_carried_over_by_another() {
    let Some(mut server) = RedisServer::start_with(Persistence::AppendOnly, &[]) else {
        return;
    };
    // Its lists cannot be written: as if it died just after the games were stored.
    let store = connect(&server).await;
    server.command::<()>(&["SET", "rv:{32}:t:00000000000000a0", "not a list"]);
    for number in 0..100 {
        insert(&store, number, number.into(), put(entry(0))).await;
    }
    assert_eq!(left(&server), 100);
    drop(store);
    server.restart();
    server.command::<()>(&["DEL", "rv:{32}:t:00000000000000a0"]);
    let other = connect(&server).await;
    eventually("carried over", async || {
        other.list_topic(ANNA, None, 1000).await.unwrap().len() == 100
    })
    .await;
    eventually("the outboxes are empty", async || left(&server) == 0).await;
}

#[tokio::test]
async fn an_outbox_that_cannot_be_read_holds_nobody_up() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let store = connect(&server).await;
    let shard = crc32fast::hash(id(1).as_str().as_bytes()) % 64;
    let outbox = format!("rv:{{{shard:02}}}:outbox");
    server.command::<()>(&["XADD", &outbox, "*", "n", "nonsense"]);
    insert(&store, 1, 10, put(entry(0))).await;
    eventually("carried over", async || {
        store.list_topic(ANNA, None, 10).await.unwrap().len() == 1
    })
    .await;
    eventually("the outboxes are empty", async || left(&server) == 0).await;
}

#[tokio::test]
async fn lists_that_nobody_uses_are_forgotten() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let store = connect(&server).await;
    for number in 0..100 {
        let entry = put(kept_for(0, Duration::from_millis(50)));
        insert(&store, number, 10, entry).await;
    }
    eventually("empty", async || server.command::<usize>(&["DBSIZE"]) == 0).await;
}
