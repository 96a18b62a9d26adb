//! The lines a person types, without blocking anything else.

use std::{io, thread};

use tokio::sync::mpsc;

/// Lines of standard input.
#[derive(Debug)]
pub(super) struct Lines(mpsc::Receiver<io::Result<String>>);

impl Lines {
    /// Reads standard input from a thread of its own, which ends with the process: a read
    /// cannot be given up once it waits.
    pub(super) fn of_stdin() -> Self {
        let (sender, receiver) = mpsc::channel(1);
        thread::spawn(move || {
            for line in io::stdin().lines() {
                if sender.blocking_send(line).is_err() {
                    return;
                }
            }
        });
        Self(receiver)
    }

    /// The next line; nothing at the end.
    pub(super) async fn next(&mut self) -> io::Result<Option<String>> {
        self.0.recv().await.transpose()
    }
}
