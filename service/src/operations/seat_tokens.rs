//! Who may act for a seat.

use reversi_engine::Color;

use super::{GameError, Games};
use crate::Secret;
use crate::secret::SeatToken;
use crate::session::{GameId, SeatTokens, Session};

/// Why a caller may not act for a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SeatTokenError {
    /// The call has no token.
    #[error("the game has seat tokens: send that of your seat")]
    Required,
    /// The call has another token.
    #[error("the seat token is not that of the seat")]
    Wrong,
}

impl Games {
    /// The token of a seat, if the game has tokens.
    ///
    /// # Errors
    ///
    /// The store's.
    pub async fn seat_token(
        &self,
        id: GameId,
        session: &Session,
        side: Color,
    ) -> Result<Option<SeatToken>, GameError> {
        Ok(match session.record().seat_tokens {
            SeatTokens::Off => None,
            SeatTokens::Required => Some(self.agreed_secret().await?.seat_token(id, side)),
        })
    }

    /// The secret that a token is to be checked by: the one that this server knows, or, if the token
    /// does not fit, the one that the store has now. One that has lost its data may have got
    /// another since.
    pub(super) async fn secret_of_token(
        &self,
        id: GameId,
        sides: &[Color],
        token: Option<SeatToken>,
    ) -> Result<Secret, GameError> {
        let fits = |token| {
            sides
                .iter()
                .any(|side| self.secret.seat_token(id, *side) == token)
        };
        match token {
            Some(token) if !sides.is_empty() && !fits(token) => Ok(self.agreed_secret().await?),
            _ => Ok(self.secret),
        }
    }
}

impl Secret {
    /// Whether a caller with this token may act for one of these sides of a game; which side, where
    /// the token shows it.
    ///
    /// # Errors
    ///
    /// [`GameError::SeatToken`].
    pub(super) fn check_token(
        &self,
        id: GameId,
        session: &Session,
        sides: &[Color],
        token: Option<SeatToken>,
    ) -> Result<Option<Color>, GameError> {
        if session.record().seat_tokens == SeatTokens::Off {
            return Ok(None);
        }
        let error = |error| GameError::SeatToken { id, error };
        let token = token.ok_or(error(SeatTokenError::Required))?;
        let holds = |side: &&Color| self.seat_token(id, **side) == token;
        let side = sides.iter().find(holds).copied();
        side.map(Some).ok_or(error(SeatTokenError::Wrong))
    }
}
