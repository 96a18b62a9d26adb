//! What is in Redis for timers, and times in which nobody asked what is due.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use reversi_service::session::{GameId, Timestamp};
use reversi_service::store::GameStore;

use crate::redis_server::RedisServer;
use crate::subject::{LIMIT, LONG, connect, due_at, entry, id, insert};

const MINUTE: Duration = Duration::from_secs(60);

fn shard(number: u32) -> u32 {
    crc32fast::hash(id(number).as_str().as_bytes()) % 64
}

/// As if nobody had asked for so long what is due in the shard of a game.
fn nobody_asked(server: &RedisServer, number: u32, now: Timestamp, time: Duration) -> Timestamp {
    let since = now.as_millis() - u64::try_from(time.as_millis()).unwrap();
    let key = format!("rv:{{{:02}}}:asked", shard(number));
    server.command::<()>(&["SET", &key, &since.to_string()]);
    Timestamp::from_millis(since)
}

#[tokio::test]
async fn what_was_to_become_due_while_nobody_asked_is_put_off() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let store = connect(&server).await;
    let now = store.now();
    insert(&store, 1, 10, due_at(0, now + MINUTE)).await;
    assert_eq!(store.claim_due(LONG, 100).await.unwrap().outages, []);
    let since = nobody_asked(&server, 1, now, MINUTE);
    let claimed = store.claim_due(LONG, 100).await.unwrap();
    assert_eq!(claimed.games, []);
    let [outage] = claimed.outages[..] else {
        panic!("not one outage in {claimed:?}");
    };
    assert_eq!(outage.from, since);
    let lasted = outage.until.since(outage.from);
    assert!(lasted >= MINUTE && lasted < MINUTE * 2, "{lasted:?}");
    // As long after the outage as it was after its beginning.
    assert_eq!(claimed.next, Some(now + MINUTE + lasted));
    // Other servers learn of it, too, and it happens once.
    let again = connect(&server).await.claim_due(LONG, 100).await.unwrap();
    assert_eq!((again.outages, again.next), (vec![outage], claimed.next));
}

#[tokio::test]
async fn what_was_due_before_nobody_asked_is_due() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let store = connect(&server).await;
    let now = store.now();
    insert(&store, 1, 10, due_at(0, Timestamp::from_millis(5))).await;
    store.claim_due(Duration::ZERO, 0).await.unwrap();
    nobody_asked(&server, 1, now, MINUTE);
    let claimed = store.claim_due(LONG, 100).await.unwrap();
    assert_eq!(claimed.games, [id(1)]);
}

#[tokio::test]
async fn it_is_no_outage_if_nobody_asks_where_nothing_is_to_become_due() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let store = connect(&server).await;
    insert(&store, 1, 10, entry(0)).await;
    let now = store.now();
    nobody_asked(&server, 1, now, MINUTE);
    assert_eq!(store.claim_due(LONG, 100).await.unwrap().outages, []);
    insert(&store, 2, 10, due_at(0, now + LONG)).await;
    assert_eq!(store.claim_due(LONG, 100).await.unwrap().outages, []);
}

#[tokio::test]
async fn nothing_is_left_of_timers_when_their_time_is_over() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let store = connect(&server).await;
    let now = store.now();
    let short_lived = reversi_service::store::Entry {
        time_to_live: Duration::from_millis(50),
        ..due_at(0, now + LONG)
    };
    insert(&store, 1, 10, short_lived).await;
    store.claim_due(LONG, 100).await.unwrap();
    let empty = async || server.command::<usize>(&["DBSIZE"]) == 0;
    crate::subject::eventually("empty", empty).await;
}

#[tokio::test]
async fn no_claim_is_lost_while_redis_forgets_the_script_again_and_again() {
    const GAMES: u32 = 5000;
    const AT_ONCE: usize = 10;
    let Some(server) = RedisServer::start() else {
        return;
    };
    let (store, other) = (connect(&server).await, connect(&server).await);
    let now = store.now();
    for number in 0..GAMES {
        insert(&store, number, 10, due_at(0, now)).await;
    }
    let client = redis::Client::open(server.url()).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    let forgetting = async {
        loop {
            let mut flush = redis::cmd("SCRIPT");
            flush
                .arg("FLUSH")
                .exec_async(&mut connection)
                .await
                .unwrap();
        }
    };
    let all: BTreeSet<GameId> = (0..GAMES).map(id).collect();
    let claiming = async {
        let deadline = Instant::now() + LIMIT;
        let mut claimed = Vec::new();
        while claimed.len() < all.len() && Instant::now() < deadline {
            // So many at once that Redis reads the commands of one claim in parts.
            let both = (0..AT_ONCE).flat_map(|_| [&store, &other]);
            let claims = both.map(|store| store.claim_due(LONG, 64));
            for answer in join_all(claims).await {
                claimed.extend(answer.unwrap().games);
            }
        }
        claimed
    };
    let claimed = tokio::select! {
        never = forgetting => never,
        claimed = claiming => claimed,
    };
    assert_eq!(claimed.len(), all.len());
    assert_eq!(claimed.into_iter().collect::<BTreeSet<_>>(), all);
}
