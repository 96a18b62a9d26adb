//! Values are kept, replaced by compare-and-set, and forgotten.

use std::sync::Arc;
use std::time::Duration;

use reversi_service::store::{Availability, Entry, Inserted, Listing, Replaced, Signs};
use tokio::task::JoinSet;

use crate::subject::{
    LONG, Subject, at, created_at, entry, eventually, get, id, insert, kept_for, value,
};

/// Long enough to do something before it is over, short enough to wait for its end.
const SHORT: Duration = Duration::from_millis(300);

pub(crate) async fn a_new_value_is_kept(subject: &Subject) {
    insert(&*subject.store, 1, 10, entry(0)).await;
    assert_eq!(get(&*subject.other, 1).await, Some(value(0)));
}

pub(crate) async fn an_existing_value_is_handed_back(subject: &Subject) {
    insert(&*subject.store, 1, 10, entry(0)).await;
    let again = subject
        .other
        .insert(id(1), created_at(20, entry(7)))
        .await
        .unwrap();
    assert_eq!(again, Inserted::Exists(value(0)));
    assert_eq!(get(&*subject.store, 1).await, Some(value(0)));
    let listed = subject.store.list(None, 10).await.unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].created, at(10));
}

pub(crate) async fn values_come_in_the_order_asked_for(subject: &Subject) {
    for number in 0..200 {
        insert(&*subject.store, number, 10, entry(number)).await;
    }
    let numbers: Vec<u32> = (0..300).rev().chain([5, 5, 299]).collect();
    let ids: Vec<_> = numbers.iter().map(|number| id(*number)).collect();
    let values = subject.other.get(&ids).await.unwrap();
    let kept = |number: &u32| (*number < 200).then(|| value(*number));
    assert_eq!(values, numbers.iter().map(kept).collect::<Vec<_>>());
}

pub(crate) async fn no_values_are_got_for_no_ids(subject: &Subject) {
    assert_eq!(
        subject.store.get(&[]).await.unwrap(),
        Vec::<Option<Vec<u8>>>::new()
    );
}

pub(crate) async fn the_expected_value_is_replaced(subject: &Subject) {
    insert(&*subject.store, 1, 10, entry(0)).await;
    let replaced = subject
        .other
        .replace(id(1), &value(0), entry(1), Listing::Keep)
        .await;
    assert_eq!(replaced.unwrap(), Replaced::Done);
    assert_eq!(get(&*subject.store, 1).await, Some(value(1)));
    assert_eq!(subject.store.list(None, 10).await.unwrap().len(), 1);
}

pub(crate) async fn a_changed_value_is_handed_back(subject: &Subject) {
    insert(&*subject.store, 1, 10, entry(0x0a0d_0000)).await;
    for expected in [0, 0x0a0d_0001, 0x000d_0000, u32::MAX] {
        let replaced = subject
            .store
            .replace(id(1), &value(expected), entry(9), Listing::Remove)
            .await;
        assert_eq!(replaced.unwrap(), Replaced::Changed(value(0x0a0d_0000)));
    }
    assert_eq!(get(&*subject.store, 1).await, Some(value(0x0a0d_0000)));
    assert_eq!(subject.store.list(None, 10).await.unwrap().len(), 1);
}

pub(crate) async fn another_value_of_the_same_number_is_not_replaced(subject: &Subject) {
    insert(&*subject.store, 1, 10, entry(3)).await;
    let mut other = value(3);
    other[7] ^= 1;
    let replaced = subject
        .store
        .replace(id(1), &other, entry(4), Listing::Keep)
        .await;
    assert_eq!(replaced.unwrap(), Replaced::Changed(value(3)));
}

pub(crate) async fn a_missing_value_is_not_replaced(subject: &Subject) {
    let replaced = subject
        .store
        .replace(id(1), &value(0), entry(1), Listing::Keep)
        .await;
    assert_eq!(replaced.unwrap(), Replaced::Missing);
    assert_eq!(get(&*subject.store, 1).await, None);
    assert_eq!(subject.store.list(None, 10).await.unwrap(), []);
}

pub(crate) async fn concurrent_insertions_keep_one(subject: &Subject) {
    let mut tasks = JoinSet::new();
    for number in 0..50 {
        let from = if number % 2 == 0 {
            &subject.store
        } else {
            &subject.other
        };
        let store = Arc::clone(from);
        tasks.spawn(async move {
            match store
                .insert(id(1), created_at(10, entry(number)))
                .await
                .unwrap()
            {
                Inserted::New => (value(number), true),
                Inserted::Exists(there) => (there, false),
            }
        });
    }
    let answers = tasks.join_all().await;
    assert_eq!(answers.iter().filter(|(_, new)| *new).count(), 1);
    let kept = get(&*subject.store, 1).await.unwrap();
    assert!(answers.iter().all(|(value, _)| *value == kept));
}

pub(crate) async fn concurrent_replacements_lose_nothing(subject: &Subject) {
    const TASKS: u32 = 200;
    insert(&*subject.store, 1, 10, entry(0)).await;
    let mut tasks = JoinSet::new();
    for task in 0..TASKS {
        let from = if task % 2 == 0 {
            &subject.store
        } else {
            &subject.other
        };
        let store = Arc::clone(from);
        tasks.spawn(async move {
            let mut seen = 0;
            loop {
                let replaced = store
                    .replace(id(1), &value(seen), entry(seen + 1), Listing::Keep)
                    .await;
                match replaced.unwrap() {
                    Replaced::Done => return seen + 1,
                    Replaced::Changed(value) => {
                        seen = u32::from_le_bytes(value[1..5].try_into().unwrap());
                    }
                    Replaced::Missing => panic!("the value is gone"),
                }
            }
        });
    }
    let mut written = tasks.join_all().await;
    written.sort_unstable();
    assert_eq!(
        written,
        (1..=TASKS).collect::<Vec<_>>(),
        "each made another value"
    );
    assert_eq!(get(&*subject.store, 1).await, Some(value(TASKS)));
}

pub(crate) async fn any_bytes_are_kept(subject: &Subject) {
    let mut all = value(0x0d0a_2400);
    all.extend(0..=255);
    all.extend_from_slice(b"\r\n$-1\r\n*3\r\n\0");
    all.resize(100_000, 0xff);
    for (number, bytes) in [(1, all), (2, value(0)[..4].to_vec()), (3, Vec::new())] {
        let entry = Entry {
            created: at(10),
            value: bytes.clone(),
            time_to_live: LONG,
            due: None,
            signs: Signs::default(),
            notice: None,
        };
        insert(&*subject.store, number, 10, entry.clone()).await;
        assert_eq!(get(&*subject.other, number).await, Some(bytes.clone()));
        let replaced = subject
            .store
            .replace(id(number), &value(1), entry, Listing::Keep)
            .await;
        assert_eq!(replaced.unwrap(), Replaced::Changed(bytes));
    }
}

pub(crate) async fn a_value_is_forgotten_after_its_time(subject: &Subject) {
    insert(&*subject.store, 1, 10, kept_for(0, SHORT)).await;
    subject.pass(SHORT);
    eventually("forgotten", async || {
        get(&*subject.store, 1).await.is_none()
    })
    .await;
    let replaced = subject
        .store
        .replace(id(1), &value(0), entry(1), Listing::Keep)
        .await;
    assert_eq!(replaced.unwrap(), Replaced::Missing);
}

pub(crate) async fn a_forgotten_id_can_be_used_again(subject: &Subject) {
    insert(&*subject.store, 1, 10, kept_for(0, SHORT)).await;
    subject.pass(SHORT);
    eventually("forgotten", async || {
        get(&*subject.store, 1).await.is_none()
    })
    .await;
    insert(&*subject.store, 1, 20, entry(5)).await;
    assert_eq!(get(&*subject.store, 1).await, Some(value(5)));
    let listed = subject.store.list(None, 10).await.unwrap();
    assert_eq!(
        listed.iter().map(|place| place.created).collect::<Vec<_>>(),
        [at(20)]
    );
}

pub(crate) async fn a_replacement_renews_the_time(subject: &Subject) {
    insert(&*subject.store, 1, 10, kept_for(0, SHORT)).await;
    insert(&*subject.store, 2, 10, kept_for(0, SHORT)).await;
    let replaced = subject
        .store
        .replace(id(1), &value(0), entry(1), Listing::Keep)
        .await;
    assert_eq!(replaced.unwrap(), Replaced::Done);
    subject.pass(SHORT);
    eventually("the other is forgotten", async || {
        get(&*subject.store, 2).await.is_none()
    })
    .await;
    assert_eq!(get(&*subject.store, 1).await, Some(value(1)));
    let listed = subject.store.list(None, 10).await.unwrap();
    assert_eq!(
        listed.iter().map(|place| place.id).collect::<Vec<_>>(),
        [id(1)]
    );
}

pub(crate) async fn a_replacement_can_shorten_the_time(subject: &Subject) {
    insert(&*subject.store, 1, 10, entry(0)).await;
    let replaced = subject
        .store
        .replace(id(1), &value(0), kept_for(1, SHORT), Listing::Remove)
        .await;
    assert_eq!(replaced.unwrap(), Replaced::Done);
    subject.pass(SHORT);
    eventually("forgotten", async || {
        get(&*subject.store, 1).await.is_none()
    })
    .await;
}

pub(crate) async fn very_long_times_are_kept(subject: &Subject) {
    insert(&*subject.store, 1, 10, kept_for(0, Duration::MAX)).await;
    let replaced = subject
        .store
        .replace(id(1), &value(0), kept_for(1, Duration::MAX), Listing::Keep)
        .await;
    assert_eq!(replaced.unwrap(), Replaced::Done);
    assert_eq!(get(&*subject.store, 1).await, Some(value(1)));
}

pub(crate) async fn all_servers_share_a_secret(subject: &Subject) {
    let mine = [b'\n'; 16];
    let theirs = [2; 16];
    assert_eq!(subject.store.shared_secret(mine).await.unwrap(), mine);
    assert_eq!(subject.other.shared_secret(theirs).await.unwrap(), mine);
    assert_eq!(subject.store.shared_secret(theirs).await.unwrap(), mine);
}

pub(crate) async fn a_new_store_is_available(subject: &Subject) {
    assert_eq!(
        *subject.store.availability().borrow(),
        Availability::Available
    );
}
