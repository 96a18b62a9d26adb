//! `new`, `show`, `list`, `move`, `takeback`, `resign` and `delete`.

use serde_json::json;

use crate::bench::{Bench, START};

#[tokio::test]
async fn a_game_is_created_with_all_defaults_told() {
    let bench = Bench::start().await;
    let game = bench.json(&["new", "--black", "Ada"]).await;
    assert!(
        game["name"].as_str().unwrap().starts_with("games/"),
        "{game}"
    );
    assert_eq!(game["state"], "in_progress");
    assert_eq!(game["side_to_move"], "X");
    assert_eq!(game["board"], START);
    assert_eq!(game["ply"], 0);
    assert_eq!(game["legal_moves"], json!(["d3", "c4", "f5", "e6"]));
    assert_eq!(game["black_seat"]["display_name"], "Ada");
    assert_eq!(
        game["rules"],
        json!({
            "objective": "MOST_DISCS", "start": "STANDARD",
            "scoring": "DISCS", "pass_mode": "AUTOMATIC",
        })
    );
}

#[tokio::test]
async fn rules_are_given_as_flags() {
    let bench = Bench::start().await;
    let board = START.replace("XO", "XX");
    let game = bench
        .json(&[
            "new",
            "--objective",
            "fewest-discs",
            "--scoring",
            "empties-to-majority",
            "--pass-mode",
            "explicit",
            "--board",
            &board,
            "--side",
            "O",
        ])
        .await;
    assert_eq!(
        game["rules"],
        json!({
            "objective": "FEWEST_DISCS", "start": "CUSTOM",
            "scoring": "EMPTIES_TO_MAJORITY", "pass_mode": "EXPLICIT",
        })
    );
    assert_eq!(game["board"], board);
    assert_eq!(game["side_to_move"], "O");
}

#[tokio::test]
async fn a_game_is_shown_by_name_and_by_id() {
    let bench = Bench::start().await;
    let name = bench.new_game(&[]).await;
    let id = name.strip_prefix("games/").unwrap();
    assert_eq!(
        bench.json(&["show", &name]).await,
        bench.json(&["show", id]).await
    );
    let text = bench.text(&["show", id]).await;
    assert!(text.contains(" 3  .  .  .  +  .  .  .  .  3"), "{text}");
    assert!(
        text.ends_with(&format!("{name}  X 2  O 2  ply 0  X to move\netag   0\n")),
        "{text}"
    );
}

#[tokio::test]
async fn people_are_shown_the_players_the_etag_and_the_moves() {
    let bench = Bench::start().await;
    let created = bench
        .text(&["new", "--black", "Ada", "--white", "Grace"])
        .await;
    let last = created.lines().last().unwrap();
    let (name, standing) = last.split_once("  ").unwrap();
    assert_eq!(standing, "X 2 (Ada)  O 2 (Grace)  ply 0  X to move");
    assert_eq!(bench.text(&["list"]).await, format!("{last}\n"));
    bench.json(&["move", name, "f5"]).await;
    let played = bench.json(&["move", name, "d6"]).await;
    let etag = played["game"]["etag"].as_str().unwrap();
    let text = bench.text(&["show", name]).await;
    assert!(
        text.ends_with(&format!("X to move\netag   {etag}\nmoves  f5 d6\n")),
        "{text}"
    );
}

#[tokio::test]
async fn a_move_is_played_for_the_side_to_move() {
    let bench = Bench::start().await;
    let name = bench.new_game(&[]).await;
    let played = bench.json(&["move", &name, "F5"]).await;
    assert_eq!(
        played["moves"],
        json!([{"side": "X", "square": "f5", "kind": "disc", "flips": ["e5"]}])
    );
    assert_eq!(played["game"]["history"], json!(["f5"]));
    assert_eq!(played["game"]["side_to_move"], "O");
    let text = bench.text(&["move", &name, "d6"]).await;
    assert!(text.starts_with("O plays d6 and turns d5\n"), "{text}");
    assert!(text.contains("[O]"), "{text}");
}

#[tokio::test]
async fn a_move_for_the_other_side_or_another_state_is_refused() {
    let bench = Bench::start().await;
    let name = bench.new_game(&[]).await;
    let error = bench.error(&["move", &name, "f5", "--side", "O"]).await;
    assert_eq!(error["reason"], "NOT_YOUR_TURN");
    let error = bench.error(&["move", &name, "a1"]).await;
    assert_eq!(error["reason"], "ILLEGAL_NO_FLIP");
    assert_eq!(error["code"], "FAILED_PRECONDITION");
    assert_eq!(error["metadata"]["legal_moves"], "d3 c4 f5 e6");

    let played = bench.json(&["move", &name, "f5"]).await;
    let before = error["metadata"]["etag"].as_str().unwrap();
    let error = bench
        .error(&["move", &name, "d6", "--side", "O", "--etag", before])
        .await;
    assert_eq!(error["reason"], "STALE_ETAG");
    assert_eq!(error["metadata"]["etag"], played["game"]["etag"]);
}

#[tokio::test]
async fn the_last_disc_is_taken_back() {
    let bench = Bench::start().await;
    let name = bench.new_game(&[]).await;
    for square in ["f5", "d6", "c3"] {
        bench.json(&["move", &name, square]).await;
    }
    let game = bench.json(&["takeback", &name]).await;
    assert_eq!(game["take_back_proposal"], "X");
    assert_eq!(game["history"], json!(["f5", "d6", "c3"]));
    let game = bench.json(&["answer", &name, "--accept"]).await;
    assert_eq!(game["history"], json!(["f5", "d6"]));
    bench.json(&["takeback", &name, "--side", "X"]).await;
    let game = bench.json(&["answer", &name, "--decline"]).await;
    assert_eq!(game["history"], json!(["f5", "d6"]));
    assert_eq!(game["take_back_proposal"], json!(null));
    bench.json(&["takeback", &name, "--side", "X"]).await;
    let game = bench
        .json(&["answer", &name, "--accept", "--side", "O"])
        .await;
    assert_eq!(game["history"], json!([]));
    assert_eq!(game["board"], START);
    let error = bench.error(&["takeback", &name]).await;
    assert_eq!(error["reason"], "NOTHING_TO_TAKE_BACK");
}

#[tokio::test]
async fn who_resigns_has_lost() {
    let bench = Bench::start().await;
    let name = bench.new_game(&[]).await;
    let text = bench.text(&["resign", &name, "--side", "O"]).await;
    assert!(text.ends_with("X wins: by resignation\n"), "{text}");
    let game = bench.json(&["show", &name]).await;
    assert_eq!(game["state"], "finished");
    assert_eq!(
        game["outcome"],
        json!({"winner": "X", "reason": "RESIGNATION"})
    );
    assert_eq!(game["scored"], json!(null));
    assert_eq!(game["side_to_move"], json!(null));
    let error = bench.error(&["resign", &name]).await;
    assert_eq!(error["reason"], "GAME_OVER");
}

#[tokio::test]
async fn games_are_listed_by_state_up_to_a_limit() {
    let bench = Bench::start().await;
    assert_eq!(bench.text(&["list"]).await, "no games\n");
    let mut names = Vec::new();
    for _ in 0..3 {
        names.push(bench.new_game(&[]).await);
    }
    bench.json(&["resign", &names[0]]).await;
    let listed = |arguments: &'static [&'static str]| {
        let bench = &bench;
        async move {
            let listed = bench.json(&[&["list"], arguments].concat()).await;
            let mut names: Vec<_> = listed["games"]
                .as_array()
                .unwrap()
                .iter()
                .map(|game| game["name"].as_str().unwrap().to_owned())
                .collect();
            names.sort();
            names
        }
    };
    let sorted = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort();
        names
    };
    assert_eq!(listed(&[]).await, sorted(&names));
    assert_eq!(listed(&["--state", "finished"]).await, names[..1]);
    assert_eq!(
        listed(&["--state", "in-progress"]).await,
        sorted(&names[1..])
    );
    assert_eq!(listed(&["--limit", "2"]).await.len(), 2);
    assert_eq!(bench.text(&["list"]).await.lines().count(), 3);
    let open = bench.new_game(&["--open=O"]).await;
    assert_eq!(listed(&["--state", "waiting"]).await, [open]);
    let left = bench.new_game(&[]).await;
    for side in ["X", "O"] {
        bench
            .json(&["set-seat", &left, "engine", "--side", side])
            .await;
    }
    assert_eq!(listed(&["--state", "paused"]).await, [left]);
}

#[tokio::test]
async fn a_seat_is_not_open_and_the_engines() {
    let bench = Bench::start().await;
    let error = bench.error(&["new", "--open=X", "--black-level=3"]).await;
    assert_eq!(error["metadata"]["field"], "black_seat.level");
}

#[tokio::test]
async fn a_deleted_game_is_gone() {
    let bench = Bench::start().await;
    let name = bench.new_game(&[]).await;
    let error = bench.error(&["delete", &name, "--etag", "99"]).await;
    assert_eq!(error["reason"], "STALE_ETAG");
    assert_eq!(
        bench.json(&["delete", &name]).await,
        json!({"deleted": name})
    );
    for command in [
        &["show", &name][..],
        &["delete", &name],
        &["move", &name, "f5"],
    ] {
        assert_eq!(bench.error(command).await["reason"], "GAME_NOT_FOUND");
    }
    let other = bench.new_game(&[]).await;
    assert_eq!(
        bench.text(&["delete", &other]).await,
        format!("deleted {other}\n")
    );
}

#[tokio::test]
async fn a_game_has_a_clock_seats_and_labels() {
    let bench = Bench::start().await;
    let game = bench
        .json(&[
            "new",
            "--white-level=1",
            "--clock=5m",
            "--increment=3s",
            "--label=cup",
            "--external-id=m1",
            "--transcript=f5d6",
            "--prelude=2",
        ])
        .await;
    assert_eq!(game["history"], json!(["f5", "d6"]));
    assert_eq!(game["labels"], json!(["cup"]));
    assert_eq!(game["clock"]["running"], "X");
    assert_eq!(game["clock"]["white_remaining_ms"], 300_000);
    let seat = &game["white_seat"];
    assert_eq!(
        (&seat["occupant"], &seat["level"]),
        (&json!("engine"), &json!(1))
    );
    let name = game["name"].as_str().unwrap();
    let text = bench.text(&["show", name]).await;
    assert!(
        text.contains("(level 1)") && text.contains("X 5:00 O 5:00 left"),
        "{text}"
    );
}

#[tokio::test]
async fn a_seat_is_claimed_left_and_taken_back_by_its_token() {
    let bench = Bench::start().await;
    let game = bench.json(&["new", "--open=O", "--seat-tokens"]).await;
    let name = game["name"].as_str().unwrap();
    assert_eq!(game["state"], "waiting");
    let black = game["black_seat_token"].as_str().unwrap();
    assert_eq!(game["white_seat_token"], json!(null));
    let claimed = bench.json(&["claim", name, "--as", "Eve"]).await;
    assert_eq!(claimed["side"], "O");
    let white = claimed["seat_token"].as_str().unwrap();
    let error = bench.error(&["move", name, "f5"]).await;
    assert_eq!(error["reason"], "SEAT_TOKEN_REQUIRED");
    let error = bench
        .error(&["move", name, "f5", "--seat-token", white])
        .await;
    assert_eq!(error["reason"], "SEAT_TOKEN_WRONG");
    bench
        .json(&["move", name, "f5", "--seat-token", black])
        .await;
    let set = |occupant| {
        [
            "set-seat",
            name,
            "--side=O",
            occupant,
            "--seat-token",
            white,
        ]
    };
    let left = bench.json(&set("engine")).await;
    assert_eq!(left["white_seat"]["occupant"], "substitute");
    let back = bench.json(&set("person")).await;
    assert_eq!(back["white_seat"]["occupant"], "person");
    bench
        .json(&["resign", name, "--side=O", "--seat-token", white])
        .await;
    let next = bench.json(&["rematch", name, "--seat-token", white]).await;
    assert_eq!(next["black_seat"]["display_name"], "Eve");
    let token = next["seat_token"].as_str().unwrap();
    let name = next["name"].as_str().unwrap();
    bench
        .json(&["move", name, "f5", "--seat-token", token])
        .await;
}

#[tokio::test]
async fn legal_moves_are_hidden_and_shown() {
    let bench = Bench::start().await;
    let name = bench.new_game(&[]).await;
    let game = bench.json(&["update", &name, "--legal-moves=hidden"]).await;
    assert_eq!(game["legal_moves"], json!(null));
    let game = bench.json(&["update", &name, "--legal-moves=shown"]).await;
    assert_eq!(game["legal_moves"], json!(["d3", "c4", "f5", "e6"]));
}
