//! What to run.

use std::num::NonZeroUsize;
use std::time::Duration;

use crate::wire::Target;
use crate::workload::Workload;

/// A load, in full.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The servers; connections are spread over them in turn. At least one.
    pub(crate) targets: Vec<Target>,
    /// Connections in all.
    pub(crate) connections: NonZeroUsize,
    /// The most calls in flight on a connection.
    pub(crate) in_flight: NonZeroUsize,
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
    pub(crate) deadline: Duration,
}

/// When calls begin.
#[derive(Clone, Debug)]
pub(crate) enum Model {
    /// As soon as the lane's call before has ended.
    Closed,
}

/// An interval of a timeline: a tenth of a short run, a second of a long one.
pub(crate) fn interval_width(duration: Duration) -> Duration {
    (duration / 10).clamp(Duration::from_millis(10), Duration::from_secs(1))
}
