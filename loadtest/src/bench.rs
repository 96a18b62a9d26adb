//! Measures a server's calls in turn with their limits, so that all see the same machine.

mod child;
mod figure;
mod h2load;
mod table;

use std::num::NonZeroUsize;
use std::time::Duration;
use std::{io, thread};

use child::Servers;
pub(crate) use child::{ChildError, Service};
use figure::{FIGURES, Figure, Sample, Server, Source};
pub(crate) use h2load::H2loadError;
use h2load::H2loadRun;
pub(crate) use table::Table;
use tokio::sync::oneshot;

use crate::load::{self, Checks, CutShort, LoadError, Model, Plan};
use crate::local;
use crate::measure::CpuTime;
use crate::report::build::float;
use crate::wire::Target;

/// How to measure.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The server.
    pub(crate) service: Service,
    /// How long each figure is measured in each round.
    pub(crate) duration: Duration,
    /// How often all are measured.
    pub(crate) rounds: NonZeroUsize,
    /// Connections of calls that are small.
    pub(crate) connections: NonZeroUsize,
    /// Calls in flight on each.
    pub(crate) in_flight: NonZeroUsize,
    /// Generator threads.
    pub(crate) threads: NonZeroUsize,
    /// A Redis, if moves are to be measured on one.
    pub(crate) redis: Option<String>,
    /// Whether h2load is to make the same calls.
    pub(crate) h2load: H2load,
    /// Measures only figures whose titles contain one of these; empty for all.
    pub(crate) only: Vec<String>,
}

impl Options {
    fn measures(&self, figure: &Figure) -> bool {
        let by_h2load = matches!(figure.source, Source::H2load(..));
        let on_redis = matches!(
            figure.source,
            Source::Load(Server::ServiceOnRedis | Server::BareOnRedis, _)
        );
        if on_redis && self.redis.is_none() {
            return false;
        }
        let mut only = self.only.iter();
        let named = only.any(|part| figure.title.contains(part.as_str()));
        (self.only.is_empty() || named) && (self.h2load == H2load::Measure || !by_h2load)
    }
}

/// Whether h2load is to make the same calls as the generator, for comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum H2load {
    /// It is.
    Measure,
    /// It is not.
    Skip,
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchError {
    /// A server did not start.
    #[error(transparent)]
    Child(#[from] ChildError),
    /// h2load has no figure.
    #[error(transparent)]
    H2load(#[from] H2loadError),
    /// A load did not begin.
    #[error("{figure}: {source}")]
    Load {
        /// What was to be measured.
        figure: &'static str,
        /// Why.
        source: LoadError,
    },
    /// Calls failed: what is left would be no figure.
    #[error("{figure}: {failed} calls failed, such as: {example}")]
    Failed {
        /// What was measured.
        figure: &'static str,
        /// How many.
        failed: u64,
        /// One of them.
        example: String,
    },
    /// No call ended.
    #[error("{figure}: no call was answered within the time measured")]
    Nothing {
        /// What was measured.
        figure: &'static str,
    },
    /// No figure is called so.
    #[error("no figure to be measured has {} in its title", only.join(" or "))]
    Unknown {
        /// What was to be measured.
        only: Vec<String>,
    },
    /// The system gives no thread.
    #[error("cannot start a thread: {0}")]
    Thread(#[from] io::Error),
    /// Somebody stopped it.
    #[error("interrupted")]
    Interrupted,
    /// It was cut short.
    #[error("{figure}: {why}")]
    CutShort {
        /// What was measured.
        figure: &'static str,
        /// Why.
        why: CutShort,
    },
}

/// Cut off before each measurement, unless that is shorter.
const WARM_UP: Duration = Duration::from_millis(500);
/// The deadline of the calls.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Connections and calls in flight of bulk calls: enough that the server always has one to work
/// on, few enough that their bytes stay in the caches.
const BULK: (usize, usize) = (4, 2);

/// Starts the servers, measures all figures in turn, and stops the servers. An interrupt ends it
/// at once.
///
/// # Errors
///
/// [`BenchError`].
pub(crate) async fn run(options: &Options, tell: impl FnMut(&str)) -> Result<Table, BenchError> {
    tokio::select! {
        biased;
        Ok(()) = tokio::signal::ctrl_c() => Err(BenchError::Interrupted),
        table = measure_all(options, tell) => table,
    }
}

async fn measure_all(options: &Options, mut tell: impl FnMut(&str)) -> Result<Table, BenchError> {
    if !FIGURES.iter().any(|figure| options.measures(figure)) {
        return Err(BenchError::Unknown {
            only: options.only.clone(),
        });
    }
    let servers = Servers::start(&options.service, options.redis.as_deref()).await?;
    let mut samples: Vec<Vec<Sample>> = FIGURES.iter().map(|_| Vec::new()).collect();
    for round in 1..=options.rounds.get() {
        for (figure, samples) in FIGURES.iter().zip(&mut samples) {
            if !options.measures(figure) {
                continue;
            }
            tell(&format!(
                "round {round} of {}: {}",
                options.rounds, figure.title
            ));
            samples.push(measure(options, &servers, figure).await?);
        }
    }
    Ok(Table::new(FIGURES, &samples, options))
}

/// Measures the engine on a thread of its own, so that an interrupt is noticed meanwhile.
async fn measure_locally(task: local::Task, time: Duration) -> Result<Sample, BenchError> {
    let (sender, rate) = oneshot::channel();
    thread::Builder::new()
        .name("local".to_owned())
        .spawn(move || sender.send(local::measure(task, NonZeroUsize::MIN, time)))?;
    Ok(Sample {
        rate: rate
            .await
            .expect("invariant: the engine's answers are right"),
        generator_us: None,
        server_us: None,
    })
}

async fn measure(
    options: &Options,
    servers: &Servers,
    figure: &Figure,
) -> Result<Sample, BenchError> {
    let (server, workload) = match figure.source {
        Source::Local(task) => {
            return measure_locally(task, options.duration).await;
        }
        Source::H2load(server, call) => {
            let (rpc, frame) = call();
            let run = H2loadRun {
                endpoint: servers.child(server).endpoint(),
                rpc,
                frame,
                connections: options.connections,
                in_flight: options.in_flight,
                duration: options.duration,
                timeout: TIMEOUT,
            };
            return Ok(run.run().await?);
        }
        Source::Load(server, workload) => (server, workload()),
    };
    let title = figure.title;
    let child = servers.child(server);
    let target = Target::new(child.endpoint().clone(), None, TIMEOUT, None)
        .expect("invariant: there is no token");
    let (connections, in_flight) = match figure.bulk {
        true => (
            NonZeroUsize::new(BULK.0).unwrap_or(options.connections),
            NonZeroUsize::new(BULK.1).unwrap_or(options.in_flight),
        ),
        false => (options.connections, options.in_flight),
    };
    let warm_up = WARM_UP.min(options.duration);
    let plan = Plan {
        targets: vec![target],
        connections,
        in_flight,
        lanes: None,
        threads: options.threads.min(connections),
        workload,
        model: Model::Closed(Duration::ZERO),
        warm_up,
        duration: options.duration,
        timeout: TIMEOUT,
        patience: Duration::from_secs(2),
        // The bare server always gives the same answer.
        checks: match server {
            Server::BareOnRedis => Checks::None,
            Server::Service
            | Server::EchoByThread
            | Server::EchoTogether
            | Server::ServiceOnRedis => Checks::WarmUp,
        },
        seed: 1,
    };
    let cpu = || child.id().and_then(CpuTime::of_process);
    let before = cpu();
    let outcome = load::run(plan, |_| {})
        .await
        .map_err(|source| BenchError::Load {
            figure: title,
            source,
        })?;
    let after = cpu();
    if let Some(why) = outcome.cut_short {
        return Err(BenchError::CutShort { figure: title, why });
    }
    if let Some((_, fault)) = outcome.faults.iter().next() {
        return Err(BenchError::Failed {
            figure: title,
            failed: outcome.errors(),
            example: fault.example.clone(),
        });
    }
    let counted = outcome
        .methods
        .iter()
        .filter(|(rpc, _)| figure.counts(**rpc));
    let items: u64 = counted.map(|(_, measured)| measured.items).sum();
    if items == 0 {
        return Err(BenchError::Nothing { figure: title });
    }
    let per_call = |time: Duration| time.as_secs_f64() * 1e6 / float(outcome.ok());
    // The server worked through the warm-up as well.
    let share = options.duration.as_secs_f64() / (options.duration + warm_up).as_secs_f64();
    let server = after
        .zip(before)
        .map(|(after, before)| after.since(before).used);
    Ok(Sample {
        rate: float(items) / outcome.window.as_secs_f64(),
        generator_us: outcome.cpu_used().map(per_call),
        server_us: server.map(|cpu| per_call(cpu) * share),
    })
}

/// Which servers there are.
impl Servers {
    fn child(&self, server: Server) -> &child::Child {
        match server {
            Server::Service => &self.service,
            Server::EchoByThread => &self.by_thread,
            Server::EchoTogether => &self.together,
            Server::ServiceOnRedis => &self.on_redis().service,
            Server::BareOnRedis => &self.on_redis().bare,
        }
    }

    fn on_redis(&self) -> &child::OnRedis {
        let servers = self.on_redis.as_ref();
        servers.expect("invariant: without a Redis these figures are not measured")
    }
}
