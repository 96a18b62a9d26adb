//! The log of changes, read once for all who follow games in this process.
//!
//! It is read while anybody does. Who follows is told of the changes for them in batches, and has
//! room for a few: whoever is too slow reads the log again from where they are.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, broadcast};
use tokio::task::JoinHandle;
use tokio::time::{self, Instant, MissedTickBehavior};

use super::game_changes::{Ahead, Audience, GameChange};
use super::{GameError, Games};
use crate::store::{Availability, LogPosition, StoreError};

/// How often the log is read. The API's comments state it.
const PERIOD: Duration = Duration::from_millis(100);
/// Changes that are read of each part of the log at once.
pub(super) const CHANGES_AT_ONCE: usize = 16;
/// How often those who follow are told how far the log is read, if there was nothing for them.
const PROGRESS: Duration = Duration::from_secs(10);
/// Batches that wait for one who is slow, at most.
const BATCHES: usize = 16;
/// While the store cannot be reached, it is tried again after this time.
const RETRY: Duration = Duration::from_secs(1);

/// The way to those who follow games in this process.
#[derive(Clone, Debug, Default)]
pub(super) struct Feed(Arc<Mutex<Followers>>);

#[derive(Debug, Default)]
struct Followers {
    by_audience: HashMap<Audience, broadcast::Sender<Arc<Batch>>>,
    /// What reads the log, while anybody follows.
    reader: Option<JoinHandle<()>>,
}

/// What those of one audience are told at once.
#[derive(Debug)]
pub(super) struct Batch {
    /// The changes for them.
    pub(super) changes: Vec<Arc<GameChange>>,
    /// How far the log is read with them.
    pub(super) position: Arc<LogPosition>,
    /// Whether there may have been changes before these that nobody knows of.
    pub(super) missed: bool,
}

impl Games {
    /// What those of an audience are told from now on: every change that is not in the log yet.
    pub(super) async fn hear(
        &self,
        audience: Audience,
    ) -> Result<broadcast::Receiver<Arc<Batch>>, GameError> {
        let mut followers = self.feed.0.lock().await;
        if followers
            .reader
            .as_ref()
            .is_none_or(JoinHandle::is_finished)
        {
            let start = self.store.changes(None, CHANGES_AT_ONCE).await?.position;
            followers.reader = Some(tokio::spawn(read(self.clone(), start)));
        }
        let sender = followers.by_audience.entry(audience);
        let sender = sender.or_insert_with(|| broadcast::Sender::new(BATCHES));
        Ok(sender.subscribe())
    }

    /// Waits until the store may be reached again.
    pub(super) async fn store_available(&self) {
        let mut availability = self.store.availability();
        let available = availability.wait_for(|now| *now == Availability::Available);
        let _ = time::timeout(RETRY, available).await;
        // A store that is said to be available and still fails must not be asked without end.
        time::sleep(RETRY / 10).await;
    }
}

/// Reads the log from a position on, until nobody follows any more.
async fn read(games: Games, mut position: LogPosition) {
    let mut ahead = Ahead::default();
    let mut told = Instant::now();
    let mut ticks = time::interval(PERIOD);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        match games
            .tell_changes(&mut position, &mut ahead, &mut told)
            .await
        {
            Ok(Going::On) => {}
            Ok(Going::AtOnce) => ticks.reset_immediately(),
            Ok(Going::NoFurther) => return,
            Err(GameError::Store(StoreError::Unavailable(_))) => games.store_available().await,
            Err(error) => {
                tracing::warn!(%error, "the log of changes cannot be read");
                time::sleep(RETRY).await;
            }
        }
    }
}

/// How reading the log goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Going {
    /// After a while.
    On,
    /// At once: there is more.
    AtOnce,
    /// Not at all: nobody follows.
    NoFurther,
}

impl Games {
    /// Reads on in the log, and tells those who follow.
    async fn tell_changes(
        &self,
        position: &mut LogPosition,
        ahead: &mut Ahead,
        told: &mut Instant,
    ) -> Result<Going, GameError> {
        let page = self.store.changes(Some(position), CHANGES_AT_ONCE).await?;
        // Who began to follow before one of these changes is among them.
        let Some(audiences) = self.feed.audiences().await else {
            return Ok(Going::NoFurther);
        };
        if page.missed {
            *ahead = Ahead::default();
        }
        let changes = self.game_changes(page.changes, &audiences, ahead).await?;
        let is_progress = *position != page.position && told.elapsed() >= PROGRESS;
        if is_progress {
            *told = Instant::now();
        }
        position.clone_from(&page.position);
        let news = News {
            changes: changes.into_iter().map(Arc::new).collect(),
            position: Arc::new(page.position),
            missed: page.missed,
            is_for_all: page.missed || is_progress,
        };
        self.feed.tell(&news).await;
        Ok(if page.more { Going::AtOnce } else { Going::On })
    }
}

/// What came in one reading of the log.
#[derive(Debug)]
struct News {
    changes: Vec<Arc<GameChange>>,
    position: Arc<LogPosition>,
    missed: bool,
    /// Whether those hear of it, too, for whom there is no change.
    is_for_all: bool,
}

impl Feed {
    /// Those who follow; `None` if nobody does any more, and then the log is read no longer.
    async fn audiences(&self) -> Option<Vec<Audience>> {
        let mut followers = self.0.lock().await;
        followers
            .by_audience
            .retain(|_, sender| sender.receiver_count() > 0);
        if followers.by_audience.is_empty() {
            followers.reader = None;
            return None;
        }
        Some(followers.by_audience.keys().copied().collect())
    }

    /// Tells everybody what is for them, or that there was nothing.
    async fn tell(&self, news: &News) {
        let followers = self.0.lock().await;
        let mut heard: HashMap<Audience, Vec<Arc<GameChange>>> = HashMap::new();
        for change in &news.changes {
            let audiences = change.audiences();
            for audience in audiences.filter(|them| followers.by_audience.contains_key(them)) {
                heard.entry(audience).or_default().push(Arc::clone(change));
            }
        }
        for (audience, sender) in &followers.by_audience {
            let changes = heard.remove(audience).unwrap_or_default();
            if !changes.is_empty() || news.is_for_all {
                // The last of them may just have gone.
                let _ = sender.send(Arc::new(Batch {
                    changes,
                    position: Arc::clone(&news.position),
                    missed: news.missed,
                }));
            }
        }
    }
}
