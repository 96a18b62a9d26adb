//! Weights while they are learned: fractions of a disc instead of the engine's whole hundredths.
//!
//! A file is the magic `RVM1`, then the weights of each phase as 4-byte floats, little-endian.

use std::io;
use std::path::{Path, PathBuf};

use reversi_engine::eval::{DISC, PHASES, WEIGHTS_PER_PHASE, Weights};

const MAGIC: [u8; 4] = *b"RVM1";

/// The weights of all phases, in discs.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    phases: Vec<Vec<f32>>,
}

/// Why a model could not be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ModelError {
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{path}: not a model")]
    Foreign { path: PathBuf },
}

impl Model {
    /// A model that knows nothing: every board is worth 0.
    pub(crate) fn new() -> Self {
        Self {
            phases: vec![vec![0.0; WEIGHTS_PER_PHASE]; PHASES],
        }
    }

    /// The weights of one phase.
    pub(crate) fn phase(&self, phase: usize) -> &[f32] {
        &self.phases[phase]
    }

    /// Replaces the weights of one phase.
    pub(crate) fn set_phase(&mut self, phase: usize, weights: Vec<f32>) {
        assert_eq!(weights.len(), WEIGHTS_PER_PHASE);
        self.phases[phase] = weights;
    }

    /// The model as the engine uses it.
    pub(crate) fn weights(&self) -> Weights {
        let phases = self.phases.iter().map(|phase| {
            phase
                .iter()
                .map(|&weight| hundredths(weight))
                .collect::<Box<[i16]>>()
        });
        Weights::new(phases.collect()).expect("invariant: a model has all weights")
    }

    /// Writes the model, under another name first.
    pub(crate) fn save(&self, path: &Path) -> Result<(), ModelError> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.phases.iter().flatten().flat_map(|w| w.to_le_bytes()));
        let unfinished = path.with_extension("part");
        std::fs::write(&unfinished, bytes)
            .and_then(|()| std::fs::rename(&unfinished, path))
            .map_err(|source| ModelError::Io {
                path: path.to_owned(),
                source,
            })
    }

    /// Reads a model.
    pub(crate) fn load(path: &Path) -> Result<Self, ModelError> {
        let bytes = std::fs::read(path).map_err(|source| ModelError::Io {
            path: path.to_owned(),
            source,
        })?;
        let foreign = || ModelError::Foreign {
            path: path.to_owned(),
        };
        let words = bytes.strip_prefix(&MAGIC).ok_or_else(foreign)?;
        let (words, rest) = words.as_chunks::<4>();
        if !rest.is_empty() || words.len() != PHASES * WEIGHTS_PER_PHASE {
            return Err(foreign());
        }
        let weights: Vec<f32> = words.iter().map(|word| f32::from_le_bytes(*word)).collect();
        Ok(Self {
            phases: weights
                .chunks(WEIGHTS_PER_PHASE)
                .map(<[f32]>::to_vec)
                .collect(),
        })
    }
}

/// Discs as whole hundredths.
#[allow(clippy::cast_possible_truncation)] // `as` saturates.
fn hundredths(discs: f32) -> i16 {
    (discs * DISC as f32).round() as i16
}
