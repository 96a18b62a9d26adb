//! A game as it is played through the service: the rules of the engine, plus seats, events,
//! remembered writes and the form in which a store keeps them.
//!
//! Knows no store, no clock (times are handed in) and no gRPC.

mod event;
mod game_id;
mod live;
mod record;
mod timestamp;
mod value;
mod write;

#[cfg(test)]
mod tests;

pub use event::{Event, EventNumber};
pub use game_id::{GameId, MalformedGameId};
pub use live::{
    Action, Change, Expected, Outcome, OutcomeReason, Replay, Request, Session, WriteError, Written,
};
pub use record::{GameRecord, LegalMovesDisplay, Seat, Seats};
pub use timestamp::Timestamp;
pub use value::{HEAD_BYTES, UnreadableValue, head};
pub use write::{Fingerprint, RequestId, WriteLog};
