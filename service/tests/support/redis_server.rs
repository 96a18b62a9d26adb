//! A real Redis server for a test: on a free port, in a directory of its own, gone when it is
//! dropped.

#![allow(dead_code, reason = "each test binary uses its part")]

use std::fs::File;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, io, thread};

use tempfile::TempDir;

/// Names the server's program, to test with another one, such as `valkey-server`.
const PROGRAM: &str = "REVERSI_REDIS_SERVER";
/// Set to 1, tests that need Redis pass without doing anything where there is none.
const SKIP: &str = "REVERSI_SKIP_REDIS";
/// How long the server may take to answer.
const LIMIT: Duration = Duration::from_secs(20);
/// How often another port is tried, since somebody may take a free port before the server.
const PORTS: usize = 5;

/// What a server keeps when it stops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Persistence {
    /// Nothing.
    #[default]
    None,
    /// Every write, before it is acknowledged.
    AppendOnly,
}

/// A running Redis server.
#[derive(Debug)]
pub(crate) struct RedisServer {
    directory: TempDir,
    port: u16,
    persistence: Persistence,
    extra: Vec<String>,
    process: Option<Child>,
}

impl RedisServer {
    /// Starts a server that keeps nothing when it stops. `None` if there is no `redis-server`
    /// and `REVERSI_SKIP_REDIS=1` says that tests may do without.
    ///
    /// # Panics
    ///
    /// If there is no `redis-server` otherwise, or it does not answer.
    pub(crate) fn start() -> Option<Self> {
        Self::start_with(Persistence::None, &[])
    }

    /// Starts a server with this persistence and further options, such as
    /// `["--requirepass", "secret"]`.
    ///
    /// # Panics
    ///
    /// As [`start`](Self::start).
    pub(crate) fn start_with(persistence: Persistence, extra: &[&str]) -> Option<Self> {
        for _ in 0..PORTS {
            let mut server = Self {
                directory: tempfile::tempdir().expect("a directory for Redis"),
                port: free_port(),
                persistence,
                extra: extra.iter().map(|&option| option.to_owned()).collect(),
                process: None,
            };
            match server.spawn() {
                Ok(true) => return Some(server),
                Ok(false) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    if env::var(SKIP).is_ok_and(|skip| skip == "1") {
                        return None;
                    }
                    panic!(
                        "this test needs {}: apt-get install -y redis-server (or set {SKIP}=1 to \
                         pass without it)",
                        program()
                    );
                }
                Err(error) => panic!("{} cannot be started: {error}", program()),
            }
        }
        panic!("no Redis server could be started on {PORTS} free ports");
    }

    /// The URL of the server.
    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// The port of the server.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Kills the server at once, as a crash would.
    pub(crate) fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().expect("Redis can be killed");
            process.wait().expect("Redis ends");
        }
    }

    /// Starts the server again, on the same port, with what it has kept.
    ///
    /// # Panics
    ///
    /// If it does not answer.
    pub(crate) fn restart(&mut self) {
        self.kill();
        let started = self.spawn().expect("Redis can be started again");
        assert!(started, "Redis ended: {}", self.log());
    }

    /// Stops the server without closing anything, as a broken network would.
    pub(crate) fn pause(&self) {
        self.signal("-STOP");
    }

    /// Lets a paused server go on.
    pub(crate) fn resume(&self) {
        self.signal("-CONT");
    }

    /// Sends one command, such as `["DBSIZE"]`, and waits for the answer.
    ///
    /// # Panics
    ///
    /// If it is an error.
    pub(crate) fn command<T: redis::FromRedisValue>(&self, command: &[&str]) -> T {
        let answer = self.try_command(command);
        answer.unwrap_or_else(|error| panic!("{command:?}: {error}"))
    }

    /// Sends one command, and waits for the answer.
    ///
    /// # Errors
    ///
    /// If the server does not answer, or answers with an error.
    pub(crate) fn try_command<T: redis::FromRedisValue>(
        &self,
        command: &[&str],
    ) -> redis::RedisResult<T> {
        let client = redis::Client::open(self.url())?;
        let mut connection = client.get_connection_with_timeout(LIMIT)?;
        let (name, arguments) = command.split_first().expect("a command");
        redis::cmd(name).arg(arguments).query(&mut connection)
    }

    /// Starts the process and waits until it answers. `false` if it ends.
    fn spawn(&mut self) -> io::Result<bool> {
        let log = File::create(self.log_path())?;
        let append_only = match self.persistence {
            Persistence::None => "no",
            Persistence::AppendOnly => "yes",
        };
        let mut process = Command::new(program())
            .args(["--bind", "127.0.0.1", "--port", &self.port.to_string()])
            .args(["--appendonly", append_only, "--appendfsync", "always"])
            .args(["--save", "", "--dir"])
            .arg(self.directory.path())
            .args(&self.extra)
            .stdin(Stdio::null())
            .stderr(log.try_clone()?)
            .stdout(log)
            .spawn()?;
        let deadline = Instant::now() + LIMIT;
        while process.try_wait()?.is_none() {
            if self.answers(process.id()) {
                self.process = Some(process);
                return Ok(true);
            }
            if Instant::now() > deadline {
                process.kill()?;
                process.wait()?;
                panic!("Redis does not answer: {}", self.log());
            }
            thread::sleep(Duration::from_millis(2));
        }
        Ok(false)
    }

    /// Whether this process, and not another one on its port, answers, and has read what it kept.
    fn answers(&self, process: u32) -> bool {
        let needs_password = |error: &redis::RedisError| {
            let kind = error.kind();
            kind == redis::ErrorKind::AuthenticationFailed || error.code() == Some("NOAUTH")
        };
        match self.try_command::<String>(&["INFO"]) {
            Ok(info) => {
                info.contains(&format!("process_id:{process}\r\n"))
                    && info.contains("\r\nloading:0\r\n")
            }
            Err(error) => needs_password(&error),
        }
    }

    fn signal(&self, signal: &str) {
        let process = self.process.as_ref().expect("Redis runs").id();
        let status = Command::new("kill")
            .args([signal, &process.to_string()])
            .status();
        assert!(status.expect("kill can be run").success());
    }

    fn log_path(&self) -> PathBuf {
        self.directory.path().join("log")
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.log_path()).unwrap_or_default()
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            // A test that failed is already being told about.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// The program of the server.
pub(crate) fn program() -> String {
    env::var(PROGRAM).unwrap_or_else(|_| "redis-server".to_owned())
}

/// A port that nobody listens on.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    listener.local_addr().expect("its address").port()
}
