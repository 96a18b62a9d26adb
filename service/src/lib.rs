//! The Reversi gRPC service: API handlers, sessions, stores, compute pool, telemetry.
//!
//! From the inside out: [`session`] (a game with its events) ← [`store`] (where values are
//! kept) ← [`operations`] (what can be done with games) ← `grpc` (the API) ← [`app`] (the
//! server). [`compute`] runs what takes long, on [`engines`] where it is a search. [`testing`] starts a server for tests.

mod admin;
pub mod app;
pub mod auth;
pub mod clock;
pub mod compute;
pub mod config;
pub mod engines;
pub mod evaluations;
mod grpc;
mod health;
mod io_threads;
pub mod metrics;
pub mod nboard;
pub mod operations;
pub mod quota;
mod secret;
pub mod session;
pub mod store;
pub mod telemetry;
pub mod testing;
pub mod tls;

pub use grpc::reason_name;
pub use secret::Secret;
