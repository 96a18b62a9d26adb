//! The game that follows another.

use reversi_engine::Color;

use super::change::Step;
use super::write_game::refused;
use super::{Created, GameError, Games};
use crate::secret::SeatToken;
use crate::session::{
    Action, Expected, GameId, RematchColors, Request, RequestId, SeriesColors, Session, WriteError,
};

/// A rematch.
#[derive(Clone, Debug)]
pub struct Rematch {
    /// The game that is over.
    pub id: GameId,
    /// Who gets which colour.
    pub colors: RematchColors,
    /// The caller's token of a seat.
    pub token: Option<SeatToken>,
    /// The caller's id of the request; empty for none.
    pub request_id: String,
}

/// The game that follows.
#[derive(Clone, Debug)]
pub struct Rematched {
    /// The game, and whether it was there already.
    pub next: Created,
    /// The caller's side in it, where a token shows it.
    pub side: Option<Color>,
}

impl Rematch {
    fn action(&self, next: GameId) -> Action {
        Action::Rematch {
            next,
            colors: self.colors,
        }
    }

    fn said(&self) -> Request {
        Request {
            id: RequestId::new(&self.request_id),
            expected: Expected::Anywhere,
        }
    }
}

impl Games {
    /// The game that follows one that is over: the same for all who ask, created for the first.
    ///
    /// # Errors
    ///
    /// [`GameError::NotFound`] of either game, [`GameError::SeatToken`], [`GameError::Refused`] if
    /// the game is not over, [`GameError::Unreadable`], and the store's.
    pub async fn rematch(&self, request: &Rematch) -> Result<Rematched, GameError> {
        let id = request.id;
        let over = self.get(id).await?;
        let sides = [Color::Black, Color::White];
        let secret = self.secret_of_token(id, &sides, request.token).await?;
        let side = secret.check_token(id, &over, &sides, request.token)?;
        let recalled = match over.successor() {
            Some(next) => over.recall(&request.action(next), &request.said()),
            None => Ok(None),
        };
        recalled.map_err(|error| refused(id, error, &over))?;
        let next = match over.successor() {
            Some(next) => {
                self.store.confirm(id).await?;
                self.store.confirm(next).await?;
                Created {
                    id: next,
                    session: self.get(next).await?,
                    replayed: true,
                }
            }
            None => self.follow(request, &over).await?,
        };
        let series = next.session.record().series;
        let side = side.map(|side| match series.map(|series| series.colors) {
            Some(SeriesColors::Swapped) => side.opposite(),
            Some(SeriesColors::Kept) | None => side,
        });
        Ok(Rematched { next, side })
    }

    /// Creates the game that follows and says so in the one that is over, in this order: who comes
    /// after a crash between the two finds the game, and says so.
    async fn follow(&self, request: &Rematch, over: &Session) -> Result<Created, GameError> {
        let id = request.id;
        let next = self.agreed_secret().await?.successor(id);
        let colors = match request.colors {
            RematchColors::Swap => SeriesColors::Swapped,
            RematchColors::Keep => SeriesColors::Kept,
            RematchColors::Lots => match self.secret.lot(next) {
                Color::Black => SeriesColors::Kept,
                Color::White => SeriesColors::Swapped,
            },
        };
        let follows = over.following(id, colors, self.clock.now(), self.time_to_live);
        let follows = follows.ok_or_else(|| refused(id, WriteError::NotOver, over))?;
        let created = self.insert(next, Session::create(follows, &[], 0)?).await?;
        let (action, said) = (request.action(next), request.said());
        let said = self.change(id, None, |session, now| {
            let known = session.successor().is_some();
            match session.write(&action, &said, now) {
                Ok(_) if known => Ok(Step::Leave(())),
                Ok(_) => Ok(Step::Commit(())),
                Err(WriteError::Followed(_)) => Ok(Step::Leave(())),
                Err(error) => Err(refused(id, error, session)),
            }
        });
        said.await?;
        Ok(created)
    }
}
