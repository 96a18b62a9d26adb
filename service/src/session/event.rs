//! What can happen to a game.

use std::fmt;
use std::time::Duration;

use reversi_engine::{Color, Level, Move};

use super::{GameId, LegalMovesDisplay};

/// One change of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A move was played. The forced passes that the rules enter with it follow from it and
    /// are not events of their own.
    Played(Move),
    /// A side would like to take its last disc back.
    TakeBackProposed(Color),
    /// A side does not let the other take back.
    TakeBackDeclined(Color),
    /// A side took moves back.
    TakenBack {
        /// Who.
        side: Color,
        /// The plies left.
        ply: u8,
    },
    /// A side gave up.
    Resigned(Color),
    /// A side's time ran out.
    TimeExpired(Color),
    /// Somebody took an open seat.
    SeatClaimed {
        /// Which.
        side: Color,
        /// The caller's id of the player.
        player_id: String,
        /// A name to show.
        display_name: String,
    },
    /// The engine plays for a person from now on.
    SeatHandedOver {
        /// Whose seat.
        side: Color,
        /// How well it plays.
        level: Level,
        /// Why.
        cause: HandOver,
    },
    /// A person plays again.
    SeatReturned(Color),
    /// Answers list the legal moves from now on, or do not.
    DisplayChanged(LegalMovesDisplay),
    /// The game that follows this one was created.
    Rematched(GameId),
    /// The game was deleted. Always the last event.
    Deleted,
}

/// Why a seat was handed to the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandOver {
    /// Somebody who may do so asked for it.
    Asked,
    /// Its holder was not heard of for too long.
    Absent,
}

/// How long it took until an event since the one before it, or since the game was created. Known
/// of games with a clock only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lapse {
    /// By the time of day.
    pub(super) passed: Duration,
    /// The part of it in which nobody could have moved.
    pub(super) idle: Duration,
}

/// An event and when it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Happened {
    pub(super) event: Event,
    pub(super) lapse: Lapse,
}

/// The number of events a game has had: its version, and, as text, its etag. A game that was
/// just created has had none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventNumber(pub u32);

impl fmt::Display for EventNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
