//! A game in play: its record, and what follows from it by the rules.

use reversi_engine::{Color, EndReason, Game, IllegalMove, Move, PlayedMove, SetupError, Square};

use super::record::GameRecord;
use super::write::{Recall, RememberedWrite};
use super::{Event, EventNumber, Fingerprint, RequestId, Timestamp, UnreadableValue};

/// Events kept at most; with more, the older ones are folded away into the moves they left.
const MAX_EVENTS: usize = 1024;
/// Events kept when older ones are folded away. Writes older than that are forgotten.
const KEPT_EVENTS: usize = 256;

/// A game in play.
///
/// ```
/// use std::time::Duration;
///
/// use reversi_engine::{Color, Move, RuleSet, Square};
/// use reversi_service::session::{Action, Expected, GameRecord, Request, Session, Timestamp};
///
/// let now = Timestamp::from_millis(0);
/// let record = GameRecord::new(RuleSet::default(), now, Duration::from_secs(3600));
/// let mut session = Session::restore(record)?;
/// let action = Action::Play { side: Color::Black, mv: Move::Place(Square::F5) };
/// let written = session.write(action, &Request { id: None, expected: Expected::Ply(0) }, now)?;
/// assert_eq!(written.event.to_string(), "1");
/// assert_eq!(session.game().ply(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Session {
    record: GameRecord,
    state: State,
}

/// What the events have led to.
#[derive(Clone, Debug)]
struct State {
    game: Game,
    resigned: Option<Color>,
    deleted: bool,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Who won; `None` for a draw.
    pub winner: Option<Color>,
    /// Why it ended.
    pub reason: OutcomeReason,
}

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutcomeReason {
    /// The board ended it.
    Board(EndReason),
    /// A side gave up.
    Resignation,
}

/// What a write does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A side plays a move.
    Play {
        /// Who plays.
        side: Color,
        /// What.
        mv: Move,
    },
    /// A side takes its last disc back, with all that followed.
    TakeBack {
        /// Who takes back.
        side: Color,
    },
    /// A side gives up.
    Resign {
        /// Who gives up.
        side: Color,
    },
    /// The game is deleted.
    Delete,
}

/// Where the caller of a write thinks the game is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Wherever it is.
    Anywhere,
    /// At this etag.
    Etag(String),
    /// After this many plies.
    Ply(u32),
}

/// What comes with a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Marks repeats of the same request.
    pub id: Option<RequestId>,
    /// Where the caller thinks the game is.
    pub expected: Expected,
}

/// A write that was carried out, now or before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The number of the event it made.
    pub event: EventNumber,
    /// What that event changed.
    pub change: Change,
    /// Whether it had been carried out before, so that nothing changed now.
    pub replayed: bool,
}

/// What an event changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Moves were added: the one played, and the passes entered with it.
    Moves {
        /// The plies before them.
        ply: usize,
        /// The moves.
        moves: Vec<PlayedMove>,
    },
    /// Moves were taken back.
    TakenBack {
        /// Who asked.
        side: Color,
        /// The plies left.
        ply: usize,
    },
    /// A side gave up.
    Resigned {
        /// Who.
        side: Color,
    },
    /// The game was deleted.
    Deleted,
}

/// Why a write was refused. Nothing changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// The request id belongs to another request.
    #[error("the request id was used for another request")]
    RequestIdReused,
    /// The game is somewhere else.
    #[error("the game has changed: it is at etag {etag}, ply {ply}")]
    Stale {
        /// The etag now.
        etag: EventNumber,
        /// The ply now.
        ply: usize,
    },
    /// The game is deleted.
    #[error("the game is deleted")]
    Deleted,
    /// The game is over.
    #[error("the game is over")]
    GameOver,
    /// The other side is to move.
    #[error("{side_to_move} is to move")]
    NotYourTurn {
        /// Who is to move.
        side_to_move: Color,
    },
    /// The rules forbid the move.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// The side has no disc to take back.
    #[error("{side} has no move to take back")]
    NothingToTakeBack {
        /// Who asked.
        side: Color,
    },
}

impl Session {
    /// The session of a game that is being created.
    ///
    /// # Errors
    ///
    /// What is wrong with a custom start.
    pub fn create(record: GameRecord) -> Result<Self, SetupError> {
        let game = Game::new(record.rules)?;
        let state = State {
            game,
            resigned: None,
            deleted: false,
        };
        Ok(Self { record, state })
    }

    /// The session that a record describes.
    ///
    /// # Errors
    ///
    /// [`UnreadableValue`] if its events cannot have happened.
    pub fn restore(record: GameRecord) -> Result<Self, UnreadableValue> {
        let mut state = State::at_base(&record)?;
        for event in &record.events {
            state.apply(*event)?;
        }
        Ok(Self { record, state })
    }

    /// What is stored of the game.
    #[must_use]
    pub const fn record(&self) -> &GameRecord {
        &self.record
    }

    /// The moves and the position now.
    #[must_use]
    pub const fn game(&self) -> &Game {
        &self.state.game
    }

    /// The number of the last event.
    #[must_use]
    pub fn event_number(&self) -> EventNumber {
        self.record.event_number()
    }

    /// How the game ended; `None` while it goes on.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.state.outcome()
    }

    /// Whether the game was deleted.
    #[must_use]
    pub const fn is_deleted(&self) -> bool {
        self.state.deleted
    }

    /// Carries a write out: checks request id, expectation, state, turn and legality in this
    /// order, and adds the event. A deleted game knows nothing but a repeat of its deletion.
    ///
    /// # Errors
    ///
    /// [`WriteError`]; the session is then as it was.
    pub fn write(
        &mut self,
        action: Action,
        request: &Request,
        now: Timestamp,
    ) -> Result<Written, WriteError> {
        let content = request.fingerprint(action);
        if self.state.deleted && action != Action::Delete {
            return Err(WriteError::Deleted);
        }
        if let Some(id) = request.id {
            match self.record.writes.recall(id, content) {
                Recall::Unknown => {}
                Recall::Reused => return Err(WriteError::RequestIdReused),
                Recall::Done(event) => return Ok(self.recalled(event)),
            }
        }
        if self.state.deleted {
            return Err(WriteError::Deleted);
        }
        self.check_expectation(&request.expected)?;
        let event = self.check_action(action)?;
        let change = self
            .state
            .apply(event)
            .expect("invariant: a checked action can be applied");
        self.record.events.push(event);
        self.record.updated = self.record.updated.max(now);
        let event = self.record.event_number();
        if let Some(id) = request.id {
            self.record
                .writes
                .remember(RememberedWrite { id, content, event });
        }
        self.fold();
        Ok(Written {
            event,
            change,
            replayed: false,
        })
    }

    /// Plays the events after this number again, one by one; `None` if the game has not had
    /// that event, or if what follows it is folded away.
    #[must_use]
    pub fn replay_after(&self, seen: EventNumber) -> Option<Replay> {
        let first = usize::try_from(seen.0.checked_sub(self.record.folded)?).ok()?;
        let mut record = self.record.clone();
        let rest = (first <= record.events.len()).then(|| record.events.split_off(first))?;
        let session = Self::restore(record).expect("invariant: a part of what was restored");
        Some(Replay {
            session,
            rest: rest.into_iter(),
        })
    }

    fn recalled(&self, event: EventNumber) -> Written {
        let change = self
            .replay_after(EventNumber(event.0 - 1))
            .and_then(|mut replay| replay.next())
            .expect("invariant: a remembered write's event is kept");
        Written {
            event,
            change,
            replayed: true,
        }
    }

    fn check_expectation(&self, expected: &Expected) -> Result<(), WriteError> {
        let etag = self.event_number();
        let ply = self.state.game.ply();
        let met = match expected {
            Expected::Anywhere => true,
            Expected::Etag(expected) => *expected == etag.to_string(),
            Expected::Ply(expected) => usize::try_from(*expected) == Ok(ply),
        };
        if met {
            Ok(())
        } else {
            Err(WriteError::Stale { etag, ply })
        }
    }

    fn check_action(&self, action: Action) -> Result<Event, WriteError> {
        let game = &self.state.game;
        if action != Action::Delete && self.outcome().is_some() {
            return Err(WriteError::GameOver);
        }
        match action {
            Action::Play { side, mv } => {
                let side_to_move = game.position().side_to_move();
                if side != side_to_move {
                    return Err(WriteError::NotYourTurn { side_to_move });
                }
                game.position().check(mv)?;
                Ok(Event::Played(mv))
            }
            Action::TakeBack { side } => match game.last_disc_ply(side) {
                Some(_) => Ok(Event::TakenBack(side)),
                None => Err(WriteError::NothingToTakeBack { side }),
            },
            Action::Resign { side } => Ok(Event::Resigned(side)),
            Action::Delete => Ok(Event::Deleted),
        }
    }

    /// Folds the oldest events away once there are too many, so that a game that is played
    /// and taken back for ever does not grow for ever.
    fn fold(&mut self) {
        if self.record.events.len() <= MAX_EVENTS {
            return;
        }
        let Ok(mut base) = State::at_base(&self.record) else {
            return;
        };
        let kept = self.record.events.split_off(MAX_EVENTS - KEPT_EVENTS);
        let folded = std::mem::replace(&mut self.record.events, kept);
        for event in &folded {
            base.apply(*event)
                .expect("invariant: the session's own events can be applied");
        }
        self.record.folded += u32::try_from(folded.len()).expect("invariant: at most MAX_EVENTS");
        self.record.base = base.played_moves();
        let folded = EventNumber(self.record.folded);
        self.record
            .writes
            .writes
            .retain(|write| write.event > folded);
    }
}

/// Events of a game, played again one by one.
#[derive(Debug)]
pub struct Replay {
    session: Session,
    rest: std::vec::IntoIter<Event>,
}

impl Replay {
    /// The game after the event played last.
    #[must_use]
    pub const fn session(&self) -> &Session {
        &self.session
    }
}

impl Iterator for Replay {
    type Item = Change;

    fn next(&mut self) -> Option<Change> {
        let event = self.rest.next()?;
        self.session.record.events.push(event);
        let change = self.session.state.apply(event);
        Some(change.expect("invariant: a part of what was restored"))
    }
}

impl State {
    fn at_base(record: &GameRecord) -> Result<Self, UnreadableValue> {
        let mut game = Game::new(record.rules).map_err(|_| UnreadableValue::ImpossibleEvents)?;
        for mv in &record.base {
            game.play(*mv)
                .map_err(|_| UnreadableValue::ImpossibleEvents)?;
        }
        Ok(Self {
            game,
            resigned: None,
            deleted: false,
        })
    }

    fn outcome(&self) -> Option<Outcome> {
        if let Some(side) = self.resigned {
            return Some(Outcome {
                winner: Some(side.opposite()),
                reason: OutcomeReason::Resignation,
            });
        }
        self.game.result().map(|result| Outcome {
            winner: result.winner,
            reason: OutcomeReason::Board(result.reason),
        })
    }

    fn apply(&mut self, event: Event) -> Result<Change, UnreadableValue> {
        if self.deleted || (event != Event::Deleted && self.outcome().is_some()) {
            return Err(UnreadableValue::ImpossibleEvents);
        }
        let ply = self.game.ply();
        match event {
            Event::Played(mv) => match self.game.play(mv) {
                Ok(moves) => Ok(Change::Moves {
                    ply,
                    moves: moves.to_vec(),
                }),
                Err(_) => Err(UnreadableValue::ImpossibleEvents),
            },
            Event::TakenBack(side) => {
                let ply = self
                    .game
                    .last_disc_ply(side)
                    .ok_or(UnreadableValue::ImpossibleEvents)?;
                self.game
                    .truncate(ply)
                    .expect("invariant: the ply is in the history");
                Ok(Change::TakenBack { side, ply })
            }
            Event::Resigned(side) => {
                self.resigned = Some(side);
                Ok(Change::Resigned { side })
            }
            Event::Deleted => {
                self.deleted = true;
                Ok(Change::Deleted)
            }
        }
    }

    /// The moves that lead here when played one by one, so without automatic passes.
    fn played_moves(&self) -> Vec<Move> {
        let mut game = Game::new(*self.game.rules()).expect("invariant: the game was created");
        let mut moves = Vec::new();
        while let Some(played) = self.game.history().get(game.ply()) {
            game.play(played.mv)
                .expect("invariant: the history can be played again");
            moves.push(played.mv);
        }
        moves
    }
}

impl Request {
    /// The fingerprint of the whole request. The bytes are stored as hashes and must stay the
    /// same in every version of the service.
    fn fingerprint(&self, action: Action) -> Fingerprint {
        let side = |side| match side {
            Color::Black => 0,
            Color::White => 1,
        };
        let mut content = match action {
            Action::Play { side: who, mv } => {
                let mv = mv.square().map_or(64, Square::index);
                vec![0, side(who), mv]
            }
            Action::TakeBack { side: who } => vec![1, side(who)],
            Action::Resign { side: who } => vec![2, side(who)],
            Action::Delete => vec![3],
        };
        match &self.expected {
            Expected::Anywhere => content.push(0),
            Expected::Etag(etag) => {
                content.push(1);
                content.extend_from_slice(etag.as_bytes());
            }
            Expected::Ply(ply) => {
                content.push(2);
                content.extend_from_slice(&ply.to_le_bytes());
            }
        }
        Fingerprint::of(&content)
    }
}
