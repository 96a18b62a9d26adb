//! GameService: watching many games.

use std::collections::BTreeSet;

use reversi_proto::v1::game_service_client::GameServiceClient;
use reversi_proto::v1::{self, Color, EndReason, ErrorReason, GameChangeKind, GameState};
use tonic::transport::Endpoint;
use tonic::{Code, Request};

use crate::client::{GamesWatch, soon, until, watch_games};
use crate::failure::assert_fails;
use crate::server::Api;

fn game_of(player: &str, label: &str) -> v1::CreateGameRequest {
    v1::CreateGameRequest {
        black_seat: Some(v1::Seat {
            player_id: player.to_owned(),
            ..Default::default()
        }),
        labels: vec![label.to_owned()],
        external_id: format!("{player} in {label}"),
        ..Default::default()
    }
}

async fn names(watch: &mut GamesWatch, count: usize) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    while names.len() < count {
        names.insert(watch.change().await.name);
    }
    names
}

#[tokio::test]
async fn a_game_is_told_of_from_its_creation_to_its_deletion() {
    let api = Api::start().await;
    let mut watch = api.watch_games("", "").await;
    let game = api.create(game_of("anna", "cup")).await;
    let created = watch.change().await;
    let expected = v1::GameChange {
        name: game.name.clone(),
        kind: GameChangeKind::Created.into(),
        etag: "0".to_owned(),
        state: GameState::InProgress.into(),
        side_to_move: Color::Black.into(),
        ply: 0,
        outcome: None,
        black_seat: game.black_seat.clone(),
        white_seat: game.white_seat.clone(),
        labels: vec!["cup".to_owned()],
        external_id: "anna in cup".to_owned(),
        update_time: game.update_time,
        expire_time: game.expire_time,
    };
    assert_eq!(created, expected);

    let game = api.play(&game, "f5").await;
    let changed = watch.change().await;
    assert_eq!(changed.kind(), GameChangeKind::Changed);
    assert_eq!((changed.etag.as_str(), changed.ply), ("1", 1));
    assert_eq!(changed.side_to_move(), Color::White);

    api.resign(&game.name, Color::White).await.unwrap();
    let finished = watch.change().await;
    assert_eq!(finished.kind(), GameChangeKind::Finished);
    assert_eq!(finished.state(), GameState::Finished);
    assert_eq!(finished.side_to_move(), Color::Unspecified);
    let outcome = finished.outcome.unwrap();
    assert_eq!(outcome.winner(), Color::Black);
    assert_eq!(outcome.reason(), EndReason::Resignation);

    api.delete(&game.name).await.unwrap();
    let deleted = v1::GameChange {
        name: game.name,
        kind: GameChangeKind::Deleted.into(),
        ..Default::default()
    };
    assert_eq!(watch.change().await, deleted);
}

#[tokio::test]
async fn games_of_a_player_or_with_a_label_are_told_of_alone() {
    let api = Api::start().await;
    let mut anna = api.watch_games("anna", "").await;
    let mut cup = api.watch_games("", "cup").await;
    let mut both = api.watch_games("anna", "cup").await;
    let mut nobody = api.watch_games("nobody", "").await;
    let name = async |player, label| api.create(game_of(player, label)).await.name;
    let mut of_anna = BTreeSet::from([name("anna", "league").await]);
    name("boris", "league").await;
    let mut of_cup = BTreeSet::from([name("boris", "cup").await]);
    let of_both = name("anna", "cup").await;
    of_anna.insert(of_both.clone());
    of_cup.insert(of_both.clone());
    assert_eq!(names(&mut anna, 2).await, of_anna);
    assert_eq!(names(&mut cup, 2).await, of_cup);
    assert_eq!(both.change().await.name, of_both);
    // Who takes a seat later is told of from then on.
    let open = v1::CreateGameRequest {
        white_seat: Some(v1::Seat {
            occupant: v1::SeatOccupant::Open.into(),
            ..Default::default()
        }),
        ..Default::default()
    };
    let game = api.create(open).await;
    let claim = v1::ClaimSeatRequest {
        name: game.name.clone(),
        player_id: "nobody".to_owned(),
        ..Default::default()
    };
    api.games().claim_seat(claim).await.unwrap();
    let claimed = nobody.change().await;
    assert_eq!((claimed.name, claimed.etag.as_str()), (game.name, "1"));
}

#[tokio::test]
async fn a_watch_goes_on_from_a_cursor_without_a_gap() {
    let api = Api::start().await;
    let mut watch = api.watch_games("", "cup").await;
    let first = api.create(game_of("anna", "cup")).await;
    watch.change().await;
    let cursor = watch.cursor.clone();
    drop(watch);
    // Nobody watches meanwhile.
    let second = api.create(game_of("boris", "cup")).await;
    api.create(game_of("boris", "league")).await;
    api.play(&first, "f5").await;
    let third = api.create(game_of("anna", "cup")).await;
    api.delete(&third.name).await.unwrap();
    let (mut again, missed) = api.watch_games_from("", "cup", &cursor).await.unwrap();
    assert!(!missed);
    let mut told = BTreeSet::new();
    for _ in 0..3 {
        let change = again.change().await;
        told.insert((change.name.clone(), change.kind(), change.etag));
    }
    let expected = [
        (second.name, GameChangeKind::Created, "0".to_owned()),
        (first.name.clone(), GameChangeKind::Changed, "1".to_owned()),
        (third.name, GameChangeKind::Deleted, String::new()),
    ];
    assert_eq!(told, BTreeSet::from(expected));
    // And then whatever comes.
    api.resign(&first.name, Color::White).await.unwrap();
    assert_eq!(again.change().await.kind(), GameChangeKind::Finished);
}

#[tokio::test]
async fn a_cursor_of_another_log_begins_anew() {
    let api = Api::start().await;
    let old = Api::start().await.watch_games("", "").await.cursor;
    let foreign = format!("18f{}", "-0.1".repeat(64));
    for cursor in [
        old.as_str(),
        &foreign,
        "1-0",
        "ffffffffffffffff-0.ffffffffffffffff",
    ] {
        let (mut watch, missed) = api.watch_games_from("", "", cursor).await.unwrap();
        assert!(missed, "{cursor}");
        let game = api.game().await;
        assert_eq!(watch.change().await.name, game.name);
    }
}

#[tokio::test]
async fn what_cannot_be_watched_is_refused() {
    let api = Api::start().await;
    let long = "x".repeat(65);
    let cursor = "1".repeat(2049);
    for (field, player, label, cursor, reason) in [
        ("player_id", long.as_str(), "", "", ErrorReason::TooLarge),
        ("label", "", &long, "", ErrorReason::TooLarge),
        ("cursor", "", "", cursor.as_str(), ErrorReason::TooLarge),
        ("cursor", "", "", "garbage", ErrorReason::FieldInvalid),
        ("cursor", "", "", "1-2", ErrorReason::FieldInvalid),
        ("cursor", "", "", "é-0", ErrorReason::FieldInvalid),
        ("cursor", "", "", " ", ErrorReason::FieldInvalid),
    ] {
        let refused = api.watch_games_from(player, label, cursor).await;
        let failure = assert_fails(refused, Code::InvalidArgument, reason);
        assert_eq!(failure.fields, [field]);
    }
}

#[tokio::test]
async fn many_watchers_see_the_same() {
    const WATCHERS: usize = 200;
    let api = Api::start().await;
    let mut watches = Vec::new();
    for number in 0..WATCHERS {
        let label = if number % 2 == 0 { "cup" } else { "" };
        watches.push(api.watch_games("", label).await);
    }
    let mut expected = BTreeSet::new();
    for _ in 0..10 {
        expected.insert(api.create(game_of("anna", "cup")).await.name);
    }
    for watch in &mut watches {
        assert_eq!(names(watch, 10).await, expected);
    }
}

#[tokio::test]
async fn a_slow_reader_misses_nothing() {
    const GAMES: usize = 2000;
    let api = Api::start().await;
    let channel = Endpoint::from_shared(api.server.endpoint())
        .unwrap()
        .initial_stream_window_size(65_535)
        .connect_lazy();
    let request = Request::new(v1::WatchGamesRequest::default());
    let watch = watch_games(GameServiceClient::new(channel), request).await;
    let (mut watch, _) = watch.unwrap();
    // Nothing is read meanwhile, and more is told than fits on the way.
    let mut expected = BTreeSet::new();
    for number in 0..GAMES {
        let game = api.create(game_of(&number.to_string(), "cup")).await;
        expected.insert(game.name);
    }
    assert_eq!(names(&mut watch, GAMES).await, expected);
}

#[tokio::test]
async fn many_changes_of_a_game_come_in_order() {
    let api = Api::start().await;
    let mut watch = api.watch_games("", "").await;
    let game = api.game().await;
    for _ in 0..500 {
        api.show_legal_moves(&game.name).await;
    }
    let mut last = 0;
    while last < 500 {
        let etag = watch.change().await.etag.parse().unwrap();
        assert!(etag >= last, "{etag} after {last}");
        last = etag;
    }
}

#[tokio::test]
async fn a_watch_that_is_left_costs_nothing_more() {
    let api = Api::start().await;
    let watch = api.watch_games("", "").await;
    drop(watch);
    until(async || api.counts().await.ended("WatchGames", "Canceled") == 1.0).await;
    // Another one finds everything as it should be.
    let mut watch = api.watch_games("", "").await;
    let game = api.game().await;
    assert_eq!(soon(watch.change()).await.name, game.name);
}
