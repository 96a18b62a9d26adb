//! `analyze` and `solve`.

use serde_json::Value;

use crate::bench::{Bench, Ran};

/// Six empty squares; Black wins by 6 with h5.
const END: &str = "XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO-";

fn lines(ran: &Ran) -> Vec<Value> {
    let lines = ran.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[tokio::test]
async fn an_analysis_is_a_line_a_step() {
    let bench = Bench::start().await;
    let arguments = ["analyze", "--depth", "4", "--lines", "2"];
    let ran = bench.run(&[&arguments[..], &["--json"]].concat()).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    let steps = lines(&ran);
    let depths: Vec<i64> = steps
        .iter()
        .map(|step| step["depth"].as_i64().unwrap())
        .collect();
    assert_eq!(depths, [1, 2, 3, 4, 4]);
    for (index, step) in steps.iter().enumerate() {
        assert_eq!(step["final"], index == 4, "{step}");
        assert_eq!(step["certainty"], "depth");
        let variations = step["variations"].as_array().unwrap();
        assert_eq!(variations.len(), 2);
        assert_eq!(variations[0]["line"][0], variations[0]["move"]);
    }
    let text = bench.text(&arguments).await;
    assert_eq!(text.lines().count(), 10, "{text}");
    assert!(text.contains("depth 4"), "{text}");
}

#[tokio::test]
async fn an_analysis_of_a_stored_game_names_its_etag() {
    let bench = Bench::start().await;
    let name = bench.new_game(&[]).await;
    let ran = bench
        .run(&["analyze", "--game", &name, "--time", "20ms", "--json"])
        .await;
    let game = bench.json(&["show", &name]).await;
    assert_eq!(lines(&ran).last().unwrap()["etag"], game["etag"]);
}

#[tokio::test]
async fn a_solution_ends_with_the_exact_result() {
    let bench = Bench::start().await;
    let arguments = ["solve", "--board", END, "--side", "X"];
    let ran = bench.run(&[&arguments[..], &["--json"]].concat()).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    let last = lines(&ran).pop().unwrap();
    assert_eq!(
        (&last["final"], &last["certainty"]),
        (&true.into(), &"exact".into())
    );
    assert_eq!(last["variations"][0]["value"], 6.0);
    assert_eq!(last["variations"][0]["move"], "h5");
    let text = bench.text(&arguments).await;
    let last = text.lines().last().unwrap();
    assert!(
        last.contains("exact") && last.contains("+6.00  h5"),
        "{text}"
    );
}

#[tokio::test]
async fn too_many_empty_squares_are_not_solved() {
    let bench = Bench::start().await;
    let error = bench.error(&["solve"]).await;
    assert_eq!(error["reason"], "TOO_MANY_EMPTIES");
    assert_eq!(error["metadata"]["found"], "60");
}

#[tokio::test]
async fn a_finished_game_is_not_analysed() {
    let bench = Bench::start().await;
    for command in ["analyze", "solve"] {
        let error = bench
            .error(&[command, "--transcript", "e6f4e3f6g5d6e7f5c5"])
            .await;
        assert_eq!(error["reason"], "GAME_OVER", "{command}");
    }
}
