//! What can happen to a game.

use std::fmt;

use reversi_engine::{Color, Move};

/// One change of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A move was played. The forced passes that the rules enter with it follow from it and
    /// are not events of their own.
    Played(Move),
    /// A side took its last disc back.
    TakenBack(Color),
    /// A side gave up.
    Resigned(Color),
    /// The game was deleted. Always the last event.
    Deleted,
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
