//! A run from the first connection to the last answer.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use tokio::sync::{mpsc, watch};
use tokio::task::LocalSet;
use tokio::time::Instant;

use super::line::introduce;
use super::plan::{Model, Plan};
use super::thread::{ThreadOutcome, generate};
use super::turns::Punctuality;
use crate::measure::{CpuTime, Faults, Interval, Measured, Timeline};
use crate::wire::{Rpc, Target};

/// Why there was no run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LoadError {
    /// No connection could be opened.
    #[error("cannot reach {endpoint}: {source}")]
    Unreachable {
        /// The server.
        endpoint: String,
        /// Why.
        source: io::Error,
    },
    /// What answers is no gRPC server.
    #[error("{endpoint} does not answer as a gRPC server: {failure}")]
    NotGrpc {
        /// The server.
        endpoint: String,
        /// What happened instead.
        failure: String,
    },
    /// The streams that stay open leave no room for calls.
    #[error(
        "{streams} streams are to stay open on each connection, and the server allows {allowed} \
         in all: use more connections or fewer streams, watchers or lanes"
    )]
    TooManyStreams {
        /// Streams that stay open.
        streams: usize,
        /// What the server allows.
        allowed: usize,
    },
    /// The system gives no threads.
    #[error("cannot start a generator thread: {0}")]
    Thread(#[source] io::Error),
    /// The run was given up before it began.
    #[error("cancelled")]
    Cancelled,
}

/// What threads are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// Not to begin yet.
    Wait,
    /// To begin at that moment.
    Start(Instant),
    /// To end.
    Stop,
}

/// What a thread tells.
#[derive(Debug)]
pub(crate) enum Event {
    /// Its connections are open.
    Ready,
    /// What has ended since it last told.
    Live(Box<Interval>),
    /// It has no connection any more, and gives up.
    Gone(String),
    /// It is done.
    Ended(Result<Box<ThreadOutcome>, LoadError>),
}

/// What happened lately, for somebody who watches.
#[derive(Debug)]
pub(crate) struct Observed<'a> {
    /// Since the start, warm-up included.
    pub(crate) elapsed: Duration,
    /// What has ended since the last time, in one thread.
    pub(crate) interval: &'a Interval,
}

/// Why a run ended before its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CutShort {
    /// Somebody stopped it.
    Interrupted,
    /// The server was gone.
    ServerGone(String),
}

impl fmt::Display for CutShort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interrupted => f.write_str("interrupted"),
            Self::ServerGone(why) => write!(f, "the server is gone: {why}"),
        }
    }
}

/// What a run has measured.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// When it began, warm-up included.
    pub(crate) began: SystemTime,
    /// How long was measured.
    pub(crate) window: Duration,
    /// Why it ended before its time, if it did.
    pub(crate) cut_short: Option<CutShort>,
    /// The calls by method.
    pub(crate) methods: BTreeMap<Rpc, Measured>,
    /// The failed ones.
    pub(crate) faults: Faults,
    /// All by interval.
    pub(crate) timeline: Timeline,
    /// How punctual an open load was.
    pub(crate) punctuality: Option<Punctuality>,
    /// The processor time of each generator thread within the window.
    pub(crate) cpu: Vec<Option<CpuTime>>,
    /// How often a connection had to be opened again.
    pub(crate) reopened: u64,
    /// Calls in flight on a connection at most, where the peer allows fewer than asked for.
    pub(crate) capped: Option<usize>,
    /// Bytes of messages received and sent, warm-up included.
    pub(crate) transferred: (u64, u64),
}

/// Asks a server what it is, and waits `patience` for a sign of life: its
/// `GetServerInfoResponse`, or `None` if it gives none.
///
/// # Errors
///
/// [`LoadError`] if no gRPC server answers.
pub(crate) async fn introduction(
    target: &Target,
    patience: Duration,
) -> Result<Option<Bytes>, LoadError> {
    let target = Rc::new(target.clone());
    let asking = introduce(&target, patience);
    let (_, answer) = LocalSet::new().run_until(asking).await?;
    Ok(answer)
}

/// Runs a load and tells `observe` how it goes. An interrupt ends it early.
///
/// # Errors
///
/// [`LoadError`] if it could not begin.
pub(crate) async fn run(
    plan: Plan,
    mut observe: impl FnMut(&Observed<'_>),
) -> Result<Outcome, LoadError> {
    let mut outcome = Outcome::new(&plan);
    let plan = Arc::new(plan);
    let (sender, mut events) = mpsc::unbounded_channel();
    let (signal, signalled) = watch::channel(Signal::Wait);
    for number in 0..plan.threads.get() {
        let (plan, sender, signal) = (Arc::clone(&plan), sender.clone(), signalled.clone());
        thread::Builder::new()
            .name(format!("generator-{number}"))
            .spawn(move || generate(&plan, number, &sender, signal))
            .map_err(LoadError::Thread)?;
    }
    drop(sender);
    let mut waiting = plan.threads.get();
    let mut began = None;
    loop {
        let event = tokio::select! {
            event = events.recv() => event,
            Ok(()) = tokio::signal::ctrl_c() => {
                if outcome.cut_short.replace(CutShort::Interrupted).is_some() {
                    // Asked to end once before: the last answers are not waited for.
                    return Err(LoadError::Cancelled);
                }
                signal.send_replace(Signal::Stop);
                continue;
            }
        };
        match event {
            Some(Event::Ready) => {
                waiting -= 1;
                if waiting == 0 && outcome.cut_short.is_none() {
                    outcome.began = SystemTime::now();
                    signal.send_replace(Signal::Start(*began.insert(Instant::now())));
                }
            }
            Some(Event::Live(interval)) => observe(&Observed {
                elapsed: began.map_or(Duration::ZERO, |began| began.elapsed()),
                interval: &interval,
            }),
            Some(Event::Gone(why)) => {
                outcome.cut_short.get_or_insert(CutShort::ServerGone(why));
                signal.send_replace(Signal::Stop);
            }
            Some(Event::Ended(ended)) => outcome.add(*ended?),
            None => return Ok(outcome),
        }
    }
}

impl Outcome {
    fn new(plan: &Plan) -> Self {
        Self {
            began: SystemTime::now(),
            window: Duration::ZERO,
            cut_short: None,
            methods: BTreeMap::new(),
            faults: Faults::default(),
            timeline: Timeline::new(plan.interval()),
            punctuality: match plan.model {
                Model::Closed(_) => None,
                Model::Open(_) => Some(Punctuality::new()),
            },
            cpu: Vec::new(),
            reopened: 0,
            capped: None,
            transferred: (0, 0),
        }
    }

    fn add(&mut self, thread: ThreadOutcome) {
        for (rpc, measured) in thread.methods {
            self.methods
                .entry(rpc)
                .or_insert_with(Measured::new)
                .add(&measured);
        }
        self.faults.add(&thread.faults);
        self.timeline.add(thread.timeline);
        if let (Some(all), Some(one)) = (&mut self.punctuality, &thread.punctuality) {
            all.add(one);
        }
        self.window = self.window.max(thread.window);
        self.cpu.push(thread.cpu);
        self.reopened += thread.reopened;
        self.capped = self.capped.into_iter().chain(thread.capped).min();
        self.transferred.0 += thread.transferred.0;
        self.transferred.1 += thread.transferred.1;
    }

    /// Calls that succeeded.
    pub(crate) fn ok(&self) -> u64 {
        self.methods.values().map(|method| method.ok).sum()
    }

    /// Calls that failed.
    pub(crate) fn errors(&self) -> u64 {
        self.methods.values().map(|method| method.errors).sum()
    }

    /// The generator's processor time within the window, where it is known.
    pub(crate) fn cpu_used(&self) -> Option<Duration> {
        self.cpu.iter().map(|cpu| Some((*cpu)?.used)).sum()
    }
}
