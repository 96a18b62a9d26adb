//! A game as it is played through the service: the rules of the engine, plus seats, clocks,
//! events, remembered writes and the form in which a store keeps them.
//!
//! Knows no store, no clock but the times that are handed in, and no gRPC.

mod action;
mod change;
mod check;
mod clock;
mod event;
mod game_id;
mod live;
mod outages;
mod record;
mod seat;
mod series;
mod state;
mod timestamp;
mod topic;
mod value;
mod write;

#[cfg(test)]
mod tests;

pub use action::{
    Action, Answer, Expected, Request, SeatError, TakeBackError, WriteError, Written,
};
pub use change::{Change, Outcome, OutcomeReason, Phase};
pub use clock::{ClockFace, ClockRules, OnExpiry, TimeControl};
pub use event::{Event, EventNumber, HandOver};
pub use game_id::{GameId, MalformedGameId, TenantCode};
pub use live::{Replay, Session};
pub use outages::{Outage, Outages};
pub use record::{GameRecord, LegalMovesDisplay, SeatTokens};
pub use seat::{ColorPolicy, Occupant, Seat, Seats};
pub use series::{RematchColors, Series, SeriesColors};
pub use timestamp::Timestamp;
pub use topic::Topic;
pub use value::{HEAD_BYTES, UnreadableValue, head};
pub use write::{Fingerprint, RequestId, WriteLog};
