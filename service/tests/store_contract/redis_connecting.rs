//! Connecting to Redis, or not.

use std::time::{Duration, Instant};

use reversi_service::store::{GameStore, RedisStore, RedisStoreConfig, Replaced, StoreError};

use crate::redis_outages::{QUICKLY, chain, replace, unavailable};
use crate::redis_server::{Persistence, RedisServer, free_port};
use crate::subject::{LIMIT, entry, id, insert, woken};

#[tokio::test]
async fn a_limited_user_is_enough() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    server.command::<()>(&[
        "ACL",
        "SETUSER",
        "reversi",
        "on",
        ">hunter2",
        "resetchannels",
        "~rv:*",
        "&rv:w:*",
        "+@read",
        "+@write",
        "+@scripting",
        "+@pubsub",
        "+@connection",
        "+time",
        "-@dangerous",
    ]);
    let url = format!("redis://reversi:hunter2@127.0.0.1:{}", server.port());
    let store = RedisStore::connect(RedisStoreConfig::new(url))
        .await
        .unwrap();
    insert(&store, 1, 10, entry(0)).await;
    let mut subscription = store.subscribe(id(1)).await.unwrap();
    assert_eq!(replace(&store, 0).await.unwrap(), Replaced::Done);
    woken(&mut subscription).await;
    assert_eq!(store.list(None, 10).await.unwrap().len(), 1);
    store.shared_secret([0; 16]).await.unwrap();
}

#[tokio::test]
async fn a_wrong_password_is_told_but_not_repeated() {
    let Some(server) = RedisServer::start_with(Persistence::None, &["--requirepass", "right"])
    else {
        return;
    };
    let config = RedisStoreConfig::new(format!("redis://:hunter2@127.0.0.1:{}", server.port()));
    assert!(!format!("{config:?}").contains("hunter2"));
    let error = RedisStore::connect(config).await.unwrap_err();
    assert!(matches!(error, StoreError::Failed(_)), "{error:?}");
    let text = chain(&error);
    assert!(!text.contains("hunter2"), "{text}");
    assert!(text.contains(&server.port().to_string()), "{text}");
}

#[tokio::test]
async fn a_malformed_url_is_told_but_not_repeated() {
    for url in [
        "",
        "hunter2",
        "http://user:hunter2@host",
        "redis://host:hunter2/x",
    ] {
        let error = RedisStore::connect(RedisStoreConfig::new(url))
            .await
            .unwrap_err();
        assert!(matches!(error, StoreError::Failed(_)), "{url}: {error:?}");
        let text = chain(&error);
        assert!(
            text.contains("URL") && !text.contains("hunter2"),
            "{url}: {text}"
        );
    }
}

#[tokio::test]
async fn without_a_server_connecting_fails_in_time() {
    let port = free_port();
    let mut config = RedisStoreConfig::new(format!("redis://:hunter2@127.0.0.1:{port}"));
    config.connect_timeout = Duration::from_millis(300);
    let start = Instant::now();
    let error = RedisStore::connect(config).await.unwrap_err();
    assert!(start.elapsed() < QUICKLY, "{:?}", start.elapsed());
    let text = chain(&error);
    assert!(text.contains(&format!("127.0.0.1:{port}")), "{text}");
    assert!(!text.contains("hunter2"), "{text}");
    unavailable::<()>(&Err(error));
}

#[tokio::test]
async fn connecting_waits_for_a_server_that_is_about_to_start() {
    let Some(mut server) = RedisServer::start() else {
        return;
    };
    server.kill();
    let config = RedisStoreConfig {
        connect_timeout: LIMIT,
        ..RedisStoreConfig::new(server.url())
    };
    let connecting = tokio::spawn(RedisStore::connect(config));
    tokio::task::yield_now().await;
    server.restart();
    let store = connecting.await.unwrap().unwrap();
    insert(&store, 1, 10, entry(0)).await;
}
