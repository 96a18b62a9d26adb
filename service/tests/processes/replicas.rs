//! Servers that share a Redis.

use std::collections::BTreeMap;

use futures_util::{StreamExt, stream};
use reversi_proto::v1::game_event::Kind;
use reversi_proto::v1::watch_games_response::Update as GamesUpdate;
use reversi_proto::v1::{self, Color, ErrorReason, GameState};
use tonic::Code;

use crate::client::{Random, SHORTEST_GAME, a_move, soon, squares_of, until};
use crate::failure::{Failure, assert_fails};
use crate::process::Process;
use crate::redis_server::{Persistence, RedisServer};

/// Two servers on one Redis.
struct Replicas {
    a: Process,
    b: Process,
    redis: RedisServer,
}

impl Replicas {
    async fn start() -> Option<Self> {
        let redis = RedisServer::start()?;
        let url = redis.url();
        let flags = ["--store", &url, "--redis-timeout", "10s"];
        Some(Self {
            a: Process::start(&flags).await,
            b: Process::start(&flags).await,
            redis,
        })
    }
}

#[tokio::test]
async fn what_redis_takes_is_counted() {
    let Some(replicas) = Replicas::start().await else {
        return;
    };
    replicas.a.game().await;
    let counts = replicas.a.counts().await;
    let labels = ["db_operation_name=\"EVALSHA\"", "error_type=\"\""];
    let answered = counts.value("db_client_operation_duration_seconds_count", &labels);
    assert!(answered > 0.0);
    assert_eq!(counts.value("reversi_stored_games", &[]), 1.0);
}

#[tokio::test]
async fn what_is_played_on_one_server_is_seen_on_the_other() {
    let Some(Replicas {
        a,
        b,
        redis: _redis,
    }) = Replicas::start().await
    else {
        return;
    };
    let info = a
        .rules()
        .get_server_info(v1::GetServerInfoRequest {})
        .await
        .unwrap();
    assert_eq!(info.into_inner().store(), v1::StoreKind::Redis);
    let mut game = a.game().await;
    assert_eq!(b.get(&game.name).await, game);
    let mut watches = [
        a.watch(&game.name, "").await,
        b.watch(&game.name, "0").await,
    ];
    assert_eq!(watches[0].snapshot().await.game.as_ref(), Some(&game));
    for (number, square) in squares_of(SHORTEST_GAME).enumerate() {
        game = [&b, &a][number % 2].play(&game, square).await;
    }
    a.delete(&game.name).await.unwrap();
    for watch in &mut watches {
        for (number, square) in squares_of(SHORTEST_GAME).enumerate() {
            let event = watch.event().await;
            assert_eq!(event.etag, (number + 1).to_string());
            let Some(Kind::MovesPlayed(played)) = event.kind else {
                panic!("expected moves, found {event:?}");
            };
            assert_eq!(played.moves[0].square, square);
        }
        assert!(matches!(watch.event().await.kind, Some(Kind::Deleted(_))));
        assert_eq!(watch.next().await, None);
    }
    let gone = b.try_get(&game.name).await;
    assert_fails(gone, Code::NotFound, ErrorReason::GameNotFound);
}

#[tokio::test]
async fn a_repeat_is_known_to_every_server() {
    let Some(Replicas {
        a,
        b,
        redis: _redis,
    }) = Replicas::start().await
    else {
        return;
    };
    let create = v1::CreateGameRequest {
        request_id: "create".to_owned(),
        ..Default::default()
    };
    let game = a.create(create.clone()).await;
    let again = b.games().create_game(create).await.unwrap().into_inner();
    assert!(again.replayed);
    assert_eq!(again.game.as_ref(), Some(&game));

    let mut play = a_move(&game, "f5");
    play.request_id = "play".to_owned();
    let first = a
        .games()
        .play_move(play.clone())
        .await
        .unwrap()
        .into_inner();
    let again = b
        .games()
        .play_move(play.clone())
        .await
        .unwrap()
        .into_inner();
    assert!(again.replayed && !first.replayed);
    assert_eq!(
        (again.moves, again.etag, again.game),
        (first.moves, first.etag, first.game)
    );
    play.square = "d3".to_owned();
    let reused = b.games().play_move(play).await;
    assert_fails(reused, Code::InvalidArgument, ErrorReason::RequestIdReused);
}

#[tokio::test]
async fn a_page_of_one_server_is_continued_on_the_other() {
    let Some(Replicas {
        a,
        b,
        redis: _redis,
    }) = Replicas::start().await
    else {
        return;
    };
    let mut created = Vec::new();
    for number in 0..12 {
        created.push([&a, &b][number % 2].game().await.name);
    }
    created.sort();
    let mut listed = Vec::new();
    let mut page_token = String::new();
    for server in [&a, &b].into_iter().cycle() {
        let request = v1::ListGamesRequest {
            page_size: 5,
            page_token,
            ..Default::default()
        };
        let page = server
            .games()
            .list_games(request)
            .await
            .unwrap()
            .into_inner();
        listed.extend(page.games.into_iter().map(|game| game.name));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    listed.sort();
    assert_eq!(listed, created);
}

/// Plays whatever side is to move, on a server chosen each time, until the game is over; what
/// was acknowledged, by etag.
async fn play_without_looking(
    servers: [&Process; 2],
    name: &str,
    seed: u64,
) -> BTreeMap<u32, Vec<v1::Move>> {
    let mut random = Random(seed);
    let mut acknowledged = BTreeMap::new();
    loop {
        let game = random.choose(&servers).get(name).await;
        if game.state() == GameState::Finished {
            return acknowledged;
        }
        let legal = game.legal_moves.as_ref().unwrap();
        let mut request = a_move(&game, &random.choose(&legal.moves).square);
        request.request_id = format!("{seed} {}", random.next());
        match random.choose(&servers).games().play_move(request).await {
            Ok(response) => {
                let response = response.into_inner();
                let etag = response.etag.parse().unwrap();
                assert!(acknowledged.insert(etag, response.moves).is_none());
            }
            Err(status) => {
                let failure = Failure::of(&status);
                assert!(
                    failure.is(Code::Aborted, ErrorReason::StaleEtag),
                    "{failure:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn writers_on_both_servers_lose_and_double_nothing() {
    let Some(Replicas {
        a,
        b,
        redis: _redis,
    }) = Replicas::start().await
    else {
        return;
    };
    let game = a.game().await;
    let mut watch = b.watch(&game.name, "0").await;
    let writers = (0..6).map(|seed| play_without_looking([&a, &b], &game.name, seed));
    let played = soon(futures_util::future::join_all(writers)).await;
    let mut acknowledged = BTreeMap::new();
    for (etag, moves) in played.into_iter().flatten() {
        assert!(
            acknowledged.insert(etag, moves).is_none(),
            "{etag} came twice"
        );
    }
    let game = a.get(&game.name).await;
    let history: Vec<_> = acknowledged.values().flatten().cloned().collect();
    assert_eq!(history, game.history);
    for (etag, moves) in acknowledged {
        let event = watch.event().await;
        assert_eq!(event.etag, etag.to_string());
        let Some(Kind::MovesPlayed(played)) = event.kind else {
            panic!("expected moves, found {event:?}");
        };
        assert_eq!(played.moves, moves);
    }
}

#[tokio::test]
async fn games_outlive_the_servers() {
    let Some(Replicas { mut a, b, redis }) = Replicas::start().await else {
        return;
    };
    let game = a.game().await;
    let mut request = a_move(&game, "f5");
    request.request_id = "before the crash".to_owned();
    let first = a
        .games()
        .play_move(request.clone())
        .await
        .unwrap()
        .into_inner();
    let game = first.game.unwrap();
    let mut watch = b.watch(&game.name, "1").await;
    a.kill();
    drop(b);
    let ended = watch.try_next().await;
    assert!(ended.is_err(), "{ended:?}");

    let c = Process::start(&["--store", &redis.url()]).await;
    assert_eq!(c.get(&game.name).await, game);
    // The caller that was never answered asks again.
    let again = c.games().play_move(request).await.unwrap().into_inner();
    assert!(again.replayed);
    assert_eq!(again.moves, first.moves);
    // The watch goes on where it was.
    let mut watch = c.watch(&game.name, "1").await;
    c.play(&game, "d6").await;
    assert_eq!(watch.event().await.etag, "2");
}

/// How a server goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Asked,
    Killed,
}

/// Plays a game on one server after the other: each is told to go while a move is under way,
/// and what it does not answer is asked again of the next. Answers what was acknowledged.
async fn play_while_servers_go(
    servers: &mut [Process],
    mut game: v1::Game,
    end: End,
) -> BTreeMap<u32, Vec<v1::Move>> {
    let mut random = Random(5);
    let mut acknowledged = BTreeMap::new();
    let mut unanswered = None;
    let last = servers.len() - 1;
    for (number, server) in servers.iter_mut().enumerate() {
        let until = 10 * i32::try_from(number + 1).unwrap();
        let mut gone = false;
        while game.state() == GameState::InProgress {
            let request = unanswered.take().unwrap_or_else(|| {
                let legal = game.legal_moves.as_ref().unwrap();
                let mut request = a_move(&game, &random.choose(&legal.moves).square);
                request.request_id = format!("ply {}", game.ply);
                request
            });
            let mut games = server.games();
            let sent = request.clone();
            let call = tokio::spawn(async move { games.play_move(sent).await });
            if number < last && game.ply > until && !gone {
                gone = true;
                match end {
                    End::Asked => server.signal("-TERM"),
                    End::Killed => server.kill(),
                }
            }
            match call.await.unwrap() {
                Ok(response) => {
                    let response = response.into_inner();
                    acknowledged.insert(response.etag.parse().unwrap(), response.moves);
                    game = response.game.unwrap();
                }
                Err(status) => {
                    // The connection is gone: it is not the server that refuses.
                    assert!(gone && status.details().is_empty(), "{status:?}");
                    unanswered = Some(request);
                    break;
                }
            }
        }
    }
    acknowledged
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_that_go_while_a_game_is_played_lose_and_double_nothing() {
    let Some(redis) = RedisServer::start() else {
        return;
    };
    for end in [End::Asked, End::Killed] {
        let mut servers = Vec::new();
        for _ in 0..4 {
            servers.push(Process::start(&["--store", &redis.url()]).await);
        }
        let game = servers[3].game().await;
        let mut watch = servers[3].watch(&game.name, "0").await;
        let name = game.name.clone();
        let acknowledged = soon(play_while_servers_go(&mut servers, game, end)).await;
        let game = servers[3].get(&name).await;
        assert_eq!(game.state(), GameState::Finished);
        let history: Vec<_> = acknowledged.values().flatten().cloned().collect();
        assert_eq!(history, game.history, "{end:?}");
        for etag in acknowledged.keys() {
            assert_eq!(watch.event().await.etag, etag.to_string());
        }
        if end == End::Asked {
            for server in &mut servers[..3] {
                assert_eq!(server.ended().await.code(), Some(0));
            }
        }
    }
}

#[tokio::test]
async fn a_game_that_expires_in_redis_ends_its_watch_and_its_place_in_the_list() {
    let Some(redis) = RedisServer::start() else {
        return;
    };
    let server = Process::start(&["--store", &redis.url(), "--game-ttl", "1s"]).await;
    let game = server.game().await;
    let mut watch = server.watch(&game.name, "").await;
    watch.snapshot().await;
    let game = server.play(&game, "f5").await;
    assert_eq!(watch.event().await.etag, "1");
    let event = watch.event().await;
    assert!(matches!(event.kind, Some(Kind::Expired(_))), "{event:?}");
    assert_eq!(watch.next().await, None);
    let gone = server.try_get(&game.name).await;
    assert_fails(gone, Code::NotFound, ErrorReason::GameNotFound);
    let list = server
        .games()
        .list_games(v1::ListGamesRequest::default())
        .await;
    assert_eq!(list.unwrap().into_inner().games, []);
    // Redis forgets the index as well.
    until(async || redis.command::<u32>(&["DBSIZE"]) == 1).await;
}

#[tokio::test]
async fn a_take_back_on_one_server_is_a_change_on_the_other() {
    let Some(Replicas {
        a,
        b,
        redis: _redis,
    }) = Replicas::start().await
    else {
        return;
    };
    let game = a.play_all(a.game().await, "f5d6").await;
    let mut watch = a.watch(&game.name, "2").await;
    b.take_back(&game.name, Color::White).await.unwrap();
    b.resign(&game.name, Color::Black).await.unwrap();
    let event = watch.event().await;
    assert!(
        matches!(event.kind, Some(Kind::TakeBackProposed(_))),
        "{event:?}"
    );
    let event = watch.event().await;
    assert!(matches!(event.kind, Some(Kind::TakenBack(_))), "{event:?}");
    let event = watch.event().await;
    assert!(matches!(event.kind, Some(Kind::Resigned(_))), "{event:?}");
    assert_eq!(event.after.unwrap().state(), GameState::Finished);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watch_of_games_goes_on_at_another_server_and_after_a_crash_of_redis() {
    let Some(mut redis) = RedisServer::start_with(Persistence::AppendOnly, &[]) else {
        return;
    };
    let url = redis.url();
    let a = Process::start(&["--store", &url]).await;
    let mut b = Process::start(&["--store", &url]).await;
    let mut on_a = a.watch_games("", "").await;
    let mut on_b = b.watch_games("", "").await;
    let game = a.game().await;
    for watch in [&mut on_a, &mut on_b] {
        watch.until_etag(&game.name, "0").await;
    }
    let cursor = on_b.cursor.clone();
    b.kill();
    let game = a.play(&game, "f5").await;
    on_a.until_etag(&game.name, "1").await;
    tokio::task::block_in_place(|| {
        redis.kill();
        redis.restart();
    });
    // What was open goes on, and a cursor from before leads to what came after it.
    let mut request = a_move(&game, "d6");
    request.request_id = "again and again".to_owned();
    until(async || a.games().play_move(request.clone()).await.is_ok()).await;
    on_a.until_etag(&game.name, "2").await;
    let (mut again, missed) = a.watch_games_from("", "", &cursor).await.unwrap();
    assert!(!missed);
    again.until_etag(&game.name, "2").await;
    // Who is told that something is lost is told to begin anew.
    redis.command::<()>(&["FLUSHALL"]);
    for watch in [&mut on_a, &mut again] {
        loop {
            match watch.next().await.unwrap() {
                GamesUpdate::Start(start) => break assert!(start.missed),
                GamesUpdate::Progress(_) | GamesUpdate::Change(_) => {}
            }
        }
    }
    let game = a.game().await;
    assert_eq!(on_a.change().await.name, game.name);
}

#[tokio::test]
async fn watchers_are_told_when_redis_has_lost_their_games() {
    let Some(Replicas { a, b, redis }) = Replicas::start().await else {
        return;
    };
    let (one, other) = (a.game().await, b.play(&a.game().await, "f5").await);
    let mut watches = [
        a.watch(&one.name, "").await,
        b.watch(&one.name, "0").await,
        a.watch(&other.name, "1").await,
    ];
    watches[0].snapshot().await;
    redis.command::<()>(&["FLUSHALL"]);
    for watch in &mut watches {
        assert!(matches!(watch.event().await.kind, Some(Kind::Deleted(_))));
        assert_eq!(watch.next().await, None);
    }
}

#[tokio::test]
async fn servers_agree_on_names_after_redis_has_lost_everything() {
    let Some(Replicas { a, mut b, redis }) = Replicas::start().await else {
        return;
    };
    redis.command::<()>(&["FLUSHALL"]);
    // A server that starts afresh does not know what the other one remembers.
    b.kill();
    let b = Process::start(&["--store", &redis.url()]).await;
    let request = v1::CreateGameRequest {
        request_id: "after".to_owned(),
        ..Default::default()
    };
    let on_a = a
        .games()
        .create_game(request.clone())
        .await
        .unwrap()
        .into_inner();
    let on_b = b.games().create_game(request).await.unwrap().into_inner();
    assert_eq!(on_b.game.unwrap().name, on_a.game.unwrap().name);
    assert!(on_b.replayed);
}

#[tokio::test]
async fn replicas_count_live_games_together() {
    let Some(redis) = RedisServer::start() else {
        return;
    };
    let url = redis.url();
    let flags = [
        "--store",
        &url,
        "--redis-timeout",
        "10s",
        "--tenant-games",
        "150",
    ];
    let servers = [Process::start(&flags).await, Process::start(&flags).await];
    let attempts = (0..400).map(|number: usize| {
        let mut games = servers[number % 2].games();
        async move { games.create_game(v1::CreateGameRequest::default()).await }
    });
    let made: Vec<_> = stream::iter(attempts).buffer_unordered(100).collect().await;
    let (made, refused): (Vec<_>, Vec<_>) = made.into_iter().partition(Result::is_ok);
    assert_eq!(made.len(), 150);
    for refused in refused {
        let (code, reason) = (Code::ResourceExhausted, ErrorReason::QuotaExceeded);
        let failure = assert_fails(refused, code, reason);
        assert_eq!(failure.metadata["limit"], "live_games");
    }
    // What one server ends makes room on the other.
    let first = made[0].as_ref().unwrap().get_ref().game.clone().unwrap();
    servers[0].delete(&first.name).await.unwrap();
    servers[1].game().await;
    let created = made[1].as_ref().unwrap().get_ref().game.clone().unwrap();
    let over = servers[1].play_all(created, SHORTEST_GAME).await;
    assert_eq!(over.state(), GameState::Finished);
    servers[0].game().await;
}
