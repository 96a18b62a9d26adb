//! GameService: what a game is and what is done to it.

use reversi_proto::v1::{
    self, Color, EndReason, ErrorReason, GameState, LegalMovesDisplay, MoveKind, Objective,
    PassMode, Scoring, Start, Turn,
};
use tonic::Code;

use crate::client::{
    ONLY_WHITE_MOVES, SHORTEST_GAME, START, UNTIL_BLACK_MUST_PASS, a_move, bitboards,
    text_position, to_move,
};
use crate::failure::assert_fails;
use crate::server::Api;

fn rules(start: Start, pass_mode: PassMode) -> v1::RuleSet {
    v1::RuleSet {
        start: start.into(),
        pass_mode: pass_mode.into(),
        ..Default::default()
    }
}

fn squares(moves: &[v1::Move]) -> Vec<&str> {
    moves.iter().map(|mv| mv.square.as_str()).collect()
}

fn milliseconds(time: Option<prost_types::Timestamp>) -> i64 {
    let time = time.unwrap();
    time.seconds * 1000 + i64::from(time.nanos) / 1_000_000
}

#[tokio::test]
async fn a_new_game_has_every_default_filled_in() {
    let api = Api::start_with(&["--game-ttl", "1h"]).await;
    let game = api.game().await;
    let id = game.name.strip_prefix("games/").unwrap();
    assert_eq!(id.len(), 20);
    assert!(
        id.bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'2'..=b'7')),
        "{id}"
    );
    assert_eq!(game.etag, "0");
    let rules = game.rules.as_ref().unwrap();
    assert_eq!(rules.objective(), Objective::MostDiscs);
    assert_eq!(rules.start(), Start::Standard);
    assert_eq!(rules.scoring(), Scoring::Discs);
    assert_eq!(rules.pass_mode(), PassMode::Automatic);
    assert_eq!(rules.custom_position, None);
    let person = v1::Seat {
        occupant: v1::SeatOccupant::Person.into(),
        ..Default::default()
    };
    assert_eq!(game.black_seat, Some(person.clone()));
    assert_eq!(game.white_seat, Some(person));
    assert_eq!(game.state(), GameState::InProgress);
    assert_eq!(game.outcome, None);
    assert_eq!(
        bitboards(game.position.as_ref().unwrap()),
        (1 << 28 | 1 << 35, 1 << 27 | 1 << 36)
    );
    assert_eq!(game.board_text, START);
    assert_eq!((game.ply, game.history.len()), (0, 0));
    let legal = game.legal_moves.as_ref().unwrap();
    assert_eq!((legal.turn(), legal.moves.len()), (Turn::Move, 4));
    let score = game.score.unwrap();
    assert_eq!(
        (score.black, score.white, score.empties, score.scored),
        (2, 2, 60, None)
    );
    assert_eq!(game.legal_moves_display(), LegalMovesDisplay::Shown);
    assert_eq!(game.create_time, game.update_time);
    let lives = milliseconds(game.expire_time) - milliseconds(game.create_time);
    assert_eq!(lives, 3_600_000);
    assert_eq!(api.get(&game.name).await, game);
}

#[tokio::test]
async fn seats_and_rules_are_kept_as_given() {
    let api = Api::start().await;
    let seat = |player_id: &str, display_name: &str| v1::Seat {
        player_id: player_id.to_owned(),
        display_name: display_name.to_owned(),
        occupant: v1::SeatOccupant::Person.into(),
        level: 0,
    };
    let rules = v1::RuleSet {
        objective: Objective::FewestDiscs.into(),
        start: Start::Mirrored.into(),
        scoring: Scoring::EmptiesToMajorityTiesSplit.into(),
        pass_mode: PassMode::Explicit.into(),
        custom_position: None,
        balanced: None,
    };
    let request = v1::CreateGameRequest {
        rules: Some(rules.clone()),
        black_seat: Some(seat("b-1", "Zoë 🦊")),
        white_seat: Some(seat(&"w".repeat(64), "")),
        ..Default::default()
    };
    let game = api.create(request.clone()).await;
    assert_eq!(game.rules, Some(rules));
    assert_eq!(
        (game.black_seat.clone(), game.white_seat.clone()),
        (request.black_seat, request.white_seat)
    );
    assert_eq!(api.get(&game.name).await, game);
}

#[tokio::test]
async fn games_have_names_of_their_own() {
    let api = Api::start().await;
    let mut names = std::collections::BTreeSet::new();
    for _ in 0..50 {
        assert!(names.insert(api.game().await.name));
    }
}

#[tokio::test]
async fn a_move_is_answered_with_what_it_did() {
    let api = Api::start().await;
    let game = api.game().await;
    let played = api.try_play(&game, "F5").await.unwrap();
    assert_eq!(played.etag, "1");
    assert!(!played.replayed);
    let f5 = v1::Move {
        square: "f5".to_owned(),
        side: Color::Black.into(),
        kind: MoveKind::Disc.into(),
        flips: 1 << 36,
        prelude: false,
    };
    assert_eq!(played.moves, std::slice::from_ref(&f5));
    let after = played.game.unwrap();
    assert_eq!((after.etag.as_str(), after.ply), ("1", 1));
    assert_eq!(after.history, [f5]);
    assert_eq!(to_move(&after), Color::White);
    assert!(milliseconds(after.update_time) >= milliseconds(game.update_time));
    assert_eq!(after.create_time, game.create_time);
    assert_eq!(api.get(&game.name).await, after);
}

#[tokio::test]
async fn the_etag_is_as_good_as_the_ply() {
    let api = Api::start().await;
    let game = api.game().await;
    let mut request = a_move(&game, "f5");
    request.expected = Some(v1::play_move_request::Expected::Etag("0".to_owned()));
    let played = api.games().play_move(request).await.unwrap().into_inner();
    assert_eq!(played.etag, "1");
}

#[tokio::test]
async fn a_forced_pass_is_entered_with_the_move_before_it() {
    let api = Api::start().await;
    let last = &UNTIL_BLACK_MUST_PASS[22..];
    let game = api
        .play_all(api.game().await, &UNTIL_BLACK_MUST_PASS[..22])
        .await;
    assert_eq!(
        (game.ply, game.etag.as_str(), to_move(&game)),
        (11, "11", Color::White)
    );
    let played = api.try_play(&game, last).await.unwrap();
    // One write and one event, but two plies: White moves again.
    assert_eq!(squares(&played.moves), ["a7", "pass"]);
    assert_eq!(played.moves[1].kind(), MoveKind::Pass);
    assert_eq!(played.moves[1].side(), Color::Black);
    assert_eq!(played.etag, "12");
    let game = played.game.unwrap();
    assert_eq!((game.ply, to_move(&game)), (13, Color::White));

    // Black must pass again after White's third move from here.
    let game = api.play_all(game, "b5a6").await;
    let played = api.try_play(&game, "a5").await.unwrap();
    assert_eq!(squares(&played.moves), ["a5", "pass"]);
    let game = played.game.unwrap();
    assert_eq!(
        (game.ply, game.etag.as_str(), to_move(&game)),
        (17, "15", Color::White)
    );
    let game = api.play(&game, "b4").await;
    assert_eq!(game.ply, 18);
}

#[tokio::test]
async fn an_explicit_pass_is_the_callers() {
    let api = Api::start().await;
    let game = api
        .game_of(rules(Start::Standard, PassMode::Explicit))
        .await;
    let game = api.play_all(game, UNTIL_BLACK_MUST_PASS).await;
    assert_eq!((game.ply, to_move(&game)), (12, Color::Black));
    let legal = game.legal_moves.as_ref().unwrap();
    assert_eq!(
        (legal.turn(), legal.mask, legal.moves.len()),
        (Turn::Pass, 0, 0)
    );
    let played = api.try_play(&game, "Pass").await.unwrap();
    assert_eq!(squares(&played.moves), ["pass"]);
    let game = played.game.unwrap();
    assert_eq!(
        (game.ply, game.etag.as_str(), to_move(&game)),
        (13, "13", Color::White)
    );
    api.play(&game, "b5").await;
}

#[tokio::test]
async fn a_blocked_side_of_a_custom_start_passes_at_once() {
    let api = Api::start().await;
    let custom = |pass_mode: PassMode| v1::RuleSet {
        custom_position: Some(text_position(ONLY_WHITE_MOVES, Color::Black)),
        ..rules(Start::Custom, pass_mode)
    };
    let game = api.game_of(custom(PassMode::Automatic)).await;
    assert_eq!(
        (game.ply, game.etag.as_str(), to_move(&game)),
        (1, "0", Color::White)
    );
    assert_eq!(squares(&game.history), ["pass"]);
    let start = game
        .rules
        .as_ref()
        .unwrap()
        .custom_position
        .clone()
        .unwrap();
    assert_eq!(
        (bitboards(&start), start.side_to_move()),
        ((2, 1), Color::Black)
    );

    // White's one move takes the last black disc.
    let ended = api.play(&game, "c1").await;
    let outcome = ended.outcome.unwrap();
    assert_eq!(
        (outcome.winner(), outcome.reason()),
        (Color::White, EndReason::Wipeout)
    );

    let game = api.game_of(custom(PassMode::Explicit)).await;
    assert_eq!((game.ply, to_move(&game)), (0, Color::Black));
    let game = api.play(&game, "pass").await;
    assert_eq!(api.play(&game, "c1").await.state(), GameState::Finished);
}

#[tokio::test]
async fn a_side_without_discs_has_lost_or_with_fewest_discs_won() {
    let api = Api::start().await;
    for (objective, winner) in [
        (Objective::MostDiscs, Color::Black),
        (Objective::FewestDiscs, Color::White),
    ] {
        let game = api
            .game_of(v1::RuleSet {
                objective: objective.into(),
                scoring: Scoring::EmptiesToMajority.into(),
                ..Default::default()
            })
            .await;
        let game = api.play_all(game, SHORTEST_GAME).await;
        assert_eq!(game.state(), GameState::Finished);
        let outcome = game.outcome.unwrap();
        assert_eq!(
            (outcome.winner(), outcome.reason()),
            (winner, EndReason::Wipeout)
        );
        assert_eq!(game.legal_moves, None);
        let score = game.score.unwrap();
        assert_eq!((score.black, score.white, score.empties), (13, 0, 51));
        let scored = score.scored.unwrap();
        assert_eq!((scored.black, scored.white), (64, 0), "{objective:?}");
    }
}

#[tokio::test]
async fn giving_up_ends_the_game_for_the_other_side() {
    let api = Api::start().await;
    for objective in [Objective::MostDiscs, Objective::FewestDiscs] {
        let game = api
            .game_of(v1::RuleSet {
                objective: objective.into(),
                ..Default::default()
            })
            .await;
        let game = api.play(&game, "f5").await;
        // Also when it is the other side's turn.
        let resigned = api.resign(&game.name, Color::Black).await.unwrap();
        assert_eq!((resigned.etag.as_str(), resigned.replayed), ("2", false));
        let game = resigned.game.unwrap();
        assert_eq!(game.state(), GameState::Finished);
        let outcome = game.outcome.unwrap();
        assert_eq!(
            (outcome.winner(), outcome.reason()),
            (Color::White, EndReason::Resignation)
        );
        assert_eq!(game.legal_moves, None);
        // The board has not ended it: there are no totals.
        assert_eq!(game.score.unwrap().scored, None);
        assert_eq!(game.ply, 1);
        assert_eq!(api.get(&game.name).await, game);
    }
}

#[tokio::test]
async fn a_game_that_was_given_up_takes_no_more_writes() {
    let api = Api::start().await;
    let game = api.play(&api.game().await, "f5").await;
    api.resign(&game.name, Color::White).await.unwrap();
    let ended = api.get(&game.name).await;
    let played = api.try_play(&ended, "d6").await;
    let failure = assert_fails(played, Code::FailedPrecondition, ErrorReason::GameOver);
    assert_eq!(failure.metadata["etag"], "2");
    assert_eq!(failure.metadata["legal_moves"], "");
    let taken_back = api.take_back(&game.name, Color::Black).await;
    assert_fails(taken_back, Code::FailedPrecondition, ErrorReason::GameOver);
    let resigned = api.resign(&game.name, Color::Black).await;
    assert_fails(resigned, Code::FailedPrecondition, ErrorReason::GameOver);
    assert_eq!(api.get(&game.name).await, ended);
}

#[tokio::test]
async fn taking_back_goes_to_before_the_sides_last_disc() {
    let api = Api::start().await;
    let start = api.game().await;
    let game = api.play_all(start.clone(), "f5d6c3").await;
    // White's d6 and Black's answer go.
    let taken = api.take_back(&game.name, Color::White).await.unwrap();
    assert_eq!((taken.etag.as_str(), taken.replayed), ("5", false));
    let game = taken.game.unwrap();
    assert_eq!(squares(&game.history), ["f5"]);
    assert_eq!(to_move(&game), Color::White);
    // The last disc is Black's f5 now.
    let taken = api.take_back(&game.name, Color::Black).await.unwrap();
    let game = taken.game.unwrap();
    assert_eq!((game.etag.as_str(), game.ply), ("7", 0));
    assert_eq!(
        (game.position.clone(), game.legal_moves.clone()),
        (start.position, start.legal_moves)
    );
    for side in [Color::Black, Color::White] {
        let nothing = api.take_back(&game.name, side).await;
        let failure = assert_fails(
            nothing,
            Code::FailedPrecondition,
            ErrorReason::NothingToTakeBack,
        );
        assert_eq!(failure.metadata["etag"], "7");
    }
    let game = api.play(&game, "d3").await;
    assert_eq!((game.etag.as_str(), game.ply), ("8", 1));
}

#[tokio::test]
async fn passes_go_with_the_disc_that_is_taken_back() {
    let api = Api::start().await;
    for pass_mode in [PassMode::Automatic, PassMode::Explicit] {
        let game = api.game_of(rules(Start::Standard, pass_mode)).await;
        let mut game = api.play_all(game, UNTIL_BLACK_MUST_PASS).await;
        if pass_mode == PassMode::Explicit {
            game = api.play(&game, "pass").await;
        }
        let game = api.play(&game, "b5").await;
        assert_eq!(game.ply, 14);
        // White's last disc is b5: Black's pass before it stays.
        let game = api
            .take_back(&game.name, Color::White)
            .await
            .unwrap()
            .game
            .unwrap();
        assert_eq!(
            (game.ply, to_move(&game)),
            (13, Color::White),
            "{pass_mode:?}"
        );
        // White's last disc is a7 now, and Black's pass goes with it.
        let game = api
            .take_back(&game.name, Color::White)
            .await
            .unwrap()
            .game
            .unwrap();
        assert_eq!(
            (game.ply, to_move(&game)),
            (11, Color::White),
            "{pass_mode:?}"
        );
        // Black's last disc is b6, not a pass.
        let game = api
            .take_back(&game.name, Color::Black)
            .await
            .unwrap()
            .game
            .unwrap();
        assert_eq!(
            (game.ply, to_move(&game)),
            (10, Color::Black),
            "{pass_mode:?}"
        );
    }
}

#[tokio::test]
async fn the_pass_of_a_custom_start_cannot_be_taken_back() {
    let api = Api::start().await;
    let start = format!("{}{}{}", "-".repeat(16), "OXXX----", "-".repeat(40));
    let game = api
        .game_of(v1::RuleSet {
            custom_position: Some(text_position(&start, Color::Black)),
            ..rules(Start::Custom, PassMode::Automatic)
        })
        .await;
    assert_eq!(squares(&game.history), ["pass"]);
    let nothing = api.take_back(&game.name, Color::Black).await;
    assert_fails(
        nothing,
        Code::FailedPrecondition,
        ErrorReason::NothingToTakeBack,
    );
}

#[tokio::test]
async fn placements_are_taken_back_like_discs() {
    let api = Api::start().await;
    let game = api.game_of(rules(Start::Free, PassMode::Automatic)).await;
    let game = api.play_all(game, "d4e4d5").await;
    let game = api
        .take_back(&game.name, Color::White)
        .await
        .unwrap()
        .game
        .unwrap();
    assert_eq!(squares(&game.history), ["d4"]);
    assert_eq!(game.history[0].kind(), MoveKind::Placement);
    assert_eq!(game.legal_moves.unwrap().moves.len(), 3);
}

#[tokio::test]
async fn a_deleted_game_is_gone() {
    let api = Api::start().await;
    let game = api.game().await;
    api.delete(&game.name).await.unwrap();
    let gone = (Code::NotFound, ErrorReason::GameNotFound);
    let failure = assert_fails(api.try_get(&game.name).await, gone.0, gone.1);
    assert_eq!(failure.resource.as_deref(), Some(&game.name[..]));
    assert_eq!(failure.metadata["name"], game.name);
    assert_fails(api.delete(&game.name).await, gone.0, gone.1);
    assert_fails(api.try_play(&game, "f5").await, gone.0, gone.1);
    assert_fails(
        api.take_back(&game.name, Color::Black).await,
        gone.0,
        gone.1,
    );
    assert_fails(api.resign(&game.name, Color::Black).await, gone.0, gone.1);
    assert_fails(api.try_watch(&game.name, "").await, gone.0, gone.1);
}

#[tokio::test]
async fn a_finished_game_can_be_deleted() {
    let api = Api::start().await;
    let game = api.play_all(api.game().await, SHORTEST_GAME).await;
    api.delete(&game.name).await.unwrap();
    assert_fails(
        api.try_get(&game.name).await,
        Code::NotFound,
        ErrorReason::GameNotFound,
    );
}

#[tokio::test]
async fn deletion_of_an_older_state_is_stale() {
    let api = Api::start().await;
    let game = api.play(&api.game().await, "f5").await;
    let request = |etag: &str| v1::DeleteGameRequest {
        name: game.name.clone(),
        etag: etag.to_owned(),
        request_id: String::new(),
    };
    let stale = api.games().delete_game(request("0")).await;
    let failure = assert_fails(stale, Code::Aborted, ErrorReason::StaleEtag);
    assert_eq!(
        (&*failure.metadata["etag"], &*failure.metadata["ply"]),
        ("1", "1")
    );
    api.games().delete_game(request("1")).await.unwrap();
}

#[tokio::test]
async fn hidden_legal_moves_are_shown_nowhere() {
    let api = Api::start().await;
    let game = api
        .create(v1::CreateGameRequest {
            legal_moves_display: LegalMovesDisplay::Hidden.into(),
            ..Default::default()
        })
        .await;
    assert_eq!(game.legal_moves, None);
    assert_eq!(game.legal_moves_display(), LegalMovesDisplay::Hidden);
    let mut watch = api.watch(&game.name, "").await;
    assert_eq!(watch.snapshot().await.game.unwrap().legal_moves, None);
    let played = api.play(&game, "f5").await;
    assert_eq!(played.legal_moves, None);
    assert_eq!(watch.event().await.after.unwrap().legal_moves, None);
    // Nor in what an error says.
    let refused = api.try_play(&played, "a1").await;
    let failure = assert_fails(
        refused,
        Code::FailedPrecondition,
        ErrorReason::IllegalNoFlip,
    );
    assert!(!failure.metadata.contains_key("legal_moves"), "{failure:?}");
}

#[tokio::test]
async fn a_batch_is_got_in_order_with_what_is_missing() {
    let api = Api::start().await;
    let first = api.game().await;
    let second = api.play(&api.game().await, "f5").await;
    let deleted = api.game().await;
    api.delete(&deleted.name).await.unwrap();
    let never = "games/aaaaaaaaaaaaaaaaaaaa".to_owned();
    let names = vec![
        second.name.clone(),
        never.clone(),
        first.name.clone(),
        deleted.name.clone(),
        second.name.clone(),
    ];
    let answer = api
        .games()
        .batch_get_games(v1::BatchGetGamesRequest { names })
        .await
        .unwrap()
        .into_inner();
    assert_eq!(answer.games, [second.clone(), first, second]);
    assert_eq!(answer.missing, [never, deleted.name]);
}

#[tokio::test]
async fn a_move_can_be_tried_without_being_played() {
    let api = Api::start().await;
    let game = api
        .play_all(api.game().await, &UNTIL_BLACK_MUST_PASS[..22])
        .await;
    let mut watch = api.watch(&game.name, "").await;
    watch.snapshot().await;
    let mut request = a_move(&game, "a7");
    request.validate_only = true;
    request.request_id = "try".to_owned();
    let tried = api
        .games()
        .play_move(request.clone())
        .await
        .unwrap()
        .into_inner();
    assert_eq!(squares(&tried.moves), ["a7", "pass"]);
    assert_eq!((tried.etag.as_str(), tried.replayed), ("12", false));
    assert_eq!(tried.game.as_ref().unwrap().ply, 13);
    assert_eq!(api.get(&game.name).await, game);

    // What would fail fails.
    let mut illegal = a_move(&game, "a1");
    illegal.validate_only = true;
    let refused = api.games().play_move(illegal).await;
    assert_fails(
        refused,
        Code::FailedPrecondition,
        ErrorReason::IllegalNoFlip,
    );

    // The request id is still unused: the move can be played under it, and says the same.
    request.validate_only = false;
    let played = api.games().play_move(request).await.unwrap().into_inner();
    assert!(!played.replayed);
    assert_eq!((played.moves, played.etag), (tried.moves, tried.etag));
    // The first that the watch is told of is the move that was played.
    assert_eq!(watch.event().await.etag, "12");
}

#[tokio::test]
async fn a_full_store_takes_no_more_games() {
    let api = Api::start_with(&["--max-games", "2"]).await;
    let game = api.game().await;
    api.game().await;
    let refused = api
        .games()
        .create_game(v1::CreateGameRequest::default())
        .await;
    let failure = assert_fails(refused, Code::ResourceExhausted, ErrorReason::TooManyGames);
    assert_eq!(failure.metadata["limit"], "2");
    assert!(failure.retry_after.is_some());
    // Those that are there go on.
    api.play(&game, "f5").await;
}

/// Clients take messages of 4 MiB by default.
#[tokio::test]
async fn the_largest_answers_fit_into_a_message() {
    let api = Api::start().await;
    let long = v1::Seat {
        player_id: "p".repeat(64),
        display_name: "d".repeat(64),
        ..Default::default()
    };
    // The longest game: 64 plies from an empty board, and the most passes besides.
    let game = api
        .create(v1::CreateGameRequest {
            rules: Some(rules(Start::Free, PassMode::Automatic)),
            black_seat: Some(long.clone()),
            white_seat: Some(long),
            ..Default::default()
        })
        .await;
    let mut game = api.play_all(game, "d4e4d5e5").await;
    while let Some(legal) = game.legal_moves.clone() {
        game = api.play(&game, &legal.moves[0].square).await;
    }
    let names = vec![game.name.clone(); 500];
    let request = v1::BatchGetGamesRequest { names };
    let answer = api.games().batch_get_games(request).await.unwrap();
    assert_eq!(answer.into_inner().games.len(), 500);
}
