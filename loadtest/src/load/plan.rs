//! What to run.

use std::num::NonZeroUsize;
use std::time::Duration;

use super::caller::Checks;
use crate::pace::Schedule;
use crate::wire::Target;
use crate::workload::Workload;

/// A load, in full.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The servers; connections are spread over them in turn. At least one.
    pub(crate) targets: Vec<Target>,
    /// Connections in all.
    pub(crate) connections: NonZeroUsize,
    /// The most calls in flight on a connection. The peer's limit may be lower.
    pub(crate) in_flight: NonZeroUsize,
    /// Lanes in all, where they are more than calls in flight: those that think.
    pub(crate) lanes: Option<NonZeroUsize>,
    /// Generator threads; no more than connections.
    pub(crate) threads: NonZeroUsize,
    /// What is called.
    pub(crate) workload: Workload,
    /// When calls begin.
    pub(crate) model: Model,
    /// Cut off at the beginning.
    pub(crate) warm_up: Duration,
    /// What is measured after it.
    pub(crate) duration: Duration,
    /// How long a call may take.
    pub(crate) timeout: Duration,
    /// How long a server may take to answer a new connection, and to come back when all
    /// connections are lost.
    pub(crate) patience: Duration,
    /// Which answers are checked.
    pub(crate) checks: Checks,
    /// The seed of what is left to chance.
    pub(crate) seed: u64,
}

/// When calls begin.
#[derive(Clone, Debug)]
pub(crate) enum Model {
    /// As soon as the lane's call before has ended, and this long after it on average.
    Closed(Duration),
    /// When they are due, whatever became of those before.
    Open(Schedule),
}

impl Plan {
    /// The numbers of a thread's connections.
    pub(super) fn connections_of(&self, thread: usize) -> impl Iterator<Item = usize> + use<> {
        (thread..self.connections.get()).step_by(self.threads.get())
    }

    /// The number of lanes of a connection that may have so many calls in flight.
    pub(super) fn lanes_of(&self, connection: usize, in_flight: usize) -> usize {
        self.lanes.map_or(in_flight, |lanes| {
            // The first connections have one more where they cannot all have the same.
            let (lanes, connections) = (lanes.get(), self.connections.get());
            lanes / connections + usize::from(connection < lanes % connections)
        })
    }

    /// The width of an interval of the timeline: a tenth of a short run, a second of a long one.
    pub(super) fn interval(&self) -> Duration {
        (self.duration / 10).clamp(Duration::from_millis(10), Duration::from_secs(1))
    }
}
