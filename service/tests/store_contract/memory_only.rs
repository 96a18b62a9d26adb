//! What only the store in memory does.

use std::time::Duration;

use reversi_service::store::{GameStore, Inserted, MemoryStore, MemoryStoreConfig, StoreError};

use crate::subject::{ManualClock, created_at, entry, get, id, insert, kept_for, value};

fn store(max_games: usize) -> (MemoryStore, ManualClock) {
    let clock = ManualClock::default();
    let store = MemoryStore::with_clock(MemoryStoreConfig { max_games }, clock.reading());
    (store, clock)
}

#[tokio::test]
async fn a_full_store_refuses_games() {
    let (store, _) = store(2);
    insert(&store, 1, 10, entry(0)).await;
    insert(&store, 2, 10, entry(0)).await;
    let refused = store.insert(id(3), created_at(10, entry(0))).await;
    assert!(
        matches!(refused, Err(StoreError::Full { limit: 2 })),
        "{refused:?}"
    );
    let again = store.insert(id(2), created_at(10, entry(0))).await.unwrap();
    assert_eq!(again, Inserted::Exists(value(0)));
}

#[tokio::test]
async fn expired_games_make_room() {
    let (store, clock) = store(300);
    for round in 0..5 {
        for number in 0..300 {
            let number = round * 300 + number;
            insert(&store, number, 10, kept_for(0, Duration::from_secs(1))).await;
        }
        clock.pass(Duration::from_secs(1));
    }
    insert(&store, 9999, 10, entry(0)).await;
    assert_eq!(get(&store, 9999).await, Some(value(0)));
}

#[tokio::test]
async fn expired_games_are_forgotten_by_later_writes() {
    let (store, clock) = store(1000);
    for number in 0..500 {
        insert(&store, number, 10, kept_for(0, Duration::from_secs(1))).await;
    }
    clock.pass(Duration::from_secs(1));
    for number in 500..510 {
        insert(&store, number, 10, entry(0)).await;
    }
    assert!(format!("{store:?}").contains("games: 10,"), "{store:?}");
}
