//! `play`, driven through a pipe.

use serde_json::{Value, json};

use crate::bench::{Bench, Running};

/// Quick engine moves.
const PLAY: [&str; 3] = ["play", "--time", "1ms"];

fn play(bench: &Bench, arguments: &[&str]) -> Running {
    bench.spawn(&[&PLAY, arguments, &["--json"]].concat())
}

/// Waits for an event of that kind; the events before are skipped.
async fn wait_for(game: &mut Running, event: &str) -> Value {
    loop {
        let found = game.next().await.unwrap_or_else(|| panic!("no {event}"));
        if found["event"] == event {
            return found;
        }
    }
}

/// Answers every turn with its first legal square; the events up to the end.
async fn play_to_the_end(game: &mut Running) -> Vec<Value> {
    let mut events = Vec::new();
    while let Some(event) = game.next().await {
        if event["event"] == "turn" {
            game.type_line(event["legal_moves"][0].as_str().unwrap())
                .await;
        }
        events.push(event);
    }
    events
}

#[tokio::test]
async fn a_game_is_played_to_its_end() {
    let bench = Bench::start().await;
    for arguments in [
        &["--side", "X"][..],
        &["--side", "O"],
        &["--pass-mode", "explicit"],
        &[
            "--start",
            "free",
            "--objective",
            "fewest-discs",
            "--side",
            "o",
        ],
    ] {
        let mut game = play(&bench, arguments);
        let events = play_to_the_end(&mut game).await;
        assert_eq!(game.end().await, 0, "{arguments:?}");
        assert_eq!(events[0]["event"], "start", "{arguments:?}");
        let result = events.last().unwrap();
        assert_eq!(result["event"], "result", "{arguments:?}: {result}");
        assert_eq!(result["game"]["state"], "finished");
        assert!(result["game"]["scored"].is_object(), "{result}");
        assert!(
            events.iter().all(|event| event["event"] != "error"),
            "{events:?}"
        );
        let moves = events
            .iter()
            .filter(|event| event["event"] == "move")
            .count();
        assert_eq!(json!(moves), result["game"]["ply"], "{arguments:?}");
        let stored = bench
            .json(&["show", result["game"]["name"].as_str().unwrap()])
            .await;
        assert_eq!(stored["board"], result["game"]["board"]);
    }
}

#[tokio::test]
async fn each_move_says_by_whom() {
    let bench = Bench::start().await;
    let mut game = play(&bench, &[]);
    wait_for(&mut game, "turn").await;
    game.type_line("F5").await;
    let own = game.next().await.unwrap();
    assert_eq!(
        (&own["event"], &own["by"]),
        (&json!("move"), &json!("person"))
    );
    assert_eq!((&own["side"], &own["square"]), (&json!("X"), &json!("f5")));
    assert_eq!(own["flips"], json!(["e5"]));
    let reply = game.next().await.unwrap();
    assert_eq!(
        (&reply["by"], &reply["side"]),
        (&json!("engine"), &json!("O"))
    );
}

#[tokio::test]
async fn bad_input_is_told_and_survived() {
    let bench = Bench::start().await;
    let mut game = play(&bench, &[]);
    for (line, reason) in [
        ("a1", "ILLEGAL_NO_FLIP"),
        ("d4", "SQUARE_OCCUPIED"),
        ("castle", "NOT_A_SQUARE"),
        ("pass", "FALSE_PASS"),
        ("takeback", "NOTHING_TO_TAKE_BACK"),
    ] {
        wait_for(&mut game, "turn").await;
        game.type_line(line).await;
        assert_eq!(
            wait_for(&mut game, "error").await["error"]["reason"],
            reason
        );
    }
    wait_for(&mut game, "turn").await;
    game.type_line("").await;
    wait_for(&mut game, "turn").await;
    game.type_line("help").await;
    wait_for(&mut game, "turn").await;
    game.type_line("quit").await;
    wait_for(&mut game, "left").await;
    assert_eq!(game.end().await, 0);
}

#[tokio::test]
async fn a_hint_a_take_back_and_a_resignation() {
    let bench = Bench::start().await;
    let mut game = play(&bench, &[]);
    wait_for(&mut game, "turn").await;
    game.type_line("hint").await;
    let hint = wait_for(&mut game, "hint").await;
    let square = hint["suggestion"]["move"].as_str().unwrap().to_owned();
    wait_for(&mut game, "turn").await;
    game.type_line(&square).await;
    wait_for(&mut game, "turn").await;
    game.type_line("u").await;
    assert_eq!(wait_for(&mut game, "taken_back").await["game"]["ply"], 0);
    wait_for(&mut game, "turn").await;
    game.type_line("resign").await;
    let result = wait_for(&mut game, "result").await;
    assert_eq!(
        result["game"]["outcome"],
        json!({"winner": "O", "reason": "RESIGNATION"})
    );
    assert_eq!(game.end().await, 0);
}

#[tokio::test]
async fn a_game_that_was_left_is_gone_on_with() {
    let bench = Bench::start().await;
    let mut game = play(&bench, &[]);
    wait_for(&mut game, "turn").await;
    game.type_line("f5").await;
    let turn = wait_for(&mut game, "turn").await;
    // The end of the input leaves the game.
    let mut input_ended = game;
    let left = {
        input_ended.close_input();
        wait_for(&mut input_ended, "left").await
    };
    assert_eq!(input_ended.end().await, 0);
    let name = left["game"].as_str().unwrap();

    let mut again = play(&bench, &["--game", name]);
    assert_eq!(wait_for(&mut again, "start").await["game"]["ply"], 2);
    assert_eq!(wait_for(&mut again, "turn").await["board"], turn["board"]);
}

#[tokio::test]
async fn people_are_shown_the_board_and_the_result() {
    let bench = Bench::start().await;
    let ran = bench.run_with(&PLAY, "help\nf5\nresign\n").await;
    assert_eq!(ran.code, 0, "{ran:?}");
    let text = &ran.stdout;
    assert!(text.contains("you play X"), "{text}");
    assert!(text.contains("takeback"), "{text}");
    assert!(text.contains(" 3  .  .  .  +  .  .  .  .  3"), "{text}");
    assert!(text.contains("X plays f5 and turns e5"), "{text}");
    assert!(text.contains("[O]"), "{text}");
    assert!(text.ends_with("O wins: by resignation\n"), "{text}");
    assert!(!text.contains('\x1b') && !text.contains("> "), "{text}");
}

#[tokio::test]
async fn people_are_told_of_sides_as_on_the_board() {
    let bench = Bench::start().await;
    let ran = bench
        .run_with(&[&PLAY[..], &["--side", "O"]].concat(), "takeback\nquit\n")
        .await;
    assert!(ran.stdout.contains("O has no move to take back"), "{ran:?}");
}

#[tokio::test]
async fn a_lost_service_ends_a_script_with_the_way_to_go_on() {
    let bench = Bench::start().await;
    let mut game = play(&bench, &["--timeout", "2s"]);
    let start = wait_for(&mut game, "start").await;
    wait_for(&mut game, "turn").await;
    bench.server.stop().await;
    game.type_line("f5").await;
    let lost = loop {
        let event = game.next().await.unwrap();
        if event["event"].is_null() {
            break event;
        }
    };
    assert_eq!(lost["error"]["game"], start["game"]["name"], "{lost}");
    assert_eq!(game.end().await, 1);
}

#[tokio::test]
async fn an_interrupted_game_says_how_to_go_on() {
    let bench = Bench::start().await;
    let mut game = play(&bench, &[]);
    wait_for(&mut game, "turn").await;
    let name = bench.json(&["list"]).await["games"][0]["name"].clone();
    let (code, stderr) = game.interrupt().await;
    assert_eq!(code, 130);
    assert!(stderr.contains(name.as_str().unwrap()), "{stderr}");
}
