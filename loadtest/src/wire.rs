//! gRPC over an HTTP/2 connection with bodies that are encoded beforehand.
//!
//! A call costs as little as HTTP/2 allows: no channel, no service stack, no decoding that
//! nobody asked for. Knows nothing of load models, latency or the game.

pub(crate) mod deadline;
mod exchange;
pub(crate) mod failure;
#[cfg(test)]
pub(crate) mod fake;
pub(crate) mod frame;
mod incoming;
pub(crate) mod link;
mod outgoing;
pub(crate) mod rpc;
pub(crate) mod status;
pub(crate) mod target;

pub(crate) use deadline::{Deadline, Deadlines};
pub(crate) use exchange::Exchange;
pub(crate) use failure::Failure;
pub(crate) use incoming::Incoming;
pub(crate) use link::{Keep, Link, Reply};
pub(crate) use rpc::Rpc;
pub(crate) use target::Target;
