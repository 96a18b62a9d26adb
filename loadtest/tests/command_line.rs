//! The real binary against a real server in this process.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "command_line/bad_input.rs"]
mod bad_input;
#[path = "command_line/comparing.rs"]
mod comparing;
#[path = "command_line/encrypted.rs"]
mod encrypted;
#[path = "command_line/in_process.rs"]
mod in_process;
#[path = "command_line/interrupting.rs"]
mod interrupting;
#[path = "command_line/losing_the_server.rs"]
mod losing_the_server;
#[path = "command_line/proxy.rs"]
mod proxy;
#[path = "../../service/tests/support/redis_server.rs"]
mod redis_server;
#[path = "command_line/reports.rs"]
mod reports;
#[path = "command_line/runs.rs"]
mod runs;
#[path = "command_line/support.rs"]
mod support;
