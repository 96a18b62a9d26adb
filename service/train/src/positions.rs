//! How well an engine does on positions whose moves all have a known value.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use reversi_engine::notation::ObfRecord;
use reversi_engine::search::{Certainty, Control, Engine, Evaluation, Limits, Query};

/// What an engine may spend on a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    pub(crate) time: Option<Duration>,
    pub(crate) limits: Limits,
}

/// A clock that stops a search.
pub(crate) struct Deadline(Option<Instant>);

impl Deadline {
    pub(crate) fn after(time: Option<Duration>) -> Self {
        Self(time.map(|time| Instant::now() + time))
    }
}

impl Control for Deadline {
    fn should_stop(&self) -> bool {
        self.0.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// What came out, over all positions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Score {
    positions: u32,
    loss: f64,
    best: u32,
    error: f64,
    solved: u32,
    nodes: u64,
    time: Duration,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum PositionsError {
    #[error("{path}: {source}")]
    Io {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{path}, line {line}: {reason}")]
    Unreadable {
        path: PathBuf,
        line: usize,
        reason: String,
    },
}

/// Reads a file of positions with the values of their moves.
pub(crate) fn read(path: &Path) -> Result<Vec<ObfRecord>, PositionsError> {
    let text = std::fs::read_to_string(path).map_err(|source| PositionsError::Io {
        path: path.to_owned(),
        source,
    })?;
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with(['#', '%']))
        .map(|(index, line)| {
            line.parse()
                .map_err(
                    |error: reversi_engine::notation::ObfError| PositionsError::Unreadable {
                        path: path.to_owned(),
                        line: index + 1,
                        reason: error.to_string(),
                    },
                )
        })
        .collect()
}

/// Has the engine play each position.
pub(crate) fn run(
    records: &[ObfRecord],
    engine: &mut Engine,
    evaluation: &Evaluation,
    budget: &Budget,
    each: &mut dyn FnMut(&str),
) -> Score {
    let mut score = Score::default();
    for record in records {
        let Some(most) = record.moves.iter().map(|known| known.value).max() else {
            continue;
        };
        let begun = Instant::now();
        let query = Query {
            limits: budget.limits,
            lines: 1,
        };
        let control = Deadline::after(budget.time);
        let Some(found) =
            engine.analyze(evaluation, &record.position, &query, &control, &mut |_| {})
        else {
            continue;
        };
        let time = begun.elapsed();
        let line = &found.lines[0];
        let played = line.moves[0];
        let value = record
            .moves
            .iter()
            .find(|known| known.mv == played)
            .map_or(most, |known| known.value);
        score.positions += 1;
        score.loss += f64::from(most - value);
        score.best += u32::from(value == most);
        score.error += f64::from((line.value - most as f32).abs());
        score.solved += u32::from(found.certainty == Certainty::Exact);
        score.nodes += found.nodes;
        score.time += time;
        each(&format!(
            "{:3}: {played} {:+.2} (depth {}, {:?}), best {most:+}, loss {}, {} nodes, {:.2} s",
            score.positions,
            line.value,
            found.depth,
            found.certainty,
            most - value,
            found.nodes,
            time.as_secs_f64()
        ));
    }
    score
}

impl std::fmt::Display for Score {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = f64::from(self.positions.max(1));
        write!(
            f,
            "{} positions: mean loss {:.3} discs, best move {:.1} %, mean error {:.2}, {} solved, {} nodes, {:.1} s, {:.2} M nodes/s",
            self.positions,
            self.loss / count,
            100.0 * f64::from(self.best) / count,
            self.error / count,
            self.solved,
            self.nodes,
            self.time.as_secs_f64(),
            self.nodes as f64 / self.time.as_secs_f64() / 1e6
        )
    }
}
