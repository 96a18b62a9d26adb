//! Games are listed newest first, page by page.

use std::time::Duration;

use reversi_service::store::{GameStore, Listing, Place, Replaced};

use crate::subject::{
    Subject, at, created_at, entry, eventually, get, id, insert, kept_for, value,
};

const SHORT: Duration = Duration::from_millis(300);

fn place(number: u32, created: u64) -> Place {
    Place {
        created: at(created),
        id: id(number),
    }
}

/// Reads the list page by page.
async fn pages(store: &dyn GameStore, limit: usize) -> Vec<Place> {
    let mut all: Vec<Place> = Vec::new();
    loop {
        let page = store.list(all.last().copied(), limit).await.unwrap();
        assert!(page.len() <= limit);
        if page.is_empty() {
            return all;
        }
        all.extend(page);
    }
}

async fn remove(store: &dyn GameStore, number: u32, created: u64) {
    let entry = created_at(created, entry(1));
    let replaced = store
        .replace(id(number), &value(0), entry, Listing::Remove)
        .await;
    assert_eq!(replaced.unwrap(), Replaced::Done);
}

pub(crate) async fn the_list_is_newest_first(subject: &Subject) {
    for (number, created) in [
        (1, 1_700_000_000_000),
        (2, 1_900_000_000_123),
        (3, 0),
        (4, 77),
    ] {
        insert(&*subject.store, number, created, entry(0)).await;
    }
    let newest = [
        place(2, 1_900_000_000_123),
        place(1, 1_700_000_000_000),
        place(4, 77),
        place(3, 0),
    ];
    assert_eq!(subject.other.list(None, 10).await.unwrap(), newest);
    assert_eq!(subject.other.list(None, 2).await.unwrap(), newest[..2]);
    assert_eq!(
        subject.other.list(Some(newest[1]), 10).await.unwrap(),
        newest[2..]
    );
}

pub(crate) async fn games_of_one_millisecond_are_ordered_by_id(subject: &Subject) {
    for number in [5, 900, 31, 32, 33] {
        insert(&*subject.store, number, 10, entry(0)).await;
    }
    let listed = subject.store.list(None, 10).await.unwrap();
    assert_eq!(listed.len(), 5);
    assert!(listed.is_sorted_by(|a, b| a > b), "{listed:?}");
}

pub(crate) async fn pages_neither_skip_nor_repeat(subject: &Subject) {
    let mut expected = Vec::new();
    for number in 0..700 {
        // Several of a millisecond, and not in the order of insertion.
        let created = 1_800_000_000_000 + u64::from(number * 37 % 90);
        insert(&*subject.store, number, created, entry(0)).await;
        expected.push(place(number, created));
    }
    expected.sort_unstable_by(|a, b| b.cmp(a));
    for limit in [13, 50, 699, 1000] {
        assert_eq!(
            pages(&*subject.other, limit).await,
            expected,
            "pages of {limit}"
        );
    }
}

pub(crate) async fn pages_of_one_millisecond_neither_skip_nor_repeat(subject: &Subject) {
    // More than ten for each shard: more than are asked for at first.
    let numbers = 0..1000;
    for number in numbers.clone() {
        insert(&*subject.store, number, 10, entry(0)).await;
    }
    let mut expected: Vec<_> = numbers.map(|number| place(number, 10)).collect();
    expected.sort_unstable_by(|a, b| b.cmp(a));
    for limit in [9, 100, 999] {
        assert_eq!(
            pages(&*subject.store, limit).await,
            expected,
            "pages of {limit}"
        );
    }
    let last = expected.last().copied();
    assert_eq!(subject.store.list(last, 10).await.unwrap(), []);
}

/// Games of a year, in no order, and some removed: more than a leaf of Redis' index holds, in
/// every shard.
pub(crate) async fn many_games_in_no_order_are_listed(subject: &Subject) {
    const GAMES: u32 = 20_000;
    let created =
        |number: u32| 1_700_000_000_000 + u64::from(number.wrapping_mul(2_654_435_761) >> 4);
    let games: Vec<u32> = (0..GAMES).collect();
    for part in games.chunks(500) {
        let insertions = part
            .iter()
            .map(|number| insert(&*subject.store, *number, created(*number), entry(0)));
        futures_util::future::join_all(insertions).await;
    }
    for number in games.iter().filter(|number| **number % 7 == 0) {
        remove(&*subject.other, *number, created(*number)).await;
    }
    let mut expected: Vec<Place> = games
        .iter()
        .filter(|number| **number % 7 != 0)
        .map(|number| place(*number, created(*number)))
        .collect();
    expected.sort_unstable_by(|a, b| b.cmp(a));
    assert_eq!(pages(&*subject.store, 3000).await, expected);
    assert_eq!(
        subject.store.list(Some(expected[9000]), 70).await.unwrap(),
        expected[9001..9071]
    );
}

pub(crate) async fn a_page_can_begin_where_no_game_is(subject: &Subject) {
    for number in [1, 2, 4, 5] {
        insert(&*subject.store, number, 10, entry(0)).await;
    }
    let all = subject.store.list(None, 10).await.unwrap();
    let (newer, older): (Vec<_>, Vec<_>) = all.iter().partition(|there| **there > place(3, 10));
    assert!(!newer.is_empty() && !older.is_empty(), "{all:?}");
    assert_eq!(
        subject.store.list(Some(place(3, 10)), 10).await.unwrap(),
        older
    );
    assert_eq!(
        subject.store.list(Some(place(3, 11)), 10).await.unwrap(),
        all
    );
    assert_eq!(subject.store.list(Some(place(3, 9)), 10).await.unwrap(), []);
}

pub(crate) async fn games_that_come_between_pages_do_not_disturb_them(subject: &Subject) {
    for number in 0..20 {
        insert(&*subject.store, number, u64::from(number), entry(0)).await;
    }
    let first = subject.store.list(None, 10).await.unwrap();
    for number in 100..120 {
        insert(&*subject.store, number, u64::from(number), entry(0)).await;
    }
    let second = subject.store.list(first.last().copied(), 10).await.unwrap();
    let expected: Vec<_> = (0..20)
        .rev()
        .map(|number| place(number, number.into()))
        .collect();
    assert_eq!([first, second].concat(), expected);
}

pub(crate) async fn games_that_go_between_pages_do_not_disturb_them(subject: &Subject) {
    for number in 0..20 {
        insert(&*subject.store, number, u64::from(number), entry(0)).await;
    }
    let first = subject.store.list(None, 10).await.unwrap();
    for number in [19, 15, 10, 5] {
        remove(&*subject.store, number, number.into()).await;
    }
    let second = subject.store.list(first.last().copied(), 10).await.unwrap();
    let expected = [9, 8, 7, 6, 4, 3, 2, 1, 0].map(|number| place(number, number.into()));
    assert_eq!(second, expected);
}

pub(crate) async fn a_removed_game_is_kept_but_not_listed(subject: &Subject) {
    for number in 1..=3 {
        insert(&*subject.store, number, 10 + u64::from(number), entry(0)).await;
    }
    remove(&*subject.store, 2, 12).await;
    let listed = subject.other.list(None, 10).await.unwrap();
    assert_eq!(listed, [place(3, 13), place(1, 11)]);
    assert_eq!(get(&*subject.store, 2).await, Some(value(1)));
}

pub(crate) async fn a_removed_game_stays_removed(subject: &Subject) {
    insert(&*subject.store, 1, 10, entry(0)).await;
    remove(&*subject.store, 1, 10).await;
    let replaced = subject
        .store
        .replace(id(1), &value(1), entry(2), Listing::Keep)
        .await;
    assert_eq!(replaced.unwrap(), Replaced::Done);
    assert_eq!(subject.store.list(None, 10).await.unwrap(), []);
}

pub(crate) async fn expired_games_make_room_in_the_page(subject: &Subject) {
    for number in 0..300 {
        // The newest expire, and some between those that stay.
        let short = number >= 150 || number % 3 == 0;
        let time_to_live = if short { SHORT } else { crate::subject::LONG };
        insert(
            &*subject.store,
            number,
            u64::from(number),
            kept_for(0, time_to_live),
        )
        .await;
    }
    subject.pass(SHORT);
    eventually("forgotten", async || {
        get(&*subject.store, 299).await.is_none()
    })
    .await;
    let staying = (0..150).rev().filter(|number| number % 3 != 0);
    let expected: Vec<_> = staying.map(|number| place(number, number.into())).collect();
    let first = subject.store.list(None, 20).await.unwrap();
    assert_eq!(first, expected[..20]);
    assert_eq!(pages(&*subject.store, 20).await, expected);
}

pub(crate) async fn an_empty_page_can_be_asked_for(subject: &Subject) {
    insert(&*subject.store, 1, 10, entry(0)).await;
    assert_eq!(subject.store.list(None, 0).await.unwrap(), []);
}

pub(crate) async fn games_are_counted(subject: &Subject) {
    assert_eq!(subject.store.count().await.unwrap(), 0);
    for number in 0..300 {
        insert(&*subject.store, number, u64::from(number % 7), entry(0)).await;
    }
    assert_eq!(subject.other.count().await.unwrap(), 300);
}
