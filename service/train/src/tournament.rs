//! Matches: two players, each opening played twice with colours swapped, and what the results say.

mod external;
mod greedy;
mod in_process;
mod log;
mod mobility;
mod openings;
mod pace;
mod play;
mod player;
mod record;
mod spec;
mod tally;
mod workers;

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;

use log::Log;
use openings::Openings;
use pace::Pace;
use record::Record;
use spec::{Entrant, Spec};
use tally::Tally;
use workers::Schedule;

/// Progress is told this often at most.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(10);

/// What to play.
///
/// A player is a kind and its options: `engine` (`weights=FILE`, `threads=N`, `table=MIB`),
/// `level:N` (the engine at a level from 1 to 10, options before the colon),
/// `mobility` (an alpha-beta search that knows moves and corners), `greedy` (turns the most discs),
/// or a program of others with its command behind a colon: `nboard:` and `gtp:` for those who
/// speak these protocols, `zebra:` for Zebra (`dir=FOLDER`, `patience=SECONDS`). Each may have
/// `time=MS`, `depth=N` and `nodes=N` of its own, as in `engine,weights=new.rvw,nodes=100000`;
/// `gtp:` none of them, since that protocol has no way to say it.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The player whose results are told.
    first: Spec,
    /// The player it meets.
    second: Spec,
    /// An even number makes whole pairs.
    #[arg(long, default_value_t = 100)]
    games: usize,
    /// For each move, in milliseconds.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    time: Option<u64>,
    /// For each move, in discs.
    #[arg(long)]
    depth: Option<u32>,
    /// For each move, in boards.
    #[arg(long)]
    nodes: Option<u64>,
    /// Openings, a transcript a line, played in an order that the seed decides.
    #[arg(long)]
    openings: Option<PathBuf>,
    /// Without a list: how many discs are placed at random first.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(..=40))]
    random_discs: u32,
    /// Draws those again until the engine, ten discs ahead with the weights built in, takes one to be
    /// worth at most so many discs to either side; of 100 the most even.
    #[arg(long, conflicts_with = "openings", value_parser = clap::value_parser!(u32).range(..=64))]
    even: Option<u32>,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value = "most")]
    objective: crate::Objective,
    /// Where each game is written as it ends. A match that is started again goes on behind the
    /// games that are there.
    #[arg(long)]
    log: Option<PathBuf>,
    /// How many games are played at the same time.
    #[arg(long, default_value_t = 1)]
    at_once: usize,
}

impl Arguments {
    /// Plays the match and prints the result.
    pub(crate) fn run(&self) -> crate::Outcome {
        let objective = self.objective.into();
        let pace = Pace {
            time: self.time.map(Duration::from_millis),
            depth: self.depth,
            nodes: self.nodes,
        };
        let entrants = [
            Entrant::new(self.first.clone(), objective, pace)?,
            Entrant::new(self.second.clone(), objective, pace)?,
        ];
        let (openings, source) = match &self.openings {
            Some(path) => {
                let checksum = crc32fast::hash(&crate::file::read(path)?);
                let openings = Openings::read(path, objective, self.seed)?;
                (openings, format!("openings {checksum:08x}"))
            }
            None => {
                let openings = Openings::Random {
                    discs: self.random_discs,
                    rules: openings::rules(objective),
                    even: self.even,
                };
                let even = self.even.map(|discs| format!(", even within {discs}"));
                let source = format!(
                    "{} random discs{}",
                    self.random_discs,
                    even.unwrap_or_default()
                );
                (openings, source)
            }
        };
        if openings
            .distinct()
            .is_some_and(|distinct| self.games > 2 * distinct)
        {
            eprintln!("fewer openings than pairs of games: some are played again");
        }
        let identity = format!(
            "{} against {}, {source}, seed {}, {objective:?}",
            entrants[0].identity(),
            entrants[1].identity(),
            self.seed
        );
        eprintln!("{identity}");
        let (mut log, mut records) = match &self.log {
            Some(path) => {
                let (log, records) = Log::open(path, &identity)?;
                (Some(log), records)
            }
            None => (None, Vec::new()),
        };
        if !records.is_empty() {
            eprintln!("{} games played before", records.len());
        }
        let played: HashSet<usize> = records.iter().map(|record| record.game).collect();
        let games: Vec<usize> = (0..self.games)
            .filter(|game| !played.contains(game))
            .collect();
        let schedule = Schedule {
            entrants: &entrants,
            openings: &openings,
            seed: self.seed,
            games: &games,
            at_once: self.at_once,
        };
        let mut told = Instant::now();
        schedule.run(|record| {
            if let Some(log) = &mut log {
                log.add(&record)?;
            }
            complain(&record);
            records.push(record);
            if told.elapsed() >= PROGRESS_INTERVAL {
                told = Instant::now();
                eprintln!("{}", Tally::of(&records).line());
            }
            Ok::<(), log::LogError>(())
        })?;
        let mut out = std::io::stdout().lock();
        writeln!(out, "first  {}", entrants[0].name())?;
        writeln!(out, "second {}", entrants[1].name())?;
        write!(out, "{}", Tally::of(&records))?;
        Ok(())
    }
}

/// A game that did not end on the board is told at once.
fn complain(record: &Record) {
    if let record::End::Fault { by, kind } = record.end {
        let detail = &record.detail;
        eprintln!("game {}: {by:?} lost by {kind}: {detail}", record.game);
    }
}
