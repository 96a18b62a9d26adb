//! Metrics for Prometheus. The names of the calls' metrics are those of go-grpc-middleware.

mod process;
mod text;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use prost::Message;
use prost_types::{FileDescriptorSet, MethodDescriptorProto};
use tonic::Code;

use self::process::Process;
use crate::store::RedisTimes;

/// Upper bounds of the buckets of call times in seconds: from a unary call on loopback to the
/// longest suggestion (60 s) and the longest analysis (5 min) that are allowed unless configured.
const SECONDS: [f64; 17] = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0,
    20.0, 90.0, 360.0,
];

/// The codes of gRPC by number, as metrics name them.
const CODES: [&str; 17] = [
    "OK",
    "Canceled",
    "Unknown",
    "InvalidArgument",
    "DeadlineExceeded",
    "NotFound",
    "AlreadyExists",
    "PermissionDenied",
    "ResourceExhausted",
    "FailedPrecondition",
    "Aborted",
    "OutOfRange",
    "Unimplemented",
    "Internal",
    "Unavailable",
    "DataLoss",
    "Unauthenticated",
];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct MethodLabels {
    grpc_type: CallType,
    grpc_service: String,
    grpc_method: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct HandledLabels {
    grpc_type: CallType,
    grpc_service: String,
    grpc_method: String,
    grpc_code: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PoolLabels {
    pool: &'static str,
}

/// How large a pool is, and how much of it is in use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PoolUse {
    pub(crate) threads: usize,
    pub(crate) running: usize,
    pub(crate) queue: usize,
    pub(crate) queued: usize,
}

#[derive(Debug)]
struct PoolGauges {
    threads: Family<PoolLabels, Gauge>,
    running: Family<PoolLabels, Gauge>,
    queue: Family<PoolLabels, Gauge>,
    queued: Family<PoolLabels, Gauge>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelValue)]
enum CallType {
    #[allow(non_camel_case_types)]
    unary,
    #[allow(non_camel_case_types)]
    server_stream,
    #[allow(non_camel_case_types)]
    client_stream,
    #[allow(non_camel_case_types)]
    bidi_stream,
}

/// All metrics of a server.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    methods: HashMap<String, Arc<CallMetrics>>,
    /// Calls to methods that do not exist: one row, so that callers cannot add rows.
    unknown: Arc<CallMetrics>,
    store_available: Gauge,
    pools: PoolGauges,
    nodes: Family<PoolLabels, Counter>,
    stored_games: Gauge,
    connections: Gauge,
}

/// The metrics of one method.
#[derive(Debug)]
pub(crate) struct CallMetrics {
    started: Counter,
    handled: [Counter; CODES.len()],
    seconds: Histogram,
}

impl CallMetrics {
    pub(crate) fn started(&self) {
        self.started.inc();
    }

    pub(crate) fn handled(&self, code: Code, time: Duration) {
        if let Some(counter) = usize::try_from(i32::from(code))
            .ok()
            .and_then(|code| self.handled.get(code))
        {
            counter.inc();
        }
        self.seconds.observe(time.as_secs_f64());
    }
}

struct CallFamilies {
    started: Family<MethodLabels, Counter>,
    handled: Family<HandledLabels, Counter>,
    seconds: Family<MethodLabels, Histogram, fn() -> Histogram>,
}

impl Metrics {
    /// The metrics of a server of these services, all at zero, and of its Redis.
    #[must_use]
    pub fn new(descriptor_sets: &[&[u8]], redis_times: &RedisTimes) -> Self {
        let mut registry = Registry::default();
        redis_times.register(&mut registry);
        let families = CallFamilies::register(&mut registry);
        let mut methods = HashMap::new();
        for set in descriptor_sets {
            let set =
                FileDescriptorSet::decode(*set).expect("invariant: the build made the descriptors");
            for file in &set.file {
                for service in &file.service {
                    let service_name = format!("{}.{}", file.package(), service.name());
                    for method in &service.method {
                        let path = format!("/{service_name}/{}", method.name());
                        let labels = MethodLabels {
                            grpc_type: call_type(method),
                            grpc_service: service_name.clone(),
                            grpc_method: method.name().to_owned(),
                        };
                        methods.insert(path, Arc::new(families.metrics(&labels)));
                    }
                }
            }
        }
        let unknown = Arc::new(families.metrics(&MethodLabels {
            grpc_type: CallType::unary,
            grpc_service: "unknown".to_owned(),
            grpc_method: "unknown".to_owned(),
        }));
        let mut gauge = |name: &str, help: &str| {
            let gauge = Gauge::default();
            registry.register(name, help, gauge.clone());
            gauge
        };
        let store_available = gauge(
            "reversi_store_available",
            "Whether the store of games can be reached (1) or not (0)",
        );
        let connections = gauge("reversi_connections", "Open client connections");
        let stored_games = gauge(
            "reversi_stored_games",
            "Games in the store, those that are over included, as counted within the last minute",
        );
        let pools = PoolGauges::register(&mut registry);
        let nodes = Family::default();
        registry.register(
            "reversi_search_nodes",
            "Boards visited in searches that have ended, by pool",
            nodes.clone(),
        );
        let version = [("version", env!("CARGO_PKG_VERSION"))];
        registry.register("reversi_build", "What runs here", Info::new(version));
        registry.register_collector(Box::new(Process::new()));
        Self {
            registry,
            methods,
            unknown,
            store_available,
            pools,
            nodes,
            stored_games,
            connections,
        }
    }

    /// The metrics of the method with this path.
    pub(crate) fn method(&self, path: &str) -> Arc<CallMetrics> {
        Arc::clone(self.methods.get(path).unwrap_or(&self.unknown))
    }

    pub(crate) fn set_store_available(&self, available: bool) {
        self.store_available.set(available.into());
    }

    pub(crate) fn set_pool(&self, pool: &'static str, used: PoolUse) {
        let labels = PoolLabels { pool };
        for (gauges, count) in [
            (&self.pools.threads, used.threads),
            (&self.pools.running, used.running),
            (&self.pools.queue, used.queue),
            (&self.pools.queued, used.queued),
        ] {
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            gauges.get_or_create(&labels).set(count);
        }
    }

    /// `visited` is how many since the server started.
    pub(crate) fn set_nodes(&self, pool: &'static str, visited: u64) {
        let counter = self.nodes.get_or_create(&PoolLabels { pool });
        counter.inner().store(visited, Ordering::Relaxed);
    }

    pub(crate) fn set_stored_games(&self, games: u64) {
        self.stored_games
            .set(i64::try_from(games).unwrap_or(i64::MAX));
    }

    pub(crate) const fn connections(&self) -> &Gauge {
        &self.connections
    }

    /// All metrics in the older text format of Prometheus.
    #[must_use]
    pub fn encode_classic(&self) -> String {
        text::classic(&self.encode())
    }

    /// All metrics in the text format of OpenMetrics.
    #[must_use]
    pub fn encode(&self) -> String {
        let mut text = String::new();
        encode(&mut text, &self.registry).expect("invariant: writing to a string cannot fail");
        text
    }
}

impl PoolGauges {
    fn register(registry: &mut Registry) -> Self {
        let mut by_pool = |name: &str, help: &str| {
            let gauges = Family::default();
            registry.register(name, help, gauges.clone());
            gauges
        };
        Self {
            threads: by_pool("reversi_compute_threads", "Threads, by pool"),
            running: by_pool("reversi_compute_running_jobs", "Jobs that run, by pool"),
            queue: by_pool(
                "reversi_compute_queue_limit",
                "Jobs that may wait for a thread, by pool",
            ),
            queued: by_pool(
                "reversi_compute_queued_jobs",
                "Jobs that wait for a thread, by pool",
            ),
        }
    }
}

impl CallFamilies {
    fn register(registry: &mut Registry) -> Self {
        let new_histogram: fn() -> Histogram = || Histogram::new(SECONDS);
        let families = Self {
            started: Family::default(),
            handled: Family::default(),
            seconds: Family::new_with_constructor(new_histogram),
        };
        registry.register(
            "grpc_server_started",
            "Calls that began on the server",
            families.started.clone(),
        );
        registry.register(
            "grpc_server_handled",
            "Calls that ended on the server, by their code",
            families.handled.clone(),
        );
        registry.register(
            "grpc_server_handling_seconds",
            "Time from the arrival of a call to its end in seconds",
            families.seconds.clone(),
        );
        families
    }

    fn metrics(&self, labels: &MethodLabels) -> CallMetrics {
        let handled = CODES.map(|grpc_code| {
            self.handled
                .get_or_create(&HandledLabels {
                    grpc_type: labels.grpc_type,
                    grpc_service: labels.grpc_service.clone(),
                    grpc_method: labels.grpc_method.clone(),
                    grpc_code,
                })
                .clone()
        });
        CallMetrics {
            started: self.started.get_or_create(labels).clone(),
            handled,
            seconds: self.seconds.get_or_create(labels).clone(),
        }
    }
}

fn call_type(method: &MethodDescriptorProto) -> CallType {
    match (method.client_streaming(), method.server_streaming()) {
        (false, false) => CallType::unary,
        (false, true) => CallType::server_stream,
        (true, false) => CallType::client_stream,
        (true, true) => CallType::bidi_stream,
    }
}
