//! The library against a service that does what each test says.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod calls;
mod endpoints;
mod fake;
#[path = "../../../service/tests/support/redis_server.rs"]
mod redis_server;
mod rolling;
mod watching;
