//! `watch`.

use serde_json::json;

use crate::bench::Bench;

#[tokio::test]
async fn every_change_is_a_line_until_the_game_is_gone() {
    let bench = Bench::start().await;
    let name = bench.new_game(&[]).await;
    let mut watch = bench.spawn(&["watch", &name, "--json"]);
    let snapshot = watch.next().await.unwrap();
    assert_eq!(snapshot["event"], "snapshot");
    assert_eq!(snapshot["reset"], false);
    assert_eq!(snapshot["game"]["name"], name);

    let played = bench.json(&["move", &name, "f5"]).await;
    let event = watch.next().await.unwrap();
    assert_eq!(event["event"], "moves");
    assert_eq!(event["etag"], played["game"]["etag"]);
    assert_eq!(event["moves"], played["moves"]);
    assert_eq!(event["after"]["board"], played["game"]["board"]);

    bench.json(&["takeback", &name]).await;
    let event = watch.next().await.unwrap();
    assert_eq!(
        (&event["event"], &event["ply"]),
        (&json!("take_back_proposed"), &json!(0))
    );
    bench.json(&["answer", &name, "--accept"]).await;
    let event = watch.next().await.unwrap();
    assert_eq!(
        (&event["event"], &event["side"]),
        (&json!("taken_back"), &json!("X"))
    );
    assert_eq!(event["after"]["ply"], 0);

    bench.json(&["resign", &name]).await;
    let event = watch.next().await.unwrap();
    assert_eq!(
        (&event["event"], &event["side"]),
        (&json!("resigned"), &json!("X"))
    );
    assert_eq!(event["after"]["outcome"]["winner"], "O");

    bench.json(&["delete", &name]).await;
    assert_eq!(watch.next().await.unwrap()["event"], "deleted");
    assert_eq!(watch.next().await, None);
    assert_eq!(watch.end().await, 0);
}

#[tokio::test]
async fn what_was_seen_is_not_shown_again() {
    let bench = Bench::start().await;
    let name = bench.new_game(&[]).await;
    let first = bench.json(&["move", &name, "f5"]).await;
    let etag = first["game"]["etag"].as_str().unwrap();
    bench.json(&["move", &name, "d6"]).await;
    let mut watch = bench.spawn(&["watch", &name, "--after", etag, "--json"]);
    let event = watch.next().await.unwrap();
    assert_eq!(event["event"], "moves");
    assert_eq!(event["moves"][0]["square"], "d6");
}

#[tokio::test]
async fn people_are_shown_boards() {
    let bench = Bench::start().await;
    let name = bench.new_game(&[]).await;
    let mut watch = bench.spawn(&["watch", &name]);
    let shown = watch.next_text().await.unwrap();
    assert_eq!(shown, "    a  b  c  d  e  f  g  h");
    bench.json(&["move", &name, "f5"]).await;
    bench.json(&["delete", &name]).await;
    let mut lines = Vec::new();
    while let Some(line) = watch.next_text().await {
        lines.push(line);
    }
    assert!(
        lines.contains(&"X plays f5 and turns e5".to_owned()),
        "{lines:?}"
    );
    assert_eq!(lines.last().unwrap(), "the game was deleted");
    assert_eq!(watch.end().await, 0);
}

#[tokio::test]
async fn a_game_that_is_not_there_cannot_be_watched() {
    let bench = Bench::start().await;
    let error = bench.error(&["watch", "aaaaaaaaaaaaaaaaaaaa"]).await;
    assert_eq!(error["reason"], "GAME_NOT_FOUND");
}

#[tokio::test]
async fn being_interrupted_is_a_good_end() {
    let bench = Bench::start().await;
    let name = bench.new_game(&[]).await;
    let mut watch = bench.spawn(&["watch", &name, "--json"]);
    watch.next().await.unwrap();
    assert_eq!(watch.interrupt().await.0, 0);
}
