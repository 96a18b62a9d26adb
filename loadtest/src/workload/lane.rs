//! Sequences of calls.

use std::rc::Rc;

use tokio::time::Instant;

use super::pool::Pool;
use super::session::Session;
use super::watch::Watched;
use crate::load::{Begun, Caller};
use crate::random::Random;
use crate::wire::{Exchange, Failure};

/// One sequence of calls, each begun after the one before has ended.
#[derive(Debug)]
pub(crate) enum Lane {
    /// Of one kind.
    One(Part),
    /// Of several kinds.
    Mixed {
        /// What chooses.
        random: Random,
        /// Each kind with the sum of its weight and all before it.
        parts: Vec<(u32, Part)>,
    },
}

/// A sequence of calls of one kind.
#[derive(Debug)]
pub(crate) enum Part {
    /// Calls that stand alone.
    Calls {
        /// Where they are from.
        pool: Pool,
        /// The number of the next.
        next: usize,
    },
    /// Messages on a stream.
    Stream {
        /// The stream.
        exchange: Rc<Exchange>,
        /// Where they are from.
        pool: Pool,
        /// The number of the next.
        next: usize,
    },
    /// Whole games.
    Play(Session),
    /// Whole games that others watch.
    Watch(Watched),
}

impl Lane {
    /// A lane of these kinds by their weights.
    pub(super) fn mixed(random: Random, parts: impl Iterator<Item = (u32, Part)>) -> Self {
        let mut sum = 0;
        Self::Mixed {
            random,
            parts: parts
                .map(|(weight, part)| {
                    sum += weight;
                    (sum, part)
                })
                .collect(),
        }
    }

    /// Makes the next call, due at `due`, and writes it down.
    pub(crate) async fn call(&mut self, caller: &mut Caller, due: Option<Instant>) {
        match self {
            Self::One(part) => part.call(caller, due).await,
            Self::Mixed { random, parts } => {
                let sum = parts.last().map_or(0, |(sum, _)| *sum);
                let chosen = random.below(sum as usize);
                let part = parts.iter_mut().find(|(sum, _)| chosen < *sum as usize);
                let (_, part) = part.expect("invariant: chosen below the sum");
                part.call(caller, due).await;
            }
        }
    }

    /// Cleans up after the last call. Not measured.
    pub(crate) async fn finish(&mut self, caller: &mut Caller) {
        match self {
            Self::One(part) => part.finish(caller).await,
            Self::Mixed { parts, .. } => {
                for (_, part) in parts {
                    part.finish(caller).await;
                }
            }
        }
    }
}

impl Part {
    async fn call(&mut self, caller: &mut Caller, due: Option<Instant>) {
        match self {
            Self::Calls { pool, next } => {
                let request = pool.request(*next);
                *next = next.wrapping_add(1);
                caller.call_prepared(pool.rpc(), request, due).await;
            }
            Self::Stream {
                exchange,
                pool,
                next,
            } => {
                let request = pool.request(*next);
                *next = next.wrapping_add(1);
                let begun = Begun::now(due);
                let answer = caller.exchange(exchange, &request.frame, begun.sent).await;
                let ended = Instant::now();
                if answer == Err(Failure::Deadline) {
                    exchange.give_up();
                }
                let checks = caller.checks_at(ended);
                let outcome = answer.and_then(|message| {
                    if checks {
                        request.check(message)
                    } else {
                        Ok(())
                    }
                });
                caller.record(pool.rpc(), begun, ended, request.items, &outcome);
            }
            Self::Play(session) => session.call(caller, due).await,
            Self::Watch(watched) => watched.call(caller, due).await,
        }
    }

    async fn finish(&mut self, caller: &mut Caller) {
        match self {
            Self::Calls { .. } | Self::Stream { .. } => {}
            Self::Play(session) => session.finish(caller).await,
            Self::Watch(watched) => watched.finish(caller).await,
        }
    }
}
