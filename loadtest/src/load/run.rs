//! A run from the first connection to the last answer.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::plan::{Plan, interval_width};
use super::thread::{ThreadOutcome, generate};
use crate::measure::{Faults, Interval, Measured, Timeline};
use crate::wire::Rpc;

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
    /// The system gives no threads.
    #[error("cannot start a generator thread: {0}")]
    Thread(#[source] io::Error),
    /// The run was given up before it began.
    #[error("cancelled")]
    Cancelled,
}

/// What a thread tells.
#[derive(Debug)]
pub(crate) enum Event {
    /// Its connections are open.
    Ready,
    /// What has ended since it last told.
    Live(Box<Interval>),
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

/// What a run has measured.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The calls by method.
    pub(crate) methods: BTreeMap<Rpc, Measured>,
    /// The failed ones.
    pub(crate) faults: Faults,
    /// All by interval.
    pub(crate) timeline: Timeline,
    /// How long was measured.
    pub(crate) window: Duration,
    /// The generator's processor time within it.
    pub(crate) cpu: Option<Duration>,
    /// How often a connection had to be opened again.
    pub(crate) reopened: u64,
}

/// Runs a load and tells `observe` how it goes.
///
/// # Errors
///
/// [`LoadError`] if it could not begin.
pub(crate) async fn run(
    plan: Plan,
    mut observe: impl FnMut(&Observed<'_>),
) -> Result<Outcome, LoadError> {
    let plan = Arc::new(plan);
    let (sender, mut events) = mpsc::unbounded_channel();
    let (start, started) = watch::channel(None);
    for number in 0..plan.threads.get() {
        let (plan, sender, started) = (Arc::clone(&plan), sender.clone(), started.clone());
        thread::Builder::new()
            .name(format!("generator-{number}"))
            .spawn(move || generate(&plan, number, &sender, started))
            .map_err(LoadError::Thread)?;
    }
    drop(sender);
    let mut outcome = Outcome {
        methods: BTreeMap::new(),
        faults: Faults::default(),
        timeline: Timeline::new(interval_width(plan.duration)),
        window: plan.duration,
        cpu: Some(Duration::ZERO),
        reopened: 0,
    };
    let mut waiting = plan.threads.get();
    let mut began = Instant::now();
    while let Some(event) = events.recv().await {
        match event {
            Event::Ready => {
                waiting -= 1;
                if waiting == 0 {
                    began = Instant::now();
                    start.send_replace(Some(began));
                }
            }
            Event::Live(interval) => observe(&Observed {
                elapsed: began.elapsed(),
                interval: &interval,
            }),
            Event::Ended(ended) => outcome.add(*ended?),
        }
    }
    Ok(outcome)
}

impl Outcome {
    fn add(&mut self, thread: ThreadOutcome) {
        for (rpc, measured) in thread.methods {
            self.methods
                .entry(rpc)
                .or_insert_with(Measured::new)
                .add(&measured);
        }
        self.faults.add(&thread.faults);
        self.timeline.add(thread.timeline);
        self.cpu = self.cpu.zip(thread.cpu).map(|(all, one)| all + one);
        self.reopened += thread.reopened;
    }

    /// Calls that succeeded.
    pub(crate) fn ok(&self) -> u64 {
        self.methods.values().map(|method| method.ok).sum()
    }

    /// Calls that failed.
    pub(crate) fn errors(&self) -> u64 {
        self.methods.values().map(|method| method.errors).sum()
    }

    /// What the successful calls were about.
    pub(crate) fn items(&self) -> u64 {
        self.methods.values().map(|method| method.items).sum()
    }
}
