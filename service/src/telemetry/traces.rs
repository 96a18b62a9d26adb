//! Traces: a span for each call, children for what it asked of Redis and of the engine, sent by
//! OTLP.
//!
//! The spans are `tracing` spans of a target of their own, so that they cost next to nothing where
//! nobody wants them: then no layer is interested in them, and they are never made.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::{HeaderMap, Uri};
use opentelemetry::propagation::{Extractor, TextMapPropagator};
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider, SpanData, SpanExporter as Sending};
use tokio::runtime::{self, Runtime};
use tonic::Code;
use tracing::{Span, Subscriber, field};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::registry::LookupSpan;

use crate::config::ConfigError;

/// The target of the spans.
const TARGET: &str = "reversi::trace";
/// What keeps them out of the log.
pub(super) const SILENT: &str = "reversi::trace=off";
/// What the service is called.
const NAME: &str = "reversi-service";

/// Sends traces until it is dropped; then what is left is sent.
pub(super) struct Traces {
    provider: SdkTracerProvider,
    /// What sends: threads of its own, so that the end does not wait for itself.
    sending: Option<Runtime>,
}

impl Traces {
    /// Sends to this endpoint. It need not be there: what cannot be sent is dropped,
    /// and the log says so once.
    pub(super) fn start(endpoint: &str, share: f64) -> Result<Self, ConfigError> {
        let error = |why: String| ConfigError::Traces {
            endpoint: endpoint.to_owned(),
            why,
        };
        let uri: Result<Uri, _> = endpoint.parse();
        if !uri.is_ok_and(|uri| uri.scheme().is_some() && uri.host().is_some()) {
            return Err(error("expected a URL such as http://collector:4317".into()));
        }
        let sending = runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("otlp")
            .enable_all()
            .build()
            .map_err(|why| error(why.to_string()))?;
        let within = sending.enter();
        let exporter = SpanExporter::builder()
            .with_tonic()
            .with_endpoint(endpoint)
            .build()
            .map_err(|why| error(why.to_string()))?;
        let sampler = Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(share)));
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(Told {
                exporter,
                endpoint: endpoint.to_owned(),
                failing: AtomicBool::new(false),
            })
            .with_sampler(sampler)
            .with_resource(Resource::builder().with_service_name(NAME).build())
            .build();
        drop(within);
        Ok(Self {
            provider,
            sending: Some(sending),
        })
    }

    /// What makes spans traces.
    pub(super) fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let wanted = Targets::new().with_target(TARGET, LevelFilter::TRACE);
        tracing_opentelemetry::layer()
            .with_tracer(self.provider.tracer(NAME))
            .with_location(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            .with_filter(wanted)
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        // Nobody is left to tell if the last spans cannot be sent.
        let _ = self.provider.shutdown();
        if let Some(sending) = self.sending.take() {
            sending.shutdown_background();
        }
    }
}

/// Sends, and tells the log when that begins to fail and when it does no more.
#[derive(Debug)]
struct Told<T> {
    exporter: T,
    endpoint: String,
    failing: AtomicBool,
}

impl<T: Sending> Sending for Told<T> {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let sent = self.exporter.export(batch).await;
        let failed_before = self.failing.swap(sent.is_err(), Ordering::Relaxed);
        let endpoint = &self.endpoint;
        match &sent {
            Err(reason) if !failed_before => {
                tracing::warn!(endpoint, %reason, "traces are lost");
            }
            Ok(()) if failed_before => tracing::info!(endpoint, "traces are sent again"),
            Ok(()) | Err(_) => {}
        }
        sent
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.exporter.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}

impl fmt::Debug for Traces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Traces").finish_non_exhaustive()
    }
}

/// The span of a call, whose parent is what the caller says by the W3C trace context.
pub(crate) fn of_call(path: &str, headers: &HeaderMap) -> Span {
    let name = path.strip_prefix('/').unwrap_or(path);
    let span = tracing::trace_span!(
        target: TARGET,
        "rpc",
        otel.name = name,
        otel.kind = "server",
        otel.status_code = field::Empty,
        rpc.system = "grpc",
        rpc.service = field::Empty,
        rpc.method = field::Empty,
        rpc.grpc.status_code = field::Empty,
    );
    if !span.is_disabled() {
        if let Some((service, method)) = name.split_once('/') {
            span.record("rpc.service", service);
            span.record("rpc.method", method);
        }
        let parent = TraceContextPropagator::new().extract(&Headers(headers));
        // A span that has begun already keeps the parent that it has.
        let _ = span.set_parent(parent);
    }
    span
}

/// Says how a call has ended.
pub(crate) fn ended(span: &Span, code: Code) {
    if span.is_disabled() {
        return;
    }
    span.record("rpc.grpc.status_code", i64::from(i32::from(code)));
    // What OpenTelemetry takes for a fault of the server.
    let is_fault = matches!(
        code,
        Code::Unknown
            | Code::DeadlineExceeded
            | Code::Unimplemented
            | Code::Internal
            | Code::Unavailable
            | Code::DataLoss
    );
    if is_fault {
        span.record("otel.status_code", "ERROR");
    }
}

/// The span of something asked of Redis.
pub(crate) fn of_redis(operation: &str) -> Span {
    tracing::trace_span!(
        target: TARGET,
        "redis",
        otel.name = operation,
        otel.kind = "client",
        db.system.name = "redis",
        db.operation.name = operation,
    )
}

/// The span of a job of the engine, from the moment it begins.
pub(crate) fn of_job(parent: &Span) -> Span {
    tracing::trace_span!(target: TARGET, parent: parent, "compute")
}

struct Headers<'a>(&'a HeaderMap);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(|value| value.to_str().ok())
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(http::HeaderName::as_str).collect()
    }
}
