//! Watching a game: every change in order, read from the store whenever it may have changed.

use std::time::Duration;

use tokio::time;

use super::{GameError, Games};
use crate::session::{Change, EventNumber, GameId, Replay, Session};
use crate::store::{StoreError, Subscription};

/// A game is read again after this time even if nothing woke the watch: nobody wakes it when the
/// store has lost the game. The API's comments state it.
const REREAD: Duration = Duration::from_secs(3);
/// A game that has outlived its time, as the clocks of two servers may have it, is read again
/// after this time.
const OVERTIME: Duration = Duration::from_millis(100);
/// How far apart the clocks of servers may be.
const CLOCK_SKEW: Duration = Duration::from_secs(60);

/// A watch of a game.
///
/// It holds one version of the game and the changes not yet taken from it, so a slow reader
/// costs no more than a quick one.
#[derive(Debug)]
pub struct Watch {
    games: Games,
    id: GameId,
    subscription: Subscription,
    /// The game as it was last read.
    latest: Session,
    /// The last event that the reader knows of.
    seen: Option<EventNumber>,
    /// The changes up to `latest` that are still to be given.
    pending: Option<Replay>,
    ended: bool,
}

/// What a watch gives.
#[derive(Debug)]
pub enum Update {
    /// The game as a whole.
    Snapshot {
        /// The game.
        session: Session,
        /// Whether changes before it, which the reader has not seen, cannot be given.
        reset: bool,
    },
    /// A change.
    Changed {
        /// What changed.
        change: Change,
        /// The game after it.
        session: Session,
    },
    /// The game's time to live is over. The last update.
    Expired {
        /// The game as it was.
        session: Session,
    },
}

impl Games {
    /// Starts to watch a game: from a snapshot on, or from the event after the one given.
    ///
    /// # Errors
    ///
    /// [`GameError::NotFound`], [`GameError::Unreadable`], and the store's.
    pub async fn watch(&self, id: GameId, after: Option<EventNumber>) -> Result<Watch, GameError> {
        let subscription = self.store.subscribe(id).await?;
        let latest = self.get(id).await?;
        Ok(Watch {
            games: self.clone(),
            id,
            subscription,
            latest,
            seen: after,
            pending: None,
            ended: false,
        })
    }
}

impl Watch {
    /// The id of the game.
    #[must_use]
    pub const fn id(&self) -> GameId {
        self.id
    }

    /// Waits for the next update; `None` after the last.
    ///
    /// # Errors
    ///
    /// [`GameError::Unreadable`], and the store's unless it is only out of reach: that is
    /// waited out.
    pub async fn next(&mut self) -> Result<Option<Update>, GameError> {
        loop {
            if self.ended {
                return Ok(None);
            }
            if let Some(update) = self.pending_change() {
                return Ok(Some(update));
            }
            self.pending = self.seen.and_then(|seen| self.latest.replay_after(seen));
            if self.pending.is_none() {
                let reset = self.seen.is_some();
                let session = self.latest.clone();
                self.seen = Some(session.event_number());
                return Ok(Some(Update::Snapshot { session, reset }));
            }
            if self.seen == Some(self.latest.event_number()) && !self.refresh().await? {
                self.ended = true;
                return Ok(Some(self.end()));
            }
        }
    }

    fn pending_change(&mut self) -> Option<Update> {
        let replay = self.pending.as_mut()?;
        let change = replay.next()?;
        let session = replay.session().clone();
        self.seen = Some(session.event_number());
        self.ended = change == Change::Deleted;
        Some(Update::Changed { change, session })
    }

    /// Waits until the game may have changed and reads it again; whether it is still there.
    async fn refresh(&mut self) -> Result<bool, GameError> {
        let left = self.latest.expires().since(self.games.clock.now());
        // Woken or not, the game is read: waking is only a hint.
        let wait = left.clamp(OVERTIME, REREAD);
        let _ = time::timeout(wait, self.subscription.changed()).await;
        loop {
            match self.games.store.get(&[self.id]).await {
                Ok(mut found) => {
                    let Some(value) = found.pop().flatten() else {
                        return Ok(false);
                    };
                    self.latest = self.games.restore(self.id, &value)?;
                    return Ok(true);
                }
                Err(StoreError::Unavailable(_)) => self.games.store_available().await,
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The last update of a game that is not there any more. Who deletes a game leaves a last
    /// event, so a game without one has expired, unless it should have lived on for longer
    /// than clocks differ.
    fn end(&self) -> Update {
        let session = self.latest.clone();
        if self.games.clock.now() + CLOCK_SKEW >= session.expires() {
            Update::Expired { session }
        } else {
            Update::Changed {
                change: Change::Deleted,
                session,
            }
        }
    }
}
