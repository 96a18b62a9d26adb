//! What is written down about calls, in bounded memory however long a run is.
//!
//! Knows calls and times; nothing of connections, load models or reports.

pub(crate) mod cpu;
pub(crate) mod faults;
pub(crate) mod latency;
pub(crate) mod recorder;
pub(crate) mod timeline;

pub(crate) use cpu::CpuTime;
pub(crate) use faults::Faults;
pub(crate) use latency::Latency;
pub(crate) use recorder::{Call, Measured, Recorder, Window};
pub(crate) use timeline::{Interval, Timeline};
