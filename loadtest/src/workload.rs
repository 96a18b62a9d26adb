//! What is asked of the server: which calls, with which positions, in which order.
//!
//! Requests are encoded before a run begins. Knows the API and the rules of the game; nothing of
//! load models, and of connections only how to make a call.

pub(crate) mod plan;
pub(crate) mod pool;
pub(crate) mod positions;

pub(crate) use plan::{Lane, Workload};
pub(crate) use pool::Pool;
pub(crate) use positions::Positions;
