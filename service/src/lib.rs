//! The Reversi gRPC service: API handlers, sessions, stores, compute pool, telemetry.

pub mod session;
pub mod store;
