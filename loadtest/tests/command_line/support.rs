//! Runs the binary.

use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use serde_json::Value;
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// Nothing tested here takes as long, however busy the machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(120);

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Done {
    /// Its exit code; `None` if a signal ended it.
    pub(crate) code: Option<i32>,
    /// What it wrote to standard output.
    pub(crate) out: String,
    /// What it wrote to standard error.
    pub(crate) err: String,
}

impl Done {
    fn new(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Makes sure that it ended with this code.
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(
            self.code,
            Some(code),
            "out:\n{}\nerr:\n{}",
            self.out,
            self.err
        );
        self
    }
}

/// The binary with these arguments.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reversi-loadtest"));
    command
        .args(arguments)
        .env_remove("REVERSI_ENDPOINT")
        .env_remove("REVERSI_TOKEN")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// Starts the binary.
pub(crate) fn start(arguments: &[&str]) -> Child {
    command(arguments).spawn().unwrap()
}

/// Waits until it has ended.
pub(crate) async fn end(child: Child) -> Done {
    let output = timeout(LIMIT, child.wait_with_output()).await;
    Done::new(output.expect("the command takes too long").unwrap())
}

/// Runs the binary.
pub(crate) async fn loadtest(arguments: &[&str]) -> Done {
    end(start(arguments)).await
}

/// Runs a short load of two connections with two calls each; its report.
pub(crate) async fn run(endpoint: &str, workload: &str, more: &[&str]) -> (Done, Value) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("report.json");
    let mut arguments = vec![
        "run",
        workload,
        "--endpoint",
        endpoint,
        "--connections=2",
        "--in-flight=2",
        "--warm-up=100ms",
        "--check=all",
        "--json",
        file.to_str().unwrap(),
    ];
    arguments.extend(more);
    let done = loadtest(&arguments).await;
    (done, report(&file))
}

/// Reads a report; null if there is none.
pub(crate) fn report(file: &Path) -> Value {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// A number in a report.
pub(crate) fn number(report: &Value, pointer: &str) -> f64 {
    let value = report.pointer(pointer).and_then(Value::as_f64);
    value.unwrap_or_else(|| panic!("no number at {pointer} in {report:#}"))
}
