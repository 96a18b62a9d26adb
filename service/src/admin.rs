//! The admin port: probes and metrics over plain HTTP, and the gRPC health service for probes
//! that speak it.

mod stored_games;

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;

pub(crate) use self::stored_games::StoredGames;
use crate::compute::ComputePool;
use crate::engines::Engines;
use crate::health::HealthService;
use crate::metrics::{Metrics, PoolUse};

/// The media type of OpenMetrics text.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The media type of the older text of Prometheus.
const CLASSIC: &str = "text/plain; version=0.0.4; charset=utf-8";

/// What the admin port shows.
#[derive(Clone, Debug)]
pub(crate) struct Admin {
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) suggesting: Arc<Engines>,
    pub(crate) analysing: Arc<Engines>,
    pub(crate) counting: Arc<ComputePool>,
    pub(crate) stored_games: StoredGames,
    /// Cancelled when the server stops: it is not ready then.
    pub(crate) stopping: CancellationToken,
}

impl Admin {
    /// The routes of the admin port.
    pub(crate) fn router(self, health: HealthService) -> Router {
        let http = Router::new()
            .route("/livez", get(|| async { "ok\n" }))
            .route("/readyz", get(ready))
            .route("/metrics", get(metrics))
            .with_state(self);
        Routes::new(health)
            .into_axum_router()
            .merge(http)
            .fallback(|| async { StatusCode::NOT_FOUND })
    }
}

async fn ready(State(admin): State<Admin>) -> impl IntoResponse {
    if admin.stopping.is_cancelled() {
        (StatusCode::SERVICE_UNAVAILABLE, "stopping\n")
    } else {
        (StatusCode::OK, "ok\n")
    }
}

async fn metrics(State(admin): State<Admin>, headers: HeaderMap) -> impl IntoResponse {
    for (name, engines) in [
        ("search", &admin.suggesting),
        ("analysis", &admin.analysing),
    ] {
        admin.metrics.set_nodes(name, engines.nodes());
    }
    if let Some(games) = admin.stored_games.get().await {
        admin.metrics.set_stored_games(games);
    }
    for (name, pool) in [
        ("search", admin.suggesting.pool()),
        ("analysis", admin.analysing.pool()),
        ("counting", &*admin.counting),
    ] {
        let used = PoolUse {
            threads: pool.threads(),
            running: pool.running(),
            queue: pool.capacity(),
            queued: pool.queued(),
        };
        admin.metrics.set_pool(name, used);
    }
    let (content_type, text) = if takes_open_metrics(&headers) {
        (OPEN_METRICS, admin.metrics.encode())
    } else {
        (CLASSIC, admin.metrics.encode_classic())
    };
    ([(header::CONTENT_TYPE, content_type)], text)
}

/// Whether the caller says that it reads OpenMetrics, as Prometheus does.
fn takes_open_metrics(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter();
    accepted
        .filter_map(|accepted| accepted.to_str().ok())
        .any(|accepted| accepted.contains("application/openmetrics-text"))
}
