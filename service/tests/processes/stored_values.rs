//! Values in Redis that this service has not written.

use reversi_proto::v1::{self, ErrorReason};
use tonic::{Code, Status};

use crate::client::until;
use crate::failure::{Failure, assert_fails};
use crate::process::Process;
use crate::redis_server::RedisServer;

async fn start() -> Option<(Process, RedisServer)> {
    let redis = RedisServer::start()?;
    let server = Process::start(&["--store", &redis.url()]).await;
    Some((server, redis))
}

/// The key of a game.
fn key_of(redis: &RedisServer, game: &v1::Game) -> String {
    let id = game.name.strip_prefix("games/").unwrap();
    let mut keys: Vec<String> = redis.command(&["KEYS", &format!("rv:{{*}}:{id}")]);
    assert_eq!(keys.len(), 1, "{keys:?}");
    keys.remove(0)
}

fn assert_unreadable<T: std::fmt::Debug>(result: Result<T, Status>, name: &str) -> Failure {
    let failure = assert_fails(result, Code::DataLoss, ErrorReason::StoredValueUnreadable);
    assert_eq!(failure.metadata["name"], name);
    assert_eq!(failure.resource.as_deref(), Some(name));
    failure
}

#[tokio::test]
async fn a_corrupt_value_is_named_and_left_as_it_is() {
    let Some((server, redis)) = start().await else {
        return;
    };
    let healthy = server.game().await;
    for damage in ["garbage", "truncated", "flipped", "newer", "empty"] {
        let game = server.play(&server.game().await, "f5").await;
        let mut watch = server.watch(&game.name, "").await;
        watch.snapshot().await;
        let key = key_of(&redis, &game);
        let length: u32 = redis.command(&["STRLEN", &key]);
        match damage {
            "garbage" => redis.command::<()>(&["SET", &key, "garbage", "KEEPTTL"]),
            "truncated" => {
                let value = "local v = redis.call('GET', KEYS[1]) \
                     return redis.call('SET', KEYS[1], v:sub(1, #v - 1), 'KEEPTTL')";
                redis.command::<()>(&["EVAL", value, "1", &key]);
            }
            "flipped" => redis.command::<()>(&["SETRANGE", &key, &(length / 2).to_string(), "?"]),
            "newer" => redis.command::<()>(&["SETRANGE", &key, "0", "\u{3}"]),
            _ => redis.command::<()>(&["SET", &key, "", "KEEPTTL"]),
        }
        let value: Vec<u8> = redis.command(&["GET", &key]);
        let name = &game.name;
        assert_unreadable(server.try_get(name).await, name);
        assert_unreadable(server.try_play(&game, "d6").await, name);
        assert_unreadable(server.take_back(name, v1::Color::Black).await, name);
        assert_unreadable(server.resign(name, v1::Color::Black).await, name);
        assert_unreadable(server.delete(name).await, name);
        assert_unreadable(server.try_watch(name, "").await, name);
        // Whoever watches is told when the game is read again.
        redis.command::<()>(&["PUBLISH", &format!("rv:w:{}", &name[6..]), ""]);
        assert_unreadable(watch.try_next().await, name);
        let left: Vec<u8> = redis.command(&["GET", &key]);
        assert_eq!(left, value, "{damage}");
        // The log names it too.
        until(async || {
            let logged = server.lines("a stored value cannot be read");
            logged.iter().any(|line| line["name"] == **name)
        })
        .await;
        // A batch says which one it is.
        let names = vec![healthy.name.clone(), name.clone()];
        let batch = server
            .games()
            .batch_get_games(v1::BatchGetGamesRequest { names })
            .await;
        assert_unreadable(batch, name);
        // A list goes on without it.
        let list = server
            .games()
            .list_games(v1::ListGamesRequest::default())
            .await;
        assert_eq!(
            list.unwrap().into_inner().games,
            std::slice::from_ref(&healthy)
        );
        until(async || !server.lines("a game is left out of a list").is_empty()).await;
        redis.command::<()>(&["DEL", &key]);
    }
    server.play(&healthy, "f5").await;
}

#[tokio::test]
async fn a_key_of_another_type_is_a_fault_with_an_incident() {
    let Some((server, redis)) = start().await else {
        return;
    };
    let game = server.game().await;
    let key = key_of(&redis, &game);
    redis.command::<()>(&["DEL", &key]);
    redis.command::<()>(&["LPUSH", &key, "x"]);
    for result in [
        server.try_get(&game.name).await.map(|_| ()),
        server.try_play(&game, "f5").await.map(|_| ()),
    ] {
        let failure = assert_fails(result, Code::Internal, ErrorReason::Internal);
        let incident = &failure.metadata["incident"];
        // What the fault is stands in the log alone.
        assert!(!failure.message.contains("WRONGTYPE"), "{failure:?}");
        until(async || {
            let logged = server.lines("internal error");
            let line = logged.iter().find(|line| line["incident"] == **incident);
            line.is_some_and(|line| line.to_string().contains("WRONGTYPE"))
        })
        .await;
    }
}
