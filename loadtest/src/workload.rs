//! What is asked of the server: which calls, with which positions, in which order.
//!
//! Requests are encoded before a run begins. Knows the API and the rules of the game; nothing of
//! load models, and of connections only how to make a call.

pub(crate) mod games;
mod lane;
pub(crate) mod messages;
pub(crate) mod pool;
pub(crate) mod positions;
pub(crate) mod session;
mod watch;

use std::rc::Rc;

pub(crate) use games::Games;
pub(crate) use lane::Lane;
pub(crate) use pool::{Pool, Prepared};
pub(crate) use positions::Positions;
pub(crate) use session::{Afterwards, Play};

use crate::random::Random;
use crate::wire::Exchange;
use lane::Part;
use session::Session;
use watch::Watched;

/// What a run asks of the server.
#[derive(Clone, Debug)]
pub(crate) enum Workload {
    /// Always the same kind of thing.
    One(Kind),
    /// Kinds of things by chance, each as often as its weight says.
    Mixed {
        /// Weights and kinds; the weights are not all zero.
        parts: Vec<(u32, Kind)>,
        /// The seed of the chances.
        seed: u64,
    },
}

/// A kind of thing to ask.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// Calls that stand alone.
    Calls(Pool),
    /// Messages on streams, of which there are so many on a connection.
    Stream {
        /// The messages.
        pool: Pool,
        /// How many streams.
        streams: usize,
    },
    /// Whole games.
    Play(Play),
    /// Whole games that others watch.
    Watch {
        /// The games.
        play: Play,
        /// How many watch each.
        watchers: usize,
    },
}

impl Workload {
    /// So many lanes for one connection. `first` is the number of the first among all of the run:
    /// lanes differ in what they begin with.
    pub(crate) fn lanes(&self, first: usize, count: usize) -> Vec<Lane> {
        match self {
            Self::One(kind) => kind.parts(first, count).map(Lane::One).collect(),
            Self::Mixed { parts, seed } => {
                let mut kinds: Vec<_> = parts
                    .iter()
                    .map(|(weight, kind)| (*weight, kind.parts(first, count)))
                    .collect();
                let lanes = first..first + count;
                let mixed = lanes.map(|number| {
                    let random = Random::for_part(*seed, number as u64);
                    let parts = kinds
                        .iter_mut()
                        .filter_map(|(weight, parts)| Some((*weight, parts.next()?)));
                    Lane::mixed(random, parts)
                });
                mixed.collect()
            }
        }
    }

    /// The long-lived streams that it keeps open on a connection with so many lanes.
    pub(crate) fn open_streams(&self, lanes: usize) -> usize {
        match self {
            Self::One(kind) => kind.open_streams(lanes),
            Self::Mixed { parts, .. } => {
                parts.iter().map(|(_, kind)| kind.open_streams(lanes)).sum()
            }
        }
    }

    /// Whether everything is sent on those streams, and no call takes one of its own.
    pub(crate) fn stays_on_its_streams(&self) -> bool {
        let stays = |kind: &Kind| matches!(kind, Kind::Stream { .. });
        match self {
            Self::One(kind) => stays(kind),
            Self::Mixed { parts, .. } => parts.iter().all(|(_, kind)| stays(kind)),
        }
    }
}

impl Kind {
    fn parts(&self, first: usize, count: usize) -> impl Iterator<Item = Part> + use<'_> {
        let streams: Vec<_> = match self {
            Self::Stream { pool, streams } => (0..*streams)
                .map(|_| Rc::new(Exchange::new(pool.rpc())))
                .collect(),
            Self::Calls(_) | Self::Play(_) | Self::Watch { .. } => Vec::new(),
        };
        (first..first + count).map(move |number| match self {
            Self::Calls(pool) => Part::Calls {
                pool: pool.clone(),
                next: pool.offset(number),
            },
            Self::Stream { pool, .. } => Part::Stream {
                exchange: Rc::clone(&streams[number % streams.len()]),
                pool: pool.clone(),
                next: pool.offset(number),
            },
            Self::Play(play) => Part::Play(Session::new(play.clone(), 'p', number)),
            Self::Watch { play, watchers } => {
                Part::Watch(Watched::new(play.clone(), *watchers, number))
            }
        })
    }

    fn open_streams(&self, lanes: usize) -> usize {
        match self {
            Self::Calls(_) | Self::Play(_) => 0,
            Self::Stream { streams, .. } => (*streams).min(lanes),
            Self::Watch { watchers, .. } => lanes * watchers,
        }
    }
}
