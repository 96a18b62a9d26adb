//! Creating a game.

use reversi_engine::RuleSet;

use super::{GameError, Games};
use crate::session::{
    GameId, GameRecord, LegalMovesDisplay, RequestId, Seats, Session, WriteError,
};
use crate::store::{Entry, Inserted};

/// What a new game is to be.
#[derive(Clone, Debug, Default)]
pub struct CreateGame {
    /// Its rules.
    pub rules: RuleSet,
    /// Who plays.
    pub seats: Seats,
    /// Whether answers list its legal moves.
    pub legal_moves: LegalMovesDisplay,
    /// The caller's id of the request; empty for none.
    pub request_id: String,
}

/// A game that was created, now or by an earlier request.
#[derive(Clone, Debug)]
pub struct Created {
    /// Its id.
    pub id: GameId,
    /// The game as it is now.
    pub session: Session,
    /// Whether an earlier request had created it.
    pub replayed: bool,
}

impl Games {
    /// Creates a game. The same request id finds the game of the first attempt.
    ///
    /// # Errors
    ///
    /// [`GameError::Setup`] for a start in which neither side can move;
    /// [`GameError::Refused`] for a request id that created another game;
    /// [`GameError::NotFound`] if the game of the first attempt is deleted; and the store's.
    pub async fn create(&self, request: CreateGame) -> Result<Created, GameError> {
        let now = self.clock.now();
        let mut record = GameRecord::new(request.rules, now, self.time_to_live);
        record.seats = request.seats;
        record.legal_moves = request.legal_moves;
        let id = if RequestId::new(&request.request_id).is_some() {
            record.creation = Some(record.creation_fingerprint());
            self.agreed_secret().await?.game_id(&request.request_id)
        } else {
            random_id()?
        };
        let session = Session::create(record)?;
        let entry = Entry {
            created: now,
            value: session.record().encode(),
            time_to_live: self.time_to_live,
            due: None,
        };
        let value = entry.value.clone();
        match self.store.insert(id, entry).await? {
            Inserted::New => {
                self.recent.put(id, value);
                Ok(Created {
                    id,
                    session,
                    replayed: false,
                })
            }
            Inserted::Exists(value) => {
                let existing = Self::restore(id, &value)?;
                if existing.record().creation != session.record().creation {
                    return Err(GameError::Refused {
                        id,
                        error: WriteError::RequestIdReused,
                        session: Box::new(existing),
                    });
                }
                if existing.is_deleted() {
                    return Err(GameError::NotFound(id));
                }
                self.store.confirm(id).await?;
                Ok(Created {
                    id,
                    session: existing,
                    replayed: true,
                })
            }
        }
    }
}

fn random_id() -> Result<GameId, GameError> {
    let mut bits = [0; 16];
    getrandom::fill(&mut bits).map_err(GameError::Random)?;
    Ok(GameId::from_bits(u128::from_le_bytes(bits)))
}
