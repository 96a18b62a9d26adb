//! Games are handed out when something is due for them, to one server at a time.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use reversi_engine::Color;
use reversi_service::session::{EventNumber, GameId, Timestamp};
use reversi_service::store::{Claimed, Entry, GameStore, Listing, Replaced, Sign, Signs};
use tokio::task::JoinSet;

use crate::subject::{
    LIMIT, LONG, Subject, due_at, entry, eventually, get, id, insert, kept_for, value,
};

/// Long enough to do something before it is over, short enough to wait for its end.
const SHORT: Duration = Duration::from_millis(300);

/// A time that is over by the clocks of all servers: one that only guesses them may take itself for a
/// little later than they are.
fn just_now(subject: &Subject) -> Timestamp {
    let now = subject.store.now().as_millis();
    Timestamp::from_millis(now.saturating_sub(100))
}

async fn claim(store: &dyn GameStore, lease: Duration) -> Claimed {
    let mut claimed = store
        .claim_due(lease, 1000)
        .await
        .expect("the store answers");
    claimed.games.sort_unstable();
    claimed
}

async fn claimed(store: &dyn GameStore, lease: Duration) -> Vec<GameId> {
    claim(store, lease).await.games
}

async fn replace(store: &dyn GameStore, number: u32, expected: u32, entry: Entry) -> Replaced {
    let expected = value(expected);
    let replaced = store.replace(id(number), &expected, entry, Listing::Keep);
    replaced.await.expect("the store answers")
}

pub(crate) async fn all_servers_have_the_same_time(subject: &Subject) {
    let (mine, other) = (subject.store.now(), subject.other.now());
    assert!(other.since(mine) < SHORT && mine.since(other) < SHORT);
}

pub(crate) async fn time_passes(subject: &Subject) {
    let start = subject.store.now();
    subject.pass(SHORT);
    eventually("later", async || subject.store.now().since(start) >= SHORT).await;
}

pub(crate) async fn nothing_is_due_at_first(subject: &Subject) {
    insert(&*subject.store, 1, 10, entry(0)).await;
    assert_eq!(claim(&*subject.store, LONG).await, Claimed::default());
}

pub(crate) async fn a_game_is_due_at_its_time_and_not_before(subject: &Subject) {
    let due = subject.store.now() + SHORT;
    insert(&*subject.store, 1, 10, due_at(0, due)).await;
    insert(&*subject.store, 2, 10, due_at(0, due + LONG)).await;
    let early = claim(&*subject.other, LONG).await;
    assert_eq!((early.games, early.next), (vec![], Some(due)));
    subject.pass(SHORT);
    let mut found = Vec::new();
    eventually("due", async || {
        found = claimed(&*subject.other, LONG).await;
        !found.is_empty()
    })
    .await;
    assert_eq!(found, [id(1)]);
}

pub(crate) async fn a_claimed_game_is_nobody_elses_until_its_lease_is_over(subject: &Subject) {
    let now = just_now(subject);
    insert(&*subject.store, 1, 10, due_at(0, now)).await;
    let mine = claim(&*subject.store, SHORT).await;
    assert_eq!(mine.games, [id(1)]);
    let lease_ends = mine.next.expect("it is due again");
    assert!(lease_ends >= now + SHORT);
    assert_eq!(claimed(&*subject.other, SHORT).await, []);
    subject.pass(SHORT);
    eventually("due again", async || {
        claimed(&*subject.other, SHORT).await == [id(1)]
    })
    .await;
}

pub(crate) async fn a_replacement_moves_the_timer(subject: &Subject) {
    let now = just_now(subject);
    insert(&*subject.store, 1, 10, due_at(0, now + LONG)).await;
    let replaced = replace(&*subject.store, 1, 0, due_at(1, now)).await;
    assert_eq!(replaced, Replaced::Done);
    assert_eq!(claimed(&*subject.other, LONG).await, [id(1)]);
    // Also one that somebody has claimed.
    let replaced = replace(&*subject.store, 1, 1, due_at(2, now)).await;
    assert_eq!(replaced, Replaced::Done);
    assert_eq!(claimed(&*subject.other, LONG).await, [id(1)]);
}

pub(crate) async fn a_replacement_without_a_timer_removes_it(subject: &Subject) {
    let now = just_now(subject);
    insert(&*subject.store, 1, 10, due_at(0, now)).await;
    assert_eq!(
        replace(&*subject.store, 1, 0, entry(1)).await,
        Replaced::Done
    );
    assert_eq!(claim(&*subject.other, LONG).await, Claimed::default());
}

pub(crate) async fn a_replacement_that_is_not_done_leaves_the_timer(subject: &Subject) {
    let now = just_now(subject);
    insert(&*subject.store, 1, 10, due_at(0, now)).await;
    let replaced = replace(&*subject.store, 1, 7, entry(8)).await;
    assert!(matches!(replaced, Replaced::Changed(_)), "{replaced:?}");
    assert_eq!(claimed(&*subject.other, LONG).await, [id(1)]);
    // Nor does an insertion of what is there.
    let again = subject.store.insert(id(1), due_at(0, now));
    again.await.expect("the store answers");
    assert_eq!(claimed(&*subject.other, LONG).await, []);
}

pub(crate) async fn a_deleted_game_has_no_timer(subject: &Subject) {
    let now = just_now(subject);
    insert(&*subject.store, 1, 10, due_at(0, now)).await;
    let deleted = subject
        .store
        .replace(id(1), &value(0), entry(1), Listing::Remove)
        .await;
    assert_eq!(deleted.expect("the store answers"), Replaced::Done);
    assert_eq!(claim(&*subject.other, LONG).await, Claimed::default());
}

pub(crate) async fn a_timer_can_be_moved_without_a_write(subject: &Subject) {
    let now = just_now(subject);
    insert(&*subject.store, 1, 10, due_at(3, now)).await;
    assert_eq!(claimed(&*subject.store, LONG).await, [id(1)]);
    let handed_back = subject.store.reschedule(id(1), EventNumber(3), Some(now));
    handed_back.await.expect("the store answers");
    assert_eq!(claimed(&*subject.other, LONG).await, [id(1)]);
    let removed = subject.store.reschedule(id(1), EventNumber(3), None);
    removed.await.expect("the store answers");
    assert_eq!(claim(&*subject.other, LONG).await, Claimed::default());
}

pub(crate) async fn a_timer_of_another_version_is_not_moved(subject: &Subject) {
    let now = just_now(subject);
    insert(&*subject.store, 1, 10, due_at(3, now)).await;
    for number in [1, 2] {
        let moved = subject
            .store
            .reschedule(id(number), EventNumber(2), Some(now + LONG));
        moved.await.expect("the store answers");
    }
    assert_eq!(claimed(&*subject.other, LONG).await, [id(1)]);
    assert_eq!(get(&*subject.store, 2).await, None);
}

pub(crate) async fn a_game_that_has_expired_is_not_due(subject: &Subject) {
    let due = subject.store.now() + SHORT * 2;
    let short_lived = Entry {
        due: Some(due),
        ..kept_for(0, SHORT)
    };
    insert(&*subject.store, 1, 10, short_lived).await;
    // Keeps the timers of its shard.
    insert(&*subject.store, 2, 10, due_at(0, due)).await;
    subject.pass(SHORT * 2);
    let mut found = Vec::new();
    eventually("due", async || {
        found.extend(claimed(&*subject.other, LONG).await);
        found.contains(&id(2))
    })
    .await;
    assert_eq!(found, [id(2)]);
}

pub(crate) async fn many_servers_claim_each_game_once(subject: &Subject) {
    const GAMES: u32 = 500;
    let now = just_now(subject);
    for number in 0..GAMES {
        insert(&*subject.store, number, 10, due_at(0, now)).await;
    }
    let left = Arc::new(AtomicI64::new(i64::from(GAMES)));
    let mut tasks = JoinSet::new();
    for task in 0..20 {
        let from = if task % 2 == 0 {
            &subject.store
        } else {
            &subject.other
        };
        let (store, left) = (Arc::clone(from), Arc::clone(&left));
        tasks.spawn(async move {
            let mut mine = Vec::new();
            while left.load(Ordering::Relaxed) > 0 {
                let claimed = store.claim_due(LONG, 64).await;
                let claimed = claimed.expect("the store answers").games;
                left.fetch_sub(i64::try_from(claimed.len()).unwrap(), Ordering::Relaxed);
                mine.extend(claimed);
                tokio::task::yield_now().await;
            }
            // And once more: nothing is given twice.
            let again = store.claim_due(LONG, 64).await;
            mine.extend(again.expect("the store answers").games);
            mine
        });
    }
    let claimed = tokio::time::timeout(LIMIT, tasks.join_all()).await;
    let claimed: Vec<GameId> = claimed.expect("all are claimed").concat();
    let distinct: BTreeSet<GameId> = claimed.iter().copied().collect();
    assert_eq!(claimed.len(), distinct.len());
    assert_eq!(distinct, (0..GAMES).map(id).collect());
}

pub(crate) async fn claims_are_bounded(subject: &Subject) {
    let now = just_now(subject);
    for number in 0..300 {
        insert(&*subject.store, number, 10, due_at(0, now)).await;
    }
    let some = subject.store.claim_due(LONG, 100).await;
    let some = some.expect("the store answers");
    assert!(some.games.len() <= 128, "{}", some.games.len());
    assert!(!some.games.is_empty());
    assert!(some.next.is_some_and(|next| next <= now), "more are due");
}

fn signed(events: u32, black: Sign, white: Sign) -> Entry {
    Entry {
        signs: Signs { black, white },
        ..entry(events)
    }
}

async fn absent(store: &dyn GameStore) -> Vec<(GameId, Color)> {
    claim(store, LONG).await.absent
}

pub(crate) async fn who_is_not_heard_of_in_time_is_absent(subject: &Subject) {
    let now = subject.store.now();
    let (soon, later) = (Sign::Until(now + SHORT), Sign::Until(now + LONG));
    insert(&*subject.store, 1, 10, signed(0, soon, later)).await;
    assert_eq!(absent(&*subject.other).await, []);
    subject.pass(SHORT);
    let mut found = Vec::new();
    eventually("absent", async || {
        found = absent(&*subject.other).await;
        !found.is_empty()
    })
    .await;
    assert_eq!(found, [(id(1), Color::Black)]);
    assert_eq!(absent(&*subject.store).await, [], "it is claimed");
}

pub(crate) async fn who_is_heard_of_is_not_absent(subject: &Subject) {
    let now = just_now(subject);
    let overdue = signed(0, Sign::Until(now), Sign::Until(now));
    insert(&*subject.store, 1, 10, overdue).await;
    let heard = subject.other.sign(id(1), Color::White, now + LONG);
    heard.await.expect("the store answers");
    assert_eq!(absent(&*subject.store).await, [(id(1), Color::Black)]);
}

pub(crate) async fn who_need_not_be_heard_of_is_never_absent(subject: &Subject) {
    let now = subject.store.now();
    insert(&*subject.store, 1, 10, entry(0)).await;
    for number in [1, 2] {
        let heard = subject.store.sign(id(number), Color::Black, now);
        heard.await.expect("the store answers");
    }
    assert_eq!(claim(&*subject.other, LONG).await, Claimed::default());
}

pub(crate) async fn a_replacement_keeps_moves_and_removes_signs(subject: &Subject) {
    let now = just_now(subject);
    let overdue = Sign::Until(now);
    insert(&*subject.store, 1, 10, signed(0, overdue, overdue)).await;
    let kept = signed(1, Sign::Keep, Sign::Until(now + LONG));
    assert_eq!(replace(&*subject.store, 1, 0, kept).await, Replaced::Done);
    assert_eq!(absent(&*subject.other).await, [(id(1), Color::Black)]);
    let removed = signed(2, Sign::Remove, Sign::Remove);
    assert_eq!(
        replace(&*subject.store, 1, 1, removed).await,
        Replaced::Done
    );
    assert_eq!(claim(&*subject.other, LONG).await, Claimed::default());
}
