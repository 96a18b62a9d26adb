//! Players as they are named on the command line.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use reversi_engine::Objective;
use reversi_engine::search::{Engine, Evaluation, EvaluationError};

use super::greedy::Greedy;
use super::in_process::InProcess;
use super::mobility::Mobility;
use super::pace::Pace;
use super::player::Player;

/// The memory of an engine's table unless its description says otherwise.
const TABLE_MIB: usize = 64;

/// A description: a kind, then options, as in `engine,weights=new.rvw,depth=8`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spec {
    text: String,
    kind: Kind,
    pace: Pace,
    threads: usize,
    table_mib: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Engine { weights: Option<PathBuf> },
    Mobility,
    Greedy,
}

/// Why a text describes no player.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SpecError {
    #[error("expected engine, mobility or greedy, found {found:?}")]
    Kind { found: String },
    #[error("expected weights=, time=, depth=, nodes=, threads= or table=, found {found:?}")]
    Option { found: String },
    #[error("expected a whole number above 0 for {option}, found {found:?}")]
    Number { option: String, found: String },
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut parts = text.split(',');
        let kind = match parts.next().unwrap_or_default() {
            "engine" => Kind::Engine { weights: None },
            "mobility" => Kind::Mobility,
            "greedy" => Kind::Greedy,
            found => {
                return Err(SpecError::Kind {
                    found: found.to_owned(),
                });
            }
        };
        let mut spec = Self {
            text: text.to_owned(),
            kind,
            pace: Pace::default(),
            threads: 1,
            table_mib: TABLE_MIB,
        };
        for part in parts {
            spec.set(part)?;
        }
        Ok(spec)
    }
}

impl Spec {
    fn set(&mut self, part: &str) -> Result<(), SpecError> {
        let unknown = || SpecError::Option {
            found: part.to_owned(),
        };
        let (option, value) = part.split_once('=').ok_or_else(unknown)?;
        let number = || {
            let number = value.parse().ok().filter(|&number: &u32| number > 0);
            number.ok_or_else(|| SpecError::Number {
                option: option.to_owned(),
                found: value.to_owned(),
            })
        };
        match (option, &mut self.kind) {
            ("weights", Kind::Engine { weights }) => *weights = Some(value.into()),
            ("time", _) => self.pace.time = Some(Duration::from_millis(number()?.into())),
            ("depth", _) => self.pace.depth = Some(number()?),
            ("nodes", _) => self.pace.nodes = Some(number()?.into()),
            ("threads", Kind::Engine { .. }) => self.threads = number()? as usize,
            ("table", Kind::Engine { .. }) => self.table_mib = number()? as usize,
            _ => return Err(unknown()),
        }
        Ok(())
    }
}

/// A player of which everything is known and loaded that a match needs.
#[derive(Clone, Debug)]
pub(crate) struct Entrant {
    spec: Spec,
    pace: Pace,
    objective: Objective,
    evaluation: Option<Arc<Evaluation>>,
    /// Of the file of weights.
    checksum: Option<u32>,
}

/// Why a player cannot take part.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EntrantError {
    #[error("{path}: {source}")]
    Unreadable {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{path}: {source}")]
    Weights {
        path: PathBuf,
        source: EvaluationError,
    },
    #[error("{path}: weights for the other objective")]
    Objective { path: PathBuf },
    #[error("{player} would think for ever: give it --time, --depth or --nodes")]
    Unbounded { player: String },
}

impl Entrant {
    /// Loads what the description names. The pace of the match counts where it has none.
    pub(crate) fn new(spec: Spec, objective: Objective, pace: Pace) -> Result<Self, EntrantError> {
        let pace = spec.pace.or(pace);
        if pace.is_unbounded() && spec.kind != Kind::Greedy {
            return Err(EntrantError::Unbounded { player: spec.text });
        }
        let (evaluation, checksum) = match &spec.kind {
            Kind::Engine { weights: None } => {
                (Some(Arc::new(Evaluation::of(objective).clone())), None)
            }
            Kind::Engine {
                weights: Some(path),
            } => {
                let unreadable = |source| EntrantError::Unreadable {
                    path: path.clone(),
                    source,
                };
                let bytes = std::fs::read(path).map_err(unreadable)?;
                let evaluation =
                    Evaluation::from_bytes(&bytes).map_err(|source| EntrantError::Weights {
                        path: path.clone(),
                        source,
                    })?;
                if evaluation.objective != objective {
                    return Err(EntrantError::Objective { path: path.clone() });
                }
                (Some(Arc::new(evaluation)), Some(crc32fast::hash(&bytes)))
            }
            Kind::Mobility | Kind::Greedy => (None, None),
        };
        Ok(Self {
            spec,
            pace,
            objective,
            evaluation,
            checksum,
        })
    }

    /// As it was described.
    pub(crate) fn name(&self) -> &str {
        &self.spec.text
    }

    /// Everything that its play depends on, on one line.
    pub(crate) fn identity(&self) -> String {
        let mut text = format!("{} at {}", self.spec.text, self.pace);
        if let Some(evaluation) = &self.evaluation {
            text.push_str(&format!(" with {}", evaluation.name));
        }
        if let Some(checksum) = self.checksum {
            text.push_str(&format!(" ({checksum:08x})"));
        }
        text
    }

    /// The player itself; each has memory and threads of its own.
    pub(crate) fn player(&self) -> Box<dyn Player> {
        match (&self.spec.kind, &self.evaluation) {
            (Kind::Engine { .. }, Some(evaluation)) => Box::new(InProcess {
                engine: Engine::new(self.spec.table_mib << 20, self.spec.threads),
                evaluation: Arc::clone(evaluation),
                pace: self.pace,
            }),
            (Kind::Mobility, _) => Box::new(Mobility::new(self.objective, self.pace)),
            (Kind::Engine { .. } | Kind::Greedy, _) => Box::new(Greedy::new(self.objective)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_follow_the_kind() {
        let spec: Spec = "engine,weights=a/b.rvw,time=100,threads=2,table=16"
            .parse()
            .unwrap();
        let weights = Some("a/b.rvw".into());
        assert_eq!(spec.kind, Kind::Engine { weights });
        assert_eq!(spec.pace.time, Some(Duration::from_millis(100)));
        assert_eq!((spec.threads, spec.table_mib), (2, 16));
    }

    #[test]
    fn what_means_nothing_is_refused() {
        for text in [
            "",
            "engin",
            "engine,",
            "engine,depth",
            "engine,depth=0",
            "engine,depth=-1",
            "engine,nodes=many",
            "mobility,weights=x",
            "greedy,threads=2",
        ] {
            assert!(text.parse::<Spec>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_player_with_no_bound_does_not_take_part() {
        let enter =
            |text: &str, pace| Entrant::new(text.parse().unwrap(), Objective::MostDiscs, pace);
        assert!(enter("mobility", Pace::default()).is_err());
        assert!(enter("mobility,depth=2", Pace::default()).is_ok());
        assert!(enter("greedy", Pace::default()).is_ok());
    }
}
