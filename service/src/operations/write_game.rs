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
        let mut found = self.store.get(&[id]).await?.pop().flatten();
        for _ in 0..MAX_ATTEMPTS {
            let value = found.ok_or(GameError::NotFound(id))?;
            let mut session = Self::restore(id, &value)?;
            let before = session.event_number();
            let written = session
                .write(request.action, &request.request, self.clock.now())
                .map_err(|error| refused(id, error, &session))?;
            if written.replayed || request.mode == WriteMode::ValidateOnly {
                return Ok(WrittenGame { written, session });
            }
            let (entry, listing) = entry(session.record(), request.action);
            found = match self.store.replace(id, before, entry, listing).await? {
                Replaced::Done => return Ok(WrittenGame { written, session }),
                Replaced::Changed(value) => Some(value),
                Replaced::Missing => None,
            };
        }
        let value = found.ok_or(GameError::NotFound(id))?;
        let session = Box::new(Self::restore(id, &value)?);
        Err(GameError::Contended { id, session })
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
