//! Reading games.

use super::{GameError, Games};
use crate::session::{GameId, Session};

impl Games {
    /// A game as it is now.
    ///
    /// # Errors
    ///
    /// [`GameError::NotFound`], [`GameError::Unreadable`], and the store's.
    pub async fn get(&self, id: GameId) -> Result<Session, GameError> {
        let mut found = self.get_many(&[id]).await?;
        found.pop().flatten().ok_or(GameError::NotFound(id))
    }

    /// Games as they are now, in the order of the ids; `None` where there is none.
    ///
    /// # Errors
    ///
    /// [`GameError::Unreadable`] for the first value that cannot be read, and the store's.
    pub async fn get_many(&self, ids: &[GameId]) -> Result<Vec<Option<Session>>, GameError> {
        let values = self.store.get(ids).await?;
        ids.iter()
            .zip(values)
            .map(|(id, value)| {
                let value = value.filter(|_| self.owns(*id));
                let session = value.map(|value| self.restore(*id, &value)).transpose()?;
                Ok(session.filter(|session| !session.is_deleted()))
            })
            .collect()
    }
}
