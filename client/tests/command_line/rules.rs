//! `legal`, `apply`, `score`, `perft` and `info`.

use serde_json::json;

use crate::bench::{Bench, START};

#[tokio::test]
async fn legal_lists_the_four_first_moves() {
    let bench = Bench::start().await;
    let expected = json!({"state": "move", "moves": [
        {"square": "d3", "flips": ["d4"]},
        {"square": "c4", "flips": ["d4"]},
        {"square": "f5", "flips": ["e5"]},
        {"square": "e6", "flips": ["e5"]},
    ]});
    assert_eq!(bench.json(&["legal"]).await, expected);
    let given = ["legal", "--board", START, "--side", "X"];
    assert_eq!(bench.json(&given).await, expected);
    assert_eq!(
        bench.text(&["legal"]).await,
        "d3  d4\nc4  d4\nf5  e5\ne6  e5\n"
    );
}

#[tokio::test]
async fn legal_orders_flips_from_a1_on() {
    let bench = Bench::start().await;
    // h8 turns in three directions.
    let board = "\
        X------X\
        -O-----O\
        --O----O\
        ---O---O\
        ----O--O\
        -----O-O\
        ------OO\
        XOOOOOO-";
    let legal = bench
        .json(&["legal", "--board", board, "--side", "x"])
        .await;
    assert_eq!(
        legal["moves"].as_array().unwrap().last().unwrap(),
        &json!({"square": "h8", "flips": [
            "b2", "h2", "c3", "h3", "d4", "h4", "e5", "h5", "f6", "h6", "g7", "h7",
            "b8", "c8", "d8", "e8", "f8", "g8",
        ]})
    );
}

#[tokio::test]
async fn legal_tells_a_pass_from_the_end() {
    let bench = Bench::start().await;
    let pass = format!("XO{}", "-".repeat(62));
    let over = format!("X{}", "-".repeat(63));
    let legal = |board: String, side: &'static str| {
        let bench = &bench;
        async move {
            bench
                .json(&["legal", "--board", &board, "--side", side])
                .await
        }
    };
    assert_eq!(
        legal(pass.clone(), "O").await,
        json!({"state": "pass", "moves": []})
    );
    assert_eq!(legal(pass, "X").await["state"], "move");
    assert_eq!(
        legal(over, "X").await,
        json!({"state": "over", "moves": []})
    );
}

#[tokio::test]
async fn apply_shows_where_a_transcript_leads() {
    let bench = Bench::start().await;
    let expected = json!({
        "board": "---------------------------OX------XXX--------------------------",
        "side": "O", "over": false,
        "black": 4, "white": 1, "empties": 59, "passes": 0, "scored": null,
    });
    assert_eq!(bench.json(&["apply", "f5"]).await, expected);
    assert_eq!(bench.json(&["apply", "f5", "--strict"]).await, expected);
    let text = bench.text(&["apply", "f5"]).await;
    assert!(text.contains(" 5  .  .  .  X  X [X] .  .  5"), "{text}");
    assert!(text.ends_with("X 4  O 1  59 empty  O to move\n"), "{text}");
}

#[tokio::test]
async fn apply_of_nothing_is_the_start() {
    let bench = Bench::start().await;
    let applied = bench.json(&["apply", ""]).await;
    assert_eq!(applied["board"], START);
    assert_eq!(applied["side"], "X");
    assert_eq!(applied["empties"], 60);
}

#[tokio::test]
async fn apply_enters_and_counts_the_forced_pass_at_the_end() {
    let bench = Bench::start().await;
    // White takes b1 and leaves Black without a move, not itself.
    let board = format!("-XO-----{}{}-XO", "-".repeat(40), "-".repeat(13));
    let applied = bench
        .json(&["apply", "a1", "--board", &board, "--side", "O"])
        .await;
    assert_eq!(applied["passes"], 1, "{applied}");
    assert_eq!(applied["side"], "O", "{applied}");
    assert_eq!(applied["over"], false);
    let explained = bench
        .json(&["apply", "a1 pa", "--board", &board, "--side", "O"])
        .await;
    assert_eq!(explained, applied);
}

#[tokio::test]
async fn apply_scores_a_finished_game_for_its_winner() {
    let bench = Bench::start().await;
    // The shortest game: White has no disc left after nine moves.
    let applied = bench.json(&["apply", "e6f4e3f6g5d6e7f5c5"]).await;
    assert_eq!(applied["over"], true, "{applied}");
    assert_eq!(applied["side"], json!(null));
    assert_eq!(
        (&applied["black"], &applied["white"]),
        (&json!(13), &json!(0))
    );
    assert_eq!(applied["scored"], json!({"black": 64, "white": 0}));
}

#[tokio::test]
async fn apply_says_which_move_is_bad_and_why() {
    let bench = Bench::start().await;
    for (arguments, index, reason) in [
        (&["apply", "f5f5"][..], 1, "SQUARE_OCCUPIED"),
        (&["apply", "f5a1"], 1, "ILLEGAL_NO_FLIP"),
        (&["apply", "f5d6i9", "--strict"], 2, "NOT_A_SQUARE"),
        (&["apply", "f5d6c", "--strict"], 2, "ODD_LENGTH"),
        (&["apply", "f5pa"], 1, "FALSE_PASS"),
        (&["apply", "e6f4e3f6g5d6e7f5c5a1"], 9, "GAME_OVER"),
    ] {
        let error = bench.error(arguments).await;
        assert_eq!(error["index"], index, "{arguments:?}: {error}");
        assert_eq!(error["reason"], reason, "{arguments:?}: {error}");
    }
}

#[tokio::test]
async fn apply_fails_with_one_line_for_people() {
    let bench = Bench::start().await;
    let ran = bench.run(&["apply", "f5f5"]).await;
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(
        ran.stderr.starts_with("reversi: SQUARE_OCCUPIED: "),
        "{ran:?}"
    );
    assert_eq!(ran.stderr.lines().count(), 1);
}

#[tokio::test]
async fn apply_takes_a_free_start() {
    let bench = Bench::start().await;
    let applied = bench.json(&["apply", "d4e4d5e5", "--start", "free"]).await;
    assert_eq!(applied["empties"], 60, "{applied}");
    let error = bench.error(&["apply", "a1", "--start", "free"]).await;
    assert_eq!(error["reason"], "OUTSIDE_CENTRE");
}

#[tokio::test]
async fn score_counts_by_each_convention() {
    let bench = Bench::start().await;
    let board = format!("{}{}", "X".repeat(13), "-".repeat(51));
    for (scoring, black) in [
        ("discs", 13),
        ("empties-to-majority", 64),
        ("empties-to-majority-ties-split", 64),
    ] {
        let scored = bench
            .json(&[
                "score",
                "--board",
                &board,
                "--side",
                "X",
                "--scoring",
                scoring,
            ])
            .await;
        assert_eq!(
            scored,
            json!({
                "black": 13, "white": 0, "empties": 51, "over": true,
                "scored": {"black": black, "white": 0},
                "outcome": {"winner": "X", "reason": "WIPEOUT"},
            })
        );
    }
}

#[tokio::test]
async fn score_of_a_running_game_has_no_totals() {
    let bench = Bench::start().await;
    let arguments = ["score", "--board", START, "--side", "X"];
    let scored = bench.json(&arguments).await;
    assert_eq!(scored["over"], false);
    assert_eq!(scored["scored"], json!(null));
    assert_eq!(
        bench.text(&arguments).await,
        "X 2  O 2  60 empty  not over\n"
    );
}

#[tokio::test]
async fn perft_counts_to_each_depth() {
    let bench = Bench::start().await;
    let nodes = json!({"nodes": [4, 12, 56, 244, 1396, 8200, 55092]});
    assert_eq!(bench.json(&["perft", "--depth", "7"]).await, nodes);
    for convention in ["pass-is-ply", "drop-finished", "pass-is-free"] {
        let arguments = ["perft", "--depth", "7", "--convention", convention];
        assert_eq!(bench.json(&arguments).await, nodes, "{convention}");
    }
    let text = bench.text(&["perft", "--depth", "2"]).await;
    let depths: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split_whitespace().take(2).collect())
        .collect();
    assert_eq!(depths, [["1", "4"], ["2", "12"]]);
}

#[tokio::test]
async fn perft_conventions_differ_in_passes_and_ends() {
    let bench = Bench::start().await;
    // White must pass, then Black takes c1 and has won.
    let board = format!("XO{}", "-".repeat(62));
    for (convention, nodes) in [
        ("pass-is-ply", [1, 1, 1]),
        ("drop-finished", [1, 1, 0]),
        ("pass-is-free", [1, 1, 1]),
    ] {
        let arguments = ["perft", "--depth", "3", "--convention", convention];
        let counts = bench
            .json(&[&arguments[..], &["--board", &board, "--side", "O"]].concat())
            .await;
        assert_eq!(counts, json!({ "nodes": nodes }), "{convention}");
    }
}

#[tokio::test]
async fn info_tells_version_store_and_limits() {
    let bench = Bench::start().await;
    let info = bench.json(&["info"]).await;
    assert_eq!(info["store"], "MEMORY");
    assert!(info["version"].as_str().unwrap().contains('.'), "{info}");
    assert!(
        info["limits"]["max_count_depth"].as_i64().unwrap() > 0,
        "{info}"
    );
    let text = bench.text(&["info"]).await;
    assert!(text.contains("store       MEMORY"), "{text}");
}
