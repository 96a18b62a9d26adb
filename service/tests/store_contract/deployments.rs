//! Redis as people run it: every behaviour under Sentinel, in a cluster, by TLS, as a user with
//! few rights; and what happens when one of the servers goes away.

use std::sync::Arc;
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use reversi_service::store::{
    Availability, GameStore, Inserted, Listing, RedisStore, RedisStoreConfig, RedisTls, Replaced,
    ReplicaWait, StoreError, TlsIdentity,
};

use crate::redis_cluster::{RedisCluster, Replicas};
use crate::redis_outages::{chain, replace, unavailable};
use crate::redis_sentinel::RedisSentinel;
use crate::redis_server::{Persistence, RedisServer, free_port};
use crate::subject::{
    LIMIT, Subject, created_at, entry, eventually, get, id, insert, patient, value, woken,
};

async fn connect(config: RedisStoreConfig) -> RedisStore {
    RedisStore::connect(config).await.expect("Redis answers")
}

/// Every behaviour of the contract on a deployment that this empties.
async fn every_behaviour(config: &RedisStoreConfig, clear: impl Fn()) {
    let subject = Subject::of(
        Arc::new(connect(config.clone()).await),
        Arc::new(connect(config.clone()).await),
    );
    crate::every_behaviour(&subject, clear).await;
}

#[tokio::test]
async fn everything_works_under_sentinel() {
    let Some(redis) = RedisSentinel::start(Persistence::None) else {
        return;
    };
    every_behaviour(&patient(redis.url()), || redis.clear()).await;
}

#[tokio::test]
async fn everything_works_in_a_cluster() {
    let Some(redis) = RedisCluster::start(Persistence::None, Replicas::None) else {
        return;
    };
    every_behaviour(&patient(redis.url()), || redis.clear()).await;
}

/// What a user needs, as the documentation of the store has it.
const RIGHTS: &[&str] = &[
    "~rv:*",
    "&rv:w:*",
    "+@read",
    "+@write",
    "+@scripting",
    "+@pubsub",
    "+@connection",
    "+time",
    "-@dangerous",
];

#[tokio::test]
async fn everything_works_by_tls_as_a_user_with_few_rights() {
    let Some(Encrypted {
        redis,
        port,
        certificates,
    }) = Encrypted::start()
    else {
        return;
    };
    redis.command::<()>(
        &[
            &["ACL", "SETUSER", "app", "on", ">p@ss", "resetchannels"],
            RIGHTS,
        ]
        .concat(),
    );
    let config = RedisStoreConfig {
        tls: certificates.tls(),
        ..patient(format!("rediss://app:p%40ss@localhost:{port}"))
    };
    every_behaviour(&config, || redis.command::<()>(&["FLUSHALL"])).await;
}

#[tokio::test]
async fn certificates_are_checked() {
    let Some(Encrypted {
        redis: _redis,
        port,
        certificates,
    }) = Encrypted::start()
    else {
        return;
    };
    let refused = async |host: &str, tls: RedisTls| {
        let config = RedisStoreConfig {
            tls,
            connect_timeout: Duration::from_secs(2),
            ..RedisStoreConfig::new(format!("rediss://{host}:{port}"))
        };
        chain(&RedisStore::connect(config).await.unwrap_err())
    };
    let trusted = certificates.tls();
    let anonymous = RedisTls {
        identity: None,
        ..trusted.clone()
    };
    let other = Certificates::new().tls();
    let unknown = RedisTls {
        authorities: other.authorities,
        ..trusted.clone()
    };
    let text = refused("127.0.0.1", trusted).await;
    assert!(text.contains("not valid for name"), "{text}");
    let text = refused("localhost", unknown).await;
    assert!(text.contains("UnknownIssuer"), "{text}");
    let text = refused("localhost", anonymous).await;
    assert!(text.to_lowercase().contains("certificate"), "{text}");
}

#[tokio::test]
async fn a_failover_is_followed() {
    let Some(mut redis) = RedisSentinel::start(Persistence::AppendOnly) else {
        return;
    };
    let config = RedisStoreConfig::new(redis.url());
    let (store, other) = (connect(config.clone()).await, connect(config).await);
    let mut subscription = store.subscribe(id(1)).await.unwrap();
    insert(&store, 1, 10, entry(0)).await;
    redis.until_in_step();
    // Sentinels go, too: any of them will do, as long as a majority is left for the vote.
    redis.kill_sentinel(0);
    let master = redis.master();
    redis.servers[master].kill();
    redis.until_failed_over(master);
    // Under load the Sentinels may fail over once more, and what the replica did not have is lost.
    let replaced = async |events| {
        let _ = replace(&other, events).await;
        get_one(&store).await == Some(value(events + 1))
    };
    eventually("replaced", async || replaced(0).await).await;
    woken(&mut subscription).await;
    // The old master comes back as a replica, and the store does not go back to it.
    redis.servers[master].restart();
    redis.until_in_step();
    eventually("replaced again", async || replaced(1).await).await;
    woken(&mut subscription).await;
}

/// A failover of which the old master is told nothing: it goes on to take writes, which are
/// lost when it becomes a replica. The Sentinels are asked, so it is left all the same.
#[tokio::test]
async fn a_master_that_does_not_know_of_its_end_is_left() {
    let Some(redis) = RedisSentinel::start(Persistence::None) else {
        return;
    };
    let store = connect(RedisStoreConfig::new(redis.url())).await;
    insert(&store, 1, 10, entry(0)).await;
    redis.until_in_step();
    let master = redis.master();
    redis.servers[master].pause();
    let promoted = redis.until_failed_over(master);
    redis.servers[master].resume();
    let key = crate::redis_keys::value_key(1);
    eventually("on the new master", async || {
        // The old one may take it, and lose it.
        let _ = replace(&store, 0).await;
        redis.servers[promoted]
            .try_command::<Vec<u8>>(&["GET", &key])
            .is_ok_and(|there| there == value(1))
    })
    .await;
}

#[tokio::test]
async fn replicas_are_waited_for() {
    let Some(redis) = RedisSentinel::start(Persistence::None) else {
        return;
    };
    let config = RedisStoreConfig {
        wait: Some(ReplicaWait {
            replicas: 1,
            timeout: Duration::from_millis(300),
        }),
        ..patient(redis.servers[0].url())
    };
    let store = connect(config.clone()).await;
    let replica = &redis.servers[1];
    let key = crate::redis_keys::value_key(1);
    let there = || {
        replica
            .try_command::<Vec<u8>>(&["GET", &key])
            .unwrap_or_default()
    };
    insert(&store, 1, 10, entry(0)).await;
    assert_eq!(there(), value(0));
    for events in 0..10 {
        assert_eq!(replace(&store, events).await.unwrap(), Replaced::Done);
        assert_eq!(there(), value(events + 1));
    }
    replica.pause();
    let answer = replace(&store, 10).await;
    not_replicated(&answer);
    // It is done all the same, and the repeat does not say that it is safe either.
    assert_eq!(get(&store, 1).await, Some(value(11)));
    not_replicated(&store.confirm(id(1)).await);
    not_replicated(&store.insert(id(2), created_at(10, entry(0))).await);
    // What writes nothing does not wait.
    assert_eq!(
        replace(&store, 10).await.unwrap(),
        Replaced::Changed(value(11))
    );
    replica.resume();
    eventually("confirmed", async || store.confirm(id(1)).await.is_ok()).await;
    assert_eq!(there(), value(11));
    // Two are one too many.
    let store = connect(RedisStoreConfig {
        wait: Some(ReplicaWait {
            replicas: 2,
            timeout: Duration::from_millis(50),
        }),
        ..config
    })
    .await;
    not_replicated(&replace(&store, 11).await);
}

#[track_caller]
fn not_replicated<T: std::fmt::Debug>(answer: &Result<T, StoreError>) {
    assert!(
        matches!(answer, Err(StoreError::NotReplicated { .. })),
        "{answer:?}"
    );
}

#[tokio::test]
async fn a_master_without_a_name_is_refused() {
    let Some(redis) = RedisSentinel::start(Persistence::None) else {
        return;
    };
    let url = redis.url().replace("/games", "/others");
    let error = RedisStore::connect(patient(url)).await.unwrap_err();
    assert!(matches!(error, StoreError::Failed(_)), "{error:?}");
    assert!(chain(&error).contains("others"), "{error:?}");
}

#[tokio::test]
async fn a_node_of_a_cluster_is_replaced() {
    let Some(mut redis) = RedisCluster::start(Persistence::AppendOnly, Replicas::One) else {
        return;
    };
    let config = RedisStoreConfig::new(redis.url());
    let (store, other) = (connect(config.clone()).await, connect(config).await);
    for number in 0..100 {
        insert(&store, number, 10, entry(0)).await;
    }
    let mut subscriptions = Vec::new();
    for number in 0..100 {
        subscriptions.push(store.subscribe(id(number)).await.unwrap());
    }
    redis.nodes[0].kill();
    let availability = store.availability();
    for number in 0..100 {
        eventually("replaced", async || {
            let written = other
                .replace(id(number), &value(0), entry(1), Listing::Keep)
                .await;
            // An answer may have been lost.
            matches!(written, Ok(Replaced::Done | Replaced::Changed(_)))
        })
        .await;
    }
    for (number, subscription) in (0..).zip(&mut subscriptions) {
        woken(subscription).await;
        eventually("seen", async || {
            store.get(&[id(number)]).await.ok() == Some(vec![Some(value(1))])
        })
        .await;
    }
    // Two of three nodes were there all the while.
    assert_eq!(*availability.borrow(), Availability::Available);
    assert_eq!(store.list(None, 1000).await.unwrap().len(), 100);
    // The node is back, and a replica now.
    redis.nodes[0].restart();
    assert_eq!(store.list(None, 1000).await.unwrap().len(), 100);
}

/// A shard is moved from one node to another, key by key: it is read all the while, and written
/// again when all of it is there.
#[tokio::test]
async fn a_shard_can_be_moved_to_another_node() {
    let Some(redis) = RedisCluster::start(Persistence::None, Replicas::None) else {
        return;
    };
    let store = connect(RedisStoreConfig::new(redis.url())).await;
    insert(&store, 1, 10, entry(0)).await;
    let key = crate::redis_keys::value_key(1);
    let slot: u16 = redis.nodes[0].command(&["CLUSTER", "KEYSLOT", &key]);
    let slot = slot.to_string();
    let keys = |node: &RedisServer| -> Vec<String> {
        node.command(&["CLUSTER", "GETKEYSINSLOT", &slot, "1000"])
    };
    let mut nodes = redis.nodes.iter();
    let from = nodes.position(|node| !keys(node).is_empty()).unwrap();
    let to = (from + 1) % redis.nodes.len();
    let ids: Vec<String> = (redis.nodes.iter())
        .map(|node| node.command(&["CLUSTER", "MYID"]))
        .collect();
    let (source, target) = (&redis.nodes[from], &redis.nodes[to]);
    target.command::<()>(&["CLUSTER", "SETSLOT", &slot, "IMPORTING", &ids[from]]);
    source.command::<()>(&["CLUSTER", "SETSLOT", &slot, "MIGRATING", &ids[to]]);
    let port = target.port().to_string();
    for key in keys(source) {
        source.command::<()>(&["MIGRATE", "127.0.0.1", &port, &key, "0", "5000"]);
        // One key is here, another there.
        assert_eq!(get(&store, 1).await, Some(value(0)));
        unavailable(&replace(&store, 0).await);
    }
    for node in &redis.nodes {
        node.command::<()>(&["CLUSTER", "SETSLOT", &slot, "NODE", &ids[to]]);
    }
    assert_eq!(replace(&store, 0).await.unwrap(), Replaced::Done);
    assert_eq!(get(&store, 1).await, Some(value(1)));
    let inserted = store.insert(id(1), created_at(10, entry(0))).await.unwrap();
    assert_eq!(inserted, Inserted::Exists(value(1)));
}

async fn get_one(store: &RedisStore) -> Option<Vec<u8>> {
    store.get(&[id(1)]).await.ok()?.pop().flatten()
}

/// A server that speaks TLS to those who show a certificate.
struct Encrypted {
    redis: RedisServer,
    port: u16,
    certificates: Certificates,
}

impl Encrypted {
    fn start() -> Option<Self> {
        let certificates = Certificates::new();
        let port = free_port();
        let path = |name: &str| certificates.directory.path().join(name);
        let path = |name: &str| path(name).to_str().unwrap().to_owned();
        let redis = RedisServer::start_with(
            Persistence::None,
            &[
                "--tls-port",
                &port.to_string(),
                "--tls-cert-file",
                &path("server.pem"),
                "--tls-key-file",
                &path("server.key"),
                "--tls-ca-cert-file",
                &path("ca.pem"),
            ],
        )?;
        Some(Self {
            redis,
            port,
            certificates,
        })
    }
}

/// Certificates of an authority of their own.
struct Certificates {
    directory: tempfile::TempDir,
}

impl Certificates {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let ca_key = KeyPair::generate().unwrap();
        let mut ca = CertificateParams::new(Vec::new()).unwrap();
        ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        // Two authorities of one name would be taken for one.
        let name = directory.path().to_str().unwrap();
        ca.distinguished_name.push(DnType::CommonName, name);
        let certificate = ca.self_signed(&ca_key).unwrap();
        let issuer = Issuer::new(ca, ca_key);
        let write = |name: &str, text: String| {
            std::fs::write(directory.path().join(name), text).unwrap();
        };
        write("ca.pem", certificate.pem());
        for name in ["server", "client"] {
            let key = KeyPair::generate().unwrap();
            let mut certificate = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
            certificate
                .distinguished_name
                .push(DnType::CommonName, name);
            let certificate = certificate.signed_by(&key, &issuer).unwrap();
            write(&format!("{name}.pem"), certificate.pem());
            write(&format!("{name}.key"), key.serialize_pem());
        }
        Self { directory }
    }

    fn tls(&self) -> RedisTls {
        let read = |name: &str| std::fs::read(self.directory.path().join(name)).unwrap();
        RedisTls {
            authorities: Some(read("ca.pem")),
            identity: Some(TlsIdentity {
                certificate: read("client.pem"),
                key: read("client.key"),
            }),
        }
    }
}

#[tokio::test]
async fn a_cluster_that_is_not_there_is_told_in_time() {
    let port = free_port();
    let config = RedisStoreConfig {
        connect_timeout: Duration::from_millis(300),
        ..RedisStoreConfig::new(format!("redis+cluster://:hunter2@127.0.0.1:{port}"))
    };
    let started = std::time::Instant::now();
    let error = RedisStore::connect(config).await.unwrap_err();
    assert!(started.elapsed() < LIMIT, "{:?}", started.elapsed());
    let text = chain(&error);
    assert!(text.contains(&format!("127.0.0.1:{port}")), "{text}");
    assert!(!text.contains("hunter2"), "{text}");
}
