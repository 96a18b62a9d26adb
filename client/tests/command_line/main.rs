//! The `reversi` command against the real service in this process.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod analyze;
mod bench;
mod data;
mod failures;
mod games;
mod play;
mod replay;
mod rules;
mod suggest;
mod watch;
mod watch_games;
