//! A service, and the command run on it.

use std::{path::PathBuf, process::Stdio};

use reversi_service::testing::TestServer;
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
};

/// The start position.
pub(crate) const START: &str = "---------------------------OX------XO---------------------------";

/// A running service.
pub(crate) struct Bench {
    pub(crate) server: TestServer,
}

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A command that is running, to be talked to.
pub(crate) struct Running {
    pub(crate) child: Child,
    stdin: Option<ChildStdin>,
    stdout: Lines<BufReader<ChildStdout>>,
}

impl Bench {
    pub(crate) async fn start() -> Self {
        let server = TestServer::start().await;
        Self { server }
    }

    /// Runs the command to its end.
    pub(crate) async fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, "").await
    }

    /// Runs the command to its end with `input` on its standard input.
    pub(crate) async fn run_with(&self, arguments: &[&str], input: &str) -> Ran {
        run_at(&self.server.endpoint(), arguments, input).await
    }

    /// Runs the command, which must succeed; what it wrote.
    pub(crate) async fn text(&self, arguments: &[&str]) -> String {
        let ran = self.run(arguments).await;
        assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
        ran.stdout
    }

    /// Runs the command with `--json`, which must succeed; what it wrote.
    pub(crate) async fn json(&self, arguments: &[&str]) -> Value {
        let ran = self.run(&[arguments, &["--json"]].concat()).await;
        assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
        ran.json()
    }

    /// Runs the command with `--json`, which must fail; the error it wrote.
    pub(crate) async fn error(&self, arguments: &[&str]) -> Value {
        let ran = self.run(&[arguments, &["--json"]].concat()).await;
        assert_eq!(ran.code, 1, "{arguments:?}: {ran:?}");
        assert_eq!(ran.stderr, "", "{arguments:?}");
        ran.json()["error"].take()
    }

    /// Starts the command.
    pub(crate) fn spawn(&self, arguments: &[&str]) -> Running {
        let mut child = command(&self.server.endpoint(), arguments).spawn().unwrap();
        Running {
            stdin: child.stdin.take(),
            stdout: BufReader::new(child.stdout.take().unwrap()).lines(),
            child,
        }
    }

    /// A new game's name.
    pub(crate) async fn new_game(&self, arguments: &[&str]) -> String {
        let game = self.json(&[&["new"], arguments].concat()).await;
        game["name"].as_str().unwrap().to_owned()
    }
}

impl Ran {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Running {
    /// The next line as JSON; nothing at the end.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let line = self.stdout.next_line().await.unwrap()?;
        Some(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")))
    }

    /// The next line as it is; nothing at the end.
    pub(crate) async fn next_text(&mut self) -> Option<String> {
        self.stdout.next_line().await.unwrap()
    }

    pub(crate) async fn type_line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin
            .write_all(format!("{line}\n").as_bytes())
            .await
            .unwrap();
    }

    /// Ends the command's input.
    pub(crate) fn close_input(&mut self) {
        drop(self.stdin.take());
    }

    /// Interrupts the command as ^C does; the exit code and what it wrote to standard error.
    pub(crate) async fn interrupt(self) -> (i32, String) {
        let id = self.child.id().unwrap().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status().await;
        assert!(sent.unwrap().success());
        let output = self.child.wait_with_output().await.unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        (output.status.code().unwrap(), stderr)
    }

    /// Waits for the end; the exit code.
    pub(crate) async fn end(mut self) -> i32 {
        drop(self.stdin.take());
        self.child.wait().await.unwrap().code().unwrap()
    }
}

/// Runs the command at an endpoint.
pub(crate) async fn run_at(endpoint: &str, arguments: &[&str], input: &str) -> Ran {
    let mut child = command(endpoint, arguments).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let (_, output) = tokio::join!(
        async {
            // A command that reads no input has closed it.
            let _ = stdin.write_all(input.as_bytes()).await;
            drop(stdin);
        },
        child.wait_with_output()
    );
    let output = output.unwrap();
    Ran {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn command(endpoint: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reversi"));
    command
        .args(arguments)
        .env("REVERSI_ENDPOINT", endpoint)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// A file of the test data, if `REVERSI_TEST_DATA` names its folder: absolute, or relative
/// to the root of the workspace. Otherwise says what is skipped.
pub(crate) fn test_data(file: &str, cases: usize) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("REVERSI_TEST_DATA") else {
        eprintln!("skipped 1 file, {cases} cases: {file} (REVERSI_TEST_DATA is not set)");
        return None;
    };
    let workspace = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    Some(workspace.join(folder).join(file))
}
