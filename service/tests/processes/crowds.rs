//! Many at once: watchers of one game and of many games, watchers that never read, games created
//! in a burst.

use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream};
use reversi_proto::v1;
use reversi_proto::v1::watch_game_response::Update;

use crate::client::{Client, LIMIT, Watch, soon, squares_of};
use crate::process::Process;
use crate::redis_server::{Persistence, RedisServer};

/// Watches on one connection: fewer than the server takes.
const ON_A_CONNECTION: usize = 500;
/// Calls at once.
const AT_ONCE: usize = 100;

/// A server on Redis, which is not in a hurry.
async fn start() -> Option<(Process, RedisServer)> {
    let redis = RedisServer::start_with(Persistence::AppendOnly, &[])?;
    let server = Process::start(&["--store", &redis.url(), "--redis-timeout", "10s"]).await;
    Some((server, redis))
}

/// So many new games.
async fn games(server: &Process, count: usize) -> Vec<v1::Game> {
    let games = stream::iter(0..count).map(|_| server.game());
    games.buffered(AT_ONCE).collect().await
}

/// Watches of these games from the beginning on, over as many connections as it takes.
async fn watches(server: &Process, games: impl Iterator<Item = &v1::Game>) -> Vec<Watch> {
    let games: Vec<&v1::Game> = games.collect();
    let mut watches = Vec::new();
    for games in games.chunks(ON_A_CONNECTION) {
        let client = Client::new(&format!("http://{}", server.address()));
        let opened = stream::iter(games)
            .map(|game| client.watch(&game.name, "0"))
            .buffered(AT_ONCE);
        watches.extend(opened.collect::<Vec<_>>().await);
    }
    watches
}

/// The next change of each has this etag; how long it took until all had it.
async fn all_see(watches: &mut [Watch], etag: u32) -> Duration {
    let start = Instant::now();
    let seen = stream::iter(watches).for_each_concurrent(None, async |watch| {
        match watch.0.message().await.unwrap().unwrap().update.unwrap() {
            Update::Event(event) => assert_eq!(event.etag, etag.to_string()),
            Update::Snapshot(snapshot) => panic!("expected an event, found {snapshot:?}"),
        }
    });
    let limit = 3 * LIMIT;
    tokio::time::timeout(limit, seen).await.expect("all see it");
    start.elapsed()
}

/// So many watchers of one game, and of as many games each.
async fn crowd(of_one: usize, of_many: usize) {
    let Some((server, mut redis)) = start().await else {
        return;
    };
    let mut game = server.game().await;
    server.unpacked().await;
    let idle = server.memory_kib();
    let mut watchers = watches(&server, std::iter::repeat_n(&game, of_one)).await;
    let bytes = (server.memory_kib() - idle) * 1024 / of_one as u64;
    println!("{of_one} watchers of one game: {bytes} bytes each");
    for (square, etag) in squares_of("f5d6c4g5").zip(1..) {
        let played = Instant::now();
        game = server.play(&game, square).await;
        all_see(&mut watchers, etag).await;
        println!(
            "all have seen {square} {:?} after it was played",
            played.elapsed()
        );
    }
    drop(watchers);
    let many = games(&server, of_many).await;
    let idle = server.memory_kib();
    let mut watchers = watches(&server, many.iter()).await;
    let bytes = server.memory_kib().saturating_sub(idle) * 1024 / of_many as u64;
    println!("{of_many} watchers of a game each: {bytes} bytes each");
    let start = Instant::now();
    let moves = stream::iter(&many).map(|game| server.play(game, "f5"));
    let many: Vec<v1::Game> = moves.buffered(AT_ONCE).collect().await;
    all_see(&mut watchers, 1).await;
    println!(
        "{of_many} moves were played and seen in {:?}",
        start.elapsed()
    );
    // All of them come back after Redis was away, and none misses a change.
    tokio::task::block_in_place(|| redis.restart());
    let moves = stream::iter(&many).map(async |game| {
        soon(async {
            while server.try_play(game, "d6").await.is_err() {
                tokio::task::yield_now().await;
            }
        })
        .await;
    });
    moves.buffered(AT_ONCE).collect::<Vec<()>>().await;
    let waited = all_see(&mut watchers, 2).await;
    println!("after Redis was away, all had seen the next moves {waited:?} later");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crowd_of_watchers_sees_every_change() {
    crowd(1000, 1000).await;
}

/// `cargo test --release -p reversi-service --test processes -- --ignored --nocapture crowds`
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a minute"]
async fn ten_thousand_watchers_see_every_change() {
    crowd(1000, 10_000).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn watchers_that_never_read_cost_little_and_hold_nobody_up() {
    const WATCHERS: usize = 400;
    let Some((server, _redis)) = start().await else {
        return;
    };
    let mut game = server.game().await;
    // Their connections take nothing from here on: the windows of HTTP/2 fill, and that is all.
    let watchers = watches(&server, std::iter::repeat_n(&game, WATCHERS)).await;
    let mut reader = server.watch(&game.name, "0").await;
    let mut etag = 0;
    let mut play = async |game: v1::Game| {
        let game = server.play_all(game, "f5d6c4").await;
        server
            .take_back(&game.name, v1::Color::Black)
            .await
            .unwrap();
        let taken = server
            .take_back(&game.name, v1::Color::Black)
            .await
            .unwrap();
        for _ in 0..5 {
            etag += 1;
            assert_eq!(reader.event().await.etag, etag.to_string());
        }
        taken.game.unwrap()
    };
    for _ in 0..20 {
        game = play(game).await;
    }
    let after_some = server.memory_kib();
    for _ in 0..60 {
        game = play(game).await;
    }
    let after_many = server.memory_kib();
    let grown = (after_many.saturating_sub(after_some)) * 1024 / WATCHERS as u64;
    assert!(
        grown < 200_000,
        "{grown} bytes for each watcher that does not read"
    );
    drop(watchers);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_games_created_at_once_are_all_there() {
    const GAMES: usize = 10_000;
    let Some((server, redis)) = start().await else {
        return;
    };
    // No more at once than the connections take; the rest wait in the client.
    let clients: Vec<Client> = (0..8)
        .map(|_| Client::new(&format!("http://{}", server.address())))
        .collect();
    let creations = (0..GAMES).map(async |number| {
        let request = v1::CreateGameRequest {
            request_id: format!("burst {number}"),
            ..Default::default()
        };
        clients[number % clients.len()]
            .games()
            .create_game(request)
            .await
    });
    let created = futures_util::future::join_all(creations).await;
    let mut failed = 0;
    for answer in &created {
        if let Err(status) = answer {
            // Not done, or not known to be: nothing else.
            assert_eq!(status.code(), tonic::Code::Unavailable, "{status:?}");
            failed += 1;
        }
    }
    println!("{failed} of {GAMES} were told to try again");
    let keys: usize = redis.command(&[
        "EVAL",
        "return #redis.call('KEYS', 'rv:{*}:????????????????????')",
        "0",
    ]);
    assert!(keys >= GAMES - failed, "{keys}");
    // It is none the worse for it.
    server.play(&server.game().await, "f5").await;
}
