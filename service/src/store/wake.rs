//! Wakes those who watch a game when its value is replaced.
//!
//! A wake-up says only that there may be something new: many of them may arrive as one, and
//! one may come for nothing. Knows no values and no Redis.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::session::GameId;

/// What is called when a game has lost its last subscription.
type Abandoned = Box<dyn Fn(GameId) + Send + Sync>;

/// The games that are watched in this process. Costs memory only for those, and a wake-up of
/// a game that nobody watches is a look into a map.
pub(super) struct WakeHub {
    watched: Mutex<HashMap<GameId, Watched>>,
    abandoned: Option<Abandoned>,
}

struct Watched {
    waker: watch::Sender<()>,
    subscriptions: usize,
}

impl WakeHub {
    pub(super) fn new() -> Arc<Self> {
        Self::build(None)
    }

    /// A hub that calls this for a game whose last subscription was dropped. It is called
    /// while the hub is locked, so that calls for one game are in order: it must return at
    /// once and not call the hub.
    pub(super) fn with_abandoned(call: impl Fn(GameId) + Send + Sync + 'static) -> Arc<Self> {
        Self::build(Some(Box::new(call)))
    }

    fn build(abandoned: Option<Abandoned>) -> Arc<Self> {
        Arc::new(Self {
            watched: Mutex::default(),
            abandoned,
        })
    }

    /// Starts watching: every later wake-up of the game reaches the subscription.
    pub(super) fn subscribe(self: &Arc<Self>, id: GameId) -> Subscription {
        let mut games = self.lock();
        let watched = games.entry(id).or_insert_with(|| Watched {
            waker: watch::Sender::new(()),
            subscriptions: 0,
        });
        watched.subscriptions += 1;
        Subscription {
            wakes: watched.waker.subscribe(),
            id,
            hub: Arc::clone(self),
        }
    }

    /// Wakes the subscriptions of a game.
    pub(super) fn wake(&self, id: GameId) {
        if let Some(watched) = self.lock().get(&id) {
            watched.waker.send_replace(());
        }
    }

    /// Wakes all subscriptions.
    pub(super) fn wake_all(&self) {
        for watched in self.lock().values() {
            watched.waker.send_replace(());
        }
    }

    /// Whether a game has subscriptions.
    pub(super) fn is_watched(&self, id: GameId) -> bool {
        self.lock().contains_key(&id)
    }

    /// The games that have subscriptions.
    pub(super) fn watched(&self) -> Vec<GameId> {
        self.lock().keys().copied().collect()
    }

    fn drop_subscription(&self, id: GameId) {
        let mut games = self.lock();
        let Entry::Occupied(mut entry) = games.entry(id) else {
            return;
        };
        entry.get_mut().subscriptions -= 1;
        if entry.get().subscriptions == 0 {
            entry.remove();
            if let Some(call) = &self.abandoned {
                call(id);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<GameId, Watched>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for WakeHub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WakeHub")
            .field("watched", &self.lock().len())
            .finish_non_exhaustive()
    }
}

/// Watches one game. Watching ends when it is dropped.
#[derive(Debug)]
pub struct Subscription {
    wakes: watch::Receiver<()>,
    id: GameId,
    hub: Arc<WakeHub>,
}

impl Subscription {
    /// The game that is watched.
    #[must_use]
    pub const fn id(&self) -> GameId {
        self.id
    }

    /// Waits until there may be something new since the last call, or, the first time, since
    /// the subscription was made. Any number of replacements may be one wake-up, and there
    /// may be nothing new after all: read the value to know.
    ///
    /// Dropping the future loses no wake-up.
    pub async fn changed(&mut self) {
        if self.wakes.changed().await.is_err() {
            // The hub keeps the sender as long as there is a subscription.
            future::pending::<()>().await;
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.hub.drop_subscription(self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(bits: u128) -> GameId {
        GameId::from_bits(bits)
    }

    #[tokio::test]
    async fn wakes_between_two_calls_are_one() {
        let hub = WakeHub::new();
        let mut subscription = hub.subscribe(id(1));
        hub.wake(id(1));
        hub.wake(id(1));
        subscription.changed().await;
        let again = tokio::time::timeout(std::time::Duration::ZERO, subscription.changed());
        assert!(again.await.is_err());
    }

    #[tokio::test]
    async fn a_dropped_wait_loses_no_wake() {
        let hub = WakeHub::new();
        let mut subscription = hub.subscribe(id(1));
        let wait = tokio::time::timeout(std::time::Duration::ZERO, subscription.changed());
        assert!(wait.await.is_err());
        hub.wake(id(1));
        subscription.changed().await;
    }

    #[test]
    fn the_last_subscription_takes_its_game_out() {
        let (told, abandoned) = std::sync::mpsc::channel();
        let hub = WakeHub::with_abandoned(move |id| told.send(id).unwrap());
        let first = hub.subscribe(id(1));
        let second = hub.subscribe(id(1));
        let other = hub.subscribe(id(2));
        drop(first);
        assert!(hub.is_watched(id(1)));
        drop(second);
        assert!(!hub.is_watched(id(1)));
        assert_eq!(hub.watched(), [id(2)]);
        drop(other);
        drop(hub);
        assert_eq!(abandoned.iter().collect::<Vec<_>>(), [id(1), id(2)]);
    }
}
