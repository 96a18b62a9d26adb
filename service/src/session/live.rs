//! A game in play: its record, and what follows from it by the rules.

use reversi_engine::{Color, Game, Level, Move, SetupError};

use super::action::{Action, Request, WriteError, Written};
use super::change::{Change, Outcome, Phase};
use super::clock::ClockFace;
use super::event::{Event, EventNumber, Happened, Lapse};
use super::outages::Outages;
use super::record::GameRecord;
use super::seat::{Occupant, Seats};
use super::state::State;
use super::write::{Recall, RememberedWrite};
use super::{GameId, LegalMovesDisplay, Timestamp, UnreadableValue};

/// Events kept at most; with more, the older ones are folded away into what they left.
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
/// let written = session.write(&action, &Request { id: None, expected: Expected::Ply(0) }, now)?;
/// assert_eq!(written.event.to_string(), "1");
/// assert_eq!(session.game().ply(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Session {
    pub(super) record: GameRecord,
    pub(super) state: State,
    outages: Outages,
}

impl Session {
    /// The session of a game that is being created, after these moves, the first of which are its
    /// prelude.
    ///
    /// # Errors
    ///
    /// What is wrong with a custom start.
    ///
    /// # Panics
    ///
    /// If the moves cannot be played, or are fewer than those of the prelude.
    pub fn create(
        mut record: GameRecord,
        moves: &[Move],
        prelude: usize,
    ) -> Result<Self, SetupError> {
        Game::new(record.rules)?;
        record.base.moves = moves.to_vec();
        record.prelude = u8::try_from(prelude).expect("invariant: a game has fewer plies");
        let session = Self::restore(record).expect("invariant: the moves have been checked");
        assert!(
            prelude <= session.game().ply(),
            "invariant: no longer than the moves"
        );
        Ok(session)
    }

    /// The session that a record describes.
    ///
    /// # Errors
    ///
    /// [`UnreadableValue`] if its events cannot have happened.
    pub fn restore(record: GameRecord) -> Result<Self, UnreadableValue> {
        let mut state = State::at_base(&record)?;
        for happened in &record.events {
            state.apply(happened)?;
        }
        Ok(Self {
            record,
            state,
            outages: Outages::default(),
        })
    }

    /// The same, where these times count for no clock.
    #[must_use]
    pub fn with_outages(mut self, outages: Outages) -> Self {
        self.set_outages(outages);
        self
    }

    /// These times count for no clock.
    pub fn set_outages(&mut self, outages: Outages) {
        self.outages = outages;
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

    /// Who plays now.
    #[must_use]
    pub const fn seats(&self) -> &Seats {
        &self.state.seats
    }

    /// Who was given a seat when the game was created; `None` once that is not known any more.
    #[must_use]
    pub fn seats_at_creation(&self) -> Option<&Seats> {
        (self.record.folded == 0).then_some(&self.record.seats)
    }

    /// Whether answers list the legal moves.
    #[must_use]
    pub const fn legal_moves(&self) -> LegalMovesDisplay {
        self.state.display
    }

    /// The number of the last event.
    #[must_use]
    pub fn event_number(&self) -> EventNumber {
        self.record.event_number()
    }

    /// Where the game stands.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.state.phase()
    }

    /// How the game ended; `None` while it goes on.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.state.outcome()
    }

    /// Who would like to take back, and the plies that would be left.
    #[must_use]
    pub fn take_back_proposal(&self) -> Option<(Color, usize)> {
        let side = self.state.proposal?;
        Some((side, self.state.game.last_disc_ply(side)?))
    }

    /// The game that follows this one.
    #[must_use]
    pub const fn successor(&self) -> Option<GameId> {
        self.state.successor
    }

    /// The plies that nobody takes back.
    #[must_use]
    pub fn prelude(&self) -> usize {
        let asked = usize::from(self.record.prelude);
        asked.max(self.state.game.prelude())
    }

    /// Whether the game was deleted.
    #[must_use]
    pub const fn is_deleted(&self) -> bool {
        self.state.deleted
    }

    /// What the game's clock shows, if it has one.
    #[must_use]
    pub fn clock(&self) -> Option<ClockFace> {
        let clock = self.state.clock?;
        let running = self.state.running();
        Some(ClockFace {
            black: clock.left(Color::Black),
            white: clock.left(Color::White),
            as_of: self.state.at,
            running,
            deadline: running.map(|side| self.outages.after(self.state.at, clock.left(side))),
        })
    }

    /// How well the engine is to make the next move; `None` if it is not.
    #[must_use]
    pub fn engine_to_move(&self) -> Option<Level> {
        self.state.engine_to_move()
    }

    /// When something is due by itself: a move of the engine, or the end of a time.
    #[must_use]
    pub fn due(&self) -> Option<Timestamp> {
        if self.state.deleted {
            return None;
        }
        let engine = self.engine_to_move().map(|_| self.record.updated);
        engine.or_else(|| self.clock()?.deadline)
    }

    /// How long a side's player may be absent; for ever if `None`.
    #[must_use]
    pub fn presence(&self, side: Color) -> Option<std::time::Duration> {
        let there = self.state.seats.of(side).occupant == Occupant::Person;
        let playing = !self.state.deleted && self.phase() == Phase::Playing;
        self.record.presence.filter(|_| there && playing)
    }

    /// When the store forgets the game unless it changes before: never before a clock that runs
    /// has run out.
    #[must_use]
    pub fn expires(&self) -> Timestamp {
        let deadline = self.clock().and_then(|clock| clock.deadline);
        let from = deadline.map_or(self.record.updated, |at| at.max(self.record.updated));
        from + self.record.time_to_live
    }

    /// Whether a time is over and has not run out yet.
    #[must_use]
    pub fn is_overdue(&self, now: Timestamp) -> bool {
        self.overdue(now).is_some()
    }

    fn overdue(&self, now: Timestamp) -> Option<Color> {
        let clock = self.clock().filter(|_| !self.state.deleted)?;
        clock.running.filter(|_| clock.deadline <= Some(now))
    }

    /// Lets a time that is over run out; whether there was one. To be called before a write.
    pub fn settle(&mut self, now: Timestamp) -> bool {
        let over = self.overdue(now);
        if let Some(side) = over {
            self.add(Event::TimeExpired(side), now);
        }
        over.is_some()
    }

    /// The write that carried this request out before, if one did.
    ///
    /// # Errors
    ///
    /// [`WriteError::RequestIdReused`], and [`WriteError::Deleted`] of a game that knows nothing
    /// but a repeat of its deletion.
    pub fn recall(
        &self,
        action: &Action,
        request: &Request,
    ) -> Result<Option<Written>, WriteError> {
        if self.state.deleted && *action != Action::Delete {
            return Err(WriteError::Deleted);
        }
        if let Some(id) = request.id {
            match self
                .record
                .writes
                .recall(id, request.fingerprint(action).into())
            {
                Recall::Unknown => {}
                Recall::Reused => return Err(WriteError::RequestIdReused),
                Recall::Done(event) => return Ok(Some(self.recalled(event))),
            }
        }
        if self.state.deleted {
            return Err(WriteError::Deleted);
        }
        Ok(None)
    }

    /// Carries a write out: checks request id, expectation, state, turn and legality in this
    /// order, and adds the event. A deleted game knows nothing but a repeat of its deletion.
    ///
    /// # Errors
    ///
    /// [`WriteError`]; the session is then as it was.
    pub fn write(
        &mut self,
        action: &Action,
        request: &Request,
        now: Timestamp,
    ) -> Result<Written, WriteError> {
        if let Some(written) = self.recall(action, request)? {
            return Ok(written);
        }
        self.check_time(action)?;
        self.check_expectation(&request.expected)?;
        let event = self.check_action(action)?;
        let change = self.add(event, now);
        let event = self.record.event_number();
        if let Some(id) = request.id {
            let content = request.fingerprint(action).into();
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
            session: session.with_outages(self.outages.clone()),
            rest: rest.into_iter(),
        })
    }

    /// Adds an event that can happen.
    fn add(&mut self, event: Event, now: Timestamp) -> Change {
        let now = now.max(self.record.updated);
        let lapse = if self.state.clock.is_some() {
            Lapse {
                passed: now.since(self.state.at),
                idle: self.outages.idle(self.state.at, now),
            }
        } else {
            Lapse::default()
        };
        let happened = Happened { event, lapse };
        let change = self
            .state
            .apply(&happened)
            .expect("invariant: a checked action can be applied");
        self.record.events.push(happened);
        self.record.updated = now;
        change
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
        for happened in &folded {
            base.apply(happened)
                .expect("invariant: the session's own events can be applied");
        }
        self.record.folded += u32::try_from(folded.len()).expect("invariant: at most MAX_EVENTS");
        self.record.base = base.base();
        self.record.seats = base.seats;
        self.record.legal_moves = base.display;
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
    rest: std::vec::IntoIter<Happened>,
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
        let happened = self.rest.next()?;
        let change = self.session.state.apply(&happened);
        self.session.record.events.push(happened);
        Some(change.expect("invariant: a part of what was restored"))
    }
}
