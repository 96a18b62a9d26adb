//! Players as they are named on the command line.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use reversi_engine::search::{Engine, Evaluation, Limits, Query, Unlimited};
use reversi_engine::{Level, Objective, Position};

use crate::file::{self, FileError};

use super::external::{Command, Gtp, Nboard, Zebra};
use super::greedy::Greedy;
use super::in_process::InProcess;
use super::mobility::Mobility;
use super::pace::Pace;
use super::player::Player;

/// The memory of an engine's table unless its description says otherwise.
const TABLE_MIB: usize = 64;

/// Deep enough that every part of the search is used, and done in a few milliseconds.
const SIGNATURE_DEPTH: u32 = 10;
/// How long a program may be silent unless its description says otherwise.
const PATIENCE: Duration = Duration::from_secs(60);

/// A description: a kind, then options, as in `engine,weights=new.rvw,depth=8`; for a program of
/// others its command behind a colon, as in `nboard,dir=/opt/ntest:./ntest x`.
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
    Engine {
        weights: Option<PathBuf>,
        level: Level,
    },
    Mobility,
    Greedy,
    External(Protocol, Command),
}

/// How a program is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    Nboard,
    Gtp,
    Zebra,
}

/// Why a text describes no player.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SpecError {
    #[error("expected engine, level:, mobility, greedy, nboard:, gtp: or zebra:, found {found:?}")]
    Kind { found: String },
    #[error("not an option of this player: {found:?}")]
    Option { found: String },
    #[error("expected a whole number above 0 for {option}, found {found:?}")]
    Number { option: String, found: String },
    #[error("expected level:1 to level:10, found {found:?}")]
    Level { found: String },
    #[error("expected a colon and a command behind {found:?}")]
    Command { found: String },
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let name = text.split([',', ':']).next().unwrap_or_default();
        let external = |protocol| {
            let missing = || SpecError::Command {
                found: text.to_owned(),
            };
            let (options, line) = text.split_once(':').ok_or_else(missing)?;
            let line = line.trim().to_owned();
            if line.is_empty() {
                return Err(missing());
            }
            let command = Command {
                line,
                folder: None,
                patience: PATIENCE,
            };
            Ok((Kind::External(protocol, command), options))
        };
        let engine = |level| Kind::Engine {
            weights: None,
            level,
        };
        let (kind, options) = match name {
            "engine" => (engine(Level::HIGHEST), text),
            "level" => {
                let (options, number) = text.split_once(':').unwrap_or((text, ""));
                let level = number
                    .parse()
                    .ok()
                    .and_then(|number| Level::new(number).ok());
                let level = level.ok_or_else(|| SpecError::Level {
                    found: number.to_owned(),
                })?;
                (engine(level), options)
            }
            "mobility" => (Kind::Mobility, text),
            "greedy" => (Kind::Greedy, text),
            "nboard" => external(Protocol::Nboard)?,
            "gtp" => external(Protocol::Gtp)?,
            "zebra" => external(Protocol::Zebra)?,
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
        for option in options.split(',').skip(1) {
            spec.set(option)?;
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
            ("weights", Kind::Engine { weights, .. }) => *weights = Some(value.into()),
            ("dir", Kind::External(_, command)) => command.folder = Some(value.into()),
            ("patience", Kind::External(_, command)) => {
                command.patience = Duration::from_secs(number()?.into());
            }
            ("time" | "depth" | "nodes", Kind::External(Protocol::Gtp, _))
            | ("nodes", Kind::External(..)) => return Err(unknown()),
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
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{path}: weights for the other objective")]
    Objective { path: PathBuf },
    #[error("{player} knows no game for the fewest discs")]
    MostOnly { player: String },
    #[error("{player} would think for ever: give it --time, --depth or --nodes")]
    Unbounded { player: String },
}

impl Entrant {
    /// Loads what the description names. The pace of the match counts where it has none.
    pub(crate) fn new(spec: Spec, objective: Objective, pace: Pace) -> Result<Self, EntrantError> {
        let pace = spec.pace.or(pace);
        let (bounded, both) = match &spec.kind {
            Kind::Greedy => (true, true),
            // The other levels have a depth of their own.
            Kind::Engine { level, .. } if *level < Level::HIGHEST => (true, true),
            Kind::Engine { .. } | Kind::Mobility => (!pace.is_unbounded(), true),
            // Nodes are not among what can be said.
            Kind::External(Protocol::Nboard, _) => {
                (pace.time.is_some() || pace.depth.is_some(), true)
            }
            Kind::External(Protocol::Gtp, _) => (true, false),
            Kind::External(Protocol::Zebra, _) => {
                (pace.time.is_some() || pace.depth.is_some(), false)
            }
        };
        if !bounded {
            return Err(EntrantError::Unbounded { player: spec.text });
        }
        if objective != Objective::MostDiscs && !both {
            return Err(EntrantError::MostOnly { player: spec.text });
        }
        let (evaluation, checksum) = match &spec.kind {
            Kind::Engine { weights: None, .. } => {
                (Some(Arc::new(Evaluation::of(objective).clone())), None)
            }
            Kind::Engine {
                weights: Some(path),
                ..
            } => {
                let bytes = file::read(path)?;
                let evaluation = file::parse(path, &bytes)?;
                if evaluation.objective != objective {
                    return Err(EntrantError::Objective { path: path.clone() });
                }
                (Some(Arc::new(evaluation)), Some(crc32fast::hash(&bytes)))
            }
            Kind::Mobility | Kind::Greedy | Kind::External(..) => (None, None),
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
            if let Some(checksum) = self.checksum {
                text.push_str(&format!(" ({checksum:08x})"));
            }
            text.push_str(&format!(", signature {}", signature(evaluation)));
        }
        text
    }

    /// The player itself; each has memory and threads of its own.
    pub(crate) fn player(&self) -> Box<dyn Player> {
        match (&self.spec.kind, &self.evaluation) {
            (Kind::Engine { level, .. }, Some(evaluation)) => {
                let engine = Engine::new(self.spec.table_mib << 20, self.spec.threads);
                let evaluation = Arc::clone(evaluation);
                Box::new(InProcess::new(engine, evaluation, *level, self.pace))
            }
            (Kind::Mobility, _) => Box::new(Mobility::new(self.objective, self.pace)),
            (Kind::External(protocol, command), _) => {
                let command = command.clone();
                match protocol {
                    Protocol::Nboard => Box::new(Nboard::new(command, self.pace)),
                    Protocol::Gtp => Box::new(Gtp::new(command)),
                    Protocol::Zebra => Box::new(Zebra::new(command, self.pace)),
                }
            }
            (Kind::Engine { .. } | Kind::Greedy, _) => Box::new(Greedy::new(self.objective)),
        }
    }
}

/// The nodes of one fixed search: another number means another engine, whatever its name.
fn signature(evaluation: &Evaluation) -> u64 {
    let query = Query {
        limits: Limits {
            depth: Some(SIGNATURE_DEPTH),
            nodes: None,
        },
        lines: 1,
    };
    let mut engine = Engine::new(1 << 20, 1);
    let start = Position::standard();
    let found = engine.analyze(evaluation, &start, &query, &Unlimited, &mut |_| {});
    found.map_or(0, |found| found.nodes)
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
        let level = Level::HIGHEST;
        assert_eq!(spec.kind, Kind::Engine { weights, level });
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
            "level",
            "level:11",
            "level:x",
            "nboard",
            "nboard: ",
            "gtp,depth=3:prog",
            "nboard,nodes=3:prog",
            "nboard,table=3:prog",
            "mobility,weights=x",
            "greedy,threads=2",
        ] {
            assert!(text.parse::<Spec>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_program_is_named_with_its_arguments_and_folder() {
        let text = "nboard,dir=/opt/n,depth=12,patience=5:./ntest x,y:z";
        let spec: Spec = text.parse().unwrap();
        let command = Command {
            line: "./ntest x,y:z".to_owned(),
            folder: Some("/opt/n".into()),
            patience: Duration::from_secs(5),
        };
        assert_eq!(spec.kind, Kind::External(Protocol::Nboard, command));
        assert_eq!(spec.pace.depth, Some(12));
    }

    #[test]
    fn a_player_with_no_bound_does_not_take_part() {
        let enter =
            |text: &str, pace| Entrant::new(text.parse().unwrap(), Objective::MostDiscs, pace);
        assert!(enter("mobility", Pace::default()).is_err());
        assert!(enter("level:10", Pace::default()).is_err());
        assert!(enter("level:3", Pace::default()).is_ok());
        assert!(enter("mobility,depth=2", Pace::default()).is_ok());
        assert!(enter("greedy", Pace::default()).is_ok());
    }
}
