//! Whatever a caller sends, the server neither fails nor blames itself.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use reversi_proto::PositionBatch;
use reversi_proto::v1::clock::Time;
use reversi_proto::v1::opening_choice::Pick;
use reversi_proto::v1::play_move_request::Expected;
use reversi_proto::v1::position::Board;
use reversi_proto::v1::suggest_move_request::Subject;
use reversi_proto::v1::{self, analyze_position_request};
use tokio::runtime::Runtime;
use tonic::{Code, Status, Streaming};

use crate::client::soon;
use crate::edge::raw;
use crate::failure::Failure;
use crate::server::Api;

const METHODS: [&str; 19] = [
    "RulesService/GetServerInfo",
    "RulesService/ListLegalMoves",
    "RulesService/ApplyMoves",
    "RulesService/ScorePosition",
    "RulesService/BatchListLegalMoves",
    "GameService/CreateGame",
    "GameService/GetGame",
    "GameService/BatchGetGames",
    "GameService/ListGames",
    "GameService/DeleteGame",
    "GameService/PlayMove",
    "GameService/TakeBack",
    "GameService/Resign",
    "GameService/AnswerTakeBack",
    "GameService/ClaimSeat",
    "GameService/SetSeat",
    "GameService/UpdateGame",
    "GameService/Rematch",
    "AnalysisService/SuggestMove",
];

/// The codes with which a call may be refused for what it says.
fn blames_the_caller<T: std::fmt::Debug>(result: Result<T, Status>) -> Result<(), TestCaseError> {
    let Err(status) = result else {
        return Ok(());
    };
    let failure = Failure::of(&status);
    prop_assert!(
        matches!(
            failure.code,
            Code::InvalidArgument
                | Code::FailedPrecondition
                | Code::Aborted
                | Code::NotFound
                | Code::Unauthenticated
                | Code::PermissionDenied
                | Code::Unimplemented
        ),
        "{failure:#?}"
    );
    Ok(())
}

/// Calls a server for each of many values.
fn for_all<S: Strategy>(
    cases: u32,
    strategy: &S,
    call: &impl AsyncFn(&Api, S::Value) -> Result<(), TestCaseError>,
) where
    S::Value: Clone,
{
    let runtime = Runtime::new().unwrap();
    let flags = [
        "--suggest-time",
        "5ms",
        "--max-suggest-time",
        "5ms",
        "--engine-move-time",
        "5ms",
    ];
    let api = runtime.block_on(Api::start_with(&flags));
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config)
        .run(strategy, |value| runtime.block_on(soon(call(&api, value))))
        .unwrap_or_else(|error| panic!("{error}"));
    runtime.block_on(async {
        // The server is as well as before.
        api.game().await;
        drop(api);
    });
}

/// Numbers of an enum field: mostly known ones.
fn enum_value() -> impl Strategy<Value = i32> {
    prop_oneof![4 => 0..9, 1 => any::<i32>()]
}

/// Boards: any bits, bits that do not overlap, few discs.
fn bitboards() -> impl Strategy<Value = v1::Bitboards> {
    prop_oneof![
        any::<(u64, u64)>(),
        any::<(u64, u64)>().prop_map(|(black, white)| (black & !white, white)),
        (0..64_u32, 0..64_u32).prop_map(|(black, white)| (1 << black, 1 << white)),
        Just((0, 0)),
    ]
    .prop_map(|(black, white)| v1::Bitboards { black, white })
}

fn position() -> impl Strategy<Value = v1::Position> {
    let board = prop_oneof![
        2 => bitboards().prop_map(Board::Bitboards),
        1 => "[XOxowWbB*.\\- \n-]{60,70}".prop_map(Board::Text),
        1 => "[XO-]{64}".prop_map(Board::Text),
        1 => any::<String>().prop_map(Board::Text),
    ];
    (
        proptest::option::weighted(0.9, board),
        prop_oneof![4 => 1..3, 1 => any::<i32>()],
    )
        .prop_map(|(board, side_to_move)| v1::Position {
            board,
            side_to_move,
        })
}

fn balanced() -> impl Strategy<Value = v1::BalancedStart> {
    let pick = prop_oneof![
        Just(None),
        any::<u32>().prop_map(|index| Some(Pick::Index(index % 20_000))),
        any::<u64>().prop_map(|seed| Some(Pick::Seed(seed))),
    ];
    let choice = (enum_value(), pick, 0..3_u32);
    let choice = choice.prop_map(|(balance, pick, list_version)| v1::OpeningChoice {
        balance: balance % 3,
        pick,
        list_version,
    });
    let moves = prop_oneof![3 => Just(String::new()), 1 => transcript()];
    (proptest::option::of(choice), moves, any::<u32>()).prop_map(|(choice, moves, list_version)| {
        v1::BalancedStart {
            choice,
            moves,
            list_version,
        }
    })
}

fn rules() -> impl Strategy<Value = v1::RuleSet> {
    let numbers = (enum_value(), enum_value(), enum_value(), enum_value());
    let custom_position = proptest::option::of(position());
    let balanced = proptest::option::weighted(0.3, balanced());
    (numbers, custom_position, balanced).prop_map(|(numbers, custom_position, balanced)| {
        let (objective, start, scoring, pass_mode) = numbers;
        v1::RuleSet {
            objective: objective % 3,
            start,
            scoring: scoring % 4,
            pass_mode: pass_mode % 3,
            custom_position,
            balanced,
        }
    })
}

/// Transcripts: moves, moves with rubbish, rubbish.
fn transcript() -> impl Strategy<Value = String> {
    prop_oneof![
        "([a-h][1-8]){0,70}",
        "([a-hA-H][1-8]|pass|pa|--|[0-9]{1,2}\\.| |\n|,){0,70}",
        "(f5|d6|c3|d3|c4|e6|f4|pa|é|[^x]){0,20}",
        any::<String>(),
    ]
}

/// Short texts: ids, etags, squares, and anything.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-h][1-8]",
        "games/[a-z2-7]{20}",
        "[0-9]{0,12}",
        "pass|--|PASS",
        any::<String>(),
        "[^a]{60,70}",
    ]
}

#[test]
fn any_rules_question_is_answered_or_refused() {
    let strategy = (
        proptest::option::of(position()),
        proptest::option::of(rules()),
        transcript(),
        enum_value(),
    );
    for_all(600, &strategy, &async |api,
                                    (
        position,
        rules,
        transcript,
        number,
    )| {
        let request = v1::ListLegalMovesRequest {
            position: position.clone(),
            rules: rules.clone(),
            view: number,
        };
        blames_the_caller(api.rules().list_legal_moves(request).await)?;
        let request = v1::ScorePositionRequest {
            position: position.clone(),
            rules: rules.clone(),
        };
        blames_the_caller(api.rules().score_position(request).await)?;
        let request = v1::ApplyMovesRequest {
            position: position.clone(),
            rules: rules.clone(),
            transcript: transcript.clone(),
            syntax: number,
        };
        blames_the_caller(api.rules().apply_moves(request).await)?;
        let line = v1::Line {
            position: position.clone(),
            rules: rules.clone(),
            transcript,
        };
        let request = v1::SuggestMoveRequest {
            subject: Some(Subject::Line(line.clone())),
            budget: Some(v1::Budget {
                depth: number,
                nodes: 100,
                ..Default::default()
            }),
            level: (number % 2 == 0).then_some(number),
            lines: number,
            reasons: true,
            no_book: number % 3 == 0,
            seed: None,
        };
        blames_the_caller(api.analysis().suggest_move(request).await)?;
        let request = v1::AnalyzePositionRequest {
            subject: Some(analyze_position_request::Subject::Line(line)),
            budget: Some(v1::Budget {
                depth: number,
                nodes: 100,
                ..Default::default()
            }),
            lines: number,
        };
        let answer = api.analysis().analyze_position(request).await;
        if let Ok(stream) = answer {
            blames_the_caller(last(stream.into_inner()).await)?;
        } else {
            blames_the_caller(answer)?;
        }
        let request = v1::CountPositionsRequest {
            position,
            rules,
            depth: number.clamp(-1, 3),
            convention: number,
        };
        let answer = api.rules().count_positions(request).await;
        let Ok(stream) = answer else {
            return blames_the_caller(answer);
        };
        blames_the_caller(last(stream.into_inner()).await)
    });
}

/// How a stream of answers ends.
async fn last<T>(mut stream: Streaming<T>) -> Result<(), Status> {
    while stream.message().await?.is_some() {}
    Ok(())
}

#[test]
fn any_game_can_be_created_or_is_refused_and_takes_any_write() {
    let write = (text(), enum_value(), text(), text(), any::<i32>());
    let strategy = (
        proptest::option::of(rules()),
        (text(), text(), text()),
        proptest::collection::vec(write, 0..6),
    );
    for_all(300, &strategy, &async |api, (rules, (a, b, c), writes)| {
        let seat = |player_id: &str, display_name: &str| {
            Some(v1::Seat {
                player_id: player_id.to_owned(),
                display_name: display_name.to_owned(),
                ..Default::default()
            })
        };
        let request = v1::CreateGameRequest {
            rules,
            black_seat: seat(&a, &b),
            white_seat: seat(&b, &c),
            legal_moves_display: 0,
            ..Default::default()
        };
        let answer = api.games().create_game(request).await;
        // Where it cannot be created, the writes go to a name that is none or unknown.
        let name = match &answer {
            Ok(response) => response.get_ref().game.as_ref().unwrap().name.clone(),
            Err(_) => a,
        };
        blames_the_caller(answer)?;
        for (square, side, etag, request_id, ply) in writes {
            let expected = if ply % 2 == 0 {
                Expected::ExpectedPly(ply % 4)
            } else {
                Expected::Etag(etag.clone())
            };
            let request = v1::PlayMoveRequest {
                name: name.clone(),
                side,
                square,
                expected: Some(expected),
                request_id: request_id.clone(),
                validate_only: ply % 3 == 0,
            };
            blames_the_caller(api.games().play_move(request).await)?;
            let request = v1::TakeBackRequest {
                name: name.clone(),
                side,
                etag: etag.clone(),
                request_id: request_id.clone(),
                ply: (ply % 2 == 0).then_some(ply),
            };
            blames_the_caller(api.games().take_back(request).await)?;
            let request = v1::ListGamesRequest {
                page_size: ply,
                page_token: etag.clone(),
                state: side,
                ..Default::default()
            };
            blames_the_caller(api.games().list_games(request).await)?;
            let watch = v1::WatchGameRequest {
                name: name.clone(),
                after_etag: etag,
                ..Default::default()
            };
            blames_the_caller(api.games().watch_game(watch).await)?;
        }
        Ok(())
    });
}

fn any_duration() -> impl Strategy<Value = Option<prost_types::Duration>> {
    let seconds = prop_oneof![0_i64..100, any::<i64>()];
    let duration = (seconds, any::<i32>())
        .prop_map(|(seconds, nanos)| prost_types::Duration { seconds, nanos });
    proptest::option::of(duration)
}

fn any_clock() -> impl Strategy<Value = Option<v1::Clock>> {
    let total = (any_duration(), any_duration())
        .prop_map(|(initial, increment)| Time::Total(v1::TotalTime { initial, increment }));
    let per_move = any_duration().prop_map(|time| Time::PerMove(time.unwrap_or_default()));
    let time = proptest::option::of(prop_oneof![total, per_move]);
    let clock = (time, enum_value()).prop_map(|(time, on_expiry)| v1::Clock { time, on_expiry });
    proptest::option::of(clock)
}

fn any_seat() -> impl Strategy<Value = Option<v1::Seat>> {
    let seat = (text(), 0_i32..6, -1_i32..12).prop_map(|(name, occupant, level)| v1::Seat {
        player_id: name.clone(),
        display_name: name,
        occupant,
        level,
    });
    proptest::option::of(seat)
}

#[test]
fn any_seats_and_clocks_are_taken_or_refused_and_take_any_write() {
    let write = (0_u8..6, enum_value(), -1_i32..12, text(), any::<bool>());
    let strategy = (
        (any_seat(), any_seat(), 0_i32..5, any::<bool>()),
        (any_clock(), any_duration(), -1_i32..12),
        (text(), proptest::collection::vec(text(), 0..4)),
        proptest::collection::vec(write, 0..10),
    );
    for_all(
        400,
        &strategy,
        &async |api, (seating, timing, words, writes)| {
            let (black_seat, white_seat, color_policy, seat_tokens) = seating;
            let (clock, presence_ttl, substitute_level) = timing;
            let (external_id, labels) = words;
            let request = v1::CreateGameRequest {
                black_seat,
                white_seat,
                color_policy,
                seat_tokens,
                clock,
                presence_ttl,
                substitute_level,
                labels,
                external_id,
                ..Default::default()
            };
            let mut answer = api.games().create_game(request).await;
            if answer.is_err() {
                // So that the writes have a game of seats that are open.
                blames_the_caller(answer)?;
                let open = Some(v1::Seat {
                    occupant: v1::SeatOccupant::Open.into(),
                    ..Default::default()
                });
                let request = v1::CreateGameRequest {
                    black_seat: open.clone(),
                    white_seat: open,
                    color_policy: 2,
                    ..Default::default()
                };
                answer = api.games().create_game(request).await;
            }
            let name = answer.unwrap().into_inner().game.unwrap().name;
            for write in writes {
                any_write(api, &name, write).await?;
            }
            Ok(())
        },
    );
}

async fn any_write(
    api: &Api,
    name: &str,
    (kind, side, number, request_id, yes): (u8, i32, i32, String, bool),
) -> Result<(), TestCaseError> {
    let name = name.to_owned();
    let mut games = api.games();
    match kind {
        0 => {
            let request = v1::ClaimSeatRequest {
                name,
                side,
                request_id,
                ..Default::default()
            };
            blames_the_caller(games.claim_seat(request).await)
        }
        1 => {
            let request = v1::SetSeatRequest {
                name,
                side,
                occupant: if yes { 1 } else { 2 },
                level: number,
                request_id,
                ..Default::default()
            };
            blames_the_caller(games.set_seat(request).await)
        }
        2 => {
            let request = v1::AnswerTakeBackRequest {
                name,
                side,
                accept: yes,
                request_id,
                ..Default::default()
            };
            blames_the_caller(games.answer_take_back(request).await)
        }
        3 => {
            let request = v1::TakeBackRequest {
                name,
                side,
                request_id,
                ply: yes.then_some(number),
                ..Default::default()
            };
            blames_the_caller(games.take_back(request).await)
        }
        4 if yes => {
            let request = v1::ResignRequest {
                name,
                side,
                request_id,
                ..Default::default()
            };
            blames_the_caller(games.resign(request).await)
        }
        4 => {
            let request = v1::RematchRequest {
                name,
                colors: number,
                request_id,
            };
            blames_the_caller(games.rematch(request).await)
        }
        _ => {
            let request = v1::UpdateGameRequest {
                name,
                legal_moves_display: side,
                request_id,
                ..Default::default()
            };
            blames_the_caller(games.update_game(request).await)
        }
    }
}

#[test]
fn any_batch_is_answered_or_refused() {
    let numbers = || proptest::collection::vec(any::<u64>(), 0..50);
    for_all(
        200,
        &(numbers(), numbers()),
        &async |api, (player, opponent)| {
            let even = player.len() == opponent.len() && !player.is_empty();
            let batch = PositionBatch {
                player: player.into(),
                opponent: opponent.into(),
            };
            let answer = api.rules().batch_list_legal_moves(batch).await;
            prop_assert_eq!(answer.is_ok(), even);
            blames_the_caller(answer)
        },
    );
}

#[test]
fn any_bytes_are_answered_or_refused_by_every_method() {
    let bytes = proptest::collection::vec(any::<u8>(), 0..100);
    let strategy = (0..METHODS.len(), bytes);
    for_all(2000, &strategy, &async |api, (method, bytes)| {
        let path = format!("/reversi.v1.{}", METHODS[method]);
        blames_the_caller(raw(&api.channel, &path, &bytes).await)
    });
}
