//! Changing a stored game by compare-and-set.

use std::time::Duration;

use reversi_engine::Color;

use super::listed::Listed;
use super::live_games::Before;
use super::presence::Watched;
use super::{GameError, Games};
use crate::session::{GameId, Session, Timestamp};
use crate::store::{Entry, Listing, Replaced, Signs};

/// How often a write that others overtake is tried again. Each time one of them has
/// succeeded, so only a crowd on one game can use them up.
const MAX_ATTEMPTS: usize = 32;

/// How long a deleted game is kept, so that its watchers are sent its last event and a
/// repeat of the deletion is told the same. The API's comments state it.
const DELETED_TIME_TO_LIVE: Duration = Duration::from_secs(60);

/// What is to become of a session that was looked at and perhaps changed.
pub(super) enum Step<T> {
    /// It is stored.
    Commit(T),
    /// The game stays as it was.
    Leave(T),
}

impl Games {
    /// Changes a game: the step is taken on what is stored, and again on what another writer has
    /// left if that one was faster. The player of the acting side was heard of thereby. Answers the game as it was left by the step.
    ///
    /// # Errors
    ///
    /// The step's; [`GameError::NotFound`], [`GameError::Unreadable`], [`GameError::Contended`],
    /// and the store's.
    pub(super) async fn change<T>(
        &self,
        id: GameId,
        acting: Option<Color>,
        mut step: impl FnMut(&mut Session, Timestamp) -> Result<Step<T>, GameError>,
    ) -> Result<(T, Session), GameError> {
        if !self.owns(id) {
            return Err(GameError::NotFound(id));
        }
        let mut found = self.recent.take(id);
        // What this server remembers may be out of date: it decides nothing but what to try.
        let mut is_certain = found.is_none();
        if is_certain {
            found = self.read(id).await?;
        }
        for _ in 0..MAX_ATTEMPTS {
            let value = found.ok_or(GameError::NotFound(id))?;
            let mut session = self.restore(id, &value)?;
            let watched = Watched::in_game(&session);
            let before = Before::of(&session);
            let listed = Listed::of(self.owner(id), &session);
            let now = self.clock.now();
            if session.is_overdue(now) {
                self.know_outages(&mut session).await?;
            }
            let done = match step(&mut session, now) {
                Ok(Step::Commit(done)) => done,
                Ok(Step::Leave(_)) | Err(_) if !is_certain => {
                    found = self.read(id).await?;
                    is_certain = true;
                    continue;
                }
                Ok(Step::Leave(done)) => {
                    self.recent.put(id, value);
                    return Ok((done, session));
                }
                Err(error) => {
                    self.recent.put(id, value);
                    return Err(error);
                }
            };
            let turn = self.turn(id, &session);
            let mut entry = turn.entry(&session, watched.signs(&session, acting, now));
            entry.notice = listed.notice(&session);
            let listing = if session.is_deleted() {
                Listing::Remove
            } else {
                Listing::Keep
            };
            let new = entry.value.clone();
            found = match self.store.replace(id, &value, entry, listing).await? {
                Replaced::Done => {
                    self.recent.put(id, new);
                    turn.taken(&session);
                    self.keep_place(id, before, &session).await;
                    return Ok((done, session));
                }
                Replaced::Changed(value) => Some(value),
                Replaced::Missing => None,
            };
            is_certain = true;
        }
        let value = found.ok_or(GameError::NotFound(id))?;
        let session = Box::new(self.restore(id, &value)?);
        Err(GameError::Contended { id, session })
    }

    pub(super) async fn read(&self, id: GameId) -> Result<Option<Vec<u8>>, GameError> {
        Ok(self.store.get(&[id]).await?.pop().flatten())
    }
}

/// What a store keeps of a session.
pub(super) fn entry(session: &Session, due: Option<Timestamp>, signs: Signs) -> Entry {
    let record = session.record();
    let time_to_live = if session.is_deleted() {
        DELETED_TIME_TO_LIVE
    } else {
        session.expires().since(record.updated)
    };
    Entry {
        created: record.created,
        value: record.encode(),
        time_to_live,
        due,
        signs,
        notice: None,
    }
}
