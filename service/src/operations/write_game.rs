//! Writing to a game: moves, take-backs, resignations, seats, deletion.

use super::change::Step;
use super::{GameError, Games};
use crate::secret::SeatToken;
use crate::session::{Action, GameId, Request, Session, Timestamp, WriteError, Written};

/// A write to a game.
#[derive(Clone, Debug)]
pub struct WriteGame {
    /// Which game.
    pub id: GameId,
    /// What to do.
    pub action: Action,
    /// What comes with it.
    pub request: Request,
    /// The caller's token of a seat.
    pub token: Option<SeatToken>,
    /// Whether to do it.
    pub mode: WriteMode,
}

/// Whether a write is carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteMode {
    /// It is.
    #[default]
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
    /// checked anew against what that writer left. A time that is over runs out before.
    ///
    /// # Errors
    ///
    /// [`GameError::NotFound`], [`GameError::SeatToken`], [`GameError::Refused`],
    /// [`GameError::Unreadable`], [`GameError::Contended`], and the store's.
    pub async fn write(&self, request: &WriteGame) -> Result<WrittenGame, GameError> {
        let id = request.id;
        let acting = request.action.acts_for();
        let sides = acting.as_slice();
        let secret = self.secret_of_token(id, sides, request.token).await?;
        let changed = self.change(id, acting, |session, now| {
            if acting.is_some() {
                secret.check_token(id, session, sides, request.token)?;
            }
            step(request, session, now)
        });
        let (written, session) = changed.await?;
        let written = written.map_err(|error| refused(id, error, &session))?;
        if written.replayed {
            self.store.confirm(id).await?;
        }
        Ok(WrittenGame { written, session })
    }
}

/// Writes to a session, after a time that is over has run out. Where the write is refused then,
/// the end of the time is stored all the same.
fn step(
    write: &WriteGame,
    session: &mut Session,
    now: Timestamp,
) -> Result<Step<Result<Written, WriteError>>, GameError> {
    let WriteGame {
        id,
        action,
        request,
        mode,
        ..
    } = write;
    let recalled = session.recall(action, request);
    if let Some(written) = recalled.map_err(|error| refused(*id, error, session))? {
        return Ok(Step::Leave(Ok(written)));
    }
    let settled = session.settle(now);
    match session.write(action, request, now) {
        Ok(written) if *mode == WriteMode::ValidateOnly => Ok(Step::Leave(Ok(written))),
        Ok(written) => Ok(Step::Commit(Ok(written))),
        Err(error) if settled && *mode == WriteMode::Commit => Ok(Step::Commit(Err(error))),
        Err(error) => Err(refused(*id, error, session)),
    }
}

pub(super) fn refused(id: GameId, error: WriteError, session: &Session) -> GameError {
    if error == WriteError::Deleted {
        return GameError::NotFound(id);
    }
    GameError::Refused {
        id,
        error,
        session: Box::new(session.clone()),
    }
}
