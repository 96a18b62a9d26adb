//! What has changed is in the log of changes, in order, for as long as it is read.

use reversi_service::session::{EventNumber, Topic};
use reversi_service::store::{
    Entry, GameStore, ListChange, Listing, LogPage, LogPosition, LoggedChange, LoggedKind, Notice,
    Replaced,
};

use crate::subject::{LONG, Subject, created_at, entry, id, insert, value};

/// More than any test writes at once.
const ALL: usize = 1000;

async fn begin(store: &dyn GameStore) -> LogPosition {
    let page = store.changes(None, ALL).await.unwrap();
    assert_eq!(
        (page.changes.len(), page.more, page.missed),
        (0, false, false)
    );
    page.position
}

async fn after(store: &dyn GameStore, position: &LogPosition) -> LogPage {
    store.changes(Some(position), ALL).await.unwrap()
}

/// The changes of one game: its number, what was written, the number of events.
fn of(number: u32, page: &LogPage) -> Vec<(LoggedKind, u32)> {
    let of_game = page.changes.iter().filter(|change| change.id == id(number));
    of_game
        .map(|change| (change.kind, change.event.0))
        .collect()
}

async fn replace(store: &dyn GameStore, number: u32, events: u32, listing: Listing) {
    let new = entry(events + 1);
    let replaced = store
        .replace(id(number), &value(events), new, listing)
        .await;
    assert_eq!(replaced.unwrap(), Replaced::Done);
}

pub(crate) async fn every_write_is_in_the_log(subject: &Subject) {
    let start = begin(&*subject.store).await;
    for number in 1..20 {
        insert(&*subject.store, number, 10, entry(0)).await;
        replace(&*subject.other, number, 0, Listing::Keep).await;
        replace(&*subject.store, number, 1, Listing::Remove).await;
    }
    let expected = [
        (LoggedKind::Inserted, 0),
        (LoggedKind::Replaced, 1),
        (LoggedKind::Removed, 2),
    ];
    for store in [&*subject.store, &*subject.other] {
        let page = after(store, &start).await;
        assert!(!page.missed && !page.more);
        for number in 1..20 {
            assert_eq!(of(number, &page), expected);
        }
        assert_eq!(after(store, &page.position).await.changes, []);
    }
}

pub(crate) async fn what_is_not_done_is_not_in_the_log(subject: &Subject) {
    let start = begin(&*subject.store).await;
    insert(&*subject.store, 1, 10, entry(0)).await;
    let again = created_at(10, entry(5));
    subject.store.insert(id(1), again).await.unwrap();
    for (number, expected) in [(1, value(3)), (2, value(0))] {
        let refused = subject
            .store
            .replace(id(number), &expected, entry(4), Listing::Keep);
        assert_ne!(refused.await.unwrap(), Replaced::Done);
    }
    let page = after(&*subject.store, &start).await;
    assert_eq!(of(1, &page), [(LoggedKind::Inserted, 0)]);
    assert_eq!(page.changes.len(), 1);
}

pub(crate) async fn the_log_is_read_page_by_page(subject: &Subject) {
    let mut position = begin(&*subject.store).await;
    insert(&*subject.store, 7, 10, entry(0)).await;
    for events in 0..25 {
        replace(&*subject.store, 7, events, Listing::Keep).await;
    }
    let mut found: Vec<LoggedChange> = Vec::new();
    loop {
        let page = subject.other.changes(Some(&position), 10).await.unwrap();
        assert!(page.changes.len() <= 10 && !page.missed);
        for change in &page.changes {
            assert!(page.position.has_read(change.part, change.entry));
            assert!(!position.has_read(change.part, change.entry));
        }
        found.extend(page.changes);
        position = page.position;
        if !page.more {
            break;
        }
    }
    let events: Vec<EventNumber> = found.iter().map(|change| change.event).collect();
    assert_eq!(events, (0..=25).map(EventNumber).collect::<Vec<_>>());
}

pub(crate) async fn the_log_tells_what_the_lists_are_told(subject: &Subject) {
    let start = begin(&*subject.store).await;
    let notice = Some(Notice {
        change: ListChange::Put,
        topics: vec![Topic(7), Topic(8)],
    });
    let told = Entry {
        notice: notice.clone(),
        time_to_live: LONG,
        ..entry(0)
    };
    insert(&*subject.store, 1, 10, told).await;
    insert(&*subject.store, 2, 10, entry(0)).await;
    let page = after(&*subject.other, &start).await;
    for change in page.changes {
        let told = (change.id == id(1)).then(|| notice.clone()).flatten();
        assert_eq!(change.notice, told);
    }
}

pub(crate) async fn a_place_in_no_log_is_told_to_have_missed_something(subject: &Subject) {
    begin(&*subject.store).await;
    insert(&*subject.store, 1, 10, entry(0)).await;
    let other = format!("5{}", "-0".repeat(64));
    for place in ["5-0", &other] {
        let page = after(&*subject.store, &place.parse().unwrap()).await;
        assert!(page.missed, "{place}");
        assert_eq!(page.changes, []);
        assert!(!after(&*subject.store, &page.position).await.missed);
    }
}

pub(crate) async fn a_log_that_is_too_long_is_told_to_have_missed_something(subject: &Subject) {
    // More of one game than the store keeps of its shard.
    let changes = if subject.is_remote() { 4_500 } else { 17_000 };
    let start = begin(&*subject.store).await;
    insert(&*subject.store, 1, 10, entry(0)).await;
    for events in 0..changes {
        replace(&*subject.store, 1, events, Listing::Keep).await;
    }
    assert!(after(&*subject.store, &start).await.missed);
}
