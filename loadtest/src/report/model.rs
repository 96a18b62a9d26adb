//! The report as data. Times are in milliseconds or seconds, as their names say.

use serde::{Deserialize, Serialize};

/// The version of this model, raised when a field is renamed or dropped.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// All that is known of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Report {
    /// [`SCHEMA_VERSION`].
    pub(crate) schema_version: u32,
    /// When it began, warm-up included (RFC 3339, UTC).
    pub(crate) started_at: String,
    /// What was asked for.
    pub(crate) setup: Setup,
    /// Where it ran.
    pub(crate) environment: Environment,
    /// How long was measured.
    pub(crate) window_s: f64,
    /// Why it ended before its time, if it did.
    pub(crate) cut_short: Option<String>,
    /// Everything in one.
    pub(crate) totals: Totals,
    /// The latency of all calls.
    pub(crate) latency: Latencies,
    /// Each method by itself.
    pub(crate) methods: Vec<Method>,
    /// The failed calls.
    pub(crate) errors: Vec<ErrorKind>,
    /// The run second by second.
    pub(crate) timeline: Timeline,
    /// What the generator itself cost.
    pub(crate) generator: Generator,
    /// What was demanded, and whether it holds.
    pub(crate) thresholds: Vec<Verdict>,
    /// The rates tried, where the highest was searched.
    pub(crate) search: Option<Search>,
    /// What makes the figures doubtful.
    pub(crate) warnings: Vec<String>,
}

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Setup {
    /// The workload, with what distinguishes it.
    pub(crate) workload: String,
    /// The servers.
    pub(crate) endpoints: Vec<String>,
    /// Connections in all.
    pub(crate) connections: usize,
    /// The most calls in flight on each.
    pub(crate) in_flight: usize,
    /// Sequences of calls in all.
    pub(crate) lanes: usize,
    /// Generator threads.
    pub(crate) threads: usize,
    /// When calls began.
    pub(crate) load: Load,
    /// Cut off at the beginning.
    pub(crate) warm_up_s: f64,
    /// What was to be measured.
    pub(crate) duration_s: f64,
    /// How long a call could take.
    pub(crate) timeout_s: f64,
    /// The seed of what was left to chance.
    pub(crate) seed: u64,
    /// Whether the connections were encrypted.
    pub(crate) tls: bool,
}

/// When calls began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "model", rename_all = "snake_case")]
pub(crate) enum Load {
    /// After the end of the call before.
    Closed {
        /// The mean time in between.
        think_ms: f64,
    },
    /// When they were due.
    Open {
        /// The rate, as it was asked for.
        rate: String,
        /// `even` or `poisson`.
        arrivals: String,
    },
}

/// Where a run took place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Environment {
    /// The generator's version.
    pub(crate) generator_version: String,
    /// `release` or `debug`.
    pub(crate) generator_build: String,
    /// The processor's name.
    pub(crate) cpu: Option<String>,
    /// Processors that the generator could use.
    pub(crate) processors: usize,
    /// The operating system and its version.
    pub(crate) kernel: Option<String>,
    /// The server, as it tells itself; `None` where it does not.
    pub(crate) server: Option<Server>,
}

/// What a server tells of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Server {
    /// Its version.
    pub(crate) version: String,
    /// Where its games are: `memory` or `redis`.
    pub(crate) store: String,
    /// Its engine.
    pub(crate) engine: String,
    /// Its move generator's kernel.
    pub(crate) kernel: String,
}

/// All calls together. What only watches for events counts with its method alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Totals {
    /// Calls that ended, well or not.
    pub(crate) calls: u64,
    /// Those that succeeded.
    pub(crate) ok: u64,
    /// Those that failed.
    pub(crate) errors: u64,
    /// Failed ones among those that ended, from 0 to 1.
    pub(crate) error_rate: f64,
    /// Successful calls a second.
    pub(crate) rate_per_s: f64,
    /// What the successful calls were about: positions of batches, otherwise as many as calls.
    pub(crate) items: u64,
    /// The same a second.
    pub(crate) items_per_s: f64,
    /// Calls that were due. Open load only.
    pub(crate) due: Option<u64>,
    /// Those of them that were never sent.
    pub(crate) unsent: Option<u64>,
    /// Those that were sent late because every lane was busy.
    pub(crate) delayed: Option<u64>,
    /// Bytes of messages received, warm-up included.
    pub(crate) received_bytes: u64,
    /// Bytes of messages sent, warm-up included.
    pub(crate) sent_bytes: u64,
}

/// The latency of successful calls and of those that ran into their deadline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Latencies {
    /// From when a call was due to its answer. Open load only: it includes the time that a call
    /// had to wait because of those before.
    pub(crate) from_due: Option<Distribution>,
    /// From the sending of a call to its answer.
    pub(crate) from_sent: Distribution,
}

impl Latencies {
    /// The one that tells what a caller sees.
    pub(crate) fn decisive(&self) -> &Distribution {
        self.from_due.as_ref().unwrap_or(&self.from_sent)
    }
}

/// How durations are spread.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Distribution {
    /// How many there are.
    pub(crate) count: u64,
    /// The shortest.
    pub(crate) min_ms: f64,
    /// The mean.
    pub(crate) mean_ms: f64,
    /// The standard deviation.
    pub(crate) deviation_ms: f64,
    /// The longest.
    pub(crate) max_ms: f64,
    /// Ascending.
    pub(crate) percentiles: Vec<Percentile>,
    /// Ascending; each begins where the one before ends.
    pub(crate) buckets: Vec<Bucket>,
}

/// A share of durations and what they do not exceed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Percentile {
    /// From 0 to 100.
    pub(crate) percentile: f64,
    /// The duration.
    pub(crate) ms: f64,
}

/// Durations counted together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Bucket {
    /// The longest.
    pub(crate) up_to_ms: f64,
    /// How many.
    pub(crate) count: u64,
}

impl Distribution {
    /// The duration at a percentile that is listed.
    pub(crate) fn at(&self, percentile: f64) -> Option<f64> {
        let listed = |entry: &&Percentile| (entry.percentile - percentile).abs() < 1e-9;
        Some(self.percentiles.iter().find(listed)?.ms)
    }
}

/// One method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Method {
    /// Its name.
    pub(crate) method: String,
    /// Calls that succeeded, or events that arrived.
    pub(crate) ok: u64,
    /// Those that failed.
    pub(crate) errors: u64,
    /// Successful ones a second.
    pub(crate) rate_per_s: f64,
    /// Their latency.
    pub(crate) latency: Latencies,
}

/// Failed calls of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ErrorKind {
    /// The method.
    pub(crate) method: String,
    /// The name of the status code.
    pub(crate) code: String,
    /// The reason that the server gave; in parentheses what the generator saw itself.
    pub(crate) reason: String,
    /// How many.
    pub(crate) count: u64,
    /// The first one in words.
    pub(crate) example: String,
}

/// The run cut into intervals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Timeline {
    /// The width of an interval.
    pub(crate) interval_s: f64,
    /// In order, the first from the end of the warm-up on.
    pub(crate) intervals: Vec<Interval>,
}

/// What began within one interval: was due, or in a closed load was sent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Interval {
    /// Its beginning.
    pub(crate) at_s: f64,
    /// Calls that succeeded.
    pub(crate) ok: u64,
    /// Calls that failed.
    pub(crate) errors: u64,
    /// Calls that were due. Zero in a closed load.
    pub(crate) due: u64,
    /// Successful calls a second.
    pub(crate) rate_per_s: f64,
    /// Half of the calls were as fast.
    pub(crate) p50_ms: f64,
    /// Nine in ten were.
    pub(crate) p90_ms: f64,
    /// 99 in a hundred were.
    pub(crate) p99_ms: f64,
    /// The slowest.
    pub(crate) max_ms: f64,
}

/// What the generator itself cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Generator {
    /// Processor time in all.
    pub(crate) cpu_s: Option<f64>,
    /// Processor time for each call.
    pub(crate) cpu_us_per_call: Option<f64>,
    /// Its threads.
    pub(crate) threads: Vec<Thread>,
    /// How late calls were sent that found a lane waiting. Open load only.
    pub(crate) lateness: Option<Distribution>,
    /// Whether it, and not the server, set the limit.
    pub(crate) is_bottleneck: bool,
}

/// One generator thread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Thread {
    /// The share of the time that it spent on a processor.
    pub(crate) busy: f64,
    /// The share of the time that it waited for one.
    pub(crate) waiting: f64,
}

/// What was demanded of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Verdict {
    /// As it was asked for.
    pub(crate) threshold: String,
    /// What was measured, in its unit; `None` where nothing was.
    pub(crate) value: Option<f64>,
    /// Whether it holds.
    pub(crate) holds: bool,
}

/// The search for the highest rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Search {
    /// What a rate had to keep to.
    pub(crate) slo: Vec<String>,
    /// The highest rate that held to the end; `None` if none did.
    pub(crate) highest_rate: Option<f64>,
    /// Every rate tried, in order.
    pub(crate) probes: Vec<Probe>,
}

/// One rate tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Probe {
    /// Calls a second.
    pub(crate) rate: f64,
    /// Whether it held.
    pub(crate) holds: bool,
    /// Half of the calls were as fast.
    pub(crate) p50_ms: f64,
    /// 99 in a hundred were.
    pub(crate) p99_ms: f64,
    /// Why it did not hold.
    pub(crate) broken: Vec<String>,
}

#[cfg(test)]
mod tests {
    use boon::{Compiler, Schemas};
    use serde_json::Value;

    use super::*;
    use crate::report::example;

    const SCHEMA: &str = include_str!("../../schema/report.v1.json");

    fn check(schema: Value, report: &Report) -> Result<(), String> {
        let mut schemas = Schemas::new();
        let mut compiler = Compiler::new();
        compiler.add_resource("report.json", schema).unwrap();
        let index = compiler.compile("report.json", &mut schemas).unwrap();
        let report = serde_json::to_value(report).unwrap();
        schemas
            .validate(&report, index)
            .map_err(|error| error.to_string())
    }

    /// Forbids fields that the schema does not name.
    fn close(schema: &mut Value) {
        if let Value::Object(object) = schema {
            if object.contains_key("properties") {
                object.insert("additionalProperties".to_owned(), false.into());
            }
            object.values_mut().for_each(close);
        } else if let Value::Array(array) = schema {
            array.iter_mut().for_each(close);
        }
    }

    #[test]
    fn reports_keep_to_the_schema_and_it_names_every_field() {
        let mut schema: Value = serde_json::from_str(SCHEMA).unwrap();
        close(&mut schema);
        let mut closed = example::report();
        closed.setup.load = Load::Closed { think_ms: 0.0 };
        closed.environment.server = None;
        for report in [example::report(), example::empty(), closed] {
            assert_eq!(check(schema.clone(), &report), Ok(()));
        }
    }

    #[test]
    fn what_is_no_report_does_not_keep_to_it() {
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        let mut report = example::report();
        report.totals.error_rate = 2.0;
        assert!(check(schema.clone(), &report).is_err());
        report = example::report();
        report.schema_version = 2;
        assert!(check(schema, &report).is_err());
    }

    #[test]
    fn a_report_is_read_as_it_was_written() {
        let report = example::report();
        let value = serde_json::to_value(&report).unwrap();
        assert_eq!(serde_json::from_value::<Report>(value).unwrap(), report);
    }
}
