//! Listing games, newest first.

use std::fmt::Write;

use super::{GameError, Games};
use crate::Secret;
use crate::session::{GameId, Phase, Session, TenantCode, Timestamp, Topic};
use crate::store::Place;

/// What to list.
#[derive(Clone, Debug)]
pub struct ListGames {
    /// The most games to list.
    pub page_size: usize,
    /// Where the page before ended; empty for the first page.
    pub page_token: String,
    /// Which games.
    pub filter: GameFilter,
}

/// Which games to list: those that all of it admits.
#[derive(Clone, Debug, Default)]
pub struct GameFilter {
    /// Where they stand.
    pub state: StateFilter,
    /// Who plays; empty for whoever.
    pub player_id: String,
    /// What they are labelled with; empty for whatever.
    pub label: String,
}

/// Which games to list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StateFilter {
    /// All.
    #[default]
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
        let filter = &request.filter;
        let before = match request.page_token.as_str() {
            "" => None,
            token => Some(
                self.secret
                    .read_page_token(token, filter)
                    .ok_or(GameError::MalformedPageToken)?,
            ),
        };
        let owner = self.tenant.as_ref().map(|_| self.tenant_code(self.secret));
        let topic = filter.topic(owner);
        let places = match topic {
            None => self.store.list(before, request.page_size).await?,
            Some(topic) => {
                let places = self.store.list_topic(topic, before, request.page_size);
                places.await?
            }
        };
        let next_page_token = match places.last() {
            Some(last) if places.len() == request.page_size => {
                self.secret.page_token(*last, filter)
            }
            Some(_) | None => String::new(),
        };
        let ids: Vec<GameId> = places.iter().map(|place| place.id).collect();
        let values = self.store.get(&ids).await?;
        if let Some(topic) = topic {
            let gone = places
                .iter()
                .zip(&values)
                .filter(|(_, value)| value.is_none());
            let gone: Vec<Place> = gone.map(|(place, _)| *place).collect();
            self.store.unlist(topic, &gone).await?;
        }
        let games = ids
            .into_iter()
            .zip(values)
            .filter(|(id, _)| self.owns(*id))
            .filter_map(|(id, value)| Some((id, self.listed(id, &value?)?)))
            .filter(|(_, session)| filter.admits(session))
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

impl GameFilter {
    /// The list that has all of the games, and the fewest others.
    pub(super) fn topic(&self, owner: Option<TenantCode>) -> Option<Topic> {
        if !self.player_id.is_empty() {
            Some(Topic::player(owner, &self.player_id))
        } else if !self.label.is_empty() {
            Some(Topic::label(owner, &self.label))
        } else {
            owner.map(Topic::tenant)
        }
    }

    /// Whether a game is one of them, which its list does not decide.
    fn admits(&self, session: &Session) -> bool {
        let record = session.record();
        let seats = session.seats();
        let mut seats = [&seats.black, &seats.white].into_iter();
        self.state.admits(session)
            && (self.player_id.is_empty() || seats.any(|seat| seat.player_id == self.player_id))
            && (self.label.is_empty() || record.labels.contains(&self.label))
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
    fn page_token(&self, place: Place, filter: &GameFilter) -> String {
        let mut token = format!("{:016x}{}", place.created.as_millis(), place.id);
        let tag = self.page_token_tag(&tagged_bytes(&token, filter));
        write!(token, "{tag:032x}").expect("invariant: writing to a string cannot fail");
        token
    }

    fn read_page_token(&self, token: &str, filter: &GameFilter) -> Option<Place> {
        let (place, tag) = token.split_at_checked(token.len().checked_sub(32)?)?;
        if format!("{:032x}", self.page_token_tag(&tagged_bytes(place, filter))) != tag {
            return None;
        }
        let (created, id) = place.split_at_checked(16)?;
        Some(Place {
            created: Timestamp::from_millis(u64::from_str_radix(created, 16).ok()?),
            id: id.parse().ok()?,
        })
    }
}

fn tagged_bytes(place: &str, filter: &GameFilter) -> Vec<u8> {
    let state = match filter.state {
        StateFilter::Any => b'a',
        StateFilter::InProgress => b'p',
        StateFilter::Finished => b'f',
        StateFilter::Waiting => b'w',
        StateFilter::Paused => b's',
    };
    let player_bytes = filter.player_id.len().to_le_bytes();
    [
        place.as_bytes(),
        &[state],
        &player_bytes,
        filter.player_id.as_bytes(),
        filter.label.as_bytes(),
    ]
    .concat()
}
