//! AnalysisService: solutions.

use std::time::Duration;

use reversi_proto::v1::solve_position_request::Subject;
use reversi_proto::v1::{self, Certainty, Color, ErrorReason, Objective};
use tonic::{Code, Request, Status};

use crate::client::{DEAD, START, soon, text_position, until};
use crate::failure::assert_fails;
use crate::server::Api;

/// FFO 10, 17 and 20 of the Fforum endgame suite with their values and best moves: 14, 17 and 6
/// empty squares.
const SOLVED: [(&str, Color, f64, &str); 3] = [
    (
        "-XXXX-----OXXX--XOXOXOXXOXOXXOXXOXXOXOOOXXXOXOOX--OXXO---OOOOO--",
        Color::White,
        10.0,
        "b2",
    ),
    (
        "-OOOOO----OXXO-XXXOOOXX-XXOXOXXOXXOOXOOOXXXXOO-OX-XOO----XXXX---",
        Color::Black,
        8.0,
        "f8",
    ),
    (
        "XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO-",
        Color::Black,
        6.0,
        "h5",
    ),
];

fn of(board: &str, side: Color, objective: Objective) -> v1::SolvePositionRequest {
    let line = v1::Line {
        position: Some(text_position(board, side)),
        rules: Some(v1::RuleSet {
            objective: objective.into(),
            ..Default::default()
        }),
        ..Default::default()
    };
    v1::SolvePositionRequest {
        subject: Some(Subject::Line(line)),
        lines: 0,
    }
}

/// All steps, or what the solution failed with.
async fn solve(
    api: &Api,
    request: impl tonic::IntoRequest<v1::SolvePositionRequest>,
) -> Result<Vec<v1::SolvePositionResponse>, Status> {
    let stream = soon(api.analysis().solve_position(request)).await?;
    let mut stream = stream.into_inner();
    let mut steps = Vec::new();
    while let Some(step) = soon(stream.message()).await? {
        steps.push(step);
    }
    Ok(steps)
}

fn analysis(step: &v1::SolvePositionResponse) -> &v1::Analysis {
    step.analysis.as_ref().expect("every step has an analysis")
}

#[tokio::test]
async fn the_result_is_exact_and_comes_last() {
    let api = Api::start().await;
    for (board, side, value, best) in SOLVED {
        let request = of(board, side, Objective::MostDiscs);
        let steps = solve(&api, request).await.unwrap();
        let (last, before) = steps.split_last().unwrap();
        assert!(last.r#final && before.iter().all(|step| !step.r#final));
        assert!(!last.weights.is_empty() && last.etag.is_empty());
        let found = analysis(last);
        assert_eq!(found.certainty(), Certainty::Exact);
        let variation = &found.variations[0];
        assert_eq!((variation.value, variation.line[0].as_str()), (value, best));
        // The line leads to that result.
        let request = v1::ApplyMovesRequest {
            position: Some(text_position(board, side)),
            rules: Some(v1::RuleSet {
                scoring: v1::Scoring::EmptiesToMajority.into(),
                ..Default::default()
            }),
            transcript: variation.line.join(" "),
            ..Default::default()
        };
        let applied = api.rules().apply_moves(request).await.unwrap().into_inner();
        let score = applied.score.unwrap().scored.expect("the game is over");
        let difference = f64::from(score.black - score.white);
        let expected = if side == Color::Black { value } else { -value };
        assert_eq!(difference, expected, "{variation:?}");
    }
}

#[tokio::test]
async fn progress_goes_from_estimates_over_likely_values_to_the_result() {
    let api = Api::start().await;
    let (board, side, ..) = SOLVED[1];
    let request = of(board, side, Objective::MostDiscs);
    let steps = solve(&api, request).await.unwrap();
    let mut certainties: Vec<Certainty> = Vec::new();
    let mut percents = Vec::new();
    for step in &steps {
        let found = analysis(step);
        if certainties.last() != Some(&found.certainty()) {
            certainties.push(found.certainty());
        }
        let is_likely = found.certainty() == Certainty::Percent;
        assert_eq!((1..100).contains(&found.percent), is_likely, "{found:?}");
        if is_likely {
            percents.push(found.percent);
        }
    }
    let expected = [Certainty::Depth, Certainty::Percent, Certainty::Exact];
    assert_eq!(certainties, expected);
    assert!(percents.is_sorted(), "{percents:?}");
}

#[tokio::test]
async fn every_move_has_its_result_where_all_are_asked_for() {
    let api = Api::start().await;
    for objective in [Objective::MostDiscs, Objective::FewestDiscs] {
        let (board, side, ..) = SOLVED[2];
        let request = v1::SolvePositionRequest {
            lines: 60,
            ..of(board, side, objective)
        };
        let steps = solve(&api, request).await.unwrap();
        let found = analysis(steps.last().unwrap());
        assert_eq!(found.certainty(), Certainty::Exact);
        assert!(found.variations.len() > 2);
        // What follows a move is worth as much to the other side, where something does.
        let goes_on = |variation: &&v1::Variation| variation.line.len() > 1;
        for variation in found.variations.iter().filter(goes_on) {
            let played = v1::Line {
                position: Some(text_position(board, side)),
                rules: Some(v1::RuleSet {
                    objective: objective.into(),
                    pass_mode: v1::PassMode::Explicit.into(),
                    ..Default::default()
                }),
                transcript: variation.line[0].clone(),
            };
            let request = v1::SolvePositionRequest {
                subject: Some(Subject::Line(played)),
                lines: 0,
            };
            let steps = solve(&api, request).await.unwrap();
            let after = &analysis(steps.last().unwrap()).variations[0];
            assert_eq!(variation.value, -after.value, "{variation:?}");
        }
    }
}

#[tokio::test]
async fn too_many_empty_squares_are_refused_with_the_limit() {
    let api = Api::start().await;
    let mut rules = api.rules();
    let info = rules.get_server_info(v1::GetServerInfoRequest {}).await;
    let limits = info.unwrap().into_inner().limits.unwrap();
    let start = of(START, Color::Black, Objective::MostDiscs);
    let refused = solve(&api, start).await;
    let failure = assert_fails(
        refused,
        Code::FailedPrecondition,
        ErrorReason::TooManyEmpties,
    );
    assert_eq!(
        failure.metadata["limit"],
        limits.max_solve_empties.to_string()
    );
    assert_eq!(failure.metadata["found"], "60");
    assert!(failure.precondition.is_some());

    let strict = Api::start_with(&["--max-solve-empties", "6"]).await;
    for (board, side, ..) in SOLVED {
        let empties = board.matches('-').count();
        let answer = solve(&strict, of(board, side, Objective::MostDiscs)).await;
        assert_eq!(answer.is_ok(), empties <= 6, "{empties}");
    }
}

#[tokio::test]
async fn what_is_not_solved_in_time_is_no_solution() {
    let api = Api::start_with(&["--max-solve-empties", "60"]).await;
    let start = || of(START, Color::Black, Objective::MostDiscs);
    let mut request = Request::new(start());
    request.set_timeout(Duration::from_millis(400));
    let late = solve(&api, request).await;
    assert_fails(late, Code::DeadlineExceeded, ErrorReason::DeadlineExceeded);

    let flags = ["--max-solve-empties", "60", "--max-analysis-time", "200ms"];
    let hasty = Api::start_with(&flags).await;
    let late = solve(&hasty, start()).await;
    assert_fails(late, Code::DeadlineExceeded, ErrorReason::DeadlineExceeded);
}

#[tokio::test]
async fn a_solution_that_its_caller_leaves_frees_the_thread() {
    let flags = ["--max-solve-empties", "60", "--analysis-threads", "1"];
    let api = Api::start_with(&flags).await;
    let start = of(START, Color::Black, Objective::MostDiscs);
    let mut stream = api
        .analysis()
        .solve_position(start)
        .await
        .unwrap()
        .into_inner();
    soon(stream.message()).await.unwrap().expect("a first step");
    drop(stream);
    let (board, side, ..) = SOLVED[2];
    let solved = solve(&api, of(board, side, Objective::MostDiscs))
        .await
        .unwrap();
    assert!(solved.last().unwrap().r#final);
    until(async || api.counts().await.ended("SolvePosition", "Canceled") == 1.0).await;
}

#[tokio::test]
async fn faults_of_a_solution_are_told() {
    let api = Api::start().await;
    let request = v1::SolvePositionRequest {
        subject: None,
        lines: -1,
    };
    let refused = solve(&api, request).await;
    let failure = assert_fails(refused, Code::InvalidArgument, ErrorReason::FieldInvalid);
    assert_eq!(failure.fields, ["lines", "subject"]);
    let dead = of(DEAD, Color::Black, Objective::MostDiscs);
    let refused = solve(&api, dead).await;
    assert_fails(refused, Code::FailedPrecondition, ErrorReason::GameOver);
}
