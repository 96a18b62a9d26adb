//! What comes out of a run.

use boon::{Compiler, Schemas};
use reversi_service::testing::TestServer;
use serde_json::Value;

use super::support::{loadtest, number, run};

const SHORT: &str = "--duration=300ms";

#[tokio::test]
async fn a_report_keeps_to_the_published_schema() {
    let server = TestServer::start().await;
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/schema/report.v1.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    let mut schemas = Schemas::new();
    let mut compiler = Compiler::new();
    compiler.add_resource("report.json", schema).unwrap();
    let schema = compiler.compile("report.json", &mut schemas).unwrap();
    for more in [
        &[SHORT][..],
        &[SHORT, "--rate=100"],
        &[SHORT, "--threshold=p99<1h"],
    ] {
        let (done, report) = run(&server.endpoint(), "mixed", more).await;
        done.expect(0);
        if let Err(error) = schemas.validate(&report, schema) {
            panic!("{error}");
        }
        assert_eq!(report["environment"]["server"]["store"], "memory");
    }
}

#[tokio::test]
async fn page_and_metrics_are_written() {
    let server = TestServer::start().await;
    let directory = tempfile::tempdir().unwrap();
    let (page, metrics) = (
        directory.path().join("a.html"),
        directory.path().join("a.prom"),
    );
    let more = [
        SHORT,
        "--html",
        page.to_str().unwrap(),
        "--prometheus",
        metrics.to_str().unwrap(),
    ];
    run(&server.endpoint(), "legal-moves", &more)
        .await
        .0
        .expect(0);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("<svg"));
    let metrics = std::fs::read_to_string(metrics).unwrap();
    assert!(metrics.contains("reversi_loadtest_calls{method=\"ListLegalMoves\",result=\"ok\"}"));
}

#[tokio::test]
async fn thresholds_decide_the_exit_code() {
    let server = TestServer::start().await;
    let holding = [SHORT, "--threshold=p99<1h", "--threshold=error_rate<0.1%"];
    run(&server.endpoint(), "legal-moves", &holding)
        .await
        .0
        .expect(0);
    let broken = [SHORT, "--threshold=p99<1h", "--threshold=rate>100000000"];
    let (done, report) = run(&server.endpoint(), "legal-moves", &broken).await;
    let done = done.expect(1);
    assert!(done.out.contains("BROKEN  rate>100000000"), "{}", done.out);
    assert!(
        done.err.contains("1 of 2 thresholds are broken"),
        "{}",
        done.err
    );
    assert_eq!(report["thresholds"][0]["holds"], true);
}

#[tokio::test]
async fn failed_calls_are_told_by_code_and_reason() {
    // One game at a time: the others are refused.
    let server = TestServer::start_with(&["--max-games", "1"]).await;
    let (done, report) = run(&server.endpoint(), "play", &[SHORT, "--think=5ms"]).await;
    done.expect(0);
    let refused = report["errors"].as_array().unwrap().iter();
    let mut reasons = refused.map(|error| (error["code"].as_str(), error["reason"].as_str()));
    let expected = (Some("RESOURCE_EXHAUSTED"), Some("TOO_MANY_GAMES"));
    assert!(reasons.any(|reason| reason == expected), "{report:#}");
}

#[tokio::test]
async fn a_run_in_which_no_call_succeeds_is_a_failure() {
    let server = TestServer::start().await;
    // The service has no echo.
    let (done, report) = run(&server.endpoint(), "echo", &[SHORT]).await;
    let done = done.expect(1);
    assert!(done.err.contains("no call succeeded"), "{}", done.err);
    assert_eq!(report["errors"][0]["code"], "UNIMPLEMENTED");
    assert!((number(&report, "/totals/error_rate") - 1.0).abs() < 1e-9);
}

#[tokio::test]
async fn a_file_that_cannot_be_written_is_told_before_the_run() {
    let done = loadtest(&["run", "legal-moves", "--json", "/no/such/directory/a.json"]).await;
    let done = done.expect(1);
    assert!(
        done.err.contains("/no/such/directory/a.json"),
        "{}",
        done.err
    );
}
