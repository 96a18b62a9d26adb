//! What the log of changes tells of games: which of them, how they are now, and who may hear of it.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use reversi_engine::Color;

use super::listed::topics;
use super::{GameError, Games};
use crate::session::{EventNumber, GameId, Phase, Seats, Session, TenantCode, Timestamp, Topic};
use crate::store::{LogEntry, LoggedChange, LoggedKind};

/// Values that are read at once.
const VALUES_AT_ONCE: usize = 256;

/// A change of a game; several that came one after the other may be one.
#[derive(Debug)]
pub struct GameChange {
    /// Which game.
    pub id: GameId,
    /// What became of it.
    pub kind: GameChangeKind,
    /// The game after it; `None` of one that is deleted.
    pub game: Option<GameSummary>,
    /// Whose game it is, if callers are told apart.
    owner: Option<TenantCode>,
    /// What it is found by, its tenant included.
    topics: Vec<Topic>,
    /// Its place in the log.
    pub(super) part: usize,
    pub(super) entry: LogEntry,
}

/// What is told of a game.
#[derive(Debug)]
pub struct GameSummary {
    /// The number of events so far.
    pub event: EventNumber,
    /// Where it stands.
    pub phase: Phase,
    /// Whose turn it is, while it is in play.
    pub turn: Option<Color>,
    /// The moves so far, passes included.
    pub ply: usize,
    /// Who plays.
    pub seats: Seats,
    /// The caller's words to find it by.
    pub labels: Vec<String>,
    /// The caller's id of it.
    pub external_id: String,
    /// When it last changed.
    pub updated: Timestamp,
    /// When the store forgets it unless it changes before.
    pub expires: Timestamp,
}

/// What became of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameChangeKind {
    /// It is new.
    Created,
    /// Anything else happened to it.
    Changed,
    /// It was deleted.
    Deleted,
}

/// Whose changes are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Audience {
    /// The tenant whose games they are; anybody's if `None`.
    pub(super) owner: Option<TenantCode>,
    /// What the games are found by; all of them if `None`.
    pub(super) topic: Option<Topic>,
}

impl GameChange {
    /// Those that it is for.
    pub(super) fn audiences(&self) -> impl Iterator<Item = Audience> {
        let everybody = Audience {
            owner: None,
            topic: None,
        };
        let topics = self.topics.iter().map(|topic| Audience {
            owner: self.owner,
            topic: Some(*topic),
        });
        topics.chain([everybody])
    }
}

impl GameSummary {
    fn of(session: &Session) -> Self {
        let record = session.record();
        let phase = session.phase();
        let is_on = phase == Phase::Playing;
        Self {
            event: session.event_number(),
            phase,
            turn: is_on.then(|| session.game().position().side_to_move()),
            ply: session.game().ply(),
            seats: session.seats().clone(),
            labels: record.labels.clone(),
            external_id: record.external_id.clone(),
            updated: record.updated,
            expires: session.expires(),
        }
    }
}

/// Games that were told as they were after changes which have yet to come out of the log.
#[derive(Debug, Default)]
pub(super) struct Ahead(HashMap<GameId, EventNumber>);

impl Ahead {
    /// Whether a change is told already.
    fn has_told(&mut self, id: GameId, event: EventNumber) -> bool {
        let Some(told) = self.0.get(&id).copied() else {
            return false;
        };
        if event >= told {
            self.0.remove(&id);
        }
        event <= told
    }

    fn tell(&mut self, id: GameId, event: EventNumber, now: EventNumber) {
        if now > event {
            self.0.insert(id, now);
        } else {
            self.0.remove(&id);
        }
    }
}

impl Games {
    /// What these changes have made of the games that any of the audiences is interested in, in
    /// the order in which each game changed last. A game that cannot be read is left out.
    ///
    /// # Errors
    ///
    /// The store's; then nothing is told.
    pub(super) async fn game_changes(
        &self,
        logged: Vec<LoggedChange>,
        audiences: &[Audience],
        ahead: &mut Ahead,
    ) -> Result<Vec<GameChange>, GameError> {
        let owners: HashSet<_> = audiences.iter().map(|audience| audience.owner).collect();
        let wanted = |id: GameId| owners.contains(&None) || owners.contains(&self.owner(id));
        let last = last_of_each(logged, wanted);
        let ids: Vec<GameId> = last.iter().map(|change| change.id).collect();
        let mut values = Vec::with_capacity(ids.len());
        for ids in ids.chunks(VALUES_AT_ONCE) {
            values.extend(self.store.get(ids).await?);
        }
        let mut changes = Vec::new();
        for (logged, value) in last.into_iter().zip(values) {
            let is_new = logged.kind == LoggedKind::Inserted;
            if ahead.has_told(logged.id, logged.event) && !is_new {
                continue;
            }
            if let Some(change) = self.game_change(logged, value.as_deref(), ahead) {
                changes.push(change);
            }
        }
        Ok(changes)
    }

    fn game_change(
        &self,
        logged: LoggedChange,
        value: Option<&[u8]>,
        ahead: &mut Ahead,
    ) -> Option<GameChange> {
        let LoggedChange {
            part, entry, id, ..
        } = logged;
        let session = match value {
            Some(value) => Some(
                self.restore(id, value)
                    .inspect_err(
                        |error| tracing::error!(%id, %error, "a change of a game is left out"),
                    )
                    .ok()?,
            ),
            // It is gone; by itself, unless the log tells that it was deleted.
            None if logged.kind == LoggedKind::Removed => None,
            None => return None,
        };
        let topics = match (&session, logged.notice) {
            (Some(session), _) => topics(self.owner(id), session),
            (None, Some(notice)) => notice.topics,
            (None, None) => Vec::new(),
        };
        if let Some(session) = &session {
            ahead.tell(id, logged.event, session.event_number());
        }
        let session = session.filter(|session| !session.is_deleted());
        let kind = match (&session, logged.kind) {
            (None, _) => GameChangeKind::Deleted,
            (Some(_), LoggedKind::Inserted) => GameChangeKind::Created,
            (Some(_), LoggedKind::Replaced | LoggedKind::Removed) => GameChangeKind::Changed,
        };
        Some(GameChange {
            id,
            kind,
            game: session.as_ref().map(GameSummary::of),
            owner: self.owner(id),
            topics,
            part,
            entry,
        })
    }
}

/// The last change of each game, in order; of a game that is new, as if that were the one by which
/// it came.
fn last_of_each(logged: Vec<LoggedChange>, wanted: impl Fn(GameId) -> bool) -> Vec<LoggedChange> {
    let mut places: HashMap<GameId, usize> = HashMap::new();
    let mut last: Vec<LoggedChange> = Vec::new();
    for change in logged.into_iter().rev().filter(|change| wanted(change.id)) {
        match places.entry(change.id) {
            Entry::Vacant(place) => {
                place.insert(last.len());
                last.push(change);
            }
            Entry::Occupied(place) => {
                let later = &mut last[*place.get()];
                if later.kind == LoggedKind::Replaced {
                    later.kind = change.kind;
                }
            }
        }
    }
    last.reverse();
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u32) -> GameId {
        GameId::from_bits(number.into())
    }

    fn logged(number: u32, event: u32, kind: LoggedKind) -> LoggedChange {
        LoggedChange {
            part: 0,
            entry: LogEntry {
                millis: 0,
                sequence: event.into(),
            },
            id: id(number),
            event: EventNumber(event),
            kind,
            notice: None,
        }
    }

    fn last(changes: &[(u32, u32, LoggedKind)]) -> Vec<(u32, LoggedKind)> {
        let changes = changes
            .iter()
            .map(|&(id, event, kind)| logged(id, event, kind));
        let last = last_of_each(changes.collect(), |_| true);
        last.iter()
            .map(|change| (change.event.0, change.kind))
            .collect()
    }

    #[test]
    fn changes_of_a_game_are_one() {
        use LoggedKind::{Inserted, Removed, Replaced};
        assert_eq!(last(&[]), []);
        let two = [(1, 0, Inserted), (2, 7, Replaced), (1, 1, Replaced)];
        assert_eq!(last(&two), [(7, Replaced), (1, Inserted)]);
        let gone = [(1, 0, Inserted), (1, 1, Replaced), (1, 2, Removed)];
        assert_eq!(last(&gone), [(2, Removed)]);
        let back = [(1, 2, Removed), (1, 0, Inserted), (1, 1, Replaced)];
        assert_eq!(last(&back), [(1, Inserted)]);
    }

    #[test]
    fn what_was_told_ahead_is_told_once() {
        let mut ahead = Ahead::default();
        ahead.tell(id(1), EventNumber(3), EventNumber(5));
        assert!(!ahead.has_told(id(2), EventNumber(4)));
        assert!(ahead.has_told(id(1), EventNumber(4)));
        assert!(ahead.has_told(id(1), EventNumber(5)));
        assert!(!ahead.has_told(id(1), EventNumber(6)));
        assert!(ahead.0.is_empty());
    }
}
