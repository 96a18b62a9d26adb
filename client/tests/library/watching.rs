//! Watches across streams.

use reversi_client::{
    Code,
    proto::{
        Game, GameChange, GameDeleted, GameEvent, GameSnapshot, MovesPlayed, WatchGameRequest,
        WatchGameResponse, WatchGamesRequest, WatchGamesResponse, WatchGamesStart,
        game_event::Kind, watch_game_response::Update, watch_games_response::Update as GamesUpdate,
    },
};
use tonic::Status;

use crate::fake::Fake;

fn snapshot(etag: &str) -> WatchGameResponse {
    WatchGameResponse {
        update: Some(Update::Snapshot(GameSnapshot {
            game: Some(Game {
                etag: etag.to_owned(),
                ..Default::default()
            }),
            reset: false,
        })),
    }
}

fn event(etag: &str, kind: Kind) -> WatchGameResponse {
    WatchGameResponse {
        update: Some(Update::Event(GameEvent {
            etag: etag.to_owned(),
            kind: Some(kind),
            after: None,
        })),
    }
}

fn moves(etag: &str) -> WatchGameResponse {
    event(etag, Kind::MovesPlayed(MovesPlayed::default()))
}

fn deleted(etag: &str) -> WatchGameResponse {
    event(etag, Kind::Deleted(GameDeleted {}))
}

#[tokio::test]
async fn a_watch_goes_on_after_the_last_etag_when_its_stream_breaks_or_ends() {
    let fake = Fake::default();
    fake.send(vec![
        Ok(snapshot("0")),
        Ok(moves("1")),
        Err(Status::unavailable("stopping")),
    ]);
    fake.send(vec![Ok(moves("2"))]);
    fake.send(vec![Ok(moves("3")), Ok(deleted("4"))]);
    let client = fake.client().await;
    let mut watch = client
        .games()
        .watch_game(WatchGameRequest::default())
        .await
        .unwrap();
    let mut etags = Vec::new();
    while watch.next().await.unwrap().is_some() {
        etags.push(watch.last_etag().to_owned());
    }
    assert_eq!(etags, ["0", "1", "2", "3", "4"]);
    let after: Vec<_> = fake
        .asked()
        .into_iter()
        .map(|asked| asked.after_etag)
        .collect();
    assert_eq!(after, ["", "1", "2"]);
}

#[tokio::test]
async fn a_watch_of_games_goes_on_at_the_last_cursor() {
    let message = |cursor: &str, update: GamesUpdate| WatchGamesResponse {
        update: Some(update),
        cursor: cursor.to_owned(),
    };
    let start = |missed| GamesUpdate::Start(WatchGamesStart { missed });
    let change = |name: &str| {
        GamesUpdate::Change(GameChange {
            name: name.to_owned(),
            ..Default::default()
        })
    };
    let fake = Fake::default();
    fake.send_of_games(vec![
        Ok(message("1", start(false))),
        Ok(message("", change("a"))),
        Ok(message("2", change("b"))),
        Ok(message("", change("c"))),
        Err(Status::unavailable("stopping")),
    ]);
    fake.send_of_games(vec![
        Ok(message("2", start(false))),
        Ok(message("3", change("c"))),
    ]);
    fake.send_of_games(vec![Ok(message("9", start(true)))]);
    let client = fake.client().await;
    let request = WatchGamesRequest::default();
    let mut watch = client.games().watch_games(request).await.unwrap();
    let mut updates = Vec::new();
    while updates.last() != Some(&start(true)) {
        updates.push(watch.next().await.unwrap().unwrap());
    }
    let sent = [
        start(false),
        change("a"),
        change("b"),
        change("c"),
        change("c"),
        start(true),
    ];
    assert_eq!(updates, sent);
    assert_eq!(watch.last_cursor(), "9");
    let cursors: Vec<_> = fake
        .asked()
        .into_iter()
        .map(|asked| asked.after_etag)
        .collect();
    assert_eq!(cursors, ["", "2", "3"]);
}

#[tokio::test]
async fn a_watch_ends_with_the_game() {
    let fake = Fake::default();
    fake.send(vec![Ok(snapshot("5")), Ok(deleted("6"))]);
    let client = fake.client().await;
    let mut watch = client
        .games()
        .watch_game(WatchGameRequest::default())
        .await
        .unwrap();
    watch.next().await.unwrap();
    watch.next().await.unwrap();
    assert_eq!(watch.next().await.unwrap(), None);
    assert_eq!(watch.next().await.unwrap(), None);
    assert_eq!(fake.asked().len(), 1);
}

#[tokio::test]
async fn a_game_that_is_not_there_cannot_be_watched() {
    let fake = Fake::default();
    fake.fail_with([Status::not_found("no such game")]);
    let client = fake.client().await;
    let watch = client.games().watch_game(WatchGameRequest::default()).await;
    assert_eq!(watch.unwrap_err().code(), Some(Code::NotFound));
}

#[tokio::test]
async fn a_watch_that_cannot_be_resumed_now_can_be_later() {
    let fake = Fake::default();
    fake.send(vec![Ok(snapshot("0"))]);
    let client = fake.client().await;
    let mut watch = client
        .games()
        .watch_game(WatchGameRequest::default())
        .await
        .unwrap();
    watch.next().await.unwrap();
    fake.fail_with((0..4).map(|_| Status::unavailable("restarting")));
    let error = watch.next().await.unwrap_err();
    assert!(error.is_unavailable(), "{error}");
    fake.send(vec![Ok(moves("1"))]);
    assert!(watch.next().await.unwrap().is_some());
    assert_eq!(watch.last_etag(), "1");
}

#[tokio::test]
async fn a_watch_is_resumed_before_there_is_an_update() {
    let fake = Fake::default();
    fake.send(vec![Ok(snapshot("0"))]);
    let client = fake.client().await;
    let mut watch = client
        .games()
        .watch_game(WatchGameRequest::default())
        .await
        .unwrap();
    watch.next().await.unwrap();
    fake.fail_with((0..8).map(|_| Status::unavailable("restarting")));
    assert!(watch.next().await.is_err());
    assert!(watch.resume().await.is_err());
    watch.resume().await.unwrap();
    let asked = fake.asked();
    assert_eq!(asked.len(), 10);
    assert_eq!(asked[9].after_etag, "0");
    watch.resume().await.unwrap();
    assert_eq!(fake.asked().len(), 10);
}

#[tokio::test]
async fn a_watch_has_no_deadline_once_it_is_open() {
    let fake = Fake::default();
    let client = fake.client().await;
    let opened = client.games().watch_game(WatchGameRequest::default()).await;
    assert!(opened.is_ok());
    assert_eq!(fake.asked()[0].timeout, None);
}
