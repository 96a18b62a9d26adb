//! `watch-games`.

use serde_json::json;

use crate::bench::Bench;

#[tokio::test]
async fn every_game_is_a_line_when_it_changes() {
    let bench = Bench::start().await;
    let mut watch = bench.spawn(&["watch-games", "--label", "cup", "--json"]);
    let start = watch.next().await.unwrap();
    assert_eq!(
        (&start["event"], &start["missed"]),
        (&json!("start"), &json!(false))
    );
    bench.new_game(&[]).await;
    let name = bench.new_game(&["--label", "cup"]).await;
    let created = watch.next().await.unwrap();
    assert_eq!(created["event"], "created");
    assert_eq!(created["name"], name);
    assert_eq!(created["labels"], json!(["cup"]));
    bench.json(&["move", &name, "f5"]).await;
    let changed = watch.next().await.unwrap();
    assert_eq!(changed["event"], "changed");
    assert_eq!(
        (&changed["ply"], &changed["side_to_move"]),
        (&json!(1), &json!("O"))
    );
    bench.json(&["resign", &name]).await;
    let finished = watch.next().await.unwrap();
    assert_eq!(finished["event"], "finished");
    assert_eq!(finished["outcome"]["winner"], "X");
    bench.json(&["delete", &name]).await;
    let deleted = watch.next().await.unwrap();
    assert_eq!(
        (&deleted["event"], &deleted["name"]),
        (&json!("deleted"), &json!(name))
    );

    let cursor = changed["cursor"].as_str().unwrap();
    let mut again = bench.spawn(&["watch-games", "--label", "cup", "--cursor", cursor]);
    assert_eq!(again.next_text().await.unwrap(), format!("{name}  deleted"));
}

#[tokio::test]
async fn a_text_that_is_no_cursor_is_an_error() {
    let bench = Bench::start().await;
    let error = bench.error(&["watch-games", "--cursor", "garbage"]).await;
    assert_eq!(error["reason"], "FIELD_INVALID");
}
