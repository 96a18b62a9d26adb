//! Commands that start what they measure.

use reversi_service::testing::TestServer;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpListener;

use super::support::{end, loadtest, run, start};

#[tokio::test]
async fn perft_counts_as_json() {
    let done = loadtest(&["perft", "--depth", "5", "--json"])
        .await
        .expect(0);
    let counts: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(counts, json!({"nodes": [4, 12, 56, 244, 1396]}));
}

#[tokio::test]
async fn threads_and_merging_count_the_same() {
    for convention in ["pass-is-ply", "drop-finished", "pass-is-free"] {
        let arguments = ["perft", "--depth=7", "--json", "--convention", convention];
        let plain = loadtest(&arguments).await.expect(0);
        for more in [
            &["--threads=2"][..],
            &["--hash"],
            &["--threads=2", "--hash=1"],
        ] {
            let arguments = [&arguments, more].concat();
            assert_eq!(
                loadtest(&arguments).await.expect(0).out,
                plain.out,
                "{more:?}"
            );
        }
    }
}

#[tokio::test]
async fn the_engine_is_measured_in_process() {
    let done = loadtest(&["local", "--threads=1", "--duration=1ms"])
        .await
        .expect(0);
    assert!(
        done.out.contains("positions/s") && done.out.contains("leaves/s"),
        "{}",
        done.out
    );
}

#[tokio::test]
async fn the_echo_server_echoes() {
    for runtime in ["current-thread", "multi-thread"] {
        let mut server = start(&["echo", "--runtime", runtime]);
        let lines = server.stdout.take().unwrap();
        let address = BufReader::new(lines)
            .lines()
            .next_line()
            .await
            .unwrap()
            .unwrap();
        run(&address, "echo", &["--duration=200ms"])
            .await
            .0
            .expect(0);
        server.start_kill().unwrap();
        end(server).await;
    }
}

#[tokio::test]
async fn a_bench_has_every_figure_and_ratio() {
    let server = TestServer::start().await;
    let endpoint = server.endpoint();
    let arguments = [
        "bench",
        "--endpoint",
        &endpoint,
        "--duration=200ms",
        "--rounds=1",
        "--connections=2",
        "--in-flight=2",
    ];
    let done = loadtest(&arguments).await.expect(0);
    for row in [
        "| ListLegalMoves, midgames, full | ",
        "| StreamLegalMoves, 64 a message | BatchList",
        "| BatchListLegalMoves, 16,384 a call | batches of 16,384, the same kernel",
        "| PlayMove",
    ] {
        assert!(done.out.contains(row), "{row} in\n{}", done.out);
    }
}

#[tokio::test]
async fn a_bench_of_some_figures_has_only_those() {
    let server = TestServer::start().await;
    let endpoint = server.endpoint();
    let arguments = [
        "bench",
        "--endpoint",
        &endpoint,
        "--duration=100ms",
        "--rounds=1",
        "--only=midgames, mask",
        "--only=as #[tokio::main]",
    ];
    let out = loadtest(&arguments).await.expect(0).out;
    let rows: Vec<_> = out.lines().filter(|line| line.contains("/s (")).collect();
    assert_eq!(rows.len(), 2, "{out}");
    let ratio = "| ListLegalMoves, midgames, mask | bare tonic echo as #[tokio::main] | **";
    assert!(out.contains(ratio), "{out}");
}

#[tokio::test]
async fn a_bench_does_not_measure_somebody_elses_server() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let done = loadtest(&["bench", "--server-bin=/bin/true", "--port", &port])
        .await
        .expect(1);
    assert!(
        done.err.contains("another server already answers"),
        "{}",
        done.err
    );
}

#[tokio::test]
async fn a_bench_without_a_server_says_so() {
    for (program, told) in [
        ("/no/such/server", "cannot start"),
        ("/bin/true", "ended at once"),
    ] {
        let done = loadtest(&["bench", "--server-bin", program])
            .await
            .expect(1);
        assert!(done.err.contains(told), "{}", done.err);
    }
}
