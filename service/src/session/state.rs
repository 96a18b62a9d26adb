//! What the events of a game have led to.

use arrayvec::ArrayVec;
use reversi_engine::{Color, Game, Level, Move};

use super::change::{Change, Outcome, OutcomeReason, Phase};
use super::clock::{Clock, OnExpiry};
use super::event::{Event, Happened};
use super::record::{Base, GameRecord};
use super::seat::{Occupant, Seats};
use super::{GameId, LegalMovesDisplay, Timestamp, UnreadableValue};

/// What the events of a game have led to.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) game: Game,
    pub(super) seats: Seats,
    pub(super) display: LegalMovesDisplay,
    pub(super) clock: Option<Clock>,
    /// When the last event was. Kept up in games with a clock only.
    pub(super) at: Timestamp,
    /// Who would like to take back.
    pub(super) proposal: Option<Color>,
    /// Whether the engine is about to make a move for a person.
    pub(super) engine_moves_once: bool,
    pub(super) successor: Option<GameId>,
    pub(super) deleted: bool,
    ended: Option<Ended>,
    substitute: Level,
}

/// How a side ended the game.
#[derive(Clone, Copy, Debug)]
enum Ended {
    Resigned(Color),
    TimedOut(Color),
}

impl State {
    /// The state in which the events of a record begin.
    pub(super) fn at_base(record: &GameRecord) -> Result<Self, UnreadableValue> {
        let mut game = Game::new(record.rules).map_err(|_| UnreadableValue::ImpossibleEvents)?;
        for mv in &record.base.moves {
            game.play(*mv)
                .map_err(|_| UnreadableValue::ImpossibleEvents)?;
        }
        let (clock, at) = match record.base.clock {
            Some((clock, at)) => (Some(clock), at),
            None => (record.clock.map(Clock::new), record.created),
        };
        Ok(Self {
            game,
            seats: record.seats.clone(),
            display: record.legal_moves,
            clock,
            at,
            proposal: record.base.proposal,
            engine_moves_once: record.base.engine_moves_once,
            successor: None,
            deleted: false,
            ended: None,
            substitute: record.substitute,
        })
    }

    /// What a record has to hold so that its events can begin here.
    pub(super) fn base(&self) -> Base {
        Base {
            moves: self.played_moves(),
            proposal: self.proposal,
            engine_moves_once: self.engine_moves_once,
            clock: self.clock.map(|clock| (clock, self.at)),
        }
    }

    /// Where the game stands.
    pub(super) fn phase(&self) -> Phase {
        if let Some(outcome) = self.outcome() {
            Phase::Over(outcome)
        } else if self.seats.any_open() {
            Phase::Waiting
        } else if self.seats.all_substituted() {
            Phase::Paused
        } else {
            Phase::Playing
        }
    }

    /// How the game ended.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        let lost = |side: Color, reason| {
            Some(Outcome {
                winner: Some(side.opposite()),
                reason,
            })
        };
        match self.ended {
            Some(Ended::Resigned(side)) => lost(side, OutcomeReason::Resignation),
            Some(Ended::TimedOut(side)) => lost(side, OutcomeReason::Timeout),
            None => self.game.result().map(|result| Outcome {
                winner: result.winner,
                reason: OutcomeReason::Board(result.reason),
            }),
        }
    }

    /// Whose clock runs.
    pub(super) fn running(&self) -> Option<Color> {
        let side = self.game.position().side_to_move();
        let person = self.seats.of(side).occupant == Occupant::Person;
        let runs = self.clock.is_some() && person && !self.engine_moves_once;
        (runs && self.phase() == Phase::Playing).then_some(side)
    }

    /// How well the engine is to make the next move, if it is.
    pub(super) fn engine_to_move(&self) -> Option<Level> {
        if self.phase() != Phase::Playing {
            return None;
        }
        let side = self.game.position().side_to_move();
        let for_once = self.engine_moves_once.then_some(self.substitute);
        self.seats.of(side).occupant.engine().or(for_once)
    }

    /// Goes on by an event.
    pub(super) fn apply(&mut self, happened: &Happened) -> Result<Change, UnreadableValue> {
        // Whether a move can be played is looked at when it is.
        let any_time = matches!(
            happened.event,
            Event::Deleted | Event::Rematched(_) | Event::Played(_)
        );
        if self.deleted || (!any_time && self.outcome().is_some()) {
            return Err(UnreadableValue::ImpossibleEvents);
        }
        let running = self.running();
        let lapse = happened.lapse;
        self.at = self.at + lapse.passed;
        if let (Some(clock), Some(side)) = (&mut self.clock, running) {
            clock.charge(side, lapse.passed.saturating_sub(lapse.idle));
        }
        self.enter(&happened.event, running)
            .ok_or(UnreadableValue::ImpossibleEvents)
    }

    /// What an event changes; `None` if it cannot happen here.
    fn enter(&mut self, event: &Event, running: Option<Color>) -> Option<Change> {
        match *event {
            Event::Played(mv) => self.play(mv, running),
            Event::TakeBackProposed(side) => {
                let ply = self.game.last_disc_ply(side)?;
                self.proposal = Some(side);
                Some(Change::TakeBackProposed { side, ply })
            }
            Event::TakeBackDeclined(side) => {
                self.proposal.take()?;
                Some(Change::TakeBackDeclined { side })
            }
            Event::TakenBack { side, ply } => {
                self.game.truncate(ply.into()).ok()?;
                self.next_turn();
                let ply = self.game.ply();
                Some(Change::TakenBack { side, ply })
            }
            Event::Resigned(side) => {
                self.ended = Some(Ended::Resigned(side));
                Some(Change::Resigned { side })
            }
            Event::TimeExpired(side) => self.expire(side),
            Event::SeatClaimed {
                side,
                ref player_id,
                ref display_name,
            } => {
                let seat = self.seats.of_mut(side);
                (seat.occupant == Occupant::Open).then_some(())?;
                seat.occupant = Occupant::Person;
                seat.player_id.clone_from(player_id);
                seat.display_name.clone_from(display_name);
                Some(Change::SeatClaimed { side })
            }
            Event::SeatHandedOver { side, level, cause } => {
                self.seats.of_mut(side).occupant = Occupant::Substitute(level);
                Some(Change::SeatHandedOver { side, level, cause })
            }
            Event::SeatReturned(side) => {
                self.seats.of_mut(side).occupant = Occupant::Person;
                Some(Change::SeatReturned { side })
            }
            Event::DisplayChanged(display) => {
                self.display = display;
                Some(Change::DisplayChanged { display })
            }
            Event::Rematched(next) => {
                self.successor = Some(next);
                Some(Change::Rematched { next })
            }
            Event::Deleted => {
                self.deleted = true;
                Some(Change::Deleted)
            }
        }
    }

    fn play(&mut self, mv: Move, running: Option<Color>) -> Option<Change> {
        // Whether the board has ended the game is for the rules to say.
        let begun = !self.seats.any_open() && !self.seats.all_substituted();
        (begun && self.ended.is_none()).then_some(())?;
        let ply = self.game.ply();
        let moves = self.game.play(mv).ok()?;
        let moves = ArrayVec::try_from(moves).expect("invariant: a move, and a pass at most");
        if let (Some(clock), Some(side)) = (&mut self.clock, running) {
            clock.moved(side);
        }
        self.next_turn();
        Some(Change::Moves { ply, moves })
    }

    fn expire(&mut self, side: Color) -> Option<Change> {
        let clock = self.clock.as_mut()?;
        match clock.rules.on_expiry {
            OnExpiry::Lose => self.ended = Some(Ended::TimedOut(side)),
            OnExpiry::EngineMovesOnce => self.engine_moves_once = true,
            OnExpiry::EngineTakesSeat => {
                self.seats.of_mut(side).occupant = Occupant::Substitute(self.substitute);
            }
        }
        Some(Change::TimeExpired { side })
    }

    fn next_turn(&mut self) {
        self.proposal = None;
        self.engine_moves_once = false;
        if let Some(clock) = &mut self.clock {
            clock.next_turn();
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
