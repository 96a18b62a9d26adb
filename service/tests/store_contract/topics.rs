//! Games are found by their topics, a moment after they were written.

use reversi_service::session::{EventNumber, Topic, head};
use reversi_service::store::{Entry, GameStore, ListChange, Listing, Notice, Place, Replaced};

use crate::subject::{Subject, at, created_at, entry, eventually, id, insert, value};

const ANNA: Topic = Topic(0xa0);
const BORIS: Topic = Topic(0xb1);

fn place(number: u32, created: u64) -> Place {
    Place {
        created: at(created),
        id: id(number),
    }
}

fn told(change: ListChange, topics: &[Topic], entry: Entry) -> Entry {
    Entry {
        notice: Some(Notice {
            change,
            topics: topics.to_vec(),
        }),
        ..entry
    }
}

fn put(topics: &[Topic], entry: Entry) -> Entry {
    told(ListChange::Put, topics, entry)
}

/// Waits until a list is this.
async fn becomes(store: &dyn GameStore, topic: Topic, wanted: &[Place]) {
    eventually("the list", async || {
        store.list_topic(topic, None, 1000).await.unwrap() == wanted
    })
    .await;
}

async fn replace(store: &dyn GameStore, number: u32, created: u64, entry: Entry) {
    let entry = created_at(created, entry);
    let replaced = store
        .replace(id(number), &value(0), entry, Listing::Keep)
        .await;
    assert_eq!(replaced.unwrap(), Replaced::Done);
}

pub(crate) async fn a_game_is_listed_under_each_of_its_topics(subject: &Subject) {
    insert(&*subject.store, 1, 10, put(&[ANNA, BORIS], entry(0))).await;
    insert(&*subject.other, 2, 20, put(&[BORIS], entry(0))).await;
    insert(&*subject.other, 3, 30, entry(0)).await;
    for store in [&*subject.store, &*subject.other] {
        becomes(store, ANNA, &[place(1, 10)]).await;
        becomes(store, BORIS, &[place(2, 20), place(1, 10)]).await;
    }
    let nobody = subject.store.list_topic(Topic(7), None, 10).await;
    assert_eq!(nobody.unwrap(), []);
}

pub(crate) async fn a_replacement_changes_the_lists(subject: &Subject) {
    insert(&*subject.store, 1, 10, put(&[ANNA], entry(0))).await;
    insert(&*subject.store, 2, 20, put(&[ANNA], entry(0))).await;
    becomes(&*subject.store, ANNA, &[place(2, 20), place(1, 10)]).await;
    replace(&*subject.other, 1, 10, put(&[ANNA, BORIS], entry(1))).await;
    becomes(&*subject.store, BORIS, &[place(1, 10)]).await;
    replace(
        &*subject.store,
        2,
        20,
        told(ListChange::Take, &[ANNA], entry(1)),
    )
    .await;
    becomes(&*subject.other, ANNA, &[place(1, 10)]).await;
    // One that has nothing to tell changes nothing.
    let silent = Entry {
        value: [&head(EventNumber(2))[..], b"the rest"].concat(),
        ..entry(2)
    };
    let replaced = subject
        .store
        .replace(id(1), &value(1), silent, Listing::Keep)
        .await;
    assert_eq!(replaced.unwrap(), Replaced::Done);
    becomes(&*subject.store, BORIS, &[place(1, 10)]).await;
}

pub(crate) async fn a_write_that_is_not_done_tells_nothing(subject: &Subject) {
    insert(&*subject.store, 1, 10, entry(0)).await;
    let again = created_at(10, put(&[ANNA], entry(0)));
    subject.store.insert(id(1), again).await.unwrap();
    let entry = created_at(10, put(&[ANNA], entry(2)));
    let replaced = subject
        .store
        .replace(id(1), &value(1), entry, Listing::Keep)
        .await;
    assert_eq!(replaced.unwrap(), Replaced::Changed(value(0)));
    // What is told after it is there, and nothing else.
    insert(
        &*subject.store,
        2,
        20,
        put(&[ANNA], crate::subject::entry(0)),
    )
    .await;
    becomes(&*subject.store, ANNA, &[place(2, 20)]).await;
}

pub(crate) async fn a_list_of_a_topic_is_read_page_by_page(subject: &Subject) {
    let mut expected = Vec::new();
    for number in 0..300 {
        // Several of a millisecond.
        let created = 1_800_000_000_000 + u64::from(number * 37 % 50);
        insert(&*subject.store, number, created, put(&[ANNA], entry(0))).await;
        expected.push(place(number, created));
    }
    expected.sort_unstable_by(|a, b| b.cmp(a));
    becomes(&*subject.other, ANNA, &expected).await;
    for limit in [1, 7, 299, 300] {
        let mut all: Vec<Place> = Vec::new();
        loop {
            let last = all.last().copied();
            let page = subject.other.list_topic(ANNA, last, limit).await.unwrap();
            if page.is_empty() {
                break;
            }
            assert!(page.len() <= limit);
            all.extend(page);
        }
        assert_eq!(all, expected, "pages of {limit}");
    }
}

pub(crate) async fn games_that_are_gone_can_be_taken_out_of_a_list(subject: &Subject) {
    for number in 1..=3 {
        insert(
            &*subject.store,
            number,
            number.into(),
            put(&[ANNA, BORIS], entry(0)),
        )
        .await;
    }
    let all = [place(3, 3), place(2, 2), place(1, 1)];
    becomes(&*subject.store, ANNA, &all).await;
    subject.other.unlist(ANNA, &all[..2]).await.unwrap();
    becomes(&*subject.store, ANNA, &all[2..]).await;
    becomes(&*subject.store, BORIS, &all).await;
}
