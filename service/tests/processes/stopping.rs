//! A server that is told to stop.

use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

use reversi_proto::v1::rules_service_client::RulesServiceClient;
use reversi_proto::v1::suggest_move_request::Subject;
use reversi_proto::v1::{self, ErrorReason};
use tonic::{Code, Response, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::client::{connect, soon, until};
use crate::failure::assert_fails;
use crate::process::Process;

type Suggestion = tokio::task::JoinHandle<Result<Response<v1::SuggestMoveResponse>, Status>>;

/// A suggestion that takes this long, and has begun.
async fn suggestion(process: &Process, time: Duration) -> Suggestion {
    let request = v1::SuggestMoveRequest {
        subject: Some(Subject::Line(v1::Line::default())),
        budget: Some(v1::Budget {
            time: Some(time.try_into().unwrap()),
            ..Default::default()
        }),
        no_book: true,
        ..Default::default()
    };
    let mut client = process.analysis();
    let call = tokio::spawn(async move { client.suggest_move(request).await });
    until(async || process.counts().await.started("SuggestMove") == 1.0).await;
    call
}

#[tokio::test]
async fn calls_under_way_end_and_watches_are_sent_away() {
    for signal in ["-TERM", "-INT"] {
        let mut process = Process::start(&[]).await;
        let game = process.game().await;
        let mut watch = process.watch(&game.name, "").await;
        watch.snapshot().await;
        let call = suggestion(&process, Duration::from_secs(1)).await;
        process.signal(signal);
        let ended = watch.try_next().await;
        assert_fails(ended, Code::Unavailable, ErrorReason::ShuttingDown);
        let found = soon(call).await.unwrap().unwrap().into_inner();
        assert!(found.r#move.is_some(), "{signal}");
        assert_eq!(process.ended().await.code(), Some(0), "{signal}");
        until(async || process.lines("stopping").len() == 1).await;
        until(async || process.lines("stopped").len() == 1).await;
    }
}

#[tokio::test]
async fn a_stopping_server_is_alive_but_not_ready() {
    let process = Process::start(&[]).await;
    let admin = connect(process.admin_endpoint());
    let health = async |service: &str| {
        let request = HealthCheckRequest {
            service: service.to_owned(),
        };
        let response = HealthClient::new(admin.clone()).check(request).await;
        response.unwrap().into_inner().status()
    };
    assert_eq!(health("readiness").await, ServingStatus::Serving);
    let call = suggestion(&process, Duration::from_secs(3)).await;
    process.signal("-TERM");
    until(async || process.probe("/readyz").await == 503).await;
    assert_eq!(process.probe("/livez").await, 200);
    for service in [
        "",
        "readiness",
        "reversi.v1.RulesService",
        "reversi.v1.GameService",
    ] {
        assert_eq!(
            health(service).await,
            ServingStatus::NotServing,
            "{service}"
        );
    }
    assert_eq!(health("liveness").await, ServingStatus::Serving);
    // Nobody new is let in.
    until(async || TcpStream::connect(process.address()).is_err()).await;
    assert!(soon(call).await.unwrap().is_ok());
}

#[tokio::test]
async fn clients_that_are_only_connected_do_not_hold_up_the_stop() {
    let mut process = Process::start(&["--shutdown-grace", "1h"]).await;
    let silent = TcpStream::connect(process.address()).unwrap();
    let idle = connect(&format!("http://{}", process.address()));
    let mut rules = RulesServiceClient::new(idle);
    rules
        .get_server_info(v1::GetServerInfoRequest {})
        .await
        .unwrap();
    assert_eq!(process.stop().await, Some(0));
    until(async || process.lines("stopped").len() == 1).await;
    drop((silent, rules));
}

#[tokio::test]
async fn the_grace_period_is_the_longest_that_a_stop_takes() {
    let mut process = Process::start(&["--shutdown-grace", "300ms"]).await;
    let call = suggestion(&process, Duration::from_secs(60)).await;
    let begun = Instant::now();
    process.signal("-TERM");
    assert_eq!(process.ended().await.code(), Some(0));
    assert!(
        begun.elapsed() < Duration::from_secs(10),
        "{:?}",
        begun.elapsed()
    );
    until(async || process.lines("stopped, and cut calls off").len() == 1).await;
    assert!(soon(call).await.unwrap().is_err());
}

#[tokio::test]
async fn a_second_signal_ends_the_wait() {
    let mut process = Process::start(&["--shutdown-grace", "1h"]).await;
    let _call = suggestion(&process, Duration::from_secs(60)).await;
    process.signal("-TERM");
    process.logged("stopping").await;
    process.signal("-TERM");
    assert_eq!(process.ended().await.code(), Some(1));
}

/// Whoever reads the log may go away or stop reading: the server goes on.
#[tokio::test]
async fn a_log_that_nobody_reads_does_not_matter() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reversi-service"));
    command.args([
        "--admin",
        "off",
        "--log",
        "trace",
        "--listen",
        "127.0.0.1:0",
    ]);
    let mut process = Process::start_command_unread(command).await;
    for _ in 0..200 {
        process.play(&process.game().await, "f5").await;
    }
    process.signal("-TERM");
    assert_eq!(process.ended().await.code(), Some(0));
}
