//! Health, as grpc.health.v1 tells it.
//!
//! | service | serving |
//! |---|---|
//! | (empty), `readiness`, RulesService, AnalysisService, OpeningService | until the server stops |
//! | GameService | while the store can be reached |
//! | `liveness` | always |

use std::sync::Arc;

use reversi_proto::v1;
use tokio::sync::watch;
use tonic::server::NamedService;
use tonic_health::ServingStatus;
use tonic_health::pb::health_server::HealthServer;
use tonic_health::server::HealthReporter;

use crate::metrics::Metrics;
use crate::store::Availability;

/// The gRPC health service.
pub(crate) type HealthService = HealthServer<tonic_health::server::HealthService>;

const GAMES: &str = <v1::game_service_server::GameServiceServer<()> as NamedService>::NAME;
const STATELESS: [&str; 5] = [
    "",
    "readiness",
    <v1::rules_service_server::RulesServiceServer<()> as NamedService>::NAME,
    <v1::analysis_service_server::AnalysisServiceServer<()> as NamedService>::NAME,
    <v1::opening_service_server::OpeningServiceServer<()> as NamedService>::NAME,
];
const LIVENESS: &str = "liveness";

/// Tells the health service how the server is.
#[derive(Clone, Debug)]
pub(crate) struct Health {
    reporter: HealthReporter,
    metrics: Arc<Metrics>,
}

impl Health {
    /// The health of a server whose store can be reached.
    pub(crate) async fn start(metrics: Arc<Metrics>) -> (Self, HealthService) {
        let reporter = HealthReporter::new();
        let service = tonic_health::server::HealthService::from_health_reporter(reporter.clone());
        for name in STATELESS.into_iter().chain([GAMES, LIVENESS]) {
            reporter
                .set_service_status(name, ServingStatus::Serving)
                .await;
        }
        metrics.set_store_available(true);
        (Self { reporter, metrics }, HealthServer::new(service))
    }

    /// Follows the store for as long as it lives.
    pub(crate) async fn follow(self, mut store: watch::Receiver<Availability>) {
        loop {
            let now = *store.borrow_and_update();
            let status = match now {
                Availability::Available => ServingStatus::Serving,
                Availability::Unavailable => ServingStatus::NotServing,
            };
            self.metrics
                .set_store_available(now == Availability::Available);
            self.reporter.set_service_status(GAMES, status).await;
            if store.changed().await.is_err() {
                return;
            }
            match *store.borrow() {
                Availability::Available => tracing::info!("the store can be reached again"),
                Availability::Unavailable => tracing::warn!("the store cannot be reached"),
            }
        }
    }

    /// Says that the server takes no more calls.
    pub(crate) async fn stop(&self) {
        for name in STATELESS.into_iter().chain([GAMES]) {
            self.reporter
                .set_service_status(name, ServingStatus::NotServing)
                .await;
        }
    }
}
