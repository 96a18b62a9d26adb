//! How many games are stored, counted when somebody asks, but not each time.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::store::GameStore;

/// For how long a number is told before it is counted anew.
const FRESH: Duration = Duration::from_secs(60);

/// Counts the games of a store.
#[derive(Clone, Debug)]
pub(crate) struct StoredGames {
    store: Arc<dyn GameStore>,
    counted: Arc<Mutex<Option<Counted>>>,
}

#[derive(Clone, Copy, Debug)]
struct Counted {
    games: u64,
    at: Instant,
}

impl StoredGames {
    pub(crate) fn of(store: Arc<dyn GameStore>) -> Self {
        Self {
            store,
            counted: Arc::default(),
        }
    }

    /// How many there are, as counted lately; `None` if the store does not say.
    pub(crate) async fn get(&self) -> Option<u64> {
        // Who asks meanwhile waits for the answer.
        let mut counted = self.counted.lock().await;
        if let Some(Counted { games, at }) = *counted
            && at.elapsed() < FRESH
        {
            return Some(games);
        }
        let games = self.store.count().await.ok()?;
        let at = Instant::now();
        *counted = Some(Counted { games, at });
        Some(games)
    }
}
