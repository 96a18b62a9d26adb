//! `replay`.

use std::io::Write;

use serde_json::json;
use tempfile::NamedTempFile;

use crate::bench::Bench;

/// The shortest game: all discs black after nine moves, scored 64.
const SHORTEST: &str = "e6f4e3f6g5d6e7f5c5";

fn file(text: impl AsRef<[u8]>) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(text.as_ref()).unwrap();
    file
}

fn path(file: &NamedTempFile) -> &str {
    file.path().to_str().unwrap()
}

#[tokio::test]
async fn games_with_right_scores_are_clean() {
    let bench = Bench::start().await;
    let games = file(format!(
        "# a comment\n{SHORTEST}\t64\tmore\n\n{SHORTEST}\nf5d6\n"
    ));
    let summary = bench.json(&["replay", path(&games)]).await;
    assert_eq!(summary["games"], 3);
    assert_eq!(summary["moves"], 20);
    assert_eq!(summary["mismatches"], json!([]));
    assert_eq!(summary["rejected"], json!([]));
    assert_eq!(summary["failed"], json!([]));
    assert_eq!(bench.text(&["list"]).await, "no games\n");
    let text = bench.text(&["replay", path(&games)]).await;
    assert!(
        text.starts_with("3 games, 20 moves, 0 bad lines, 0 mismatches, 0 rejected, 0 failed in "),
        "{text}"
    );
}

#[tokio::test]
async fn wrong_scores_are_told_by_line() {
    let bench = Bench::start().await;
    let games = file(format!("{SHORTEST}\t64\n{SHORTEST}\t40\nf5d6\t32\n"));
    let ran = bench
        .run(&["replay", path(&games), "--json", "--jobs", "1"])
        .await;
    assert_eq!(ran.code, 1);
    assert_eq!(
        ran.json()["mismatches"],
        json!([
            {"line": 2, "recorded": 40, "found": 64},
            {"line": 3, "recorded": 32, "found": null},
        ])
    );
    let ran = bench.run(&["replay", path(&games)]).await;
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout.starts_with("line 2: recorded 40, found 64\n"),
        "{ran:?}"
    );
}

#[tokio::test]
async fn bad_moves_are_told_by_line_and_index() {
    let bench = Bench::start().await;
    let games = file(format!("f5d6\nf5f5\nf5d6i9\nf5d\n{SHORTEST}a1\nf5a1\n"));
    let ran = bench.run(&["replay", path(&games), "--json"]).await;
    assert_eq!(ran.code, 1);
    let summary = ran.json();
    let rejected: Vec<_> = summary["rejected"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rejected| json!([rejected["line"], rejected["index"], rejected["reason"]]))
        .collect();
    assert_eq!(
        json!(rejected),
        json!([
            [2, 1, "SQUARE_OCCUPIED"],
            [3, 2, "NOT_A_SQUARE"],
            [4, 1, "NOT_A_SQUARE"],
            [5, 9, "GAME_OVER"],
            [6, 1, "ILLEGAL_NO_FLIP"],
        ])
    );
    assert_eq!(summary["games"], 6);
    assert_eq!(summary["failed"], json!([]));
    assert_eq!(bench.text(&["list"]).await, "no games\n");
}

#[tokio::test]
async fn people_are_told_moves_counted_from_1() {
    let bench = Bench::start().await;
    let ran = bench.run_with(&["replay", "-"], "f5f5\n").await;
    assert!(
        ran.stdout
            .starts_with("line 1: move 2 rejected, SQUARE_OCCUPIED: "),
        "{ran:?}"
    );
}

#[tokio::test]
async fn lines_that_are_no_games_are_told_and_the_others_played() {
    let bench = Bench::start().await;
    let games = file(b"# caf\xe9\nf5\nf5\tx\nf5\xff\nf5d6\n");
    let ran = bench.run(&["replay", path(&games), "--json"]).await;
    assert_eq!(ran.code, 1, "{ran:?}");
    let summary = ran.json();
    assert_eq!(
        summary["bad_lines"],
        json!([
            {"line": 3, "reason": "MALFORMED_SCORE", "message": "`x` is no score 0 to 64"},
            {"line": 4, "reason": "NOT_UTF8", "message": "byte 3 is not UTF-8"},
        ])
    );
    assert_eq!(
        (&summary["games"], &summary["moves"]),
        (&json!(2), &json!(3))
    );
    assert_eq!(summary["mismatches"], json!([]));
    let ran = bench.run(&["replay", path(&games)]).await;
    assert!(
        ran.stdout.starts_with("line 3: `x` is no score 0 to 64\n"),
        "{ran:?}"
    );
}

#[tokio::test]
async fn games_come_from_standard_input_and_can_be_kept() {
    let bench = Bench::start().await;
    let ran = bench
        .run_with(&["replay", "-", "--keep", "--json"], "f5d6\n")
        .await;
    assert_eq!(ran.code, 0, "{ran:?}");
    let kept = bench.json(&["list"]).await;
    let name = &kept["games"][0]["name"];
    assert_eq!(ran.json()["kept"], json!([{"line": 1, "name": name}]));
    assert_eq!(kept["games"][0]["history"], json!(["f5", "d6"]));
    assert_eq!(
        kept["games"][0]["rules"]["scoring"],
        "EMPTIES_TO_MAJORITY_TIES_SPLIT"
    );
}

#[tokio::test]
async fn passes_are_entered_by_the_service() {
    let bench = Bench::start().await;
    // Of the WTHOR database: Black passes once.
    let game = "f5f6e6f4e3d6g4d3c3h3c4g3c6c5g5f3d7g6b5e2f1c8h4h5d2b4a5f2b3c7e7f7g1b6g2c2h6a6a7a4\
                b7h7c1b2e8d8b8e1d1a8a1b1a2a3h2h1g8f8g7h8";
    let ran = bench
        .run_with(&["replay", "-", "--json"], &format!("{game}\t20\n"))
        .await;
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.json()["moves"], 60);
}

#[tokio::test]
async fn a_service_that_goes_away_ends_the_replay() {
    let bench = Bench::start().await;
    let endpoint = bench.server.endpoint();
    bench.server.stop().await;
    let ran = crate::bench::run_at(&endpoint, &["replay", "-", "--json"], "f5\n").await;
    assert_eq!(ran.code, 1);
    assert_eq!(ran.json()["error"]["reason"], "UNREACHABLE", "{ran:?}");
}
