//! Replicas are replaced one after the other behind a real proxy, while calls are made.

#![allow(clippy::print_stdout, reason = "a table of what happened")]

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use reversi_client::proto::play_move_request::Expected;
use reversi_client::proto::{self, CreateGameRequest, ListLegalMovesRequest, PlayMoveRequest};
use reversi_client::{Client, ClientConfig, Error};
use reversi_service::testing::TestServer;
use tempfile::TempDir;

use crate::redis_server::RedisServer;

/// How many replicas there are, and how many callers.
const REPLICAS: usize = 3;
const CALLERS: usize = 8;
/// How long a replica is away.
const AWAY: Duration = Duration::from_millis(400);

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.local_addr().unwrap().port()
}

/// A replica that comes back where it was.
struct Replica {
    listen: u16,
    admin: u16,
    server: Option<TestServer>,
}

impl Replica {
    async fn start(store: &str) -> Self {
        let mut replica = Self {
            listen: free_port(),
            admin: free_port(),
            server: None,
        };
        replica.begin(store).await;
        replica
    }

    async fn begin(&mut self, store: &str) {
        let (listen, admin) = (address(self.listen), address(self.admin));
        let at = ["--listen", &listen, "--admin", &admin];
        // A machine that is busy with other tests is no fault of a replica's.
        let flags = [&at[..], &["--store", store, "--redis-timeout", "10s"]].concat();
        self.server = Some(TestServer::start_with(&flags).await);
    }

    /// Stops as on SIGTERM: not ready, GOAWAY, the calls under way end.
    async fn end(&mut self) {
        if let Some(server) = self.server.take() {
            server.stop().await;
        }
    }
}

fn address(port: u16) -> String {
    format!("127.0.0.1:{port}")
}

/// haproxy before the replicas. Stops when dropped.
struct Proxy {
    port: u16,
    process: Child,
    _folder: TempDir,
}

impl Proxy {
    /// `None` where there is no haproxy and tests may do without.
    fn start(replicas: &[Replica]) -> Option<Self> {
        let port = free_port();
        let mut config = format!(
            "defaults\n mode http\n timeout connect 1s\n timeout client 1m\n timeout server 1m\n \
             retries 3\n option redispatch 1\n \
             retry-on conn-failure empty-response response-timeout\n\
             frontend calls\n bind 127.0.0.1:{port} proto h2\n default_backend replicas\n\
             backend replicas\n balance roundrobin\n option httpchk GET /readyz\n"
        );
        for (number, replica) in replicas.iter().enumerate() {
            let Replica { listen, admin, .. } = replica;
            config.push_str(&format!(
                " server r{number} 127.0.0.1:{listen} proto h2 check port {admin} inter 50ms \
                 fall 1 rise 1\n"
            ));
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("haproxy.cfg");
        fs::write(&path, config).unwrap();
        let started = Command::new("haproxy")
            .args(["-q", "-f"])
            .arg(&path)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        match started {
            Ok(process) => Some(Self {
                port,
                process,
                _folder: folder,
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                println!("skipped: there is no haproxy");
                None
            }
            Err(error) => panic!("haproxy cannot be started: {error}"),
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What callers have done.
#[derive(Default)]
struct Tally {
    calls: AtomicU64,
    stop: AtomicBool,
}

/// Plays games and asks for legal moves until it is told to stop.
async fn call(client: Client, tally: Arc<Tally>) -> Result<(), Error> {
    let (games, rules) = (client.games(), client.rules());
    while !tally.stop.load(Relaxed) {
        let created = games.create_game(CreateGameRequest::default()).await?;
        let mut game = created.game.clone().unwrap();
        tally.calls.fetch_add(1, Relaxed);
        for _ in 0..10 {
            let Some(legal) = game.legal_moves.as_ref().and_then(|l| l.moves.first()) else {
                break;
            };
            let side = game.position.as_ref().unwrap().side_to_move;
            let mv = PlayMoveRequest {
                name: game.name.clone(),
                side,
                square: legal.square.clone(),
                expected: Some(Expected::ExpectedPly(game.ply)),
                ..Default::default()
            };
            game = games.play_move(mv).await?.game.unwrap();
            let start = ListLegalMovesRequest::default();
            rules.list_legal_moves(start).await?;
            tally.calls.fetch_add(2, Relaxed);
        }
    }
    Ok(())
}

async fn reached(client: &Client) {
    let limit = Instant::now() + Duration::from_secs(20);
    let mut ticks = tokio::time::interval(Duration::from_millis(20));
    let rules = client.rules();
    loop {
        ticks.tick().await;
        match rules.get_server_info(proto::GetServerInfoRequest {}).await {
            Ok(_) => return,
            Err(error) => assert!(Instant::now() < limit, "{error}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_call_fails_while_replicas_are_replaced() {
    let Some(redis) = RedisServer::start() else {
        return;
    };
    let mut replicas = Vec::new();
    for _ in 0..REPLICAS {
        replicas.push(Replica::start(&redis.url()).await);
    }
    let Some(proxy) = Proxy::start(&replicas) else {
        return;
    };
    let endpoint = format!("http://{}", address(proxy.port));
    let config = ClientConfig::new([endpoint]).timeout(Duration::from_secs(60));
    let client = Client::connect_lazy(config).unwrap();
    reached(&client).await;
    let tally = Arc::new(Tally::default());
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| tokio::spawn(call(client.clone(), Arc::clone(&tally))))
        .collect();

    println!("replica  calls while it was replaced");
    for (number, replica) in replicas.iter_mut().enumerate() {
        let before = tally.calls.load(Relaxed);
        replica.end().await;
        let mut away = tokio::time::interval(AWAY);
        away.tick().await;
        away.tick().await;
        replica.begin(&redis.url()).await;
        let after_that = tally.calls.load(Relaxed);
        // The others go on, and then all three.
        let limit = Instant::now() + Duration::from_secs(60);
        while tally.calls.load(Relaxed) < after_that + 100 {
            let failed = callers.iter().any(tokio::task::JoinHandle::is_finished);
            if failed || Instant::now() > limit {
                break;
            }
            away.tick().await;
        }
        println!("{number:7}  {}", tally.calls.load(Relaxed) - before);
    }
    tally.stop.store(true, Relaxed);
    for caller in callers {
        caller.await.unwrap().expect("no call fails");
    }
    for replica in &mut replicas {
        replica.end().await;
    }
}
