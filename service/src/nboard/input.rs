//! Lines as they come in, read on a thread of their own so that a search hears of them.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use reversi_engine::search::Control;

/// The most bytes of a line; a game in GGF has a few thousand.
const LONGEST_LINE: u64 = 1 << 20;

/// The lines that have not been answered yet.
#[derive(Debug)]
pub(super) struct Input {
    lines: mpsc::Receiver<Line>,
    /// How many there are; one more when the input has ended.
    waiting: Arc<AtomicUsize>,
}

/// What came in.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Text(String),
    /// More than anybody means to say.
    TooLong,
}

impl Input {
    /// Begins to read.
    pub(super) fn start(input: impl Read + Send + 'static) -> io::Result<Self> {
        let (sender, lines) = mpsc::channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&waiting);
        let read = move || {
            let mut input = BufReader::new(input);
            while let Some(line) = read_line(&mut input) {
                counter.fetch_add(1, Ordering::Relaxed);
                if sender.send(line).is_err() {
                    return;
                }
            }
            counter.fetch_add(1, Ordering::Relaxed);
        };
        thread::Builder::new()
            .name("input".to_owned())
            .spawn(read)?;
        Ok(Self { lines, waiting })
    }

    /// The next line, waited for; `None` when the input has ended.
    pub(super) fn next(&self) -> Option<Line> {
        let line = self.lines.recv().ok()?;
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        Some(line)
    }

    /// A control that stops a search when a line arrives, the input ends or the time is up.
    pub(super) fn control(&self, deadline: Option<Instant>) -> UntilNext<'_> {
        UntilNext {
            waiting: &self.waiting,
            deadline,
        }
    }
}

/// A line without its end; `None` at the end of the input, and when it cannot be read.
fn read_line(input: &mut impl BufRead) -> Option<Line> {
    let mut bytes = Vec::new();
    let read = input
        .take(LONGEST_LINE)
        .read_until(b'\n', &mut bytes)
        .ok()?;
    if read == 0 {
        return None;
    }
    if bytes.ends_with(b"\n") || bytes.len() as u64 != LONGEST_LINE {
        return Some(Line::Text(
            String::from_utf8_lossy(&bytes).trim().to_owned(),
        ));
    }
    input.skip_until(b'\n').ok()?;
    Some(Line::TooLong)
}

/// Stops a search when there is something else to do.
#[derive(Clone, Copy, Debug)]
pub(super) struct UntilNext<'a> {
    waiting: &'a AtomicUsize,
    deadline: Option<Instant>,
}

impl UntilNext<'_> {
    /// Whether something has come in.
    pub(super) fn is_interrupted(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }
}

impl Control for UntilNext<'_> {
    fn should_stop(&self) -> bool {
        self.is_interrupted() || self.deadline.is_some_and(|end| Instant::now() >= end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_the_input_and_long_ones_are_passed_over() {
        let long = "x".repeat(usize::try_from(2 * LONGEST_LINE).unwrap());
        let text = format!("go\r\n\n{long}\nping 1");
        let mut input = BufReader::new(text.as_bytes());
        let mut next = || read_line(&mut input);
        let line = |text: &str| Some(Line::Text(text.to_owned()));
        assert_eq!(next(), line("go"));
        assert_eq!(next(), line(""));
        assert_eq!(next(), Some(Line::TooLong));
        assert_eq!(next(), line("ping 1"));
        assert_eq!(next(), None);
    }

    #[test]
    fn whatever_is_no_text_is_read_all_the_same() {
        let mut input = BufReader::new(&b"\xff\xfe\n"[..]);
        assert!(matches!(read_line(&mut input), Some(Line::Text(_))));
    }
}
