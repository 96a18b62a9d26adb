//! Players who have to be heard of.

use std::time::Duration;

use reversi_engine::Color;

use super::{GameError, Games};
use crate::secret::SeatToken;
use crate::session::{GameId, Session, Timestamp};
use crate::store::{Sign, Signs};

/// Whose players had to be heard of before a write.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Watched {
    black: bool,
    white: bool,
}

impl Watched {
    pub(super) fn in_game(session: &Session) -> Self {
        Self {
            black: session.presence(Color::Black).is_some(),
            white: session.presence(Color::White).is_some(),
        }
    }

    /// Until when the players have to be heard of after a write.
    pub(super) fn signs(self, after: &Session, acting: Option<Color>, now: Timestamp) -> Signs {
        let sign = |side, before: bool| match after.presence(side) {
            // Most games have nothing to remove.
            None if before => Sign::Remove,
            None => Sign::Keep,
            Some(_) if before && acting != Some(side) => Sign::Keep,
            Some(time) => Sign::Until(now + time),
        };
        Signs {
            black: sign(Color::Black, self.black),
            white: sign(Color::White, self.white),
        }
    }
}

impl Games {
    /// How long the player of a side may be absent; for ever if `None`.
    ///
    /// # Errors
    ///
    /// [`GameError::NotFound`], [`GameError::SeatToken`], [`GameError::Unreadable`], and the
    /// store's.
    pub async fn presence(
        &self,
        id: GameId,
        side: Color,
        token: Option<SeatToken>,
    ) -> Result<Option<Duration>, GameError> {
        let session = self.get(id).await?;
        let secret = self.secret_of_token(id, &[side], token).await?;
        secret.check_token(id, &session, &[side], token)?;
        Ok(session.record().presence)
    }

    /// Says that the player of a side is there, and has to be heard of again within this time.
    ///
    /// # Errors
    ///
    /// The store's.
    pub async fn say_present(
        &self,
        id: GameId,
        side: Color,
        within: Duration,
    ) -> Result<(), GameError> {
        let until = self.clock.now() + within;
        Ok(self.store.sign(id, side, until).await?)
    }
}
