//! A server that does not start: one line that says why, and a code of its own for a bad
//! configuration.

use std::net::TcpListener;
use std::process::Output;

use crate::process::output;
use crate::redis_server::{Persistence, RedisServer, free_port};

const BAD_CONFIG: i32 = 64;

/// The line with which a server says why it does not start. What its log said before is left
/// out.
fn reason(refused: &Output) -> String {
    assert!(refused.stdout.is_empty(), "{refused:?}");
    let text = String::from_utf8(refused.stderr.clone()).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('{')).collect();
    let [line] = lines[..] else {
        panic!("not one line: {text}");
    };
    assert!(line.starts_with("reversi-service: "), "{line}");
    line.to_owned()
}

#[tokio::test]
async fn a_bad_configuration_is_told_in_one_line() {
    for (flags, said) in [
        (&["--listen", "0.0.0.0:0"][..], "--insecure"),
        (&["--listen", "[::]:0"], "--insecure"),
        (&["--listen", "nowhere"], "--listen nowhere"),
        (&["--listen", "127.0.0.1:99999"], "--listen 127.0.0.1:99999"),
        (&["--admin", "nowhere"], "--admin nowhere"),
        (&["--store", "mysql://host"], "--store"),
        (&["--store", ""], "--store"),
        (&["--store", "redis://"], "--store"),
        (&["--store", "redis://host:port"], "--store"),
        (&["--store", "redis://host:1/database"], "--store"),
        (&["--store", "redis+sentinel://host"], "host:26379/master"),
        (&["--store", "redis+cluster://"], "redis+cluster://host"),
        (&["--game-ttl", "soon"], "--game-ttl"),
        (&["--game-ttl", "0s"], "--game-ttl"),
        (&["--game-ttl", "1ms"], "--game-ttl"),
        (&["--game-ttl", "200y"], "--game-ttl"),
        (&["--suggest-time=-1s"], "--suggest-time"),
        (&["--suggest-time", "0s"], "--suggest-time"),
        (&["--max-suggest-time", "10"], "--max-suggest-time"),
        (&["--redis-timeout", "0ms"], "--redis-timeout"),
        (&["--shutdown-grace", "later"], "--shutdown-grace"),
        (&["--io-threads", "0"], "--io-threads"),
        (&["--compute-threads", "many"], "--compute-threads"),
        (&["--compute-queue", "0"], "--compute-queue"),
        (&["--max-games", "0"], "--max-games"),
        (&["--log", "reversi=loud"], "--log reversi=loud"),
        (&["--log-format", "xml"], "--log-format"),
        (&["--log-format", "xml"], "json"),
        (&["--tls-cert", "server.pem"], "--tls-key"),
        (&["--tls-client-ca", "ca.pem"], "--tls-cert"),
        (&["--jwt-issuer", "https://issuer"], "--jwks"),
        (&["--redis-cert", "Cargo.toml"], "--redis-cert"),
        (&["--tokens", "nowhere"], "nowhere"),
        (&["--tokens", "Cargo.toml"], "Cargo.toml"),
        (&["--jwks", "Cargo.toml"], "Cargo.toml"),
        (
            &["--tls-cert", "nowhere", "--tls-key", "nowhere"],
            "nowhere",
        ),
        (&["--chess"], "--chess"),
        (&["chess"], "chess"),
        (&["--store"], "--store"),
    ] {
        let refused = output(flags, &[]).await;
        let line = reason(&refused);
        assert_eq!(refused.status.code(), Some(BAD_CONFIG), "{flags:?}: {line}");
        assert!(line.contains(said), "{flags:?}: {line}");
    }
}

#[tokio::test]
async fn a_bad_variable_is_told_like_its_flag() {
    for (name, value, said) in [
        ("REVERSI_STORE", "mysql://host", "--store"),
        ("REVERSI_GAME_TTL", "soon", "--game-ttl"),
        ("REVERSI_LISTEN", "nowhere", "--listen"),
        ("REVERSI_INSECURE", "perhaps", "--insecure"),
        ("REVERSI_COMPUTE_QUEUE", "-1", "--compute-queue"),
    ] {
        let refused = output(&[], &[(name, value)]).await;
        let line = reason(&refused);
        assert_eq!(refused.status.code(), Some(BAD_CONFIG), "{name}: {line}");
        assert!(line.contains(said), "{name}: {line}");
    }
}

#[tokio::test]
async fn a_password_is_in_no_refusal() {
    let port = free_port();
    for url in [
        "mysql://user:secret@host",
        "rediss://user:secret@host",
        "redis://user:secret@host:port",
        "redis://:secret@",
        "redis://user:secret@127.0.0.1:1/database",
        &format!("redis://user:secret@127.0.0.1:{port}"),
        &format!("redis://127.0.0.1:{port}/0?password=secret"),
    ] {
        for (flags, variables) in [
            (vec!["--store", url], vec![]),
            (vec![], vec![("REVERSI_STORE", url)]),
        ] {
            let refused = output(&flags, &variables).await;
            assert_ne!(refused.status.code(), Some(0), "{url}: {refused:?}");
            let said = String::from_utf8(refused.stderr).unwrap();
            assert!(!said.contains("secret"), "{url}: {said}");
        }
    }
}

#[tokio::test]
async fn a_port_that_is_taken_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = listener.local_addr().unwrap().to_string();
    for flags in [
        ["--listen", &taken, "--admin", "off"],
        ["--listen", "127.0.0.1:0", "--admin", &taken],
    ] {
        let refused = output(&flags, &[]).await;
        let line = reason(&refused);
        assert_eq!(refused.status.code(), Some(1), "{line}");
        assert!(
            line.contains(&format!("cannot listen on {taken}")),
            "{line}"
        );
    }
}

#[tokio::test]
async fn a_redis_that_is_not_there_is_named() {
    let port = free_port();
    let url = format!("redis://user:secret@127.0.0.1:{port}/1");
    let refused = output(&["--store", &url, "--listen", "127.0.0.1:0"], &[]).await;
    let line = reason(&refused);
    assert_eq!(refused.status.code(), Some(1), "{line}");
    assert!(
        line.contains(&format!("redis://127.0.0.1:{port}/1")),
        "{line}"
    );
    assert!(line.contains("no Redis answers"), "{line}");
    assert_eq!(line.matches("Connection refused").count(), 1, "{line}");
}

#[tokio::test]
async fn keys_that_are_elsewhere_and_not_there_are_no_bad_configuration() {
    let url = format!("http://127.0.0.1:{}/keys", free_port());
    let refused = output(&["--jwks", &url, "--listen", "127.0.0.1:0"], &[]).await;
    let line = reason(&refused);
    assert_eq!(refused.status.code(), Some(1), "{line}");
    assert!(line.contains(&url), "{line}");
}

#[tokio::test]
async fn a_redis_that_refuses_is_named() {
    let Some(redis) = RedisServer::start_with(Persistence::None, &["--requirepass", "right"])
    else {
        return;
    };
    let port = redis.port();
    for url in [
        format!("redis://127.0.0.1:{port}"),
        format!("redis://:wrong@127.0.0.1:{port}"),
    ] {
        let refused = output(&["--store", &url, "--listen", "127.0.0.1:0"], &[]).await;
        let line = reason(&refused);
        assert_eq!(refused.status.code(), Some(1), "{line}");
        assert!(line.contains(&format!("127.0.0.1:{port}")), "{line}");
        assert!(line.contains("refuses"), "{line}");
        assert!(!line.contains("wrong"), "{line}");
    }
}
