//! A running program: lines to it, lines from it.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::super::player::{Fault, FaultKind};

/// The most characters of a line that are kept for the message.
const FOUND_CHARACTERS: usize = 80;

/// How a program is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    /// The program and its arguments, separated by blanks. No shell reads them.
    pub(crate) line: String,
    /// The folder that it runs in, if not this one.
    pub(crate) folder: Option<PathBuf>,
    /// How long an answer may take before the game is given up.
    pub(crate) patience: Duration,
}

/// A running program. Ended when dropped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    input: ChildStdin,
    lines: mpsc::Receiver<String>,
    patience: Duration,
}

fn crash(detail: impl std::fmt::Display) -> Fault {
    Fault {
        kind: FaultKind::Crash,
        detail: detail.to_string(),
    }
}

impl Command {
    /// Starts the program with more arguments behind its own.
    pub(crate) fn start(&self, more: &[&str]) -> Result<Process, Fault> {
        let mut words = self.line.split_whitespace();
        let name = words.next().unwrap_or_default();
        // A path is meant from the folder that the program runs in.
        let program = match &self.folder {
            Some(folder) if name.contains('/') => folder.join(name),
            _ => Path::new(name).to_owned(),
        };
        let mut command = std::process::Command::new(&program);
        command
            .args(words)
            .args(more)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        let failed = |error| crash(format!("cannot start {}: {error}", program.display()));
        let mut child = command.spawn().map_err(failed)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(crash("no pipes"));
        };
        let (sender, lines) = mpsc::channel();
        // Ends with the program's output.
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut line = Vec::new();
            while output
                .read_until(b'\n', &mut line)
                .is_ok_and(|read| read > 0)
            {
                let text = String::from_utf8_lossy(&line).trim_end().to_owned();
                if sender.send(text).is_err() {
                    return;
                }
                line.clear();
            }
        });
        Ok(Process {
            child,
            input,
            lines,
            patience: self.patience,
        })
    }
}

impl Process {
    pub(crate) fn send(&mut self, line: &str) -> Result<(), Fault> {
        let sent = self.input.write_all(format!("{line}\n").as_bytes());
        sent.and_then(|()| self.input.flush()).map_err(crash)
    }

    /// Reads lines until one means something.
    pub(crate) fn answer<T>(
        &mut self,
        mut meaning: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, Fault> {
        let deadline = Instant::now() + self.patience;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => {
                    if let Some(meaning) = meaning(&line) {
                        return Ok(meaning);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    return Err(Fault {
                        kind: FaultKind::Timeout,
                        detail: format!("no answer in {:?}", self.patience),
                    });
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let status = self.child.wait().map_err(crash)?;
                    return Err(crash(status));
                }
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An answer that cannot be understood.
pub(super) fn nonsense(line: &str) -> Fault {
    Fault {
        kind: FaultKind::Nonsense,
        detail: line.chars().take(FOUND_CHARACTERS).collect(),
    }
}

/// A program for tests: a shell that knows what to answer to the first word of a line.
#[cfg(test)]
pub(super) struct Fake {
    _folder: tempfile::TempDir,
    pub(super) command: Command,
}

#[cfg(test)]
impl Fake {
    /// Each word with what it makes the shell do; `$rest` is what follows the word.
    pub(super) fn new(answers: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fake.sh");
        let cases = answers.iter().map(|(word, act)| format!("{word}) {act};;"));
        let cases: String = cases.collect();
        let script = format!("while read word rest; do case $word in {cases} esac; done");
        std::fs::write(&path, script).unwrap();
        Self {
            command: Command {
                line: format!("sh {}", path.display()),
                folder: None,
                patience: Duration::from_secs(60),
            },
            _folder: folder,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(line: &str, patience_ms: u64) -> Result<Process, Fault> {
        let command = Command {
            line: line.to_owned(),
            folder: None,
            patience: Duration::from_millis(patience_ms),
        };
        command.start(&[])
    }

    #[test]
    fn lines_go_there_and_back() {
        let mut cat = start("cat", 60_000).unwrap();
        cat.send("one").unwrap();
        cat.send("two 2").unwrap();
        let two = cat.answer(|line| line.strip_prefix("two ").map(str::to_owned));
        assert_eq!(two, Ok("2".to_owned()));
    }

    #[test]
    fn silence_is_a_timeout_and_an_end_a_crash() {
        let kind = |process: &mut Process| process.answer(|_| Some(())).unwrap_err().kind;
        assert_eq!(kind(&mut start("cat", 1).unwrap()), FaultKind::Timeout);
        assert_eq!(kind(&mut start("true", 60_000).unwrap()), FaultKind::Crash);
        assert_eq!(
            start("./no-such-program", 1).unwrap_err().kind,
            FaultKind::Crash
        );
    }
}
