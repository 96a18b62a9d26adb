//! grpc.health.v1, on both ports.

use reversi_service::app::Drained;
use tonic::transport::Channel;
use tonic::{Code, Status};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

use crate::client::{connect, soon};
use crate::server::Api;

const SERVICES: [&str; 7] = [
    "",
    "readiness",
    "liveness",
    "reversi.v1.RulesService",
    "reversi.v1.GameService",
    "reversi.v1.AnalysisService",
    "reversi.v1.OpeningService",
];

fn request(service: &str) -> HealthCheckRequest {
    HealthCheckRequest {
        service: service.to_owned(),
    }
}

async fn check(channel: &Channel, service: &str) -> Result<HealthCheckResponse, Status> {
    let response = HealthClient::new(channel.clone())
        .check(request(service))
        .await?;
    Ok(response.into_inner())
}

#[tokio::test]
async fn every_service_is_serving_on_both_ports() {
    let api = Api::start().await;
    let admin = connect(&api.server.admin_endpoint());
    for channel in [&api.channel, &admin] {
        for service in SERVICES {
            let health = check(channel, service).await.unwrap();
            assert_eq!(health.status(), ServingStatus::Serving, "{service}");
        }
        let unknown = check(channel, "reversi.v1.ChessService").await;
        assert_eq!(unknown.unwrap_err().code(), Code::NotFound);
    }
}

#[tokio::test]
async fn a_health_watch_is_told_of_the_stop_and_does_not_hold_it_up() {
    let mut api = Api::start_with(&["--shutdown-grace", "1h"]).await;
    let mut watches = Vec::new();
    for service in ["", "reversi.v1.GameService"] {
        let mut client = HealthClient::new(api.channel.clone());
        let mut watch = client.watch(request(service)).await.unwrap().into_inner();
        let first = soon(watch.message()).await.unwrap().unwrap();
        assert_eq!(first.status(), ServingStatus::Serving);
        watches.push(watch);
    }
    api.server.begin_stop();
    for watch in &mut watches {
        let next = soon(watch.message()).await.unwrap().unwrap();
        assert_eq!(next.status(), ServingStatus::NotServing);
    }
    // Held: the server ends them.
    assert_eq!(soon(api.server.stop()).await, Drained::Completely);
    drop(watches);
}
