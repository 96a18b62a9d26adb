//! Callers that leave before they are answered.

use std::time::Duration;

use futures_util::future::join_all;
use reversi_proto::v1::{
    self, analyze_position_request, solve_position_request, suggest_move_request,
};

use crate::client::{Client, Random, soon, until};
use crate::process::Process;

/// Calls at a time: more than there are threads, fewer than may wait.
const LANES: u64 = 50;

/// Calls one of the methods for what would take a minute, and leaves: now and then at once,
/// otherwise when it may have begun.
async fn call_and_leave(client: &Client, random: &mut Random) {
    let line = v1::Line::default;
    let patience = Duration::from_micros(random.next() % 30_000);
    let mut analysis = client.analysis();
    let call = async {
        match random.next() % 3 {
            0 => {
                let request = v1::SuggestMoveRequest {
                    subject: Some(suggest_move_request::Subject::Line(line())),
                    budget: Some(v1::Budget {
                        depth: 60,
                        ..Default::default()
                    }),
                    ..Default::default()
                };
                let _ = analysis.suggest_move(request).await;
            }
            1 => {
                let request = v1::AnalyzePositionRequest {
                    subject: Some(analyze_position_request::Subject::Line(line())),
                    ..Default::default()
                };
                if let Ok(stream) = analysis.analyze_position(request).await {
                    let mut stream = stream.into_inner();
                    while let Ok(Some(_)) = stream.message().await {}
                }
            }
            _ => {
                let request = v1::SolvePositionRequest {
                    subject: Some(solve_position_request::Subject::Line(line())),
                    ..Default::default()
                };
                if let Ok(stream) = analysis.solve_position(request).await {
                    let mut stream = stream.into_inner();
                    while let Ok(Some(_)) = stream.message().await {}
                }
            }
        }
    };
    // Left in any case, and often under way.
    let _ = tokio::time::timeout(patience, call).await;
}

/// So many calls in lanes, one after the other in each.
async fn many(process: &Process, calls: u64, seed: u64) {
    let lanes = (0..LANES).map(|lane| async move {
        let random = &mut Random(seed * LANES + lane);
        for _ in 0..calls / LANES {
            call_and_leave(process, random).await;
        }
    });
    join_all(lanes).await;
}

/// Waits until no thread works for anybody.
async fn idle(process: &Process) {
    until(async || {
        let counts = process.counts().await;
        ["search", "analysis"].iter().all(|pool| {
            let pool = format!("pool=\"{pool}\"");
            let jobs = |name| counts.value(name, &[&pool]);
            jobs("reversi_compute_running_jobs") + jobs("reversi_compute_queued_jobs") == 0.0
        })
    })
    .await;
}

#[tokio::test]
async fn ten_thousand_callers_that_leave_take_no_memory_and_no_thread_along() {
    let flags = ["--max-solve-empties", "60", "--table-size", "1MiB"];
    let process = Process::start(&flags).await;
    many(&process, 2_000, 1).await;
    idle(&process).await;
    let before = process.memory_kib();
    many(&process, 10_000, 2).await;
    idle(&process).await;
    // Most of them had reached the server when they left.
    let counts = process.counts().await;
    let methods = ["SuggestMove", "AnalyzePosition", "SolvePosition"];
    let left: f64 = methods
        .map(|method| counts.ended(method, "Canceled"))
        .iter()
        .sum();
    assert!(left > 5_000.0, "{left}");
    let grown = process.memory_kib().saturating_sub(before);
    assert!(grown < 16 << 10, "{grown} KiB more than {before} KiB");

    // Every thread works for others at once.
    let request = || v1::SuggestMoveRequest {
        subject: Some(suggest_move_request::Subject::Line(v1::Line::default())),
        budget: Some(v1::Budget {
            depth: 4,
            ..Default::default()
        }),
        ..Default::default()
    };
    let calls = (0..32).map(|_| async {
        let mut client = process.analysis();
        client.suggest_move(request()).await
    });
    for answer in soon(join_all(calls)).await {
        assert_eq!(answer.unwrap().into_inner().depth, 4);
    }
}
