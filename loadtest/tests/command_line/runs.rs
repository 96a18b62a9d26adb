//! Workloads and load models.

use reversi_proto::v1::game_service_client::GameServiceClient;
use reversi_proto::v1::{Game, ListGamesRequest};
use reversi_service::testing::TestServer;
use tonic::transport::Endpoint;

use super::redis_server::RedisServer;
use super::support::{loadtest, number, run};

/// The games that a server has.
async fn games(server: &TestServer) -> Vec<Game> {
    let endpoint = Endpoint::from_shared(server.endpoint()).unwrap();
    let channel = endpoint.connect().await.unwrap();
    let mut client = GameServiceClient::new(channel);
    let answer = client.list_games(ListGamesRequest::default()).await;
    answer.unwrap().into_inner().games
}

const SHORT: &str = "--duration=1s";

#[tokio::test]
async fn every_workload_gets_right_answers() {
    let server = TestServer::start().await;
    for (workload, more) in [
        ("legal-moves", &["--positions=start", "--view=mask"][..]),
        ("legal-moves", &["--positions=midgame"]),
        ("batch", &["--batch-size=1000"]),
        ("stream", &["--batch-size=10", "--streams=2"]),
        ("play", &[]),
        ("suggest", &["--suggest-depth=1"]),
        ("watch", &["--watchers=2"]),
        (
            "mixed",
            &["--weights=legal-moves=5,play=3,batch=1,stream=1,watch=1,suggest=1"],
        ),
    ] {
        let mut arguments = vec![SHORT];
        arguments.extend(more);
        let (done, report) = run(&server.endpoint(), workload, &arguments).await;
        done.expect(0);
        assert!(
            number(&report, "/totals/ok") > 0.0,
            "{workload}: {report:#}"
        );
        assert!(
            number(&report, "/totals/errors") < 1.0,
            "{workload}: {report:#}"
        );
    }
}

#[tokio::test]
async fn games_in_redis_are_played_and_watched() {
    let Some(redis) = RedisServer::start() else {
        return;
    };
    let server = TestServer::start_with(&["--store", &redis.url()]).await;
    for workload in ["play", "mixed", "watch"] {
        let (done, report) = run(&server.endpoint(), workload, &[SHORT]).await;
        done.expect(0);
        assert_eq!(
            report["environment"]["server"]["store"], "redis",
            "{report:#}"
        );
        assert!(number(&report, "/totals/ok") > 0.0, "{report:#}");
        assert!(number(&report, "/totals/errors") < 1.0, "{report:#}");
    }
}

#[tokio::test]
async fn messages_of_open_streams_are_not_limited_by_streams() {
    let server = TestServer::start().await;
    let endpoint = server.endpoint();
    let with = async |streams| {
        let arguments = [
            "run",
            "stream",
            "--endpoint",
            &endpoint,
            SHORT,
            "--warm-up=0s",
            "--connections=1",
            "--in-flight=2000",
            "--batch-size=1",
            streams,
        ];
        loadtest(&arguments).await
    };
    // The server allows 1,024 streams, of which one is left unused.
    let done = with("--streams=1000").await.expect(0);
    assert!(!done.out.contains("allows no more"), "{}", done.out);
    let done = with("--streams=1024").await.expect(1);
    assert!(done.err.contains("fewer streams"), "{}", done.err);
}

#[tokio::test]
async fn a_game_is_created_played_and_deleted() {
    let server = TestServer::start().await;
    let (done, report) = run(&server.endpoint(), "play", &["--duration=1s"]).await;
    done.expect(0);
    let names = report["methods"].as_array().unwrap().iter();
    let names: Vec<_> = names
        .map(|method| method["method"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"PlayMove"), "{names:?}");
    let left = games(&server).await;
    assert_eq!(left, []);
}

#[tokio::test]
async fn games_can_be_kept() {
    let server = TestServer::start().await;
    let transcripts = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(transcripts.path(), "# two moves a game\nf5d6\n\nF5 f6\n").unwrap();
    let file = transcripts.path().to_str().unwrap();
    let more = [SHORT, "--keep-games", "--transcripts", file];
    let (done, _) = run(&server.endpoint(), "play", &more).await;
    done.expect(0);
    let left = games(&server).await;
    assert!(left.iter().any(|game| game.ply == 2));
}

#[tokio::test]
async fn more_sessions_than_calls_in_flight_take_turns() {
    let server = TestServer::start().await;
    let more = [SHORT, "--sessions=21", "--think=20ms"];
    let (done, report) = run(&server.endpoint(), "play", &more).await;
    done.expect(0);
    assert!((number(&report, "/setup/lanes") - 21.0).abs() < 0.1);
}

#[tokio::test]
async fn an_open_load_is_due_as_asked_for() {
    let server = TestServer::start().await;
    for (rate, due) in [
        ("200", 100.0),
        ("100..300", 100.0),
        ("100:250ms,300:250ms", 100.0),
    ] {
        let duration = if rate.contains(':') {
            &[][..]
        } else {
            &["--duration=500ms"]
        };
        let mut more = vec!["--rate", rate];
        more.extend(duration);
        let (done, report) = run(&server.endpoint(), "legal-moves", &more).await;
        done.expect(0);
        assert!(
            (number(&report, "/totals/due") - due).abs() < 1.5,
            "{rate}: {report:#}"
        );
        let sent = number(&report, "/totals/calls") + number(&report, "/totals/unsent");
        assert!(
            (sent - number(&report, "/totals/due")).abs() < 0.5,
            "{rate}: {report:#}"
        );
        assert!(report["latency"]["from_due"].is_object());
    }
}

#[tokio::test]
async fn connections_are_spread_over_endpoints_and_threads() {
    let (one, other) = (TestServer::start().await, TestServer::start().await);
    let endpoints = format!("{},{}", one.endpoint(), other.endpoint());
    let more = [SHORT, "--threads=2", "--arrivals=poisson", "--rate=500"];
    let (done, report) = run(&endpoints, "legal-moves", &more).await;
    done.expect(0);
    assert_eq!(report["setup"]["endpoints"].as_array().unwrap().len(), 2);
    assert_eq!(report["generator"]["threads"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn the_highest_rate_is_searched() {
    let server = TestServer::start().await;
    let more = [
        "--find-max",
        "--slo=p50<1h",
        "--rate=50",
        "--probe=50ms",
        "--duration=100ms",
    ];
    let (done, report) = run(&server.endpoint(), "legal-moves", &more).await;
    done.expect(0);
    assert!(number(&report, "/search/highest_rate") >= 25.0);
    assert!(report["search"]["probes"].as_array().unwrap().len() > 2);
}

#[tokio::test]
async fn a_rate_that_cannot_hold_is_not_found() {
    let server = TestServer::start().await;
    let more = [
        "--find-max",
        "--slo=p50<1ns",
        "--rate=8",
        "--probe=20ms",
        "--duration=100ms",
    ];
    let (done, report) = run(&server.endpoint(), "legal-moves", &more).await;
    let done = done.expect(1);
    assert!(done.err.contains("no rate tried holds"), "{}", done.err);
    assert!(report["search"]["highest_rate"].is_null());
}
