//! `suggest`.

use crate::bench::{Bench, START};

const FIRST: [&str; 4] = ["d3", "c4", "f5", "e6"];

#[tokio::test]
async fn a_first_move_is_suggested() {
    let bench = Bench::start().await;
    for arguments in [
        &["suggest", "--depth", "4"][..],
        &["suggest", "--nodes", "500"],
        &["suggest", "--time", "20ms"],
        &["suggest", "--depth", "2", "--board", START, "--side", "X"],
    ] {
        let suggested = bench.json(arguments).await;
        let square = suggested["move"].as_str().unwrap();
        assert!(FIRST.contains(&square), "{suggested}");
        assert_eq!(suggested["certainty"], "depth");
        assert_eq!(suggested["line"][0], square);
        assert_eq!(suggested["flips"].as_array().unwrap().len(), 1);
        assert!(suggested.get("etag").is_none());
    }
    let text = bench.text(&["suggest", "--depth", "2"]).await;
    assert!(
        FIRST.iter().any(|square| text.starts_with(square)),
        "{text}"
    );
}

#[tokio::test]
async fn a_transcript_and_a_stored_game_lead_to_the_same_suggestion() {
    let bench = Bench::start().await;
    let name = bench.new_game(&[]).await;
    for square in ["f5", "d6"] {
        bench.json(&["move", &name, square]).await;
    }
    let of_line = bench
        .json(&["suggest", "--transcript", "f5d6", "--depth", "4"])
        .await;
    let of_game = bench
        .json(&["suggest", "--game", &name, "--depth", "4"])
        .await;
    assert_eq!(of_game["move"], of_line["move"]);
    assert_eq!(of_game["value"], of_line["value"]);
    let game = bench.json(&["show", &name]).await;
    assert_eq!(of_game["etag"], game["etag"]);
}

#[tokio::test]
async fn the_end_is_seen_exactly() {
    let bench = Bench::start().await;
    let board = format!("-OX{}", "X".repeat(61));
    let suggested = bench
        .json(&["suggest", "--board", &board, "--side", "X", "--depth", "1"])
        .await;
    assert_eq!(suggested["move"], "a1");
    assert_eq!(suggested["value"], 64.0);
    assert_eq!(suggested["certainty"], "exact");
}

#[tokio::test]
async fn a_finished_game_has_no_move_to_suggest() {
    let bench = Bench::start().await;
    let error = bench
        .error(&["suggest", "--transcript", "e6f4e3f6g5d6e7f5c5"])
        .await;
    assert_eq!(error["reason"], "GAME_OVER");
}

#[tokio::test]
async fn a_level_with_a_seed_suggests_the_same_again() {
    let bench = Bench::start().await;
    let arguments = ["suggest", "--level", "2", "--seed", "7"];
    let first = bench.json(&arguments).await;
    let second = bench.json(&arguments).await;
    assert_eq!(first["move"], second["move"]);
    assert_eq!((&first["level"], &first["seed"]), (&2.into(), &7.into()));
    for level in ["0", "11", "strong"] {
        let wrong = bench.run(&["suggest", "--level", level]).await;
        assert_eq!(wrong.code, 2, "{wrong:?}");
    }
}

#[tokio::test]
async fn lines_and_reasons_are_told() {
    let bench = Bench::start().await;
    let board = "-OOOX---------------------OOO-----OXO----OXXO-------------------";
    let arguments = [
        "suggest",
        "--board",
        board,
        "--side",
        "X",
        "--depth",
        "4",
        "--lines",
        "60",
        "--reasons",
    ];
    let suggested = bench.json(&arguments).await;
    assert_eq!(suggested["move"], "a1");
    let alternatives = suggested["alternatives"].as_array().unwrap();
    assert!(alternatives.len() > 2, "{suggested}");
    assert_eq!(alternatives[0]["line"][0], alternatives[0]["move"]);
    assert_eq!(suggested["reasons"][0]["kind"], "TAKES_CORNER");
    assert_eq!(suggested["reasons"][0]["squares"][0], "a1");
    let text = bench.text(&arguments).await;
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("a1  "), "{text}");
    assert!(lines[1].starts_with("  or "), "{text}");
    assert!(lines[alternatives.len() + 1].ends_with('.'), "{text}");
}
