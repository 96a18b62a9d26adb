//! The API as its callers meet it: the real server in this process, called over gRPC, and the
//! operations behind it with a clock of the test's own.

#[cfg(test)]
#[path = "api/access.rs"]
mod access;
#[cfg(test)]
#[path = "support/admin.rs"]
mod admin;
#[cfg(test)]
#[path = "api/analysing.rs"]
mod analysing;
#[cfg(test)]
#[path = "api/analysis.rs"]
mod analysis;
#[cfg(test)]
#[path = "api/bad_input.rs"]
mod bad_input;
#[cfg(test)]
#[path = "api/bare.rs"]
mod bare;
#[cfg(test)]
#[path = "api/batches.rs"]
mod batches;
#[cfg(test)]
#[path = "support/client.rs"]
mod client;
#[cfg(test)]
#[path = "api/clocks.rs"]
mod clocks;
#[cfg(test)]
#[path = "api/counting.rs"]
mod counting;
#[cfg(test)]
#[path = "api/edge.rs"]
mod edge;
#[cfg(test)]
#[path = "api/engine_seats.rs"]
mod engine_seats;
#[cfg(test)]
#[path = "api/expiry.rs"]
mod expiry;
#[cfg(test)]
#[path = "support/failure.rs"]
mod failure;
#[cfg(test)]
#[path = "api/games.rs"]
mod games;
#[cfg(test)]
#[path = "api/health.rs"]
mod health;
#[cfg(test)]
#[path = "api/levels.rs"]
mod levels;
#[cfg(test)]
#[path = "api/listing.rs"]
mod listing;
#[cfg(test)]
#[path = "api/live_games.rs"]
mod live_games;
#[cfg(test)]
#[path = "api/metrics.rs"]
mod metrics;
#[cfg(test)]
#[path = "api/openings.rs"]
mod openings;
#[cfg(test)]
#[path = "api/random_input.rs"]
mod random_input;
#[cfg(test)]
#[path = "api/rematches.rs"]
mod rematches;
#[cfg(test)]
#[path = "api/repeats.rs"]
mod repeats;
#[cfg(test)]
#[path = "api/rules.rs"]
mod rules;
#[cfg(test)]
#[path = "api/seats.rs"]
mod seats;
#[cfg(test)]
#[path = "api/server.rs"]
mod server;
#[cfg(test)]
#[path = "api/solving.rs"]
mod solving;
#[cfg(test)]
#[path = "api/stopping.rs"]
mod stopping;
#[cfg(test)]
#[path = "api/transcripts.rs"]
mod transcripts;
#[cfg(test)]
#[path = "api/troubled_store.rs"]
mod troubled_store;
#[cfg(test)]
#[path = "api/watching.rs"]
mod watching;
#[cfg(test)]
#[path = "api/watching_games.rs"]
mod watching_games;
#[cfg(test)]
#[path = "api/whole_games.rs"]
mod whole_games;
#[cfg(test)]
#[path = "api/writers.rs"]
mod writers;
