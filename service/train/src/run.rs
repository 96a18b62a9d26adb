//! The folder of a training run: what its steps have made, so that each begins where the one before
//! ended, also days later.
//!
//! A file is a line that says what it was made of, and then its content. A step whose file is there
//! and says the same is done already; anything else is made anew. So a run that was stopped goes on
//! with the same command, and a change of settings makes again what depends on them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use reversi_engine::eval::{DISC, PHASES, WEIGHTS_PER_PHASE, Weights};
use reversi_engine::search::{Evaluation, ProbCut};
use reversi_engine::{Board, Objective};

/// A training run in a folder.
#[derive(Debug)]
pub(crate) struct Run {
    folder: PathBuf,
}

/// A file of a run.
#[derive(Debug)]
pub(crate) struct Made {
    /// What it was made of.
    pub(crate) header: String,
    pub(crate) content: Vec<u8>,
}

/// Why a run cannot go on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// Where it is.
        path: PathBuf,
        /// What happened.
        source: io::Error,
    },
    /// A step needs what an earlier one makes.
    #[error("{path} is missing: run `reversi-train {step}` first")]
    Missing {
        /// What is missing.
        path: PathBuf,
        /// What makes it.
        step: &'static str,
    },
    /// A file is none of a run's, or cut short.
    #[error("{path} is damaged")]
    Damaged {
        /// Where it is.
        path: PathBuf,
    },
}

/// Until it is measured, no shallow search is trusted.
const NO_PROBCUT: ProbCut = ProbCut {
    coefficients: [10.0, 0.0, 0.0, 0.0],
    to_the_end: [10.0, 0.0, 0.0, 0.0],
};

/// What the positions of a phase are kept in.
pub(crate) fn positions(phase: usize) -> String {
    format!("positions-{phase:02}")
}

/// What the trust in shallow searches is kept in.
pub(crate) const PROBCUT: &str = "probcut";

/// What the labels of a phase are kept in.
pub(crate) fn labels(phase: usize) -> String {
    format!("labels-{phase:02}")
}

/// What the weights of a phase are kept in.
pub(crate) fn weights(phase: usize) -> String {
    format!("weights-{phase:02}")
}

impl Run {
    /// A run in this folder, which is made if it is not there.
    pub(crate) fn open(folder: &Path) -> Result<Self, RunError> {
        fs::create_dir_all(folder).map_err(|source| RunError::Io {
            path: folder.to_owned(),
            source,
        })?;
        Ok(Self {
            folder: folder.to_owned(),
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A file, if it is there.
    pub(crate) fn get(&self, name: &str) -> Result<Option<Made>, RunError> {
        let path = self.path(name);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(RunError::Io { path, source }),
        };
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let parts = end.map(|end| (bytes[..end].to_vec(), bytes[end + 1..].to_vec()));
        let (header, content) = parts.ok_or(RunError::Damaged { path: path.clone() })?;
        let header = String::from_utf8(header).map_err(|_| RunError::Damaged { path })?;
        Ok(Some(Made { header, content }))
    }

    /// A file that a step has to have made.
    pub(crate) fn need(&self, name: &str, step: &'static str) -> Result<Made, RunError> {
        self.get(name)?.ok_or_else(|| RunError::Missing {
            path: self.path(name),
            step,
        })
    }

    /// Whether a file is there that was made of the same.
    pub(crate) fn has(&self, name: &str, header: &str) -> Result<bool, RunError> {
        Ok(self.get(name)?.is_some_and(|made| made.header == header))
    }

    /// Writes a file, under another name first.
    pub(crate) fn put(&self, name: &str, header: &str, content: &[u8]) -> Result<(), RunError> {
        let path = self.path(name);
        let unfinished = path.with_extension("part");
        let bytes = [header.as_bytes(), b"\n", content].concat();
        fs::write(&unfinished, bytes)
            .and_then(|()| fs::rename(&unfinished, &path))
            .map_err(|source| RunError::Io { path, source })
    }

    /// The positions of one phase.
    pub(crate) fn positions(&self, phase: usize) -> Result<Vec<Board>, RunError> {
        let name = positions(phase);
        let made = self.need(&name, "selfplay")?;
        boards(&made.content).ok_or_else(|| RunError::Damaged {
            path: self.path(&name),
        })
    }

    /// The values of the positions of a phase, in discs.
    pub(crate) fn values(&self, phase: usize) -> Result<Vec<f32>, RunError> {
        let name = labels(phase);
        let made = self.need(&name, "label")?;
        floats(&made.content).ok_or_else(|| RunError::Damaged {
            path: self.path(&name),
        })
    }

    /// The weights of a phase, in discs.
    pub(crate) fn weights(&self, phase: usize) -> Result<Vec<f32>, RunError> {
        let name = weights(phase);
        let made = self.need(&name, "fit")?;
        floats(&made.content)
            .filter(|weights| weights.len() == WEIGHTS_PER_PHASE)
            .ok_or_else(|| RunError::Damaged {
                path: self.path(&name),
            })
    }

    /// How far searches with its weights can be trusted.
    pub(crate) fn probcut(&self) -> Result<ProbCut, RunError> {
        let made = self.need(PROBCUT, "probcut")?;
        let numbers = floats(&made.content).and_then(|numbers| <[f32; 8]>::try_from(numbers).ok());
        let [a, b, c, d, e, f, g, h] = numbers.ok_or_else(|| RunError::Damaged {
            path: self.path(PROBCUT),
        })?;
        Ok(ProbCut {
            coefficients: [a, b, c, d],
            to_the_end: [e, f, g, h],
        })
    }

    /// What is known of the phases before this one, counted from the end of the game; of this one
    /// and those after it no search that begins there asks more than in which order to try moves.
    pub(crate) fn evaluation(
        &self,
        objective: Objective,
        phases: usize,
    ) -> Result<Evaluation, RunError> {
        let mut all: Vec<Box<[i16]>> = Vec::with_capacity(PHASES);
        for phase in 0..phases {
            let weights = self.weights(phase)?;
            all.push(weights.into_iter().map(hundredths).collect());
        }
        let last = all.last().cloned();
        let last = last.unwrap_or_else(|| vec![0; WEIGHTS_PER_PHASE].into());
        all.resize(PHASES, last);
        Ok(Evaluation {
            objective,
            name: String::new(),
            weights: Weights::new(all).expect("invariant: all phases have all weights"),
            probcut: NO_PROBCUT,
        })
    }
}

/// A short name of some content.
pub(crate) fn checksum(content: &[u8]) -> String {
    format!("{:08x}", crc32fast::hash(content))
}

/// The bytes of boards: the two sides of each.
pub(crate) fn bytes_of_boards(boards: &[Board]) -> Vec<u8> {
    let words = boards
        .iter()
        .flat_map(|board| [board.player.0, board.opponent.0]);
    words.flat_map(u64::to_le_bytes).collect()
}

fn boards(bytes: &[u8]) -> Option<Vec<Board>> {
    let (words, _) = bytes.as_chunks::<8>();
    let (boards, []) = words.as_chunks::<2>() else {
        return None;
    };
    let board = |sides: &[[u8; 8]; 2]| {
        let [player, opponent] = sides.map(u64::from_le_bytes);
        Board::new(player.into(), opponent.into()).ok()
    };
    boards.iter().map(board).collect()
}

/// The bytes of numbers.
pub(crate) fn bytes_of_floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}

fn floats(bytes: &[u8]) -> Option<Vec<f32>> {
    let (words, rest) = bytes.as_chunks::<4>();
    let numbers = words.iter().map(|word| f32::from_le_bytes(*word));
    rest.is_empty().then(|| numbers.collect())
}

/// Discs as whole hundredths.
#[allow(clippy::cast_possible_truncation)] // `as` saturates.
fn hundredths(discs: f32) -> i16 {
    (discs * DISC as f32).round() as i16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let run = Run::open(folder.path()).unwrap();
        assert!(run.get("x").unwrap().is_none());
        run.put("x", "made of y", &[1, 10, 2]).unwrap();
        let made = run.get("x").unwrap().unwrap();
        assert_eq!(
            (made.header.as_str(), &made.content[..]),
            ("made of y", &[1, 10, 2][..])
        );
        assert!(run.has("x", "made of y").unwrap());
        assert!(!run.has("x", "made of z").unwrap());
    }

    #[test]
    fn what_is_missing_is_named_with_the_step_that_makes_it() {
        let folder = tempfile::tempdir().unwrap();
        let run = Run::open(folder.path()).unwrap();
        let error = run.positions(3).unwrap_err().to_string();
        assert!(
            error.contains("positions") && error.contains("selfplay"),
            "{error}"
        );
    }

    #[test]
    fn boards_and_numbers_survive_their_files() {
        let two = vec![Board::STANDARD, Board::STANDARD.pass()];
        let bytes = bytes_of_boards(&two);
        assert_eq!(boards(&bytes), Some(two));
        assert_eq!(boards(&bytes[8..]), None);
        let numbers = [0.5, -3.25];
        assert_eq!(floats(&bytes_of_floats(&numbers)), Some(numbers.to_vec()));
        assert_eq!(floats(&[0; 5]), None);
    }
}
