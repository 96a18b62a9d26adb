//! What nobody is to read stands in no log and no metric, however much is logged.

use reversi_proto::v1::{self, Color};
use sha2::{Digest, Sha256};
use tonic::Request;

use crate::client::{soon, until};
use crate::process::Process;
use crate::redis_server::{Persistence, RedisServer};

const PASSWORD: &str = "password-of-redis";
const TOKEN: &str = "token-of-acme";
const WRONG_TOKEN: &str = "token-of-nobody";

fn with<T>(message: T, credential: &str, seat_token: Option<&str>) -> Request<T> {
    let mut request = Request::new(message);
    let metadata = request.metadata_mut();
    let bearer = format!("Bearer {credential}").parse().unwrap();
    metadata.insert("authorization", bearer);
    if let Some(token) = seat_token {
        metadata.insert("reversi-seat-token", token.parse().unwrap());
    }
    request
}

#[tokio::test]
async fn secrets_are_in_no_log_and_no_metric() {
    let options = ["--requirepass", PASSWORD];
    let Some(redis) = RedisServer::start_with(Persistence::None, &options) else {
        return;
    };
    let hash: String = Sha256::digest(TOKEN)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let tokens = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(tokens.path(), format!("acme {hash}\n")).unwrap();
    let store = format!("redis://:{PASSWORD}@127.0.0.1:{}", redis.port());
    let tokens = tokens.path().to_str().unwrap();
    let flags = ["--store", &store, "--tokens", tokens, "--log", "trace"];
    let mut server = Process::start(&flags).await;

    let create = v1::CreateGameRequest {
        seat_tokens: true,
        ..Default::default()
    };
    let created = soon(server.games().create_game(with(create, TOKEN, None))).await;
    let created = created.unwrap();
    let seat_token = created.metadata().get("reversi-black-seat-token");
    let seat_token = seat_token.unwrap().clone();
    let seat_token = seat_token.to_str().unwrap();
    let game = created.into_inner().game.unwrap();
    let play = || v1::PlayMoveRequest {
        name: game.name.clone(),
        side: Color::Black.into(),
        square: "f5".to_owned(),
        expected: Some(v1::play_move_request::Expected::ExpectedPly(0)),
        ..Default::default()
    };
    let wrong = "0123456789abcdef0123456789abcdef";
    for (credential, seat_token) in [(WRONG_TOKEN, seat_token), (TOKEN, wrong)] {
        let mut games = server.games();
        let refused = games.play_move(with(play(), credential, Some(seat_token)));
        let status = soon(refused).await.unwrap_err();
        let said = format!("{status:?}");
        assert!(
            !said.contains(credential) && !said.contains(seat_token),
            "{said}"
        );
    }
    let mut games = server.games();
    let played = games.play_move(with(play(), TOKEN, Some(seat_token)));
    soon(played).await.unwrap();

    let counts = server.counts().await.0;
    server.stop().await;
    until(async || !server.lines("stopped").is_empty()).await;
    let log = server.log();
    assert!(log.len() > 100, "it is logged what happens: {}", log.len());
    for secret in [PASSWORD, TOKEN, WRONG_TOKEN, seat_token, wrong, &hash] {
        assert!(!counts.contains(secret), "{secret} is in the metrics");
        let line = log.iter().find(|line| line.contains(secret));
        assert_eq!(line, None, "{secret} is in the log");
    }
}
