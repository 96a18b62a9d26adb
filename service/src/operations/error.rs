//! Why an operation failed.

use reversi_engine::SetupError;

use super::SeatTokenError;
use crate::session::{GameId, Session, UnreadableValue, WriteError};
use crate::store::StoreError;

/// Why an operation on a stored game failed. Nothing changed, except after
/// [`GameError::Store`], where a write may or may not have been done.
#[derive(Debug, thiserror::Error)]
pub enum GameError {
    /// There is no such game, or it expired or was deleted.
    #[error("there is no game {0}")]
    NotFound(GameId),
    /// The write is refused.
    #[error("{error}")]
    Refused {
        /// Which game.
        id: GameId,
        /// Why.
        error: WriteError,
        /// The game as it is.
        session: Box<Session>,
    },
    /// The caller may not act for the seat.
    #[error("{error}")]
    SeatToken {
        /// Which game.
        id: GameId,
        /// Why.
        error: SeatTokenError,
    },
    /// The custom start cannot be used.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The page token is not one that the service issued for this query.
    #[error("the page token is not one of this service and query")]
    MalformedPageToken,
    /// The stored value cannot be read. It is left as it is.
    #[error("the stored value of game {id} cannot be read")]
    Unreadable {
        /// Which game.
        id: GameId,
        /// Why.
        source: UnreadableValue,
    },
    /// Other writers were faster, time after time.
    #[error("the game {id} is being changed too often")]
    Contended {
        /// Which game.
        id: GameId,
        /// The game as the last of them left it.
        session: Box<Session>,
    },
    /// The tenant has as many live games as it may.
    #[error("there are {most} live games already")]
    TooManyLive {
        /// How many it may have.
        most: u64,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system gives no random numbers.
    #[error("no random numbers can be had")]
    Random(#[source] getrandom::Error),
}
