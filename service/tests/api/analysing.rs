//! AnalysisService: analyses.

use std::time::{Duration, Instant};

use reversi_proto::v1::analyze_position_request::Subject;
use reversi_proto::v1::{self, Certainty, Color, ErrorReason, Objective, Start};
use tonic::{Code, Request, Status, Streaming};

use crate::analysis::{about, depth, start_of, suggest, time};
use crate::bare;
use crate::client::{DEAD, SHORTEST_GAME, soon, text_position, until};
use crate::failure::assert_fails;
use crate::server::Api;

const ANALYZE_POSITION: &str = "/reversi.v1.AnalysisService/AnalyzePosition";

type Steps = Vec<v1::AnalyzePositionResponse>;

fn of(line: v1::Line, budget: v1::Budget) -> v1::AnalyzePositionRequest {
    v1::AnalyzePositionRequest {
        subject: Some(Subject::Line(line)),
        budget: Some(budget),
        lines: 0,
    }
}

fn of_game(name: &str) -> v1::AnalyzePositionRequest {
    v1::AnalyzePositionRequest {
        subject: Some(Subject::Game(name.to_owned())),
        budget: Some(depth(2)),
        lines: 0,
    }
}

async fn begin(
    api: &Api,
    request: v1::AnalyzePositionRequest,
) -> Result<Streaming<v1::AnalyzePositionResponse>, Status> {
    let stream = soon(api.analysis().analyze_position(request)).await?;
    Ok(stream.into_inner())
}

/// All steps, or what the analysis failed with.
async fn analyze(api: &Api, request: v1::AnalyzePositionRequest) -> Result<Steps, Status> {
    all(begin(api, request).await?).await
}

async fn all(mut stream: Streaming<v1::AnalyzePositionResponse>) -> Result<Steps, Status> {
    let mut steps = Vec::new();
    while let Some(step) = soon(stream.message()).await? {
        steps.push(step);
    }
    Ok(steps)
}

fn analysis(step: &v1::AnalyzePositionResponse) -> &v1::Analysis {
    step.analysis.as_ref().expect("every step has an analysis")
}

/// An analysis that does not end while it is held, and that has begun.
async fn endless(api: &Api) -> Streaming<v1::AnalyzePositionResponse> {
    let line = v1::Line::default();
    let mut stream = begin(api, of(line, v1::Budget::default())).await.unwrap();
    soon(stream.message()).await.unwrap().expect("a first step");
    stream
}

#[tokio::test]
async fn steps_go_deeper_and_the_last_is_final() {
    let api = Api::start().await;
    for start in [Start::Standard, Start::ParallelWhiteAbove, Start::Free] {
        for objective in [Objective::MostDiscs, Objective::FewestDiscs] {
            let line = start_of(start, objective, "");
            let steps = analyze(&api, of(line.clone(), depth(5))).await.unwrap();
            let (last, before) = steps.split_last().unwrap();
            assert!(last.r#final && before.iter().all(|step| !step.r#final));
            let depths: Vec<i32> = steps.iter().map(|step| analysis(step).depth).collect();
            assert_eq!(depths, [1, 2, 3, 4, 5, 5], "{start:?} {objective:?}");
            for step in &steps {
                assert_eq!((step.etag.as_str(), step.weights.is_empty()), ("", false));
                let found = analysis(step);
                assert_eq!(found.certainty(), Certainty::Depth);
                assert!(found.nodes > 0 && found.elapsed.is_some());
                let [variation] = &found.variations[..] else {
                    panic!("one line was asked for: {found:?}");
                };
                let request = v1::ApplyMovesRequest {
                    rules: line.rules.clone(),
                    transcript: variation.line.join(" "),
                    ..Default::default()
                };
                let applied = api.rules().apply_moves(request).await.unwrap().into_inner();
                assert_eq!(applied.moves.first(), variation.r#move.as_ref());
            }
        }
    }
}

#[tokio::test]
async fn an_analysis_finds_what_a_suggestion_finds() {
    let api = Api::start().await;
    let line = || start_of(Start::Standard, Objective::MostDiscs, "f5d6c3d3c4");
    let nodes = v1::Budget {
        nodes: 20_000,
        ..Default::default()
    };
    let request = v1::AnalyzePositionRequest {
        lines: 3,
        ..of(line(), nodes)
    };
    let steps = analyze(&api, request).await.unwrap();
    let found = analysis(steps.last().unwrap());
    let request = v1::SuggestMoveRequest {
        lines: 3,
        ..about(line(), nodes)
    };
    let suggested = suggest(&api, request).await.unwrap();
    assert_eq!(found.variations[0].r#move, suggested.r#move);
    assert_eq!(found.variations[0].value, suggested.value);
    assert_eq!(found.variations[1..], suggested.alternatives);
    assert_eq!(
        (found.depth, found.nodes),
        (suggested.depth, suggested.nodes)
    );
}

#[tokio::test]
async fn more_lines_than_moves_are_as_many_as_there_are() {
    let api = Api::start().await;
    let request = v1::AnalyzePositionRequest {
        lines: 60,
        ..of(v1::Line::default(), depth(3))
    };
    for step in analyze(&api, request).await.unwrap() {
        assert_eq!(analysis(&step).variations.len(), 4);
    }
}

#[tokio::test]
async fn an_analysis_ends_by_itself_when_the_game_is_solved() {
    let api = Api::start().await;
    let near_the_end = "XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO-";
    let line = v1::Line {
        position: Some(text_position(near_the_end, Color::Black)),
        ..Default::default()
    };
    let steps = analyze(&api, of(line, v1::Budget::default()))
        .await
        .unwrap();
    let found = analysis(steps.last().unwrap());
    assert_eq!(found.certainty(), Certainty::Exact);
    assert_eq!(found.variations[0].value, 6.0);
}

#[tokio::test]
async fn without_a_budget_an_analysis_takes_the_longest_time() {
    let api = Api::start_with(&["--max-analysis-time", "200ms"]).await;
    let hour = time(Duration::from_secs(3600));
    for budget in [v1::Budget::default(), hour] {
        let begun = Instant::now();
        let steps = analyze(&api, of(v1::Line::default(), budget))
            .await
            .unwrap();
        let took = begun.elapsed();
        assert!(steps.last().unwrap().r#final);
        assert!(took >= Duration::from_millis(200), "{took:?}");
        assert!(took < Duration::from_secs(10), "{took:?}");
    }
}

#[tokio::test]
async fn the_last_step_comes_before_the_callers_deadline() {
    let api = Api::start().await;
    let mut request = Request::new(of(v1::Line::default(), v1::Budget::default()));
    request.set_timeout(Duration::from_secs(2));
    let stream = api.analysis().analyze_position(request).await.unwrap();
    let steps = all(stream.into_inner()).await.unwrap();
    assert!(steps.last().unwrap().r#final);
}

#[tokio::test]
async fn a_deadline_that_has_passed_is_told_at_once() {
    let api = Api::start().await;
    let request = of(v1::Line::default(), v1::Budget::default());
    for timeout in ["0n", "1n", "0m"] {
        let headers = [("grpc-timeout", timeout)];
        let late = bare::call(&api, ANALYZE_POSITION, &headers, &request).await;
        assert_fails(late, Code::DeadlineExceeded, ErrorReason::DeadlineExceeded);
    }
}

#[tokio::test]
async fn a_deadline_that_passes_before_the_analysis_begins_is_told() {
    let api = Api::start_with(&["--analysis-threads", "1"]).await;
    let _busy = endless(&api).await;
    let mut request = Request::new(of(v1::Line::default(), depth(2)));
    request.set_timeout(Duration::from_millis(300));
    let stream = api.analysis().analyze_position(request).await.unwrap();
    let late = all(stream.into_inner()).await;
    assert_fails(late, Code::DeadlineExceeded, ErrorReason::DeadlineExceeded);
}

#[tokio::test]
async fn a_caller_that_leaves_half_way_frees_the_thread() {
    let flags = ["--analysis-threads", "1", "--compute-queue", "1"];
    let api = Api::start_with(&flags).await;
    let busy = endless(&api).await;
    let waiting = begin(&api, of(v1::Line::default(), depth(2)))
        .await
        .unwrap();
    let refused = begin(&api, of(v1::Line::default(), depth(2))).await;
    let failure = assert_fails(refused, Code::ResourceExhausted, ErrorReason::ComputeBusy);
    assert!(failure.retry_after.is_some());
    // Suggestions have threads of their own.
    let found = suggest(&api, about(v1::Line::default(), depth(2))).await;
    assert!(found.is_ok(), "{found:?}");
    drop(busy);
    assert!(all(waiting).await.unwrap().last().unwrap().r#final);
    until(async || api.counts().await.ended("AnalyzePosition", "Canceled") == 1.0).await;
}

#[tokio::test]
async fn an_analysis_ends_when_the_server_stops() {
    let mut api = Api::start().await;
    let stream = endless(&api).await;
    api.server.begin_stop();
    let cut_off = all(stream).await;
    let failure = assert_fails(cut_off, Code::Unavailable, ErrorReason::ShuttingDown);
    assert!(failure.retry_after.is_some());
}

#[tokio::test]
async fn a_stored_game_is_analysed_where_it_is() {
    let api = Api::start().await;
    let game = api.play_all(api.game().await, "f5d6c3").await;
    let steps = analyze(&api, of_game(&game.name)).await.unwrap();
    for step in &steps {
        assert_eq!(step.etag, game.etag);
        let best = &analysis(step).variations[0];
        assert_eq!(best.r#move.as_ref().unwrap().side(), Color::White);
    }
    let refused = analyze(&api, of_game("games/aaaaaaaaaaaaaaaaaaaa")).await;
    assert_fails(refused, Code::NotFound, ErrorReason::GameNotFound);
}

#[tokio::test]
async fn there_is_nothing_to_analyse_when_the_game_is_over() {
    let api = Api::start().await;
    let full = "XO".repeat(32);
    let one_sided = format!("{}XXXX", "-".repeat(60));
    for board in [DEAD, &full, &one_sided, &"-".repeat(64)] {
        let line = v1::Line {
            position: Some(text_position(board, Color::Black)),
            ..Default::default()
        };
        let refused = analyze(&api, of(line.clone(), depth(2))).await;
        assert_fails(refused, Code::FailedPrecondition, ErrorReason::GameOver);
        let refused = suggest(&api, about(line, depth(2))).await;
        assert_fails(refused, Code::FailedPrecondition, ErrorReason::GameOver);
    }
    let finished = api.play_all(api.game().await, SHORTEST_GAME).await;
    let refused = analyze(&api, of_game(&finished.name)).await;
    let failure = assert_fails(refused, Code::FailedPrecondition, ErrorReason::GameOver);
    assert_eq!(failure.metadata["etag"], finished.etag);
}

#[tokio::test]
async fn all_faults_of_an_analysis_are_told_at_once() {
    let api = Api::start().await;
    let request = v1::AnalyzePositionRequest {
        subject: None,
        budget: Some(v1::Budget {
            time: Some(prost_types::Duration::default()),
            depth: -5,
            nodes: i64::MIN,
        }),
        lines: 61,
    };
    let refused = analyze(&api, request).await;
    let failure = assert_fails(refused, Code::InvalidArgument, ErrorReason::FieldInvalid);
    let expected = [
        "budget.time",
        "budget.depth",
        "budget.nodes",
        "lines",
        "subject",
    ];
    assert_eq!(failure.fields, expected);
}
