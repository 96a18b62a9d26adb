//! Replacements wake those who watch.

use std::sync::Arc;

use reversi_service::store::{GameStore, Listing, Replaced};

use crate::subject::{Subject, entry, get, id, insert, value, woken};

async fn replace(store: &dyn GameStore, number: u32, events: u32) {
    let replaced = store
        .replace(id(number), &value(events), entry(events + 1), Listing::Keep)
        .await;
    assert_eq!(replaced.unwrap(), Replaced::Done);
}

pub(crate) async fn a_replacement_wakes(subject: &Subject) {
    insert(&*subject.store, 1, 10, entry(0)).await;
    let mut subscription = subject.store.subscribe(id(1)).await.unwrap();
    assert_eq!(subscription.id(), id(1));
    replace(&*subject.store, 1, 0).await;
    woken(&mut subscription).await;
}

pub(crate) async fn a_replacement_by_another_server_wakes(subject: &Subject) {
    insert(&*subject.store, 1, 10, entry(0)).await;
    let mut subscription = subject.store.subscribe(id(1)).await.unwrap();
    for events in 0..10 {
        replace(&*subject.other, 1, events).await;
        while get(&*subject.store, 1).await != Some(value(events + 1)) {
            woken(&mut subscription).await;
        }
    }
    woken(&mut subscription).await;
}

pub(crate) async fn all_watchers_of_a_game_are_woken(subject: &Subject) {
    insert(&*subject.store, 1, 10, entry(0)).await;
    let mut subscriptions = Vec::new();
    for server in [&subject.store, &subject.other] {
        for _ in 0..100 {
            subscriptions.push(server.subscribe(id(1)).await.unwrap());
        }
    }
    replace(&*subject.other, 1, 0).await;
    for subscription in &mut subscriptions {
        woken(subscription).await;
    }
}

pub(crate) async fn many_replacements_may_be_one_wake(subject: &Subject) {
    const REPLACEMENTS: u32 = 100;
    insert(&*subject.store, 1, 10, entry(0)).await;
    let mut subscription = subject.store.subscribe(id(1)).await.unwrap();
    for events in 0..REPLACEMENTS {
        replace(&*subject.other, 1, events).await;
    }
    // A last one after which nothing comes, so that all of them have arrived.
    let mut last = subject.store.subscribe(id(2)).await.unwrap();
    insert(&*subject.store, 2, 10, entry(0)).await;
    replace(&*subject.other, 2, 0).await;
    woken(&mut last).await;
    woken(&mut subscription).await;
    // In a cluster the two games are on different nodes, so that a few may still be under way.
    let mut left = 0;
    while tokio::time::timeout(std::time::Duration::ZERO, subscription.changed())
        .await
        .is_ok()
    {
        left += 1;
    }
    assert!(
        left < REPLACEMENTS / 10,
        "{left} wake-ups are left of {REPLACEMENTS}"
    );
}

pub(crate) async fn no_wake_is_lost_between_subscribing_and_reading(subject: &Subject) {
    for number in 0..200 {
        insert(&*subject.store, number, 10, entry(0)).await;
        let other = Arc::clone(&subject.other);
        let replacing = tokio::spawn(async move { replace(&*other, number, 0).await });
        let mut subscription = subject.store.subscribe(id(number)).await.unwrap();
        while get(&*subject.store, number).await != Some(value(1)) {
            woken(&mut subscription).await;
        }
        replacing.await.unwrap();
    }
}

pub(crate) async fn a_subscription_can_be_made_before_the_value(subject: &Subject) {
    let mut subscription = subject.store.subscribe(id(1)).await.unwrap();
    insert(&*subject.other, 1, 10, entry(0)).await;
    replace(&*subject.other, 1, 0).await;
    woken(&mut subscription).await;
}

pub(crate) async fn a_game_can_be_watched_again(subject: &Subject) {
    insert(&*subject.store, 1, 10, entry(0)).await;
    for events in 0..200 {
        let mut subscription = subject.store.subscribe(id(1)).await.unwrap();
        replace(&*subject.other, 1, events).await;
        woken(&mut subscription).await;
    }
}
