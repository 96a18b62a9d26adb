//! The record of one generator thread.

use std::time::Duration;

use tokio::time::Instant;

use super::faults::Faults;
use super::latency::{Latency, Precision};
use super::timeline::{Interval, Timeline};
use crate::wire::{Failure, Rpc};

/// The part of a run that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// The end of the warm-up.
    pub(crate) from: Instant,
    /// The end of the run.
    pub(crate) to: Instant,
}

impl Window {
    /// Whether a call that began then is measured.
    pub(crate) fn contains(&self, moment: Instant) -> bool {
        self.from <= moment && moment < self.to
    }
}

/// One call, after its end.
#[derive(Clone, Debug)]
pub(crate) struct Call<'a> {
    /// The method.
    pub(crate) rpc: Rpc,
    /// When it was due; `None` in a closed load.
    pub(crate) due: Option<Instant>,
    /// When it was sent.
    pub(crate) sent: Instant,
    /// When it had ended.
    pub(crate) ended: Instant,
    /// What it was about, in the workload's unit: positions of a batch, otherwise 1.
    pub(crate) items: u64,
    /// How it ended.
    pub(crate) outcome: &'a Result<(), Failure>,
}

/// What is known of one method.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    /// Calls that succeeded.
    pub(crate) ok: u64,
    /// Calls that failed.
    pub(crate) errors: u64,
    /// What the successful calls were about.
    pub(crate) items: u64,
    /// From the sending of a call to its answer.
    pub(crate) from_sent: Latency,
    /// From when a call was due to its answer; empty in a closed load.
    pub(crate) from_due: Latency,
}

impl Measured {
    pub(crate) fn new() -> Self {
        Self {
            ok: 0,
            errors: 0,
            items: 0,
            from_sent: Latency::new(Precision::Fine),
            from_due: Latency::new(Precision::Fine),
        }
    }

    /// Adds what another thread has measured.
    pub(crate) fn add(&mut self, other: &Self) {
        self.ok += other.ok;
        self.errors += other.errors;
        self.items += other.items;
        self.from_sent.add(&other.from_sent);
        self.from_due.add(&other.from_due);
    }
}

/// Writes down the calls of a thread.
///
/// A call belongs to the moment when it was due, or in a closed load when it was sent. The
/// latencies are those of successful calls and of calls that ran into their deadline: leaving
/// those out would hide the slowest.
#[derive(Debug)]
pub(crate) struct Recorder {
    window: Window,
    methods: Vec<Option<Box<Measured>>>,
    faults: Faults,
    timeline: Timeline,
    live: Interval,
}

impl Recorder {
    /// A record of the calls within `window`, cut into intervals of `width`.
    pub(crate) fn new(window: Window, width: Duration) -> Self {
        Self {
            window,
            methods: Rpc::ALL.iter().map(|_| None).collect(),
            faults: Faults::default(),
            timeline: Timeline::new(width),
            live: Interval::new(),
        }
    }

    /// Counts a call that fell due.
    pub(crate) fn due(&mut self, due: Instant) {
        self.live.due += 1;
        if self.window.contains(due) {
            self.timeline.at(due - self.window.from).due += 1;
        }
    }

    /// Writes down a call.
    pub(crate) fn record(&mut self, call: &Call<'_>) {
        let began = call.due.unwrap_or(call.sent);
        let latency = call.ended.saturating_duration_since(began);
        let succeeded = call.outcome.is_ok();
        let timed = succeeded || *call.outcome == Err(Failure::Deadline);
        if call.rpc.is_call() {
            count(&mut self.live, succeeded, timed.then_some(latency));
        }
        if !self.window.contains(began) {
            return;
        }
        if call.rpc.is_call() {
            let interval = self.timeline.at(began - self.window.from);
            count(interval, succeeded, timed.then_some(latency));
        }
        let method =
            self.methods[call.rpc.index()].get_or_insert_with(|| Box::new(Measured::new()));
        match call.outcome {
            Ok(()) => {
                method.ok += 1;
                method.items += call.items;
            }
            Err(failure) => {
                method.errors += 1;
                self.faults.count(call.rpc, failure);
            }
        }
        if timed {
            let since_sent = call.ended.saturating_duration_since(call.sent);
            method.from_sent.record(since_sent);
            if call.due.is_some() {
                method.from_due.record(latency);
            }
        }
    }

    /// What ended since this was last asked, in the warm-up too.
    pub(crate) fn take_live(&mut self) -> Interval {
        std::mem::replace(&mut self.live, Interval::new())
    }

    /// The whole record.
    pub(crate) fn into_parts(self) -> (Vec<(Rpc, Measured)>, Faults, Timeline) {
        let methods = Rpc::ALL.iter().zip(self.methods);
        let measured = methods.filter_map(|(rpc, measured)| Some((*rpc, *measured?)));
        (measured.collect(), self.faults, self.timeline)
    }
}

fn count(interval: &mut Interval, succeeded: bool, latency: Option<Duration>) {
    if succeeded {
        interval.ok += 1;
    } else {
        interval.errors += 1;
    }
    if let Some(latency) = latency {
        interval.latency.record(latency);
    }
}
