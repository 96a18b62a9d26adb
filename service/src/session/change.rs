//! What an event changes, as those who watch are told.

use arrayvec::ArrayVec;
use reversi_engine::{Color, EndReason, Level, PlayedMove};

use super::{GameId, HandOver, LegalMovesDisplay};

/// What an event changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Moves were added: the one played, and the passes entered with it.
    Moves {
        /// The plies before them.
        ply: usize,
        /// The moves.
        moves: ArrayVec<PlayedMove, 2>,
    },
    /// A side would like to take moves back.
    TakeBackProposed {
        /// Who.
        side: Color,
        /// The plies that would be left.
        ply: usize,
    },
    /// A side does not let the other take back.
    TakeBackDeclined {
        /// Who.
        side: Color,
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
    /// A side's time ran out.
    TimeExpired {
        /// Whose.
        side: Color,
    },
    /// Somebody took an open seat.
    SeatClaimed {
        /// Which.
        side: Color,
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
    SeatReturned {
        /// Whose seat.
        side: Color,
    },
    /// Answers list the legal moves from now on, or do not.
    DisplayChanged {
        /// Whether they do.
        display: LegalMovesDisplay,
    },
    /// The game that follows this one was created.
    Rematched {
        /// That game.
        next: GameId,
    },
    /// The game was deleted.
    Deleted,
}

/// Where a game stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// A seat is open.
    Waiting,
    /// Moves can be played.
    Playing,
    /// The engine would play both sides for persons who have left.
    Paused,
    /// It is over.
    Over(Outcome),
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
    /// A side's time ran out.
    Timeout,
}
