//! A server process.

#![allow(dead_code, reason = "each test binary uses its part")]

use std::io::{BufRead, BufReader};
use std::ops::Deref;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use reversi_proto::v1::{self, suggest_move_request::Subject};
use serde_json::Value;

use crate::admin::{self, Counts};
use crate::client::{Client, soon, until};

/// The binary, with none of its variables set.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reversi-service"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("REVERSI_") {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null());
    command
}

/// What the binary says that does not start with these flags and variables.
///
/// # Panics
///
/// If it does not end soon.
pub(crate) async fn output(flags: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = command();
    command.args(flags).envs(variables.iter().copied());
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = Process::of(child.unwrap());
    let status = child.ended().await;
    let process = child.child.take().unwrap();
    Output {
        status,
        ..process.wait_with_output().unwrap()
    }
}

/// A server process on ports of its own, and a connection to it. It is killed when dropped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Option<Child>,
    log: Arc<Mutex<Vec<String>>>,
    client: Option<Client>,
    endpoint: String,
    admin: Option<String>,
}

impl Deref for Process {
    type Target = Client;

    fn deref(&self) -> &Client {
        self.client.as_ref().expect("the server is serving")
    }
}

impl Process {
    fn of(child: Child) -> Self {
        Self {
            child: Some(child),
            log: Arc::default(),
            client: None,
            endpoint: String::new(),
            admin: None,
        }
    }

    /// Starts a server with these flags added, and waits until it serves.
    pub(crate) async fn start(flags: &[&str]) -> Self {
        let mut command = command();
        command.args(flags).envs([
            ("REVERSI_LISTEN", "127.0.0.1:0"),
            ("REVERSI_ADMIN", "127.0.0.1:0"),
            ("REVERSI_LOG_FORMAT", "json"),
        ]);
        Self::start_command(command).await
    }

    /// The memory that it holds, in KiB.
    pub(crate) fn memory_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let number = line.unwrap().split_whitespace().nth(1);
        number.unwrap().parse().unwrap()
    }

    /// Waits until it has unpacked its weights, whose memory is nobody's fault.
    pub(crate) async fn unpacked(&self) {
        let request = v1::SuggestMoveRequest {
            subject: Some(Subject::Line(v1::Line::default())),
            budget: Some(v1::Budget {
                depth: 1,
                ..Default::default()
            }),
            ..Default::default()
        };
        soon(self.analysis().suggest_move(request)).await.unwrap();
    }

    /// Starts a server and waits until it says that it serves. Its log has to be JSON.
    pub(crate) async fn start_command(mut command: Command) -> Self {
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut process = Self::of(child);
        let log = Arc::clone(&process.log);
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                log.lock().unwrap().push(line);
            }
        });
        let serving = process.logged("serving").await;
        let address = serving["address"].as_str().unwrap();
        process.endpoint = format!("http://{address}");
        process.client = Some(Client::new(&process.endpoint));
        let admin = serving["admin"].as_str().unwrap();
        process.admin = (admin != "off").then(|| format!("http://{admin}"));
        process
    }

    /// Starts a server whose log is read up to where it says that it serves, and then left
    /// unread with its pipe open for half of the time and closed for the rest.
    pub(crate) async fn start_command_unread(mut command: Command) -> Self {
        command
            .env("REVERSI_LOG_FORMAT", "json")
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let serving = lines
            .find_map(|line| {
                let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
                (line["message"] == "serving").then_some(line)
            })
            .unwrap();
        let mut process = Self::of(child);
        process.endpoint = format!("http://{}", serving["address"].as_str().unwrap());
        process.client = Some(Client::new(&process.endpoint));
        for _ in 0..200 {
            process.play(&process.game().await, "f5").await;
        }
        drop(lines);
        process
    }

    /// The number of the process.
    pub(crate) fn id(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    /// Host and port.
    pub(crate) fn address(&self) -> &str {
        self.endpoint.strip_prefix("http://").unwrap()
    }

    /// Whether there is an admin port.
    pub(crate) fn has_admin(&self) -> bool {
        self.admin.is_some()
    }

    /// The URL of the admin port.
    pub(crate) fn admin_endpoint(&self) -> &str {
        self.admin.as_deref().expect("there is an admin port")
    }

    /// The first word of the status that the admin port answers.
    pub(crate) async fn probe(&self, path: &str) -> u16 {
        let (status, _) = admin::get(self.admin_endpoint(), path).await;
        status.split(' ').nth(1).unwrap().parse().unwrap()
    }

    /// What the server has counted.
    pub(crate) async fn counts(&self) -> Counts {
        Counts::of(self.admin_endpoint()).await
    }

    /// The lines of the log so far.
    pub(crate) fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }

    /// The lines of the log so far with this message, as JSON.
    pub(crate) fn lines(&self, message: &str) -> Vec<Value> {
        let log = self.log();
        let lines = log
            .iter()
            .filter_map(|line| serde_json::from_str(line).ok());
        lines
            .filter(|line: &Value| line["message"] == message)
            .collect()
    }

    /// Waits for a line of the log with this message.
    ///
    /// # Panics
    ///
    /// If the process ends instead.
    pub(crate) async fn logged(&mut self, message: &str) -> Value {
        let mut found = None;
        until(async || {
            // Before the log is looked at: its last lines count.
            let ended = self.try_ended();
            found = self.lines(message).pop();
            assert!(
                found.is_some() || ended.is_none(),
                "ended with {ended:?}: {:#?}",
                self.log()
            );
            found.is_some()
        })
        .await;
        found.unwrap()
    }

    /// Sends a signal, such as `-TERM`.
    pub(crate) fn signal(&self, signal: &str) {
        let id = self.child.as_ref().unwrap().id().to_string();
        let status = Command::new("kill").args([signal, &id]).status();
        assert!(status.unwrap().success());
    }

    /// Kills the process, as a crash would.
    pub(crate) fn kill(&mut self) {
        let child = self.child.as_mut().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    fn try_ended(&mut self) -> Option<ExitStatus> {
        self.child.as_mut().unwrap().try_wait().unwrap()
    }

    /// Waits until the process has ended.
    pub(crate) async fn ended(&mut self) -> ExitStatus {
        let mut status = None;
        until(async || {
            status = self.try_ended();
            status.is_some()
        })
        .await;
        status.unwrap()
    }

    /// Asks the process to stop and waits until it has; its exit code.
    pub(crate) async fn stop(&mut self) -> Option<i32> {
        self.client = None;
        self.signal("-TERM");
        soon(self.ended()).await.code()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // It may have ended.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
