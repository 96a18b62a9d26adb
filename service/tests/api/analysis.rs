//! AnalysisService: suggestions.

use std::time::{Duration, Instant};

use reversi_proto::v1::suggest_move_request::Subject;
use reversi_proto::v1::{
    self, Certainty, Color, ErrorReason, MoveKind, Objective, PassMode, Start,
};
use tokio::task::JoinHandle;
use tonic::{Code, Request, Status};

use crate::bare;
use crate::client::{
    DEAD, ONLY_WHITE_MOVES, SHORTEST_GAME, START, UNTIL_BLACK_MUST_PASS, a_move, soon,
    text_position, until,
};
use crate::counting;
use crate::failure::{assert_fails, failure};
use crate::server::Api;

const SUGGEST_MOVE: &str = "/reversi.v1.AnalysisService/SuggestMove";

pub(crate) fn about(line: v1::Line, budget: v1::Budget) -> v1::SuggestMoveRequest {
    v1::SuggestMoveRequest {
        subject: Some(Subject::Line(line)),
        budget: Some(budget),
        no_book: true,
        ..Default::default()
    }
}

fn about_game(name: &str, budget: v1::Budget) -> v1::SuggestMoveRequest {
    v1::SuggestMoveRequest {
        subject: Some(Subject::Game(name.to_owned())),
        budget: Some(budget),
        no_book: true,
        ..Default::default()
    }
}

pub(crate) fn depth(depth: i32) -> v1::Budget {
    v1::Budget {
        depth,
        ..Default::default()
    }
}

pub(crate) fn time(time: Duration) -> v1::Budget {
    v1::Budget {
        time: Some(time.try_into().unwrap()),
        ..Default::default()
    }
}

pub(crate) fn start_of(start: Start, objective: Objective, transcript: &str) -> v1::Line {
    v1::Line {
        rules: Some(v1::RuleSet {
            start: start.into(),
            objective: objective.into(),
            ..Default::default()
        }),
        transcript: transcript.to_owned(),
        ..Default::default()
    }
}

pub(crate) async fn suggest(
    api: &Api,
    request: v1::SuggestMoveRequest,
) -> Result<v1::SuggestMoveResponse, Status> {
    let response = soon(api.analysis().suggest_move(request)).await?;
    Ok(response.into_inner())
}

#[tokio::test]
async fn a_suggestion_is_a_legal_move_with_its_value_and_line() {
    let api = Api::start().await;
    for start in [
        Start::Standard,
        Start::Mirrored,
        Start::ParallelWhiteAbove,
        Start::ParallelBlackAbove,
        Start::Free,
    ] {
        for objective in [Objective::MostDiscs, Objective::FewestDiscs] {
            let line = start_of(start, objective, "");
            let found = suggest(&api, about(line.clone(), depth(3))).await.unwrap();
            let mv = found.r#move.clone().unwrap();
            let case = format!("{start:?} {objective:?}: {found:?}");
            assert_eq!(found.line[0], mv.square, "{case}");
            assert!((-64.0..=64.0).contains(&found.value), "{case}");
            assert_eq!(
                (found.certainty(), found.depth),
                (Certainty::Depth, 3),
                "{case}"
            );
            assert!(found.nodes > 0 && found.elapsed.is_some(), "{case}");
            assert_eq!(found.etag, "", "{case}");
            // The whole line can be played, and the move turns what it says.
            let request = v1::ApplyMovesRequest {
                rules: line.rules,
                transcript: found.line.join(" "),
                ..Default::default()
            };
            let applied = api.rules().apply_moves(request).await.unwrap().into_inner();
            assert_eq!(applied.moves[0], mv, "{case}");
            let placement = mv.kind() == MoveKind::Placement;
            assert_eq!(placement, start == Start::Free, "{case}");
        }
    }
}

#[tokio::test]
async fn a_line_may_be_a_position_with_moves() {
    let api = Api::start().await;
    let by_moves = start_of(Start::Standard, Objective::MostDiscs, "f5 d6 c3");
    let applied = api
        .rules()
        .apply_moves(v1::ApplyMovesRequest {
            transcript: "f5 d6".to_owned(),
            ..Default::default()
        })
        .await
        .unwrap()
        .into_inner();
    let by_position = v1::Line {
        position: applied.position,
        rules: None,
        transcript: "C3".to_owned(),
    };
    let nodes = v1::Budget {
        nodes: 3000,
        ..Default::default()
    };
    let first = suggest(&api, about(by_moves, nodes)).await.unwrap();
    let second = suggest(&api, about(by_position, nodes)).await.unwrap();
    // Nodes alone make an answer that can be had again.
    let what =
        |found: v1::SuggestMoveResponse| (found.r#move, found.value, found.line, found.nodes);
    assert_eq!(what(first), what(second));
}

#[tokio::test]
async fn budgets_are_kept() {
    let api = Api::start().await;
    let start = || start_of(Start::Standard, Objective::MostDiscs, "");
    let shallow = suggest(&api, about(start(), depth(1))).await.unwrap();
    assert_eq!(shallow.depth, 1);
    let deeper = suggest(&api, about(start(), depth(5))).await.unwrap();
    assert_eq!(deeper.depth, 5);
    assert!(deeper.nodes > shallow.nodes);
    let nodes = v1::Budget {
        nodes: 500,
        ..Default::default()
    };
    let few = suggest(&api, about(start(), nodes)).await.unwrap();
    assert!(few.nodes < 1000, "{few:?}");
    let begun = Instant::now();
    let timed = suggest(&api, about(start(), time(Duration::from_millis(300))))
        .await
        .unwrap();
    let took = begun.elapsed();
    assert!(took >= Duration::from_millis(300), "{took:?}: {timed:?}");
    assert!(took < Duration::from_secs(5), "{took:?}: {timed:?}");
}

#[tokio::test]
async fn without_budget_and_deadline_a_suggestion_takes_the_default_time() {
    let api = Api::start_with(&["--suggest-time", "200ms"]).await;
    let request = v1::SuggestMoveRequest {
        subject: Some(Subject::Line(v1::Line::default())),
        budget: None,
        no_book: true,
        ..Default::default()
    };
    let begun = Instant::now();
    suggest(&api, request).await.unwrap();
    let took = begun.elapsed();
    assert!(
        took >= Duration::from_millis(200) && took < Duration::from_secs(5),
        "{took:?}"
    );
}

#[tokio::test]
async fn a_longer_time_than_the_limit_is_taken_as_the_limit() {
    let api = Api::start_with(&["--max-suggest-time", "200ms"]).await;
    let longest = prost_types::Duration {
        seconds: 315_576_000_000,
        nanos: 999_999_999,
    };
    let hour = prost_types::Duration {
        seconds: 3600,
        nanos: 0,
    };
    for time in [longest, hour] {
        let budget = v1::Budget {
            time: Some(time),
            ..Default::default()
        };
        let begun = Instant::now();
        suggest(&api, about(v1::Line::default(), budget))
            .await
            .unwrap();
        assert!(begun.elapsed() < Duration::from_secs(5));
    }
}

#[tokio::test]
async fn a_suggestion_comes_before_the_callers_deadline() {
    let api = Api::start().await;
    // The connection is there before the time runs.
    api.game().await;
    for budget in [None, Some(time(Duration::from_secs(30)))] {
        let mut request = Request::new(v1::SuggestMoveRequest {
            subject: Some(Subject::Line(v1::Line::default())),
            budget,
            no_book: true,
            ..Default::default()
        });
        request.set_timeout(Duration::from_secs(2));
        let begun = Instant::now();
        // The client gives up at the deadline, so an answer is one in time.
        let answer = api.analysis().suggest_move(request).await;
        let found = answer.unwrap().into_inner();
        assert!(found.r#move.is_some() && found.depth > 1, "{found:?}");
        // It has used the time that it had.
        let least = match budget {
            None => Duration::from_secs(1),
            Some(_) => Duration::from_millis(1500),
        };
        let took = begun.elapsed();
        assert!(took >= least, "{budget:?}: {took:?}");
    }
}

#[tokio::test]
async fn a_shorter_deadline_than_the_budget_is_kept_by_the_server_itself() {
    let api = Api::start().await;
    let request = about(v1::Line::default(), time(Duration::from_secs(30)));
    // Nobody but the server counts the time: a late answer would be an error of its own.
    let headers = [("grpc-timeout", "1S")];
    let answer = bare::call(&api, SUGGEST_MOVE, &headers, &request).await;
    answer.unwrap();
}

#[tokio::test]
async fn a_deadline_that_has_passed_is_told() {
    let api = Api::start().await;
    let request = about(v1::Line::default(), v1::Budget::default());
    for timeout in ["0n", "1n", "1u", "0m"] {
        let late = bare::call(&api, SUGGEST_MOVE, &[("grpc-timeout", timeout)], &request).await;
        assert_fails(late, Code::DeadlineExceeded, ErrorReason::DeadlineExceeded);
    }
}

#[tokio::test]
async fn a_forced_pass_is_suggested_as_one() {
    let api = Api::start().await;
    let explicit = v1::Line {
        position: Some(text_position(ONLY_WHITE_MOVES, Color::Black)),
        rules: Some(v1::RuleSet {
            pass_mode: PassMode::Explicit.into(),
            ..Default::default()
        }),
        ..Default::default()
    };
    let found = suggest(&api, about(explicit.clone(), depth(10)))
        .await
        .unwrap();
    let mv = found.r#move.unwrap();
    assert_eq!(
        (mv.square.as_str(), mv.kind(), mv.side()),
        ("pass", MoveKind::Pass, Color::Black)
    );
    assert_eq!((mv.flips, found.value), (0, -64.0));
    assert_eq!(found.certainty, i32::from(Certainty::Exact));
    assert_eq!(found.line, ["pass", "c1"]);

    // Under automatic passes it is White's turn already.
    let automatic = v1::Line {
        rules: None,
        ..explicit
    };
    let found = suggest(&api, about(automatic, depth(10))).await.unwrap();
    let mv = found.r#move.unwrap();
    assert_eq!((mv.square.as_str(), mv.side()), ("c1", Color::White));
    assert_eq!((mv.flips, found.value), (2, 64.0));
}

#[tokio::test]
async fn values_are_the_movers_under_the_objective() {
    let api = Api::start().await;
    // White has one move and wins all 64 squares with it, which is not what it wants.
    let line = v1::Line {
        position: Some(text_position(ONLY_WHITE_MOVES, Color::White)),
        rules: Some(v1::RuleSet {
            objective: Objective::FewestDiscs.into(),
            ..Default::default()
        }),
        ..Default::default()
    };
    let found = suggest(&api, about(line, depth(10))).await.unwrap();
    assert_eq!(
        (found.line.join(" "), found.value),
        ("c1".to_owned(), -64.0)
    );
    assert_eq!(found.certainty(), Certainty::Exact);
}

#[tokio::test]
async fn a_stored_game_is_thought_about_where_it_is() {
    let api = Api::start().await;
    let game = api.play_all(api.game().await, "f5d6c3").await;
    let found = suggest(&api, about_game(&game.name, depth(4)))
        .await
        .unwrap();
    assert_eq!(found.etag, game.etag);
    let mv = found.r#move.unwrap();
    assert_eq!(mv.side(), Color::White);
    // The etag goes with the move.
    let mut request = a_move(&game, &mv.square);
    request.expected = Some(v1::play_move_request::Expected::Etag(found.etag));
    let played = api.games().play_move(request).await.unwrap().into_inner();
    assert_eq!(played.moves, [mv]);
    // A suggestion changes nothing.
    assert_eq!(api.get(&game.name).await, played.game.unwrap());
}

#[tokio::test]
async fn a_stored_game_under_explicit_passes_is_told_to_pass() {
    let api = Api::start().await;
    let game = api
        .game_of(v1::RuleSet {
            pass_mode: PassMode::Explicit.into(),
            ..Default::default()
        })
        .await;
    let game = api.play_all(game, UNTIL_BLACK_MUST_PASS).await;
    let found = suggest(&api, about_game(&game.name, depth(2)))
        .await
        .unwrap();
    assert_eq!(found.r#move.unwrap().square, "pass");
}

#[tokio::test]
async fn there_is_nothing_to_suggest_when_the_game_is_over() {
    let api = Api::start().await;
    let finished = api.play_all(api.game().await, SHORTEST_GAME).await;
    let resigned = api.game().await;
    api.resign(&resigned.name, Color::White).await.unwrap();
    for (game, etag) in [(finished, "9"), (resigned, "1")] {
        let refused = suggest(&api, about_game(&game.name, depth(2))).await;
        let failure = assert_fails(refused, Code::FailedPrecondition, ErrorReason::GameOver);
        assert_eq!(failure.metadata["etag"], etag);
        assert_eq!(failure.metadata["legal_moves"], "");
        assert!(failure.precondition.is_some());
    }
    let dead = v1::Line {
        position: Some(text_position(DEAD, Color::Black)),
        ..Default::default()
    };
    let over = start_of(Start::Standard, Objective::MostDiscs, SHORTEST_GAME);
    for line in [dead, over] {
        let refused = suggest(&api, about(line, depth(2))).await;
        let failure = assert_fails(refused, Code::FailedPrecondition, ErrorReason::GameOver);
        assert!(failure.precondition.is_some());
    }
}

#[tokio::test]
async fn an_unknown_game_is_not_found() {
    let api = Api::start().await;
    let name = "games/aaaaaaaaaaaaaaaaaaaa";
    let refused = suggest(&api, about_game(name, depth(2))).await;
    let failure = assert_fails(refused, Code::NotFound, ErrorReason::GameNotFound);
    assert_eq!(failure.resource.as_deref(), Some(name));
}

#[tokio::test]
async fn bad_moves_of_a_line_are_named_as_in_a_transcript() {
    let api = Api::start().await;
    let line = start_of(Start::Standard, Objective::MostDiscs, "f5 d6 a1");
    let refused = suggest(&api, about(line, depth(2))).await;
    let failure = assert_fails(
        refused,
        Code::FailedPrecondition,
        ErrorReason::IllegalNoFlip,
    );
    assert_eq!(failure.metadata["index"], "2");
    assert_eq!(failure.metadata["field"], "line.transcript");
}

#[tokio::test]
async fn all_faults_of_a_suggestion_are_told_at_once_by_their_paths() {
    let api = Api::start().await;
    let request = v1::SuggestMoveRequest {
        subject: Some(Subject::Line(v1::Line {
            position: Some(text_position("XO", Color::Black)),
            rules: Some(v1::RuleSet {
                objective: 9,
                start: Start::Custom.into(),
                ..Default::default()
            }),
            transcript: "x".repeat(4097),
        })),
        budget: Some(v1::Budget {
            time: Some(prost_types::Duration {
                seconds: -1,
                nanos: 0,
            }),
            depth: 61,
            nodes: -1,
        }),
        ..Default::default()
    };
    let mut failure = failure(suggest(&api, request).await);
    failure.fields.sort();
    let expected = [
        "budget.depth",
        "budget.nodes",
        "budget.time",
        "line.position.text",
        "line.rules.custom_position",
        "line.rules.objective",
        "line.transcript",
    ];
    assert_eq!(failure.fields, expected);

    let refused = suggest(&api, v1::SuggestMoveRequest::default()).await;
    let failure = assert_fails(refused, Code::InvalidArgument, ErrorReason::FieldRequired);
    assert_eq!(failure.fields, ["subject"]);
}

#[tokio::test]
async fn budgets_off_the_scale_are_refused_with_their_value() {
    let api = Api::start().await;
    let zero = prost_types::Duration::default();
    let negative = prost_types::Duration {
        seconds: 0,
        nanos: -1,
    };
    let budget = v1::Budget::default();
    for (budget, field, value) in [
        (
            v1::Budget {
                time: Some(zero),
                ..budget
            },
            "budget.time",
            "0.000000000s",
        ),
        (
            v1::Budget {
                time: Some(negative),
                ..budget
            },
            "budget.time",
            "-0.000000001s",
        ),
        (depth(-1), "budget.depth", "-1"),
        (depth(61), "budget.depth", "61"),
        (
            v1::Budget {
                nodes: i64::MIN,
                ..budget
            },
            "budget.nodes",
            "-9223372036854775808",
        ),
    ] {
        let refused = suggest(&api, about(v1::Line::default(), budget)).await;
        let failure = assert_fails(refused, Code::InvalidArgument, ErrorReason::FieldInvalid);
        assert_eq!(failure.metadata["field"], field);
        assert_eq!(failure.metadata["value"], value);
    }
}

/// A server with one compute thread and one place in its queue.
async fn small() -> Api {
    Api::start_with(&["--compute-threads", "1", "--compute-queue", "1"]).await
}

/// A search that takes the only thread until it is aborted.
async fn busy(api: &Api) -> JoinHandle<Result<tonic::Response<v1::SuggestMoveResponse>, Status>> {
    let mut client = api.analysis();
    let minute = about(v1::Line::default(), time(Duration::from_secs(60)));
    let search = tokio::spawn(async move { client.suggest_move(minute).await });
    until(async || api.counts().await.running() == 1.0).await;
    search
}

#[tokio::test]
async fn a_full_queue_sheds_at_once() {
    let api = small().await;
    let busy = busy(&api).await;
    let mut client = api.analysis();
    let waiting = tokio::spawn(async move {
        client
            .suggest_move(about(v1::Line::default(), depth(2)))
            .await
    });
    until(async || api.counts().await.queued() == 1.0).await;
    let begun = Instant::now();
    let refused = suggest(&api, about(v1::Line::default(), depth(2))).await;
    let failure = assert_fails(refused, Code::ResourceExhausted, ErrorReason::ComputeBusy);
    assert!(failure.retry_after.is_some());
    assert!(begun.elapsed() < Duration::from_secs(1));
    // Rules and games do not wait for it.
    api.play_all(api.game().await, "f5d6").await;
    waiting.abort();
    busy.abort();
}

#[tokio::test]
async fn a_suggestion_that_its_caller_leaves_frees_the_thread() {
    let api = small().await;
    let mut client = api.analysis();
    let long = tokio::spawn(async move {
        let minute = time(Duration::from_secs(60));
        client
            .suggest_move(about(v1::Line::default(), minute))
            .await
    });
    until(async || api.counts().await.started("SuggestMove") == 1.0).await;
    until(async || api.counts().await.queued() == 0.0).await;
    long.abort();
    let begun = Instant::now();
    suggest(&api, about(v1::Line::default(), depth(2)))
        .await
        .unwrap();
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn a_place_in_the_queue_is_free_when_its_caller_has_left() {
    let api = small().await;
    let busy = busy(&api).await;
    let mut client = api.analysis();
    let left = tokio::spawn(async move {
        client
            .suggest_move(about(v1::Line::default(), depth(2)))
            .await
    });
    until(async || api.counts().await.queued() == 1.0).await;
    left.abort();
    // The thread is still taken, but nobody waits any more: there is room for another.
    let mut client = api.analysis();
    let next = tokio::spawn(async move {
        loop {
            match client
                .suggest_move(about(v1::Line::default(), depth(2)))
                .await
            {
                Err(status) if status.code() == Code::ResourceExhausted => {}
                answer => return answer,
            }
        }
    });
    until(async || api.counts().await.ended("SuggestMove", "Canceled") == 1.0).await;
    until(async || api.counts().await.queued() == 1.0).await;
    busy.abort();
    assert!(soon(next).await.unwrap().is_ok());
}

#[tokio::test]
async fn a_suggestion_that_waited_past_its_deadline_is_not_begun() {
    let api = small().await;
    let busy = busy(&api).await;
    let request = about(v1::Line::default(), depth(60));
    let late = bare::call(&api, SUGGEST_MOVE, &[("grpc-timeout", "100m")], &request).await;
    assert_fails(late, Code::DeadlineExceeded, ErrorReason::DeadlineExceeded);
    busy.abort();
    // The thread is free for the next at once.
    suggest(&api, about(v1::Line::default(), depth(2)))
        .await
        .unwrap();
}

#[tokio::test]
async fn the_wait_for_a_thread_does_not_use_the_budget_up() {
    let api = small().await;
    let busy = busy(&api).await;
    let mut client = api.analysis();
    let tenth = about(v1::Line::default(), time(Duration::from_millis(100)));
    let waiting = tokio::spawn(async move { client.suggest_move(tenth).await });
    until(async || api.counts().await.queued() == 1.0).await;
    let begun = Instant::now();
    until(async || begun.elapsed() > Duration::from_millis(200)).await;
    busy.abort();
    let found = soon(waiting).await.unwrap().unwrap().into_inner();
    assert!(found.depth > 2, "{found:?}");
    // Its time runs from when it has its thread, a moment before it looks at the clock itself.
    let elapsed = Duration::try_from(found.elapsed.unwrap()).unwrap();
    assert!(elapsed >= Duration::from_millis(90), "{elapsed:?}");
}

#[tokio::test]
async fn counting_does_not_hold_suggestions_up() {
    let api = small().await;
    let _counting = counting::endless(&api).await;
    let found = suggest(&api, about(v1::Line::default(), depth(2))).await;
    assert!(found.is_ok(), "{found:?}");
}

#[tokio::test]
async fn a_search_that_runs_out_still_tells_a_line() {
    let api = Api::start().await;
    for nodes in [200, 1_000, 5_000, 20_000] {
        let budget = v1::Budget {
            nodes,
            ..Default::default()
        };
        let found = suggest(&api, about(v1::Line::default(), budget))
            .await
            .unwrap();
        assert!(found.line.len() > 1, "{nodes}: {found:?}");
    }
}

#[tokio::test]
async fn a_position_of_text_is_as_good_as_one_of_bits() {
    let api = Api::start().await;
    let line = v1::Line {
        position: Some(text_position(START, Color::White)),
        ..Default::default()
    };
    let found = suggest(&api, about(line, depth(2))).await.unwrap();
    assert_eq!(found.r#move.unwrap().side(), Color::White);
}

/// The start with no limit but a time.
fn timed_from_the_start() -> v1::SuggestMoveRequest {
    v1::SuggestMoveRequest {
        subject: Some(Subject::Line(v1::Line::default())),
        budget: Some(v1::Budget {
            time: Some(prost_types::Duration {
                seconds: 0,
                nanos: 20_000_000,
            }),
            ..Default::default()
        }),
        ..Default::default()
    }
}

#[tokio::test]
async fn openings_are_answered_from_the_book() {
    let api = Api::start().await;
    for reasons in [false, true] {
        let request = v1::SuggestMoveRequest {
            reasons,
            ..timed_from_the_start()
        };
        let answer = api.analysis().suggest_move(request).await.unwrap();
        let answer = answer.into_inner();
        assert!(answer.from_book);
        assert_eq!((answer.nodes, answer.line.len()), (0, 8));
        assert_eq!(answer.r#move.unwrap().square, answer.line[0]);
        assert_eq!(answer.certainty, i32::from(Certainty::Depth));
    }
}

#[tokio::test]
async fn the_book_is_not_asked_where_the_caller_wants_a_search() {
    let api = Api::start().await;
    let timed = timed_from_the_start;
    for (name, request) in [
        (
            "no book",
            v1::SuggestMoveRequest {
                no_book: true,
                ..timed()
            },
        ),
        (
            "several lines",
            v1::SuggestMoveRequest {
                lines: 2,
                ..timed()
            },
        ),
        (
            "a level",
            v1::SuggestMoveRequest {
                level: Some(4),
                ..timed()
            },
        ),
        (
            "a depth",
            v1::SuggestMoveRequest {
                budget: Some(v1::Budget {
                    depth: 3,
                    ..Default::default()
                }),
                ..timed()
            },
        ),
    ] {
        let answer = api.analysis().suggest_move(request).await.unwrap();
        let answer = answer.into_inner();
        assert!(!answer.from_book && answer.nodes > 0, "{name}: {answer:?}");
    }
}
