//! What the process uses, by the names that Prometheus' own client libraries give it. Read from
//! the system when somebody asks; what a system does not tell is left out.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

/// The metrics of this process.
#[derive(Debug)]
pub(super) struct Process {
    started: SystemTime,
}

impl Process {
    pub(super) fn new() -> Self {
        Self {
            started: SystemTime::now(),
        }
    }
}

impl Collector for Process {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let started = self.started.duration_since(UNIX_EPOCH).unwrap_or_default();
        gauge(
            &mut encoder,
            "process_start_time_seconds",
            "When the process started, in seconds since 1970",
            started.as_secs_f64(),
        )?;
        #[cfg(target_os = "linux")]
        linux::encode(&mut encoder)?;
        Ok(())
    }
}

fn gauge(encoder: &mut DescriptorEncoder<'_>, name: &str, help: &str, value: f64) -> fmt::Result {
    let gauge = ConstGauge::new(value);
    gauge.encode(encoder.encode_descriptor(name, help, None, gauge.metric_type())?)
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;

    use rustix::process::{Resource, getrlimit};
    use rustix::time::{ClockId, clock_gettime};

    use super::{ConstCounter, DescriptorEncoder, EncodeMetric, fmt, gauge};

    #[allow(
        clippy::cast_precision_loss,
        reason = "fewer than 2⁵³ bytes, files and nanoseconds"
    )]
    pub(super) fn encode(encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let used = clock_gettime(ClockId::ProcessCPUTime);
        let seconds = ConstCounter::new(used.tv_sec as f64 + used.tv_nsec as f64 / 1e9);
        seconds.encode(encoder.encode_descriptor(
            "process_cpu_seconds",
            "Processor time used in seconds",
            None,
            seconds.metric_type(),
        )?)?;
        if let Some(bytes) = resident_bytes() {
            gauge(
                encoder,
                "process_resident_memory_bytes",
                "Memory in use in bytes",
                bytes as f64,
            )?;
        }
        if let Ok(files) = fs::read_dir("/proc/self/fd") {
            gauge(
                encoder,
                "process_open_fds",
                "Open files and connections",
                files.count() as f64,
            )?;
        }
        if let Some(most) = getrlimit(Resource::Nofile).current {
            gauge(
                encoder,
                "process_max_fds",
                "The most files and connections that may be open",
                most as f64,
            )?;
        }
        Ok(())
    }

    fn resident_bytes() -> Option<u64> {
        let status = fs::read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kibibytes: u64 = line?.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kibibytes * 1024)
    }
}
