//! What is measured.

use bytes::Bytes;

use crate::local::Task;
use crate::random::Random;
use crate::wire::Rpc;
use crate::workload::pool::View;
use crate::workload::{Afterwards, Games, Kind, Play, Pool, Positions, Workload};

/// Whom a figure is measured at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Server {
    /// The service.
    Service,
    /// Bare tonic, a single-threaded runtime for each processor.
    EchoByThread,
    /// Bare tonic as `#[tokio::main]` runs it.
    EchoTogether,
    /// The service on Redis.
    ServiceOnRedis,
    /// Bare tonic that does what moves do in Redis.
    BareOnRedis,
}

/// Where a figure comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    /// The engine in this process, on one thread.
    Local(Task),
    /// A load.
    Load(Server, fn() -> Workload),
    /// The same load as the figure before, by h2load.
    H2load(Server, fn() -> (Rpc, Bytes)),
}

/// A figure to be measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figure {
    /// What it is.
    pub(crate) title: &'static str,
    /// What is counted a second.
    pub(crate) unit: &'static str,
    /// Where it comes from.
    pub(crate) source: Source,
    /// Whether its messages are large.
    pub(crate) bulk: bool,
}

impl Figure {
    /// Whether calls of this method are what is counted.
    pub(crate) fn counts(&self, rpc: Rpc) -> bool {
        match self.unit {
            "moves" => rpc == Rpc::PlayMove,
            _ => true,
        }
    }
}

/// A figure as it was measured once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sample {
    /// A second.
    pub(crate) rate: f64,
    /// Processor time of the generator for each call.
    pub(crate) generator_us: Option<f64>,
    /// Processor time of the server for each call.
    pub(crate) server_us: Option<f64>,
}

/// The payload of the echo, the size of a small request.
const ECHO_BYTES: usize = 40;
/// The bulk size at which a call is most worth its while.
const BULK: usize = 16_384;
/// A bulk size at which the transport weighs most.
const SMALL: usize = 64;

fn calls(pool: Pool) -> Workload {
    Workload::One(Kind::Calls(pool))
}

fn echo() -> Workload {
    calls(Pool::echo(ECHO_BYTES))
}

fn legal_moves(positions: &Positions, view: View) -> Workload {
    calls(Pool::legal_moves(&positions.list(1), view))
}

/// The only request of [`START`].
fn start_call() -> (Rpc, Bytes) {
    let pool = Pool::legal_moves(&Positions::Start.list(1), View::Full);
    (pool.rpc(), pool.request(0).frame.clone())
}

fn batches(rpc: Rpc, size: usize) -> Workload {
    let positions = Positions::Midgame.list(1);
    calls(Pool::batches(rpc, &positions, size))
}

fn stream(size: usize) -> Workload {
    let positions = Positions::Midgame.list(1);
    Workload::One(Kind::Stream {
        pool: Pool::batches(Rpc::StreamLegalMoves, &positions, size),
        streams: 1,
    })
}

fn play() -> Workload {
    // Request ids of another run would find its games again.
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let seed = now.map_or(0, |time| u64::from(time.subsec_nanos()));
    Workload::One(Kind::Play(Play {
        games: Games::random(1),
        afterwards: Afterwards::Delete,
        run: Random::new(seed).next(),
    }))
}

/// All figures, in the order in which they are measured.
pub(crate) const FIGURES: &[Figure] = &[
    Figure {
        title: KERNEL,
        unit: "positions",
        source: Source::Local(Task::Batches),
        bulk: true,
    },
    Figure {
        title: ECHO,
        unit: "calls",
        source: Source::Load(Server::EchoByThread, echo),
        bulk: false,
    },
    Figure {
        title: ECHO_MAIN,
        unit: "calls",
        source: Source::Load(Server::EchoTogether, echo),
        bulk: false,
    },
    Figure {
        title: START,
        unit: "calls",
        source: Source::Load(Server::Service, || {
            legal_moves(&Positions::Start, View::Full)
        }),
        bulk: false,
    },
    Figure {
        title: H2LOAD,
        unit: "calls",
        source: Source::H2load(Server::Service, start_call),
        bulk: false,
    },
    Figure {
        title: MIDGAME,
        unit: "calls",
        source: Source::Load(Server::Service, || {
            legal_moves(&Positions::Midgame, View::Full)
        }),
        bulk: false,
    },
    Figure {
        title: MASK,
        unit: "calls",
        source: Source::Load(Server::Service, || {
            legal_moves(&Positions::Midgame, View::Mask)
        }),
        bulk: false,
    },
    Figure {
        title: COPIES,
        unit: "positions",
        source: Source::Load(Server::EchoByThread, || {
            batches(Rpc::BatchListLegalMoves, BULK)
        }),
        bulk: true,
    },
    Figure {
        title: GENERATED,
        unit: "positions",
        source: Source::Load(Server::EchoByThread, || {
            batches(Rpc::GeneratedLegalMoves, BULK)
        }),
        bulk: true,
    },
    Figure {
        title: BATCHES,
        unit: "positions",
        source: Source::Load(Server::Service, || batches(Rpc::BatchListLegalMoves, BULK)),
        bulk: true,
    },
    Figure {
        title: SMALL_BATCHES,
        unit: "positions",
        source: Source::Load(Server::Service, || batches(Rpc::BatchListLegalMoves, SMALL)),
        bulk: false,
    },
    Figure {
        title: STREAM,
        unit: "positions",
        source: Source::Load(Server::Service, || stream(SMALL)),
        bulk: false,
    },
    Figure {
        title: PLAY,
        unit: "moves",
        source: Source::Load(Server::Service, play),
        bulk: false,
    },
    Figure {
        title: BARE_ON_REDIS,
        unit: "moves",
        source: Source::Load(Server::BareOnRedis, play),
        bulk: false,
    },
    Figure {
        title: PLAY_ON_REDIS,
        unit: "moves",
        source: Source::Load(Server::ServiceOnRedis, play),
        bulk: false,
    },
];

pub(crate) const KERNEL: &str = "the kernel in this process, batches of 16,384, one thread";
pub(crate) const ECHO: &str = "bare tonic echo, a runtime for each processor";
pub(crate) const ECHO_MAIN: &str = "bare tonic echo as #[tokio::main]";
pub(crate) const START: &str = "ListLegalMoves, the start, full";
pub(crate) const H2LOAD: &str = "ListLegalMoves, the start, full, by h2load";
pub(crate) const MIDGAME: &str = "ListLegalMoves, midgames, full";
pub(crate) const MASK: &str = "ListLegalMoves, midgames, mask";
pub(crate) const COPIES: &str = "batches of 16,384, copied by bare tonic";
pub(crate) const GENERATED: &str =
    "batches of 16,384, the same kernel on bare tonic with generated messages";
pub(crate) const BATCHES: &str = "BatchListLegalMoves, 16,384 a call";
pub(crate) const SMALL_BATCHES: &str = "BatchListLegalMoves, 64 a call";
pub(crate) const STREAM: &str = "StreamLegalMoves, 64 a message";
pub(crate) const PLAY: &str = "PlayMove, whole games in memory";
pub(crate) const BARE_ON_REDIS: &str = "the same in Redis and on the wire by bare tonic";
pub(crate) const PLAY_ON_REDIS: &str = "PlayMove, whole games in Redis";
