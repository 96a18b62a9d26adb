//! What became of all lines of a file.

use std::{fmt, time::Duration};

use serde::Serialize;

use super::{
    game::{Ending, Replayed},
    line::BadLine,
};
use crate::cli::failure::ErrorBody;

/// What became of all lines of a file.
#[derive(Debug, Default, Serialize)]
pub(super) struct Summary {
    /// Games begun.
    games: usize,
    /// Discs placed.
    moves: usize,
    /// Lines that are no games; the others are played all the same.
    bad_lines: Vec<BadLineView>,
    mismatches: Vec<Mismatch>,
    rejected: Vec<Rejection>,
    failed: Vec<Failed>,
    /// The games left on the service.
    kept: Vec<Kept>,
    elapsed_ms: u128,
    moves_per_s: f64,
}

/// A line that is no game.
#[derive(Debug, Serialize)]
struct BadLineView {
    line: usize,
    reason: &'static str,
    message: String,
}

/// A game left on the service.
#[derive(Debug, Serialize)]
struct Kept {
    line: usize,
    name: String,
}

/// A game whose score is not the recorded one.
#[derive(Debug, Serialize)]
struct Mismatch {
    line: usize,
    recorded: i32,
    /// Black's total; nothing where the game was not over.
    found: Option<i32>,
}

/// A line with a move that was refused.
#[derive(Debug, Serialize)]
struct Rejection {
    line: usize,
    #[serde(flatten)]
    error: ErrorBody,
}

/// A line that could not be played for a reason that is not in it.
#[derive(Debug, Serialize)]
struct Failed {
    line: usize,
    #[serde(flatten)]
    error: ErrorBody,
}

impl Summary {
    pub(super) fn add_bad_line(&mut self, bad: &BadLine) {
        self.bad_lines.push(BadLineView {
            line: bad.number,
            reason: bad.fault.reason(),
            message: bad.fault.to_string(),
        });
    }

    pub(super) fn add(&mut self, replayed: Replayed) {
        let line = replayed.line;
        self.games += 1;
        self.moves += replayed.moves;
        self.kept
            .extend(replayed.kept.map(|name| Kept { line, name }));
        match replayed.ending {
            Ending::Agrees => {}
            Ending::Differs { recorded, found } => self.mismatches.push(Mismatch {
                line,
                recorded,
                found,
            }),
            Ending::Rejected(error) => self.rejected.push(Rejection { line, error }),
            Ending::Failed(failure) => self.failed.push(Failed {
                line,
                error: failure.body(),
            }),
        }
    }

    /// Closes the summary after `elapsed`, everything in the order of the file.
    pub(super) fn finish(&mut self, elapsed: Duration) {
        self.bad_lines.sort_by_key(|bad| bad.line);
        self.kept.sort_by_key(|kept| kept.line);
        self.mismatches.sort_by_key(|mismatch| mismatch.line);
        self.rejected.sort_by_key(|rejection| rejection.line);
        self.failed.sort_by_key(|failed| failed.line);
        self.elapsed_ms = elapsed.as_millis();
        let moves = u32::try_from(self.moves).unwrap_or(u32::MAX);
        let seconds = elapsed.as_secs_f64();
        self.moves_per_s = if seconds > 0.0 {
            (f64::from(moves) / seconds).round()
        } else {
            0.0
        };
    }

    /// Whether every line is a game and was played, and no score differs.
    pub(super) fn is_clean(&self) -> bool {
        self.bad_lines.is_empty()
            && self.mismatches.is_empty()
            && self.rejected.is_empty()
            && self.failed.is_empty()
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Kept { line, name } in &self.kept {
            writeln!(f, "line {line}: kept as {name}")?;
        }
        for BadLineView { line, message, .. } in &self.bad_lines {
            writeln!(f, "line {line}: {message}")?;
        }
        for Mismatch {
            line,
            recorded,
            found,
        } in &self.mismatches
        {
            match found {
                Some(found) => writeln!(f, "line {line}: recorded {recorded}, found {found}")?,
                None => writeln!(f, "line {line}: recorded {recorded}, but it is not over")?,
            }
        }
        for Rejection { line, error } in &self.rejected {
            // People count from 1.
            let number = error.index.unwrap_or_default() + 1;
            writeln!(
                f,
                "line {line}: move {number} rejected, {}: {}",
                error.reason, error.message
            )?;
        }
        for Failed { line, error } in &self.failed {
            writeln!(f, "line {line}: {}: {}", error.reason, error.message)?;
        }
        let millis = u64::try_from(self.elapsed_ms).unwrap_or(u64::MAX);
        let seconds = Duration::from_millis(millis).as_secs_f64();
        write!(
            f,
            "{} games, {} moves, {} bad lines, {} mismatches, {} rejected, {} failed in {seconds:.2} s, {} moves/s",
            self.games,
            self.moves,
            self.bad_lines.len(),
            self.mismatches.len(),
            self.rejected.len(),
            self.failed.len(),
            self.moves_per_s,
        )
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_summary_has_its_shape_in_the_order_of_the_file() {
        let mut summary = Summary::default();
        for (line, found) in [(7, None), (3, Some(12))] {
            summary.add(Replayed {
                line,
                moves: 60,
                kept: (line == 3).then(|| "games/abc".to_owned()),
                ending: Ending::Differs {
                    recorded: 40,
                    found,
                },
            });
        }
        summary.finish(Duration::from_secs(2));
        assert!(!summary.is_clean());
        assert_eq!(
            serde_json::to_value(&summary).unwrap(),
            json!({
                "games": 2, "moves": 120, "bad_lines": [],
                "mismatches": [
                    {"line": 3, "recorded": 40, "found": 12},
                    {"line": 7, "recorded": 40, "found": null},
                ],
                "rejected": [], "failed": [], "kept": [{"line": 3, "name": "games/abc"}],
                "elapsed_ms": 2000, "moves_per_s": 60.0,
            })
        );
    }

    #[test]
    fn what_took_no_time_took_no_seconds() {
        let mut summary = Summary::default();
        summary.finish(Duration::from_micros(20));
        assert!(summary.to_string().contains(" in 0.00 s, "), "{summary}");
    }
}
