//! How long Redis takes to answer, and how it fails; by the names of OpenTelemetry's conventions
//! for clients of databases.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use redis::{Arg, Cmd};

use super::fault::Fault;

/// Upper bounds of the buckets in seconds: from an answer over loopback to more than the longest
/// wait that is usual.
const SECONDS: [f64; 14] = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0,
];

/// The commands that are told apart.
const COMMANDS: [&str; 6] = ["EVALSHA", "EXISTS", "GET", "MGET", "TIME", "WAIT"];
/// Several commands at once.
pub(super) const PIPELINE: &str = "PIPELINE";

/// How long Redis takes to answer. Clones are the same.
#[derive(Clone, Debug)]
pub struct RedisTimes {
    seconds: Family<Labels, Histogram, fn() -> Histogram>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Labels {
    db_system_name: &'static str,
    db_operation_name: &'static str,
    error_type: Option<&'static str>,
}

impl Default for RedisTimes {
    fn default() -> Self {
        Self {
            seconds: Family::new_with_constructor(|| Histogram::new(SECONDS)),
        }
    }
}

impl RedisTimes {
    /// Shows them among the metrics.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "db_client_operation_duration_seconds",
            "Time from a command to Redis to its answer in seconds",
            self.seconds.clone(),
        );
    }

    /// Counts a command that was answered, or has failed.
    pub(super) fn observe(&self, command: &'static str, time: Duration, fault: Option<Fault>) {
        let labels = Labels {
            db_system_name: "redis",
            db_operation_name: command,
            error_type: fault.map(|fault| match fault {
                Fault::Lost => "lost",
                Fault::Late => "late",
                Fault::Refused => "refused",
                Fault::Wrong => "wrong",
            }),
        };
        self.seconds
            .get_or_create(&labels)
            .observe(time.as_secs_f64());
    }
}

/// The name of a command.
pub(super) fn name(command: &Cmd) -> &'static str {
    let Some(Arg::Simple(first)) = command.args_iter().next() else {
        return "other";
    };
    COMMANDS
        .into_iter()
        .find(|name| name.as_bytes().eq_ignore_ascii_case(first))
        .unwrap_or("other")
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text::encode;

    use super::*;

    #[test]
    fn commands_are_told_apart_by_their_names() {
        for (command, expected) in [
            (redis::cmd("get").arg("key"), "GET"),
            (redis::cmd("EVALSHA").arg("0"), "EVALSHA"),
            (redis::cmd("FLUSHALL").arg("NOW"), "other"),
            (&mut Cmd::new(), "other"),
        ] {
            assert_eq!(name(command), expected);
        }
    }

    #[test]
    fn answers_and_faults_are_counted_apart() {
        let times = RedisTimes::default();
        let mut registry = Registry::default();
        times.register(&mut registry);
        times.observe("GET", Duration::from_millis(1), None);
        times.observe("GET", Duration::from_millis(500), Some(Fault::Late));
        let mut text = String::new();
        encode(&mut text, &registry).unwrap();
        for error in ["", "late"] {
            let line = format!(
                "db_client_operation_duration_seconds_count{{db_system_name=\"redis\",\
                 db_operation_name=\"GET\",error_type=\"{error}\"}} 1\n"
            );
            assert!(text.contains(&line), "{text}");
        }
    }
}
