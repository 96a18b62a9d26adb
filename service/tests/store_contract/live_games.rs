//! Live games of a tenant are counted up to a limit.

use futures_util::future::join_all;
use reversi_service::session::{GameId, TenantCode};
use reversi_service::store::{GameStore, Place};

use crate::subject::{LONG, Subject, at};

/// A game of a tenant.
pub(crate) fn game(tenant: u128, number: u32, created: u64) -> Place {
    let tenant = TenantCode::from_bits(tenant);
    Place {
        created: at(created),
        id: GameId::of_tenant(tenant, number.into()),
    }
}

pub(crate) async fn count_in(store: &dyn GameStore, game: Place, most: u64) -> bool {
    store.count_in(game, None, LONG, most).await.unwrap()
}

/// All games that are counted, in the order told.
pub(crate) async fn counted(store: &dyn GameStore, tenant: u128) -> Vec<Place> {
    let mut all: Vec<Place> = Vec::new();
    loop {
        let after = all.last().copied();
        let some = store.counted(TenantCode::from_bits(tenant), after).await;
        let some = some.unwrap();
        if some.is_empty() {
            return all;
        }
        all.extend(some);
    }
}

pub(crate) async fn live_games_are_counted_up_to_the_limit(subject: &Subject) {
    let stores = [&subject.store, &subject.other];
    // Many at once, some of one millisecond, through two servers.
    let attempts = (0..400).map(|number| {
        let store = stores[(number % 2) as usize];
        async move { count_in(&**store, game(1, number, 1000 - u64::from(number / 3)), 300).await }
    });
    let counted_in = join_all(attempts).await;
    assert_eq!(counted_in.iter().filter(|counted| **counted).count(), 300);
    let all = counted(&*subject.other, 1).await;
    assert_eq!(all.len(), 300);
    assert!(all.is_sorted_by_key(|place| place.created));

    assert!(
        count_in(&*subject.store, game(2, 0, 10), 300).await,
        "another's"
    );
    assert!(
        count_in(&*subject.other, all[7], 300).await,
        "it is counted already"
    );
    assert_eq!(counted(&*subject.store, 1).await.len(), 300);
}

pub(crate) async fn a_game_that_is_counted_no_more_makes_room(subject: &Subject) {
    let (store, other) = (&*subject.store, &*subject.other);
    for number in 0..3 {
        assert!(count_in(store, game(1, number, 10), 3).await);
    }
    assert!(!count_in(other, game(1, 3, 10), 3).await);
    for _ in 0..2 {
        other.count_out(game(1, 1, 10)).await.unwrap();
        other.count_out(game(1, 9, 10)).await.unwrap();
    }
    assert!(count_in(store, game(1, 3, 10), 3).await);
    assert!(!count_in(store, game(1, 1, 10), 3).await);
    for number in [0, 2, 3] {
        store.count_out(game(1, number, 10)).await.unwrap();
    }
    assert_eq!(counted(other, 1).await, []);
    assert!(count_in(store, game(1, 1, 10), 1).await);
}

pub(crate) async fn a_game_is_counted_under_one_time(subject: &Subject) {
    let store = &*subject.store;
    // Two requests for one game: the one of 20 takes its place first, the other one is stored.
    for number in 0..200 {
        assert!(count_in(store, game(1, number, 20 + u64::from(number)), 300).await);
        count_in(store, game(1, number, 10), 300).await;
        let instead_of = Some(at(20 + u64::from(number)));
        for _ in 0..2 {
            let there = game(1, number, 10);
            assert!(
                store
                    .count_in(there, instead_of, LONG, u64::MAX)
                    .await
                    .unwrap()
            );
        }
    }
    let all = counted(store, 1).await;
    assert!(all.iter().all(|place| place.created == at(10)));
    assert_eq!(all.len(), 200);
    assert!(!count_in(store, game(1, 999, 20), 200).await);
    assert!(count_in(store, game(1, 999, 20), 201).await);
}
