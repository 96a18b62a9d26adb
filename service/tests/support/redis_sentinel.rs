//! A real Redis with replicas under real Sentinels for a test.

#![allow(dead_code, reason = "each test binary uses its part")]

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::redis_server::{Persistence, RedisServer, free_port, program};

/// How long anything may take.
const LIMIT: Duration = Duration::from_secs(30);
/// What the Sentinels call the master.
pub(crate) const MASTER: &str = "games";

/// A master, a replica, and three Sentinels.
#[derive(Debug)]
pub(crate) struct RedisSentinel {
    /// The servers; the first is the master at the start.
    pub(crate) servers: Vec<RedisServer>,
    sentinels: Vec<Sentinel>,
}

#[derive(Debug)]
struct Sentinel {
    port: u16,
    process: Child,
    _directory: TempDir,
}

impl RedisSentinel {
    /// Starts all of it. `None` as [`RedisServer::start`].
    ///
    /// # Panics
    ///
    /// If it does not come up.
    pub(crate) fn start(persistence: Persistence) -> Option<Self> {
        let quickly = ["--repl-diskless-sync-delay", "0"];
        let master = RedisServer::start_with(persistence, &quickly)?;
        let replica = RedisServer::start_with(persistence, &quickly)?;
        replica.command::<()>(&["REPLICAOF", "127.0.0.1", &master.port().to_string()]);
        until("the replica is in step", || {
            let info: String = replica.command(&["INFO", "replication"]);
            info.contains("master_link_status:up")
        });
        let sentinels = (0..3).map(|_| Sentinel::start(master.port())).collect();
        let whole = Self {
            servers: vec![master, replica],
            sentinels,
        };
        for sentinel in &whole.sentinels {
            until("the Sentinels know all", || {
                let Ok(info) = sentinel.command::<String>(&["INFO", "sentinel"]) else {
                    return false;
                };
                info.contains("status=ok") && info.contains("slaves=1,sentinels=3")
            });
        }
        Some(whole)
    }

    /// The URL of the master.
    pub(crate) fn url(&self) -> String {
        let hosts: Vec<String> = self
            .sentinels
            .iter()
            .map(|sentinel| format!("127.0.0.1:{}", sentinel.port))
            .collect();
        format!("redis+sentinel://{}/{MASTER}", hosts.join(","))
    }

    /// Which of the servers is the master, as a Sentinel has it.
    pub(crate) fn master(&self) -> usize {
        let asked = ["SENTINEL", "get-master-addr-by-name", MASTER];
        let (_, port): (String, u16) = self
            .sentinels
            .iter()
            .find_map(|sentinel| sentinel.command(&asked).ok())
            .expect("a Sentinel answers");
        let mut servers = self.servers.iter();
        servers
            .position(|server| server.port() == port)
            .expect("one of the servers")
    }

    /// Waits until another server than this one is the master.
    pub(crate) fn until_failed_over(&self, from: usize) -> usize {
        until("failed over", || self.master() != from);
        self.master()
    }

    /// Waits until the server that is not the master is in step with it.
    pub(crate) fn until_in_step(&self) {
        until("the replica is in step", || {
            let master = self.master();
            let replica = &self.servers[1 - master];
            let link = |info: String| info.contains("master_link_status:up");
            let port = format!("master_port:{}\r\n", self.servers[master].port());
            replica
                .try_command::<String>(&["INFO", "replication"])
                .is_ok_and(|info| info.contains(&port) && link(info))
        });
    }

    /// Asks the Sentinels to make the replica the master although the master is there.
    pub(crate) fn fail_over(&self) {
        until("a failover is begun", || {
            let fail_over = ["SENTINEL", "FAILOVER", MASTER];
            self.sentinels[0].command::<()>(&fail_over).is_ok()
        });
    }

    /// Kills one of the Sentinels.
    pub(crate) fn kill_sentinel(&mut self, number: usize) {
        self.sentinels[number].kill();
    }

    /// Empties the master.
    pub(crate) fn clear(&self) {
        self.servers[self.master()].command::<()>(&["FLUSHALL"]);
    }
}

impl Sentinel {
    fn start(master: u16) -> Self {
        let directory = tempfile::tempdir().expect("a directory for a Sentinel");
        let port = free_port();
        let file = directory.path().join("sentinel.conf");
        let log = directory.path().join("log");
        let settings = format!(
            "port {port}\nbind 127.0.0.1\ndir {}\nlogfile {}\n\
             sentinel monitor {MASTER} 127.0.0.1 {master} 2\n\
             sentinel down-after-milliseconds {MASTER} 1500\n\
             sentinel failover-timeout {MASTER} 3000\n",
            directory.path().display(),
            log.display()
        );
        fs::write(&file, settings).expect("its settings can be written");
        let process = Command::new(program())
            .arg(&file)
            .arg("--sentinel")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a Sentinel can be started");
        Self {
            port,
            process,
            _directory: directory,
        }
    }

    fn command<T: redis::FromRedisValue>(&self, command: &[&str]) -> redis::RedisResult<T> {
        let client = redis::Client::open(format!("redis://127.0.0.1:{}", self.port))?;
        let mut connection = client.get_connection_with_timeout(LIMIT)?;
        redis::cmd(command[0])
            .arg(&command[1..])
            .query(&mut connection)
    }

    fn kill(&mut self) {
        // It may have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Sentinel {
    fn drop(&mut self) {
        self.kill();
    }
}

fn until(what: &str, is_true: impl Fn() -> bool) {
    let deadline = Instant::now() + LIMIT;
    while !is_true() {
        assert!(Instant::now() < deadline, "still not: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}
