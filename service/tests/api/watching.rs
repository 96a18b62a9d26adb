//! GameService: watching a game.

use std::collections::BTreeSet;

use reversi_proto::v1::game_event::Kind;
use reversi_proto::v1::watch_game_response::Update;
use reversi_proto::v1::{self, Color, ErrorReason, GameState};
use tonic::Code;

use crate::client::{SHORTEST_GAME, Watch, a_move, soon};
use crate::failure::assert_fails;
use crate::server::Api;

/// Takes a game through each kind of change: eight events.
async fn all_changes(api: &Api) -> v1::Game {
    let game = api.play_all(api.game().await, "f5d6c3").await;
    api.take_back(&game.name, Color::White).await.unwrap();
    let game = api.get(&game.name).await;
    let game = api.play_all(game, "f6f7").await;
    api.resign(&game.name, Color::White).await.unwrap();
    api.get(&game.name).await
}

const CHANGES: usize = 8;

fn kind(event: &v1::GameEvent) -> String {
    match event.kind.as_ref().unwrap() {
        Kind::MovesPlayed(moves) => {
            let squares: Vec<_> = moves.moves.iter().map(|mv| mv.square.as_str()).collect();
            format!("{} at {}", squares.join(" "), moves.ply)
        }
        Kind::TakenBack(back) => format!("{:?} back to {}", back.side(), back.ply),
        Kind::Resigned(resigned) => format!("{:?} resigned", resigned.side()),
        Kind::TakeBackProposed(asked) => format!("{:?} asks for {}", asked.side(), asked.ply),
        Kind::TakeBackDeclined(declined) => format!("{:?} declines", declined.side()),
        Kind::TimeExpired(expired) => format!("{:?} is out of time", expired.side()),
        Kind::SeatClaimed(claimed) => format!("{:?} sits down", claimed.side()),
        Kind::SeatHandedOver(handed) => {
            let (side, level) = (handed.side(), handed.level);
            format!("{side:?} leaves to level {level}")
        }
        Kind::SeatReturned(returned) => format!("{:?} is back", returned.side()),
        Kind::LegalMovesDisplayChanged(changed) => {
            format!("{:?}", changed.legal_moves_display())
        }
        Kind::Rematched(rematched) => format!("followed by {}", rematched.next_game),
        Kind::Deleted(_) => "deleted".to_owned(),
        Kind::Expired(_) => "expired".to_owned(),
    }
}

async fn kinds(watch: &mut Watch, count: usize) -> Vec<String> {
    let mut kinds = Vec::new();
    for _ in 0..count {
        kinds.push(kind(&watch.event().await));
    }
    kinds
}

#[tokio::test]
async fn a_watch_begins_with_the_game_as_it_is() {
    let api = Api::start().await;
    let game = api.play_all(api.game().await, "f5d6").await;
    let mut watch = api.watch(&game.name, "").await;
    let snapshot = watch.snapshot().await;
    assert_eq!((snapshot.game, snapshot.reset), (Some(game), false));
}

#[tokio::test]
async fn every_kind_of_change_is_sent_in_order() {
    let api = Api::start().await;
    let game = api.game().await;
    let mut watch = api.watch(&game.name, "").await;
    watch.snapshot().await;
    let played = api.play_all(game.clone(), "f5d6c3").await;
    api.take_back(&game.name, Color::White).await.unwrap();
    api.resign(&played.name, Color::White).await.unwrap();
    api.delete(&game.name).await.unwrap();
    let expected = [
        "f5 at 0",
        "d6 at 1",
        "c3 at 2",
        "White asks for 1",
        "White back to 1",
        "White resigned",
        "deleted",
    ];
    for (number, expected) in expected.iter().enumerate() {
        let event = watch.event().await;
        assert_eq!(kind(&event), *expected);
        assert_eq!(event.etag, (number + 1).to_string());
        match event.after {
            None => assert_eq!(*expected, "deleted"),
            Some(after) => {
                let resigned = *expected == "White resigned";
                assert_eq!(after.state() == GameState::Finished, resigned);
                assert_eq!(after.outcome.is_some(), resigned);
                assert_eq!(after.legal_moves.is_none(), resigned);
            }
        }
    }
    assert_eq!(watch.next().await, None);
}

#[tokio::test]
async fn what_happens_beside_moves_is_sent_too() {
    let api = Api::start().await;
    let open = v1::Seat {
        occupant: v1::SeatOccupant::Open.into(),
        ..Default::default()
    };
    let request = v1::CreateGameRequest {
        white_seat: Some(open),
        ..Default::default()
    };
    let name = api.create(request).await.name;
    let mut watch = api.watch(&name, "0").await;
    let claim = v1::ClaimSeatRequest {
        name: name.clone(),
        ..Default::default()
    };
    api.games().claim_seat(claim).await.unwrap();
    let set = |occupant: v1::SeatOccupant| v1::SetSeatRequest {
        name: name.clone(),
        side: Color::White.into(),
        occupant: occupant.into(),
        ..Default::default()
    };
    let mut games = api.games();
    games.set_seat(set(v1::SeatOccupant::Engine)).await.unwrap();
    games.set_seat(set(v1::SeatOccupant::Person)).await.unwrap();
    api.play(&api.get(&name).await, "f5").await;
    let propose = v1::TakeBackRequest {
        name: name.clone(),
        side: Color::Black.into(),
        ..Default::default()
    };
    games.take_back(propose).await.unwrap();
    let decline = v1::AnswerTakeBackRequest {
        name: name.clone(),
        side: Color::White.into(),
        ..Default::default()
    };
    games.answer_take_back(decline).await.unwrap();
    api.show_legal_moves(&name).await;
    api.resign(&name, Color::White).await.unwrap();
    let rematch = v1::RematchRequest {
        name: name.clone(),
        ..Default::default()
    };
    let next = games.rematch(rematch).await.unwrap().into_inner();
    let next = next.game.unwrap().name;
    let expected = [
        "White sits down",
        "White leaves to level 5",
        "White is back",
        "f5 at 0",
        "Black asks for 0",
        "White declines",
        "Shown",
        "White resigned",
        &format!("followed by {next}"),
    ];
    for (number, expected) in expected.iter().enumerate() {
        let event = watch.event().await;
        assert_eq!(event.etag, (number + 1).to_string());
        assert_eq!(kind(&event), *expected);
        let after = event.after.unwrap();
        let pending = after.take_back_proposal.is_some();
        assert_eq!(pending, *expected == "Black asks for 0");
    }
    assert_eq!(api.get(&name).await.next_game, next);
}

#[tokio::test]
async fn a_watch_of_a_finished_game_stays_open() {
    let api = Api::start().await;
    let game = api.play_all(api.game().await, SHORTEST_GAME).await;
    let mut watch = api.watch(&game.name, "").await;
    assert_eq!(
        watch.snapshot().await.game.unwrap().state(),
        GameState::Finished
    );
    api.delete(&game.name).await.unwrap();
    let event = watch.event().await;
    assert_eq!(
        (kind(&event).as_str(), event.etag.as_str(), event.after),
        ("deleted", "10", None)
    );
    assert_eq!(watch.next().await, None);
}

#[tokio::test]
async fn a_watch_goes_on_after_any_etag_without_a_snapshot() {
    let api = Api::start().await;
    let game = all_changes(&api).await;
    assert_eq!(game.etag, CHANGES.to_string());
    let mut whole = api.watch(&game.name, "0").await;
    let events = kinds(&mut whole, CHANGES).await;
    for seen in 0..=CHANGES {
        let mut watch = api.watch(&game.name, &seen.to_string()).await;
        assert_eq!(
            kinds(&mut watch, CHANGES - seen).await,
            events[seen..],
            "{seen}"
        );
        // And then whatever comes.
        if seen == CHANGES {
            api.delete(&game.name).await.unwrap();
            assert_eq!(kind(&watch.event().await), "deleted");
        }
    }
}

#[tokio::test]
async fn an_etag_the_game_never_had_gets_a_snapshot_marked_reset() {
    let api = Api::start().await;
    let game = api.play_all(api.game().await, "f5d6").await;
    for etag in [
        "3",
        "99999999999999999999",
        "4294967295",
        "-1",
        "x",
        "01",
        "+1",
        "1.0",
        "é",
        " ",
    ] {
        let mut watch = api.watch(&game.name, etag).await;
        let snapshot = watch.snapshot().await;
        assert_eq!(
            (snapshot.game.as_ref(), snapshot.reset),
            (Some(&game), true),
            "{etag}"
        );
    }
    // From there on it goes on as usual.
    let mut watch = api.watch(&game.name, "17").await;
    watch.snapshot().await;
    api.play(&game, "c3").await;
    assert_eq!(kind(&watch.event().await), "c3 at 2");
}

#[tokio::test]
async fn an_etag_too_long_is_refused() {
    let api = Api::start().await;
    let game = api.game().await;
    let refused = api.try_watch(&game.name, &"1".repeat(65)).await;
    let failure = assert_fails(refused, Code::InvalidArgument, ErrorReason::TooLarge);
    assert_eq!(failure.fields, ["after_etag"]);
}

#[tokio::test]
async fn many_watchers_see_the_same() {
    const WATCHERS: usize = 200;
    let api = Api::start().await;
    let game = api.game().await;
    let mut watches = Vec::new();
    for _ in 0..WATCHERS {
        let mut watch = api.watch(&game.name, "").await;
        watch.snapshot().await;
        watches.push(watch);
    }
    api.play_all(game.clone(), SHORTEST_GAME).await;
    api.delete(&game.name).await.unwrap();
    let mut seen = BTreeSet::new();
    for watch in &mut watches {
        seen.insert(kinds(watch, 10).await);
        assert_eq!(watch.next().await, None);
    }
    assert_eq!(seen.len(), 1, "{seen:?}");
}

/// Plays and takes back until the game has had that many events.
async fn churn(api: &Api, game: &v1::Game, events: u32) -> v1::Game {
    let mut now = game.clone();
    while now.etag.parse::<u32>().unwrap() < events {
        let left = events - now.etag.parse::<u32>().unwrap();
        now = if now.ply > 0 && left >= 2 {
            let taken = api.take_back(&now.name, Color::Black).await.unwrap();
            taken.game.unwrap()
        } else if left >= 3 {
            api.play(&now, "f5").await
        } else {
            api.show_legal_moves(&now.name).await
        };
    }
    now
}

#[tokio::test]
async fn a_slow_reader_misses_nothing_that_is_kept() {
    let api = Api::start().await;
    let game = api.game().await;
    let mut watch = api.watch_slowly(&game.name).await;
    watch.snapshot().await;
    // Nothing is read meanwhile, and more is written than fits on the way.
    churn(&api, &game, 900).await;
    for number in 1..=900 {
        let event = watch.event().await;
        assert_eq!(event.etag, number.to_string());
    }
    api.delete(&game.name).await.unwrap();
    assert_eq!(kind(&watch.event().await), "deleted");
}

#[tokio::test]
async fn a_slow_reader_starts_afresh_where_the_changes_are_no_longer_kept() {
    let api = Api::start().await;
    let game = api.game().await;
    let mut watch = api.watch_slowly(&game.name).await;
    watch.snapshot().await;
    let now = churn(&api, &game, 2801).await;
    // Everything is there once, in order; gaps only where a snapshot says so.
    let mut seen = 0;
    let mut resets = 0;
    while seen < 2801 {
        match watch.next().await.unwrap() {
            Update::Event(event) => {
                seen += 1;
                assert_eq!(event.etag, seen.to_string());
            }
            Update::Snapshot(snapshot) => {
                assert!(snapshot.reset);
                let etag: u32 = snapshot.game.unwrap().etag.parse().unwrap();
                assert!(etag > seen, "{etag} after {seen}");
                seen = etag;
                resets += 1;
            }
        }
    }
    assert!(resets > 0, "2,801 events fit on the way");
    api.play(&now, if now.ply == 0 { "f5" } else { "d6" }).await;
    assert_eq!(watch.event().await.etag, "2802");
}

#[tokio::test]
async fn a_folded_game_is_the_same_game() {
    let api = Api::start().await;
    let first = a_move(&api.game().await, "f5");
    let game = api.get(&first.name).await;
    let now = churn(&api, &game, 1024).await;
    assert_eq!((now.etag.as_str(), now.ply), ("1024", 0));
    // All of it is kept.
    let mut watch = api.watch(&now.name, "0").await;
    assert_eq!(watch.event().await.etag, "1");
    // One more, and the beginning is folded away.
    let now = api.play_all(now, "f5d6c3").await;
    assert_eq!((now.etag.as_str(), now.ply), ("1027", 3));
    assert_eq!(api.get(&now.name).await, now);
    let mut watch = api.watch(&now.name, "0").await;
    let snapshot = watch.snapshot().await;
    assert_eq!((snapshot.game, snapshot.reset), (Some(now.clone()), true));
    // What is kept is still sent, and the game can still be taken back.
    let mut watch = api.watch(&now.name, "1024").await;
    assert_eq!(
        kinds(&mut watch, 3).await,
        ["f5 at 0", "d6 at 1", "c3 at 2"]
    );
    let mut watch = api.watch(&now.name, "768").await;
    assert_eq!(watch.event().await.etag, "769");
    let taken = api.take_back(&now.name, Color::Black).await.unwrap();
    let taken = api
        .take_back(&taken.game.unwrap().name, Color::Black)
        .await
        .unwrap();
    assert_eq!(taken.game.unwrap().ply, 0);
}

#[tokio::test]
async fn a_repeat_is_known_after_the_beginning_was_folded_away() {
    let api = Api::start().await;
    let game = api.game().await;
    let now = churn(&api, &game, 1020).await;
    let mut request = a_move(&now, "f5");
    request.request_id = "late".to_owned();
    let first = api
        .games()
        .play_move(request.clone())
        .await
        .unwrap()
        .into_inner();
    churn(&api, first.game.as_ref().unwrap(), 1100).await;
    let again = api.games().play_move(request).await.unwrap().into_inner();
    assert!(again.replayed);
    assert_eq!((again.moves, again.etag), (first.moves, "1021".to_owned()));
    assert_eq!(again.game.unwrap().etag, "1100");
}

#[tokio::test]
async fn a_game_that_expires_ends_its_watch() {
    let api = Api::start_with(&["--game-ttl", "1s"]).await;
    let game = api.game().await;
    let mut watch = api.watch(&game.name, "").await;
    watch.snapshot().await;
    let game = api.play(&game, "f5").await;
    assert_eq!(kind(&watch.event().await), "f5 at 0");
    let event = soon(watch.event()).await;
    assert_eq!(
        (kind(&event).as_str(), event.etag.as_str(), event.after),
        ("expired", "1", None)
    );
    assert_eq!(watch.next().await, None);
    assert_fails(
        api.try_get(&game.name).await,
        Code::NotFound,
        ErrorReason::GameNotFound,
    );
}
