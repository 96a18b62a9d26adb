//! The server as it ships: real processes, real signals, and a real Redis between them.
//!
//! The tests that need Redis start one of their own. Where there is no `redis-server`, they
//! fail and say how to get it; with `REVERSI_SKIP_REDIS=1` they pass without doing anything.

#[cfg(test)]
#[path = "processes/abuse.rs"]
mod abuse;
#[cfg(test)]
#[path = "support/admin.rs"]
mod admin;
#[cfg(test)]
#[path = "processes/bulk.rs"]
mod bulk;
#[cfg(test)]
#[path = "processes/cancelling.rs"]
mod cancelling;
#[cfg(test)]
#[path = "support/client.rs"]
mod client;
#[cfg(test)]
#[path = "processes/crowds.rs"]
mod crowds;
#[cfg(test)]
#[path = "support/failure.rs"]
mod failure;
#[cfg(test)]
#[path = "processes/nboard.rs"]
mod nboard;
#[cfg(test)]
#[path = "processes/outages.rs"]
mod outages;
#[cfg(test)]
#[path = "processes/process.rs"]
mod process;
#[cfg(test)]
#[path = "support/redis_server.rs"]
mod redis_server;
#[cfg(test)]
#[path = "processes/refusals.rs"]
mod refusals;
#[cfg(test)]
#[path = "processes/replicas.rs"]
mod replicas;
#[cfg(test)]
#[path = "processes/round_trips.rs"]
mod round_trips;
#[cfg(test)]
#[path = "processes/secrets.rs"]
mod secrets;
#[cfg(test)]
#[path = "processes/starting.rs"]
mod starting;
#[cfg(test)]
#[path = "processes/stopping.rs"]
mod stopping;
#[cfg(test)]
#[path = "processes/stored_values.rs"]
mod stored_values;
#[cfg(test)]
#[path = "processes/timekeeping.rs"]
mod timekeeping;
#[cfg(test)]
#[path = "processes/traces.rs"]
mod traces;
#[cfg(test)]
#[path = "processes/weights.rs"]
mod weights;
