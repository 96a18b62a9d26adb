//! Writing to a game: moves, take-backs, resignations, deletion.

use std::time::Duration;

use super::{GameError, Games};
use crate::session::{Action, GameId, GameRecord, Request, Session, WriteError, Written};
use crate::store::{Entry, Listing, Replaced};

/// How often a write that others overtake is tried again. Each time one of them has
/// succeeded, so only a crowd on one game can use them up.
const MAX_ATTEMPTS: usize = 32;

/// How long a deleted game is kept, so that its watchers are sent its last event and a
/// repeat of the deletion is told the same. The API's comments state it.
const DELETED_TIME_TO_LIVE: Duration = Duration::from_secs(60);

/// A write to a game.
#[derive(Clone, Debug)]
pub struct WriteGame {
    /// Which game.
    pub id: GameId,
    /// What to do.
    pub action: Action,
    /// What comes with it.
    pub request: Request,
    /// Whether to do it.
    pub mode: WriteMode,
}

/// Whether a write is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteMode {
    /// It is.
    Commit,
    /// It is only checked, and answered as if it had been.
    ValidateOnly,
}

/// A write that was carried out.
#[derive(Clone, Debug)]
pub struct WrittenGame {
    /// What it did.
    pub written: Written,
    /// The game now.
    pub session: Session,
}

impl Games {
    /// Carries a write out, by compare-and-set: when another writer was faster, the write is
    /// checked anew against what that writer left.
    ///
    /// # Errors
    ///
    /// [`GameError::NotFound`], [`GameError::Refused`], [`GameError::Unreadable`],
    /// [`GameError::Contended`], and the store's.
    pub async fn write(&self, request: &WriteGame) -> Result<WrittenGame, GameError> {
        let id = request.id;
        let mut found = self.recent.take(id);
        // What this server remembers may be out of date: it decides nothing but what to try.
        let mut is_certain = found.is_none();
        if is_certain {
            found = self.read(id).await?;
        }
        for _ in 0..MAX_ATTEMPTS {
            let value = found.ok_or(GameError::NotFound(id))?;
            let mut session = Self::restore(id, &value)?;
            let written = session.write(request.action, &request.request, self.clock.now());
            let is_new = written.as_ref().is_ok_and(|written| !written.replayed);
            if !is_new || request.mode == WriteMode::ValidateOnly {
                if !is_certain {
                    found = self.read(id).await?;
                    is_certain = true;
                    continue;
                }
                self.recent.put(id, value);
                let written = written.map_err(|error| refused(id, error, &session))?;
                if written.replayed {
                    self.store.confirm(id).await?;
                }
                return Ok(WrittenGame { written, session });
            }
            let written = written.map_err(|error| refused(id, error, &session))?;
            let (entry, listing) = entry(session.record(), request.action);
            let new = entry.value.clone();
            found = match self.store.replace(id, &value, entry, listing).await? {
                Replaced::Done => {
                    self.recent.put(id, new);
                    return Ok(WrittenGame { written, session });
                }
                Replaced::Changed(value) => Some(value),
                Replaced::Missing => None,
            };
            is_certain = true;
        }
        let value = found.ok_or(GameError::NotFound(id))?;
        let session = Box::new(Self::restore(id, &value)?);
        Err(GameError::Contended { id, session })
    }

    async fn read(&self, id: GameId) -> Result<Option<Vec<u8>>, GameError> {
        Ok(self.store.get(&[id]).await?.pop().flatten())
    }
}

fn entry(record: &GameRecord, action: Action) -> (Entry, Listing) {
    let (time_to_live, listing) = if action == Action::Delete {
        (DELETED_TIME_TO_LIVE, Listing::Remove)
    } else {
        (record.time_to_live, Listing::Keep)
    };
    let value = record.encode();
    (
        Entry {
            created: record.created,
            value,
            time_to_live,
            due: None,
        },
        listing,
    )
}

fn refused(id: GameId, error: WriteError, session: &Session) -> GameError {
    if error == WriteError::Deleted {
        return GameError::NotFound(id);
    }
    GameError::Refused {
        id,
        error,
        session: Box::new(session.clone()),
    }
}
