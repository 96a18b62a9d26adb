//! What the engine judges positions with: the weights that come with it, or those of a file.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use reversi_engine::Objective;
use reversi_engine::search::{Evaluation, EvaluationError};

/// The weights of a file.
#[derive(Clone)]
pub struct WeightsFile(Arc<Evaluation>);

/// A file of weights that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum WeightsFileError {
    /// It cannot be read.
    #[error("cannot read it: {0}")]
    Unreadable(#[from] std::io::Error),
    /// It holds no weights of this version.
    #[error(transparent)]
    Unusable(#[from] EvaluationError),
}

impl WeightsFile {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// [`WeightsFileError`] if it cannot be read or holds no weights.
    pub fn read(path: &Path) -> Result<Self, WeightsFileError> {
        let evaluation = Evaluation::from_bytes(&std::fs::read(path)?)?;
        Ok(Self(Arc::new(evaluation)))
    }
}

impl fmt::Debug for WeightsFile {
    /// Its name: the weights are millions.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WeightsFile").field(&self.0.name).finish()
    }
}

/// The weights for each objective.
#[derive(Clone, Debug, Default)]
pub struct Evaluations {
    most_discs: Option<WeightsFile>,
    fewest_discs: Option<WeightsFile>,
}

impl Evaluations {
    /// These files, the last for each objective, and what comes with the engine where there is
    /// none.
    #[must_use]
    pub fn new(files: &[WeightsFile]) -> Self {
        let mut evaluations = Self::default();
        for file in files {
            let place = match file.0.objective {
                Objective::MostDiscs => &mut evaluations.most_discs,
                Objective::FewestDiscs => &mut evaluations.fewest_discs,
            };
            *place = Some(file.clone());
        }
        evaluations
    }

    /// The weights for an objective. Those that come with the engine are unpacked when they are
    /// first asked for, which takes some tenths of a second.
    #[must_use]
    pub fn of(&self, objective: Objective) -> &Evaluation {
        match self.file(objective) {
            Some(file) => &file.0,
            None => Evaluation::of(objective),
        }
    }

    /// Unpacks those of the usual game on a thread of its own, so that the first to need them need
    /// not wait. Those of reverse reversi take memory only where it is played.
    ///
    /// # Errors
    ///
    /// If the system gives no thread.
    pub fn unpack(&self) -> std::io::Result<()> {
        let evaluations = self.clone();
        let unpack = move || {
            let _ = evaluations.of(Objective::MostDiscs);
        };
        thread::Builder::new()
            .name("weights".to_owned())
            .spawn(unpack)
            .map(|_| ())
    }

    /// The name of the weights for an objective, at once.
    #[must_use]
    pub fn name(&self, objective: Objective) -> String {
        match self.file(objective) {
            Some(file) => file.0.name.clone(),
            None => Evaluation::name_of(objective),
        }
    }

    const fn file(&self, objective: Objective) -> Option<&WeightsFile> {
        match objective {
            Objective::MostDiscs => self.most_discs.as_ref(),
            Objective::FewestDiscs => self.fewest_discs.as_ref(),
        }
    }
}
