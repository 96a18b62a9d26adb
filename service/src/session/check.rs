//! Whether a write can be carried out, and by which event.

use reversi_engine::{Color, Move};

use super::GameId;
use super::action::{Action, Answer, Expected, SeatError, TakeBackError, WriteError};
use super::change::Phase;
use super::event::{Event, HandOver};
use super::live::Session;
use super::seat::Occupant;

impl Session {
    /// A move that comes too late is told so, not that the game has changed.
    pub(super) fn check_time(&self, action: &Action) -> Result<(), WriteError> {
        let last = self.record.events.last().map(|happened| &happened.event);
        match (action, last) {
            (Action::Play { side, .. }, Some(Event::TimeExpired(expired))) if side == expired => {
                Err(WriteError::TimeExpired { side: *side })
            }
            _ => Ok(()),
        }
    }

    pub(super) fn check_expectation(&self, expected: &Expected) -> Result<(), WriteError> {
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

    pub(super) fn check_action(&self, action: &Action) -> Result<Event, WriteError> {
        match *action {
            Action::Delete => Ok(Event::Deleted),
            Action::Rematch { next, .. } => self.check_rematch(next),
            _ if self.outcome().is_some() => Err(WriteError::GameOver),
            Action::Play { side, mv } => self.check_move(side, mv),
            Action::PlayForEngine(mv) => self.check_engines_move(mv),
            Action::TakeBack { side, ply } => self.check_take_back(side, ply),
            Action::AnswerTakeBack { side, answer } => self.check_answer(side, answer),
            Action::Resign { side } => self.check_resignation(side),
            Action::ClaimSeat {
                side,
                ref player_id,
                ref display_name,
            } => {
                let policy = self.record.color_policy;
                let side = self.state.seats.next_open(policy, side);
                Ok(Event::SeatClaimed {
                    side: side.ok_or(SeatError::NotOpen)?,
                    player_id: player_id.clone(),
                    display_name: display_name.clone(),
                })
            }
            Action::Leave { side, level } => {
                self.persons(side)?;
                Ok(Event::SeatHandedOver {
                    side,
                    level: level.unwrap_or(self.record.substitute),
                    cause: HandOver::Asked,
                })
            }
            Action::LeaveAbsent { side } => {
                self.persons(side)?;
                Ok(Event::SeatHandedOver {
                    side,
                    level: self.record.substitute,
                    cause: HandOver::Absent,
                })
            }
            Action::Return { side } => self.check_return(side),
            Action::Display(display) => Ok(Event::DisplayChanged(display)),
        }
    }

    /// Whether a person plays a side.
    fn persons(&self, side: Color) -> Result<(), SeatError> {
        match self.state.seats.of(side).occupant {
            Occupant::Person => Ok(()),
            Occupant::Engine(_) | Occupant::Substitute(_) => Err(SeatError::Engines { side }),
            Occupant::Open => Err(SeatError::Open { side }),
        }
    }

    /// Whether moves can be played now.
    fn playing(&self) -> Result<(), WriteError> {
        match self.phase() {
            Phase::Playing => Ok(()),
            Phase::Waiting => Err(WriteError::Waiting),
            Phase::Paused => Err(WriteError::Paused),
            Phase::Over(_) => Err(WriteError::GameOver),
        }
    }

    fn check_move(&self, side: Color, mv: Move) -> Result<Event, WriteError> {
        self.playing()?;
        let position = self.state.game.position();
        let side_to_move = position.side_to_move();
        if side != side_to_move {
            return Err(WriteError::NotYourTurn { side_to_move });
        }
        self.persons(side)?;
        if self.state.engine_moves_once {
            return Err(WriteError::TimeExpired { side });
        }
        position.check(mv)?;
        Ok(Event::Played(mv))
    }

    fn check_engines_move(&self, mv: Move) -> Result<Event, WriteError> {
        self.playing()?;
        let position = self.state.game.position();
        let side = position.side_to_move();
        if self.engine_to_move().is_none() {
            return Err(SeatError::Persons { side }.into());
        }
        position.check(mv)?;
        Ok(Event::Played(mv))
    }

    fn check_take_back(&self, side: Color, ply: Option<u32>) -> Result<Event, WriteError> {
        self.playing()?;
        self.persons(side)?;
        let game = &self.state.game;
        let last = game
            .last_disc_ply(side)
            .filter(|ply| *ply >= self.prelude())
            .ok_or(TakeBackError::Nothing { side })?;
        let other = self.state.seats.of(side.opposite()).occupant;
        if let Occupant::Engine(_) = other {
            let ply = match ply {
                None => last,
                Some(ply) => self.turn_before(side, ply)?,
            };
            let ply = u8::try_from(ply).expect("invariant: a game has fewer plies");
            return Ok(Event::TakenBack { side, ply });
        }
        if let Some(side) = self.state.proposal {
            return Err(TakeBackError::Pending { side }.into());
        }
        match ply {
            Some(ply) if usize::try_from(ply) != Ok(last) => {
                Err(TakeBackError::NotThere { side, ply }.into())
            }
            _ => Ok(Event::TakeBackProposed(side)),
        }
    }

    /// A ply before now at which it was a side's turn.
    fn turn_before(&self, side: Color, ply: u32) -> Result<usize, TakeBackError> {
        let mut before = self.state.game.clone();
        usize::try_from(ply)
            .ok()
            .filter(|ply| (self.prelude()..before.ply()).contains(ply))
            .filter(|ply| before.truncate(*ply).is_ok())
            .filter(|ply| before.ply() == *ply && before.position().side_to_move() == side)
            .ok_or(TakeBackError::NotThere { side, ply })
    }

    fn check_answer(&self, side: Color, answer: Answer) -> Result<Event, WriteError> {
        let proposal = self.take_back_proposal();
        let (proposer, ply) = proposal
            .filter(|(proposer, _)| *proposer == side.opposite())
            .ok_or(TakeBackError::NotPending { side })?;
        Ok(match answer {
            Answer::Accept => Event::TakenBack {
                side: proposer,
                ply: u8::try_from(ply).expect("invariant: a game has fewer plies"),
            },
            Answer::Decline => Event::TakeBackDeclined(side),
        })
    }

    fn check_resignation(&self, side: Color) -> Result<Event, WriteError> {
        match (self.phase(), self.state.seats.of(side).occupant) {
            (Phase::Waiting, _) => Err(WriteError::Waiting),
            (_, Occupant::Engine(_)) => Err(SeatError::Engines { side }.into()),
            (_, Occupant::Person | Occupant::Substitute(_) | Occupant::Open) => {
                Ok(Event::Resigned(side))
            }
        }
    }

    fn check_return(&self, side: Color) -> Result<Event, WriteError> {
        match self.state.seats.of(side).occupant {
            Occupant::Person => Err(SeatError::Persons { side }.into()),
            Occupant::Open => Err(SeatError::Open { side }.into()),
            Occupant::Engine(_) => Err(SeatError::Engines { side }.into()),
            Occupant::Substitute(_) => match self.state.clock {
                // With nothing left it would run out at once.
                Some(clock) if clock.left(side).is_zero() => Err(WriteError::TimeExpired { side }),
                _ => Ok(Event::SeatReturned(side)),
            },
        }
    }

    fn check_rematch(&self, next: GameId) -> Result<Event, WriteError> {
        match self.state.successor {
            Some(successor) => Err(WriteError::Followed(successor)),
            None if self.outcome().is_none() => Err(WriteError::NotOver),
            None => Ok(Event::Rematched(next)),
        }
    }
}
