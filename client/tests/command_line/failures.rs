//! Wrong usage, and services that are not there.

use tokio::net::{TcpListener, TcpSocket};

use crate::bench::{Bench, run_at};

#[tokio::test]
async fn wrong_usage_exits_with_2() {
    for arguments in [
        &[][..],
        &["fly"],
        &["perft"],
        &["perft", "--depth", "0"],
        &["legal", "--side", "X"],
        &["legal", "--board", "x", "--side", "green"],
        &["score"],
        &["legal", "--timeout", "soon"],
        &["replay", "x", "--jobs", "0"],
        &["new", "--objective", "fun"],
        &["new", "--start", "diagonal"],
        &["list", "--limit", "0"],
        &["suggest", "--time", "99999999999999999999s"],
        &[
            "score",
            "--board",
            "x",
            "--side",
            "X",
            "--pass-mode",
            "explicit",
        ],
    ] {
        let ran = run_at("http://127.0.0.1:1", arguments, "").await;
        assert_eq!(ran.code, 2, "{arguments:?}: {ran:?}");
        assert_eq!(ran.stdout, "", "{arguments:?}");
        assert!(!ran.stderr.is_empty(), "{arguments:?}");
    }
}

#[tokio::test]
async fn the_usage_line_asks_for_what_must_be_given_alone() {
    let ran = run_at("http://127.0.0.1:1", &["perft"], "").await;
    assert!(
        ran.stderr.contains("Usage: reversi perft --depth <N>\n"),
        "{ran:?}"
    );
}

#[tokio::test]
async fn an_unreachable_service_is_named_with_its_endpoint() {
    // A socket that is bound and does not listen: its port is nobody else's.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let url = format!("http://{}", socket.local_addr().unwrap());
    let ran = run_at(&url, &["legal"], "").await;
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(
        ran.stderr
            .starts_with(&format!("reversi: cannot reach the service at {url}: ")),
        "{ran:?}"
    );
    assert_eq!(ran.stderr.lines().count(), 1);

    let ran = run_at(&url, &["legal", "--json"], "").await;
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    assert_eq!(ran.json()["error"]["reason"], "UNREACHABLE");
}

#[tokio::test]
async fn a_service_that_does_not_answer_is_given_up_at_the_timeout() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let ran = run_at(&url, &["legal", "--timeout", "100ms", "--json"], "").await;
    assert_eq!(ran.code, 1);
    assert_eq!(
        ran.json()["error"]["reason"],
        "DEADLINE_EXCEEDED",
        "{ran:?}"
    );
}

#[tokio::test]
async fn what_is_no_endpoint_is_said() {
    let ran = run_at("localhost:50051", &["info", "--json"], "").await;
    assert_eq!(ran.code, 1);
    assert_eq!(ran.json()["error"]["reason"], "INVALID_ENDPOINT", "{ran:?}");
}

#[tokio::test]
async fn an_argument_goes_before_the_environment() {
    let bench = Bench::start().await;
    let endpoint = bench.server.endpoint();
    let ran = run_at(
        "http://127.0.0.1:1",
        &["legal", "--endpoint", &endpoint],
        "",
    )
    .await;
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[tokio::test]
async fn all_faults_of_a_request_are_told() {
    let bench = Bench::start().await;
    let error = bench
        .error(&["legal", "--board", "XO?", "--side", "X"])
        .await;
    assert_eq!(error["reason"], "MALFORMED_BOARD");
    assert_eq!(error["code"], "INVALID_ARGUMENT");
    assert_eq!(error["metadata"]["offset"], "2");
}

#[tokio::test]
async fn a_game_that_is_not_there_is_said() {
    let bench = Bench::start().await;
    let error = bench.error(&["show", "aaaaaaaaaaaaaaaaaaaa"]).await;
    assert_eq!(error["reason"], "GAME_NOT_FOUND");
    assert_eq!(error["code"], "NOT_FOUND");
    let error = bench.error(&["show", "not a name"]).await;
    assert_eq!(error["reason"], "MALFORMED_NAME");
}

#[tokio::test]
async fn a_file_that_is_not_there_is_said() {
    let bench = Bench::start().await;
    let error = bench.error(&["replay", "/nowhere/games.tsv"]).await;
    assert_eq!(error["reason"], "UNREADABLE_FILE");
}
