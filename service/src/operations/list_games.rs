//! Listing games, newest first.

use std::fmt::Write;

use super::{GameError, Games};
use crate::Secret;
use crate::session::{GameId, Phase, Session, Timestamp};
use crate::store::Place;

/// What to list.
#[derive(Clone, Debug)]
pub struct ListGames {
    /// The most games to list.
    pub page_size: usize,
    /// Where the page before ended; empty for the first page.
    pub page_token: String,
    /// Which games.
    pub state: StateFilter,
}

/// Which games to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateFilter {
    /// All.
    Any,
    /// Those that go on.
    InProgress,
    /// Those that are over.
    Finished,
    /// Those that wait for a player.
    Waiting,
    /// Those that both players have left.
    Paused,
}

/// A page of games.
#[derive(Clone, Debug)]
pub struct GameList {
    /// The games, newest first.
    pub games: Vec<(GameId, Session)>,
    /// Where the next page starts; empty if there is none.
    pub next_page_token: String,
}

impl Games {
    /// A page of the games. One whose value cannot be read is left out, so that it does not
    /// hide all others: whoever asks for it by name is told.
    ///
    /// # Errors
    ///
    /// [`GameError::MalformedPageToken`], and the store's.
    pub async fn list(&self, request: &ListGames) -> Result<GameList, GameError> {
        let before = match request.page_token.as_str() {
            "" => None,
            token => Some(
                self.secret
                    .read_page_token(token, request.state)
                    .ok_or(GameError::MalformedPageToken)?,
            ),
        };
        let places = self.store.list(before, request.page_size).await?;
        let next_page_token = match places.last() {
            Some(last) if places.len() == request.page_size => {
                self.secret.page_token(*last, request.state)
            }
            Some(_) | None => String::new(),
        };
        let ids: Vec<GameId> = places.iter().map(|place| place.id).collect();
        let values = self.store.get(&ids).await?;
        let games = ids
            .into_iter()
            .zip(values)
            .filter(|(id, _)| self.owns(*id))
            .filter_map(|(id, value)| Some((id, self.listed(id, &value?)?)))
            .filter(|(_, session)| request.state.admits(session))
            .collect();
        Ok(GameList {
            games,
            next_page_token,
        })
    }

    /// The game in a value, if it can be listed.
    fn listed(&self, id: GameId, value: &[u8]) -> Option<Session> {
        self.restore(id, value)
            .inspect_err(|error| tracing::error!(%id, %error, "a game is left out of a list"))
            .ok()
            .filter(|session| !session.is_deleted())
    }
}

impl StateFilter {
    fn admits(self, session: &Session) -> bool {
        match (self, session.phase()) {
            (Self::Any, _)
            | (Self::InProgress, Phase::Playing)
            | (Self::Finished, Phase::Over(_))
            | (Self::Waiting, Phase::Waiting)
            | (Self::Paused, Phase::Paused) => true,
            (Self::InProgress | Self::Finished | Self::Waiting | Self::Paused, _) => false,
        }
    }
}

/// A page token is the creation time (16 hexadecimal digits), the id (20 characters) and the
/// tag (32 hexadecimal digits).
impl Secret {
    fn page_token(&self, place: Place, state: StateFilter) -> String {
        let mut token = format!("{:016x}{}", place.created.as_millis(), place.id);
        let tag = self.page_token_tag(&tagged_bytes(&token, state));
        write!(token, "{tag:032x}").expect("invariant: writing to a string cannot fail");
        token
    }

    fn read_page_token(&self, token: &str, state: StateFilter) -> Option<Place> {
        let (place, tag) = token.split_at_checked(token.len().checked_sub(32)?)?;
        if format!("{:032x}", self.page_token_tag(&tagged_bytes(place, state))) != tag {
            return None;
        }
        let (created, id) = place.split_at_checked(16)?;
        Some(Place {
            created: Timestamp::from_millis(u64::from_str_radix(created, 16).ok()?),
            id: id.parse().ok()?,
        })
    }
}

fn tagged_bytes(place: &str, state: StateFilter) -> Vec<u8> {
    let state = match state {
        StateFilter::Any => b'a',
        StateFilter::InProgress => b'p',
        StateFilter::Finished => b'f',
        StateFilter::Waiting => b'w',
        StateFilter::Paused => b's',
    };
    [place.as_bytes(), &[state]].concat()
}
