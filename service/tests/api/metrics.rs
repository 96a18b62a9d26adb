//! What the admin port tells Prometheus.

use reversi_proto::v1;
use reversi_proto::v1::suggest_move_request::Subject;

use crate::admin::get_as;
use crate::server::Api;

#[tokio::test]
async fn openmetrics_is_told_to_those_who_read_it() {
    let api = Api::start().await;
    let admin = api.server.admin_endpoint();
    let accept = "application/openmetrics-text;version=1.0.0,text/plain;q=0.5";
    let (head, body) = get_as(&admin, "/metrics", accept).await;
    assert!(
        head.contains("content-type: application/openmetrics-text"),
        "{head}"
    );
    assert!(body.contains("# TYPE grpc_server_handled counter\n"));
    assert!(body.ends_with("# EOF\n"));
}

#[tokio::test]
async fn others_are_told_the_same_in_the_older_format() {
    let api = Api::start().await;
    let admin = api.server.admin_endpoint();
    let (head, body) = get_as(&admin, "/metrics", "*/*").await;
    assert!(
        head.contains("content-type: text/plain; version=0.0.4"),
        "{head}"
    );
    assert!(body.contains("# TYPE grpc_server_handled_total counter\n"));
    assert!(!body.contains("# EOF"));
}

#[tokio::test]
async fn pools_and_the_process_are_told_of() {
    let arguments = ["--compute-threads", "3", "--compute-queue", "7"];
    let api = Api::start_with(&arguments).await;
    let counts = api.counts().await;
    let search = ["pool=\"search\""];
    assert_eq!(counts.value("reversi_compute_threads", &search), 3.0);
    assert_eq!(counts.value("reversi_compute_queue_limit", &search), 7.0);
    for metric in [
        "process_start_time_seconds",
        "process_cpu_seconds_total",
        "process_resident_memory_bytes",
        "process_open_fds",
        "process_max_fds",
    ] {
        assert!(counts.value(metric, &[]) > 0.0, "{metric}");
    }
    let version = format!("version=\"{}\"", env!("CARGO_PKG_VERSION"));
    assert_eq!(counts.value("reversi_build_info", &[&version]), 1.0);
}

#[tokio::test]
async fn boards_visited_and_games_stored_are_told_of() {
    let api = Api::start().await;
    for _ in 0..2 {
        api.game().await;
    }
    let request = v1::SuggestMoveRequest {
        subject: Some(Subject::Line(v1::Line::default())),
        no_book: true,
        budget: Some(v1::Budget {
            depth: 6,
            ..Default::default()
        }),
        ..Default::default()
    };
    let suggested = api.analysis().suggest_move(request).await.unwrap();
    let counts = api.counts().await;
    let visited = counts.value("reversi_search_nodes_total", &["pool=\"search\""]);
    assert!(visited > 0.0);
    let idle = counts.value("reversi_search_nodes_total", &["pool=\"analysis\""]);
    assert_eq!(idle, 0.0);
    assert_eq!(counts.value("reversi_stored_games", &[]), 2.0);
    let nodes = suggested.into_inner().nodes;
    assert!(visited >= f64::from(u32::try_from(nodes).unwrap()));
}

#[tokio::test]
async fn alerts_and_dashboard_ask_for_metrics_that_there_are() {
    let api = Api::start().await;
    let metrics = api.counts().await.0;
    // Those of Redis (`db_client_…`) are there when there is a Redis: tests/processes.
    let of_ours = |name: &&str| {
        ["grpc_server_", "reversi_", "process_"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
    };
    for text in [
        include_str!("../../../deploy/kustomize/components/observability/alerts.yaml"),
        include_str!("../../../deploy/kustomize/components/observability/dashboard.json"),
    ] {
        let words = text.split(|letter: char| !letter.is_ascii_lowercase() && letter != '_');
        let mut asked_for = 0;
        for name in words.filter(of_ours) {
            asked_for += 1;
            let mut lines = metrics.lines().filter_map(|line| line.strip_prefix(name));
            assert!(lines.any(|rest| rest.starts_with(['{', ' '])), "{name}");
        }
        assert!(asked_for > 10, "{asked_for}");
    }
}
