//! Comparing two runs.

use std::path::Path;

use reversi_service::testing::TestServer;

use super::support::{loadtest, report};

/// The report of a real run, and the same with a longer p99.
async fn reports(directory: &Path) -> (String, String) {
    let server = TestServer::start().await;
    let path = |name: &str| directory.join(name).to_str().unwrap().to_owned();
    let (before, after) = (path("before.json"), path("after.json"));
    let endpoint = server.endpoint();
    let arguments = [
        "run",
        "legal-moves",
        "--endpoint",
        &endpoint,
        "--duration=500ms",
        "--warm-up=100ms",
        "--json",
        &before,
    ];
    loadtest(&arguments).await.expect(0);
    // The figures of a real run scatter as they like.
    let mut report = report(Path::new(&before));
    for (file, p99) in [(&before, 1.0), (&after, 2.0)] {
        let intervals = report["timeline"]["intervals"].as_array_mut();
        intervals
            .unwrap()
            .iter_mut()
            .for_each(|interval| interval["p99_ms"] = p99.into());
        let percentiles = report["latency"]["from_sent"]["percentiles"].as_array_mut();
        for entry in percentiles.unwrap() {
            if entry["percentile"] == 99.0 {
                entry["ms"] = p99.into();
            }
        }
        std::fs::write(file, report.to_string()).unwrap();
    }
    (before, after)
}

#[tokio::test]
async fn the_exit_code_says_whether_the_second_run_is_worse() {
    let directory = tempfile::tempdir().unwrap();
    let (before, after) = reports(directory.path()).await;
    let same = loadtest(&["compare", &before, &before]).await.expect(0);
    assert!(same.out.contains("no change that matters"), "{}", same.out);
    let worse = loadtest(&["compare", &before, &after]).await.expect(1);
    assert!(worse.err.contains("worse: p99"), "{}", worse.err);
}

#[tokio::test]
async fn runs_of_different_things_are_compared_only_when_asked_to() {
    let directory = tempfile::tempdir().unwrap();
    let (before, after) = reports(directory.path()).await;
    let mut other = report(Path::new(&before));
    other["setup"]["workload"] = "play".into();
    std::fs::write(&after, other.to_string()).unwrap();
    let refused = loadtest(&["compare", &before, &after]).await.expect(2);
    assert!(
        refused.err.contains("measured differently: workload"),
        "{}",
        refused.err
    );
    loadtest(&["compare", &before, &after, "--anyway"])
        .await
        .expect(0);
}
