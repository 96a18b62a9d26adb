//! How many commands a move takes, counted by Redis.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpStream};

use reversi_proto::v1::{self, Color, ErrorReason};
use tonic::Code;

use crate::client::{SHORTEST_GAME, a_move, squares_of};
use crate::failure::assert_fails;
use crate::process::Process;
use crate::redis_server::RedisServer;

/// Two servers on a Redis that tells every command.
struct Told {
    a: Process,
    b: Process,
    redis: RedisServer,
    commands: BufReader<TcpStream>,
}

impl Told {
    async fn start() -> Option<Self> {
        Self::start_with(&[]).await
    }

    async fn start_with(flags: &[&str]) -> Option<Self> {
        let redis = RedisServer::start()?;
        let url = redis.url();
        let flags = [&["--store", &url, "--redis-timeout", "10s"], flags].concat();
        let (a, b) = (Process::start(&flags).await, Process::start(&flags).await);
        let mut monitor = TcpStream::connect((Ipv4Addr::LOCALHOST, redis.port())).unwrap();
        monitor.write_all(b"MONITOR\r\n").unwrap();
        Some(Self {
            a,
            b,
            redis,
            commands: BufReader::new(monitor),
        })
    }

    /// The commands since the last call that name a game, but not those of scripts.
    fn commands(&mut self, game: &v1::Game) -> Vec<String> {
        self.commands_with(game.name.strip_prefix("games/").unwrap())
    }

    /// The commands since the last call that have this text, but not those of scripts.
    fn commands_with(&mut self, text: &str) -> Vec<String> {
        self.redis.command::<String>(&["ECHO", "that was all"]);
        let mut lines = (&mut self.commands).lines().map(Result::unwrap);
        let lines = lines
            .by_ref()
            .take_while(|line| !line.contains("that was all"));
        lines
            .filter(|line| line.contains(text) && !line.contains(" lua] "))
            .filter_map(|line| Some(line.split('"').nth(1)?.to_uppercase()))
            .filter(|command| command != "SUBSCRIBE")
            .collect()
    }
}

#[tokio::test]
async fn a_move_takes_one_round_trip_and_two_at_most() {
    let Some(mut told) = Told::start().await else {
        return;
    };
    // Redis knows the scripts from here on.
    told.a.play(&told.a.game().await, "f5").await;
    let mut game = told.a.game().await;
    told.commands(&game);
    let mut squares = squares_of("f5d6c4g5d7c7h5d8b8");
    // Who created it knows it.
    for _ in 0..3 {
        game = told.a.play(&game, squares.next().unwrap()).await;
        assert_eq!(told.commands(&game), ["EVALSHA"]);
    }
    // Another server has to read it first, and then knows it.
    game = told.b.play(&game, squares.next().unwrap()).await;
    assert_eq!(told.commands(&game), ["GET", "EVALSHA"]);
    game = told.b.play(&game, squares.next().unwrap()).await;
    assert_eq!(told.commands(&game), ["EVALSHA"]);
    // What the first one knows is out of date, as the ply that the caller names shows.
    for _ in 0..2 {
        game = told.a.play(&game, squares.next().unwrap()).await;
        assert_eq!(told.commands(&game), ["GET", "EVALSHA"]);
        game = told.b.play(&game, squares.next().unwrap()).await;
        assert_eq!(told.commands(&game), ["GET", "EVALSHA"]);
    }
    // What is done wherever the game is takes two as well.
    told.a.resign(&game.name, Color::White).await.unwrap();
    assert_eq!(told.commands(&game), ["EVALSHA", "EVALSHA"]);
}

#[tokio::test]
async fn nothing_is_refused_or_repeated_by_what_is_out_of_date() {
    let Some(told) = Told::start().await else {
        return;
    };
    let (a, b) = (&told.a, &told.b);
    let start = a.game().await;
    let after_f5 = b.play(&start, "f5").await;
    // In what `a` knows it is Black's turn.
    let after_d6 = a.play(&after_f5, "d6").await;
    let mut request = a_move(&after_d6, "c4");
    request.request_id = "once".to_owned();
    let first = b.games().play_move(request.clone()).await.unwrap();
    let first = first.into_inner();
    b.delete(&b.game().await.name).await.unwrap();
    // `a` has not seen it, and still knows of the repeat.
    let again = a.games().play_move(request).await.unwrap().into_inner();
    assert!(again.replayed);
    assert_eq!((again.etag, again.moves), (first.etag, first.moves));
    let taken = b.take_back(&start.name, Color::Black).await.unwrap();
    // The move is in what `a` knows, but not in the game any more.
    let now = taken.game.unwrap();
    a.play(&now, "c4").await;
    b.resign(&start.name, Color::White).await.unwrap();
    let late = a.try_play(&now, "d3").await;
    let stale = matches!(&late, Err(status) if status.code() == Code::Aborted);
    assert!(stale, "{late:?}");
    b.delete(&start.name).await.unwrap();
    let gone = a.try_play(&now, "d3").await;
    assert_fails(gone, Code::NotFound, ErrorReason::GameNotFound);
}

#[tokio::test]
async fn live_games_are_counted_when_they_begin_and_end_but_not_at_each_move() {
    let Some(mut told) = Told::start_with(&["--tenant-games", "100"]).await else {
        return;
    };
    told.a.play(&told.a.game().await, "f5").await;
    told.commands_with(":live:");
    let mut game = told.a.game().await;
    assert_eq!(told.commands_with(":live:"), ["EVALSHA"]);
    let mut squares = squares_of(SHORTEST_GAME).peekable();
    while let Some(square) = squares.next() {
        game = told.a.play(&game, square).await;
        let ended = squares.peek().is_none();
        let counted = told.commands_with(":live:");
        assert_eq!(counted.is_empty(), !ended, "{square}: {counted:?}");
    }
}

#[tokio::test]
async fn live_games_are_not_counted_without_a_limit() {
    let Some(mut told) = Told::start().await else {
        return;
    };
    let game = told.a.game().await;
    told.a.play_all(game, SHORTEST_GAME).await;
    assert_eq!(told.commands_with(":live:"), [""; 0]);
}
