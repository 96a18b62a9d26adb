//! Which lists a game is in, and what they are told of a write.

use crate::session::{Session, TenantCode, Topic};
use crate::store::{ListChange, Notice};

/// The lists that a game is in before a write; none before it is created.
#[derive(Debug, Default)]
pub(super) struct Listed {
    owner: Option<TenantCode>,
    topics: Vec<Topic>,
    /// How many times the game has lived as long as it was to live at first.
    lives: u128,
}

impl Listed {
    /// A game that is about to be created.
    pub(super) fn nowhere(owner: Option<TenantCode>) -> Self {
        Self {
            owner,
            ..Self::default()
        }
    }

    pub(super) fn of(owner: Option<TenantCode>, session: &Session) -> Self {
        let record = session.record();
        let age = record.updated.since(record.created);
        Self {
            owner,
            topics: topics(owner, session),
            lives: age.as_millis() / record.time_to_live.as_millis().max(1),
        }
    }

    /// What the lists are to be told of the write after which the game is this.
    pub(super) fn notice(&self, after: &Session) -> Option<Notice> {
        let now = Self::of(self.owner, after);
        let change = if after.is_deleted() {
            ListChange::Take
        } else if now.topics == self.topics && now.lives == self.lives {
            return None;
        } else {
            ListChange::Put
        };
        let topics = now.topics;
        (!topics.is_empty()).then_some(Notice { change, topics })
    }
}

/// What a game is found by.
pub(super) fn topics(owner: Option<TenantCode>, session: &Session) -> Vec<Topic> {
    let record = session.record();
    let seats = session.seats();
    let players = [&seats.black, &seats.white].map(|seat| seat.player_id.as_str());
    let players = players.into_iter().filter(|id| !id.is_empty());
    let labels = record.labels.iter().map(|label| Topic::label(owner, label));
    let players = players.map(|player| Topic::player(owner, player));
    let all = owner.map(Topic::tenant).into_iter();
    let mut topics: Vec<Topic> = players.chain(labels).chain(all).collect();
    topics.sort_unstable();
    topics.dedup();
    topics
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use reversi_engine::RuleSet;

    use super::*;
    use crate::session::{Action, Expected, GameRecord, Request, Timestamp};

    const LIFE: Duration = Duration::from_secs(100);

    fn game() -> Session {
        let start = Timestamp::from_millis(1000);
        let mut record = GameRecord::new(RuleSet::default(), start, LIFE);
        record.seats.black.player_id = "anna".to_owned();
        record.seats.white.player_id = "boris".to_owned();
        record.labels = vec!["cup".to_owned()];
        Session::create(record, &[], 0).unwrap()
    }

    fn write(session: &mut Session, action: &Action, after: Duration) {
        let request = Request {
            id: None,
            expected: Expected::Anywhere,
        };
        let now = session.record().created + after;
        session.write(action, &request, now).unwrap();
    }

    #[test]
    fn a_new_game_is_put_into_all_of_its_lists() {
        let notice = Listed::nowhere(None).notice(&game()).unwrap();
        let mut topics = vec![
            Topic::player(None, "anna"),
            Topic::player(None, "boris"),
            Topic::label(None, "cup"),
        ];
        topics.sort_unstable();
        assert_eq!(notice.change, ListChange::Put);
        assert_eq!(notice.topics, topics);
    }

    #[test]
    fn a_move_is_told_only_when_the_lists_might_forget_the_game() {
        let mut session = game();
        let play = Action::Play {
            side: reversi_engine::Color::Black,
            mv: reversi_engine::Move::Place(reversi_engine::Square::F5),
        };
        let before = Listed::of(None, &session);
        let mut soon = session.clone();
        write(&mut soon, &play, LIFE / 2);
        assert_eq!(before.notice(&soon), None);
        write(&mut session, &play, LIFE + LIFE / 2);
        assert_eq!(before.notice(&session).unwrap().change, ListChange::Put);
    }

    #[test]
    fn a_deleted_game_is_taken_out() {
        let mut session = game();
        let before = Listed::of(None, &session);
        write(&mut session, &Action::Delete, Duration::from_secs(1));
        assert_eq!(before.notice(&session).unwrap().change, ListChange::Take);
    }
}
