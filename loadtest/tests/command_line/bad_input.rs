//! What cannot be done is refused before anything starts.

use std::io::Write;

use super::support::loadtest;

#[tokio::test]
async fn wrong_usage_is_told_and_exits_with_2() {
    let empty = tempfile::NamedTempFile::new().unwrap();
    let mut illegal = tempfile::NamedTempFile::new().unwrap();
    writeln!(illegal, "f5d6\nf5a1").unwrap();
    let (empty, illegal) = (
        empty.path().to_str().unwrap(),
        illegal.path().to_str().unwrap(),
    );
    for (arguments, told) in [
        (&["run"][..], "WORKLOAD"),
        (&["run", "chess"], "chess"),
        (&["run", "play", "--threshold", "p99<10"], "is not a time"),
        (&["run", "play", "--threshold", "p98<10ms"], "is no metric"),
        (&["run", "play", "--threshold", "fast"], "METRIC<BOUND"),
        (&["run", "mixed", "--weights", "play=x"], "weight"),
        (&["run", "mixed", "--weights", "chess=1"], "chess"),
        (
            &["run", "mixed", "--weights", "play=0"],
            "every weight is 0",
        ),
        (&["run", "play", "--rate", "fast"], "is no rate"),
        (&["run", "play", "--rate", "0"], "is no rate"),
        (&["run", "play", "--rate", "1e99"], "is no rate"),
        (&["run", "play", "--rate", "5:soon"], "is no time"),
        (
            &["run", "play", "--rate", "5", "--think", "1s"],
            "cannot be used with",
        ),
        (
            &["run", "play", "--rate", "5:1s", "--duration", "1s"],
            "--duration",
        ),
        (&["run", "play", "--arrivals", "poisson"], "--rate"),
        (&["run", "play", "--connections", "0"], "1 at least"),
        (
            &["run", "play", "--connections", "1000000"],
            "100000 at most",
        ),
        (
            &["run", "play", "--in-flight", "99999999999999999999"],
            "whole number",
        ),
        (
            &["run", "play", "--connections=5000", "--in-flight=5000"],
            "in flight",
        ),
        (&["run", "play", "--threads", "5000"], "1024 at most"),
        (&["run", "play", "--sessions", "1"], "--sessions"),
        (&["run", "play", "--duration", "0s"], "longer than nothing"),
        (&["run", "play", "--duration", "1000y"], "at most"),
        (&["run", "batch", "--batch-size", "65537"], "65536 at most"),
        (&["run", "suggest", "--suggest-depth", "61"], "61"),
        (
            &["run", "play", "--endpoint", "localhost"],
            "port is missing",
        ),
        (&["run", "play", "--endpoint", "ftp://a:1"], "expected http"),
        (&["run", "play", "--tls"], "--ca"),
        (
            &["run", "play", "--tls", "--ca", "/no/such/file"],
            "/no/such/file",
        ),
        (&["run", "play", "--tls", "--ca", empty], "no certificate"),
        (&["run", "play", "--token", "a\nb"], "token"),
        (&["run", "play", "--transcripts", empty], "no game"),
        (&["run", "play", "--transcripts", illegal], "line 2"),
        (&["run", "play", "--find-max"], "--slo"),
        (&["run", "play", "--slo", "p99<1ms"], "--find-max"),
        (
            &[
                "run",
                "play",
                "--find-max",
                "--slo",
                "p99<1ms",
                "--rate",
                "1..2",
            ],
            "--find-max",
        ),
        (&["perft", "--depth", "0"], "0"),
        (
            &["perft", "--depth", "3", "--convention", "mine"],
            "pass-is-ply",
        ),
        (&["bench", "--port", "0"], "0"),
        (&["bench", "--only", "chess"], "no figure"),
        (&["compare", "a.json"], "AFTER"),
        (&["compare", empty, empty], "not a report"),
        (&["compare", empty, empty, "--small", "x"], "share"),
    ] {
        let done = loadtest(arguments).await;
        assert_eq!(
            done.code,
            Some(2),
            "{arguments:?}: {}{}",
            done.out,
            done.err
        );
        assert!(
            done.err.contains(told),
            "{arguments:?} should tell {told}: {}",
            done.err
        );
    }
}
