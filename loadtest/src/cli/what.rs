//! The options that say what to ask of the server.

use std::cell::LazyCell;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use clap::{Args, ValueEnum};
use reversi_engine::{Game, Position};
use reversi_proto::v1;

use super::connection::{many, positive};
use super::failure::Failure;
use super::files;
use crate::wire::Rpc;
use crate::workload::pool::View;
use crate::workload::{Afterwards, Games, Kind, Play, Pool, Positions, Workload};

/// The workloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Name {
    /// ListLegalMoves, one position a call
    LegalMoves,
    /// BatchListLegalMoves, many positions a call
    Batch,
    /// StreamLegalMoves, batch after batch on open streams
    Stream,
    /// Whole games: CreateGame, PlayMove to the end, DeleteGame
    Play,
    /// SuggestMove
    Suggest,
    /// Whole games that are watched; how long a move takes to the watchers
    Watch,
    /// Several of these by their --weights
    Mixed,
    /// Nothing but the transport, against an echo server
    Echo,
}

/// What to ask.
#[derive(Debug, Args)]
#[command(next_help_heading = "Workload")]
pub(crate) struct What {
    /// What to ask of the server
    #[arg(value_enum, value_name = "WORKLOAD")]
    name: Name,
    /// Where positions come from
    #[arg(long, value_enum, value_name = "SOURCE", default_value = "playouts")]
    positions: Source,
    /// Plays these games, one transcript such as f5d6c3 a line, and takes positions from them
    #[arg(long, value_name = "FILE")]
    transcripts: Option<PathBuf>,
    /// How much of the legal moves to ask for
    #[arg(long, value_enum, default_value = "full")]
    view: ViewName,
    /// Positions in a batch [default: 1024; 64 on streams]
    #[arg(long, value_name = "N", value_parser = batch_size)]
    batch_size: Option<NonZeroUsize>,
    /// Streams open on a connection; its calls in flight are spread over them
    #[arg(long, value_name = "N", default_value = "1", value_parser = many)]
    streams: NonZeroUsize,
    /// Games played at the same time [default: as many as calls in flight]
    #[arg(long, value_name = "N", value_parser = many)]
    pub(crate) sessions: Option<NonZeroUsize>,
    /// Leaves the games on the server that were played to the end
    #[arg(long)]
    keep_games: bool,
    /// Watchers of each game
    #[arg(long, value_name = "N", default_value = "1", value_parser = many)]
    watchers: NonZeroUsize,
    /// How deep to think about a suggestion, in plies [default: 4 unless --suggest-time is given]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(1..=60))]
    suggest_depth: Option<i32>,
    /// How long to think about a suggestion
    #[arg(long, value_name = "TIME", value_parser = positive)]
    suggest_time: Option<Duration>,
    /// Bytes of an echo's payload
    #[arg(long, value_name = "N", default_value = "40", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    echo_bytes: u32,
    /// How often each workload comes in a mixed one
    #[arg(
        long,
        value_name = "NAME=WEIGHT,...",
        default_value = "legal-moves=60,play=30,batch=5,stream=4,suggest=1"
    )]
    weights: Weights,
    /// The seed of positions, games and chances
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) seed: u64,
}

/// Where positions come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Source {
    /// The standard start alone
    Start,
    /// The middle of random games
    Midgame,
    /// Random games from beginning to end
    Playouts,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ViewName {
    /// The moves one by one with what they turn
    Full,
    /// The bit set alone
    Mask,
}

/// Workloads and how often they come.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Weights(Vec<(Name, u32)>);

impl std::str::FromStr for Weights {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut weights: Vec<(Name, u32)> = Vec::new();
        for part in text.split(',') {
            let (name, weight) = part
                .split_once('=')
                .ok_or_else(|| format!("{part:?}: expected NAME=WEIGHT"))?;
            let parsed = Name::from_str(name.trim(), false)?;
            if matches!(parsed, Name::Mixed | Name::Echo) {
                return Err(format!("{name} cannot be part of a mixed workload"));
            }
            if weights.iter().any(|(other, _)| *other == parsed) {
                return Err(format!("{name} is there twice"));
            }
            let weight = weight.trim().parse::<u32>().ok();
            let weight = weight
                .filter(|weight| *weight <= 1_000_000)
                .ok_or_else(|| format!("{part:?}: expected a weight from 0 to 1000000"))?;
            weights.push((parsed, weight));
        }
        weights.retain(|(_, weight)| *weight > 0);
        if weights.is_empty() {
            return Err("every weight is 0".to_owned());
        }
        Ok(Self(weights))
    }
}

fn batch_size(text: &str) -> Result<NonZeroUsize, String> {
    /// What the service takes.
    const MOST: usize = 65_536;
    let size: NonZeroUsize = text
        .parse()
        .map_err(|_| "expected a number from 1 on".to_owned())?;
    if size.get() > MOST {
        return Err(format!("{MOST} at most"));
    }
    Ok(size)
}

impl What {
    /// The workload, and its name with what distinguishes it.
    pub(crate) fn workload(&self) -> Result<(Workload, String), Failure> {
        let material = Material::new(self)?;
        if self.name != Name::Mixed {
            let (kind, text) = material.kind(self, self.name);
            return Ok((Workload::One(kind), text));
        }
        let mut parts = Vec::new();
        let mut names = Vec::new();
        for (name, weight) in &self.weights.0 {
            let (kind, text) = material.kind(self, *name);
            parts.push((*weight, kind));
            names.push(format!("{weight} x {text}"));
        }
        let workload = Workload::Mixed {
            parts,
            seed: self.seed,
        };
        Ok((workload, format!("mixed: {}", names.join(", "))))
    }

    fn budget(&self) -> (v1::Budget, String) {
        let depth = match (self.suggest_depth, self.suggest_time) {
            (None, None) => Some(4),
            (depth, _) => depth,
        };
        let mut words = Vec::new();
        words.extend(depth.map(|depth| format!("depth {depth}")));
        words.extend(
            self.suggest_time
                .map(|time| humantime::format_duration(time).to_string()),
        );
        let budget = v1::Budget {
            depth: depth.unwrap_or_default(),
            time: self.suggest_time.and_then(|time| time.try_into().ok()),
            nodes: 0,
        };
        (budget, words.join(", "))
    }
}

/// Positions and games, each made when first needed.
struct Material {
    positions: LazyCell<Vec<Position>, Box<dyn FnOnce() -> Vec<Position>>>,
    positions_name: String,
    games: LazyCell<Games, Box<dyn FnOnce() -> Games>>,
    run: u64,
}

impl Material {
    fn new(what: &What) -> Result<Self, Failure> {
        let (source, name) = match what.positions {
            Source::Start => (Positions::Start, "the start"),
            Source::Midgame => (Positions::Midgame, "midgames"),
            Source::Playouts => (Positions::Playouts, "playouts"),
        };
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let run = now.map_or(0, |time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        let seed = what.seed;
        let Some(path) = &what.transcripts else {
            return Ok(Self {
                positions: LazyCell::new(Box::new(move || source.list(seed))),
                positions_name: name.to_owned(),
                games: LazyCell::new(Box::new(move || Games::random(seed))),
                run,
            });
        };
        let wrong = |why: String| Failure::Usage(format!("{}: {why}", path.display()));
        let games = Games::transcripts(&files::read(path)?)
            .map_err(|(line, error)| wrong(format!("line {line}: {error}")))?;
        let steps = Games::given(&games);
        if steps.is_empty() {
            return Err(wrong("no game in it".to_owned()));
        }
        Ok(Self {
            positions: LazyCell::new(Box::new(move || {
                games.iter().flat_map(positions_of).collect()
            })),
            positions_name: "transcripts".to_owned(),
            games: LazyCell::new(Box::new(move || steps)),
            run,
        })
    }

    fn kind(&self, what: &What, name: Name) -> (Kind, String) {
        let size = |usual| what.batch_size.map_or(usual, NonZeroUsize::get);
        let from = &self.positions_name;
        match name {
            Name::LegalMoves => {
                let (view, word) = match what.view {
                    ViewName::Full => (View::Full, "full"),
                    ViewName::Mask => (View::Mask, "mask"),
                };
                let pool = Pool::legal_moves(&self.positions, view);
                (Kind::Calls(pool), format!("legal-moves ({word}, {from})"))
            }
            Name::Batch => {
                let size = size(1_024);
                let pool = Pool::batches(Rpc::BatchListLegalMoves, &self.positions, size);
                (Kind::Calls(pool), format!("batch ({size} of {from})"))
            }
            Name::Stream => {
                let (size, streams) = (size(64), what.streams.get());
                let pool = Pool::batches(Rpc::StreamLegalMoves, &self.positions, size);
                let text = format!("stream ({size} of {from}, {streams} a connection)");
                (Kind::Stream { pool, streams }, text)
            }
            Name::Play => (Kind::Play(self.play(what)), "play".to_owned()),
            Name::Watch => {
                let watchers = what.watchers.get();
                let play = self.play(what);
                let text = format!("watch ({watchers} a game)");
                (Kind::Watch { play, watchers }, text)
            }
            Name::Suggest => {
                let (budget, text) = what.budget();
                let pool = Pool::suggestions(&self.positions, budget);
                (Kind::Calls(pool), format!("suggest ({text}, {from})"))
            }
            Name::Echo | Name::Mixed => {
                let bytes = what.echo_bytes as usize;
                (
                    Kind::Calls(Pool::echo(bytes)),
                    format!("echo ({bytes} bytes)"),
                )
            }
        }
    }

    fn play(&self, what: &What) -> Play {
        Play {
            games: self.games.clone(),
            afterwards: if what.keep_games {
                Afterwards::Keep
            } else {
                Afterwards::Delete
            },
            run: self.run,
        }
    }
}

fn positions_of(game: &Game) -> impl Iterator<Item = Position> + '_ {
    (0..=game.ply()).filter_map(|ply| game.position_at(ply))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read() {
        let weights: Weights = "legal-moves=80, play=20,batch=0".parse().unwrap();
        assert_eq!(weights.0, [(Name::LegalMoves, 80), (Name::Play, 20)]);
    }

    #[test]
    fn what_is_no_weight_is_refused() {
        for text in [
            "",
            "play",
            "play=",
            "play=x",
            "play=-1",
            "chess=1",
            "play=0",
            "play=1,play=2",
            "mixed=1",
            "echo=1",
            "play=99999999",
        ] {
            assert!(text.parse::<Weights>().is_err(), "{text:?}");
        }
    }
}
