//! Teaches the engine.

#![allow(clippy::print_stdout, reason = "results go to standard output")]

use std::path::PathBuf;
use std::process::ExitCode;

use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum};
use reversi_engine::search::{Engine, Evaluation, Limits};

mod fit;
mod game;
mod learn;
mod model;
mod openings;
mod positions;
mod probcut;
mod tournament;

/// Teaches the Reversi engine.
#[derive(Debug, Parser)]
#[command(name = "reversi-train", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Objective {
    Most,
    Fewest,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Learns all phases from the end of the game to its beginning.
    Learn {
        #[arg(long, default_value = "most")]
        objective: Objective,
        #[arg(long, default_value_t = 200_000)]
        positions: usize,
        #[arg(long, default_value_t = 12)]
        solve: u32,
        #[arg(long, default_value_t = 4)]
        depth: u32,
        #[arg(long)]
        from: Option<PathBuf>,
        /// Begin with weights of 0 all the same: the teacher only plays.
        #[arg(long)]
        fresh: bool,
        #[arg(long, default_value_t = 1)]
        play_depth: u32,
        #[arg(long)]
        out: PathBuf,
        #[arg(long, default_value_t = 1)]
        seed: u64,
        #[arg(long, default_value_t = 2)]
        threads: usize,
    },
    /// Makes the engine's file of a model, with measured trust in shallow searches.
    Pack {
        #[arg(long, default_value = "most")]
        objective: Objective,
        #[arg(long)]
        model: PathBuf,
        #[arg(long)]
        name: String,
        #[arg(long)]
        out: PathBuf,
        #[arg(long, default_value_t = 400)]
        games: u32,
        #[arg(long, default_value_t = 10)]
        depth: u32,
        #[arg(long, default_value_t = 16)]
        solve: u32,
        #[arg(long, default_value_t = 2)]
        threads: usize,
    },
    /// Searches every opening of eight moves, going on where the log ends.
    Openings {
        #[arg(long)]
        weights: Option<PathBuf>,
        #[arg(long, default_value_t = 10)]
        first_depth: u32,
        #[arg(long, default_value_t = 16)]
        depth: u32,
        #[arg(long, default_value_t = 3.0)]
        near: f32,
        #[arg(long, default_value_t = 2)]
        threads: usize,
        #[arg(long)]
        log: PathBuf,
    },
    /// Makes the engine's list of balanced openings and its book of the results of `openings`.
    PackOpenings {
        #[arg(long)]
        log: PathBuf,
        /// Counts up with every list that ships.
        #[arg(long)]
        list_version: u32,
        /// The folder of the files `balanced.rvo` and `book.rvo`.
        #[arg(long)]
        out: PathBuf,
    },
    /// Has the engine play positions whose moves have known values.
    Positions {
        /// Files of the engine's weights; without, those built in.
        #[arg(long)]
        weights: Option<PathBuf>,
        /// In milliseconds a position.
        #[arg(long)]
        time: Option<u64>,
        #[arg(long)]
        depth: Option<u32>,
        #[arg(long)]
        nodes: Option<u64>,
        #[arg(long, default_value_t = 1)]
        threads: usize,
        #[arg(long, default_value_t = 64)]
        table_mib: usize,
        #[arg(long)]
        each: bool,
        /// Lines in OBF.
        files: Vec<PathBuf>,
    },
    /// Has two players meet, each opening twice with colours swapped.
    Match(Box<tournament::Arguments>),
}

impl From<Objective> for reversi_engine::Objective {
    fn from(objective: Objective) -> Self {
        match objective {
            Objective::Most => Self::MostDiscs,
            Objective::Fewest => Self::FewestDiscs,
        }
    }
}

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn load(weights: Option<&std::path::Path>) -> Result<Evaluation, Box<dyn std::error::Error>> {
    Ok(match weights {
        Some(path) => Evaluation::from_bytes(&std::fs::read(path)?)?,
        None => Evaluation::of(reversi_engine::Objective::MostDiscs).clone(),
    })
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Learn {
            objective,
            positions,
            solve,
            depth,
            from,
            fresh,
            play_depth,
            out,
            seed,
            threads,
        } => learn::Learn {
            objective: objective.into(),
            positions,
            solve,
            depth,
            from,
            fresh,
            play_depth,
            out,
            seed,
            threads,
        }
        .run(),
        Command::Pack {
            objective,
            model,
            name,
            out,
            games,
            depth,
            solve,
            threads,
        } => (|| -> Outcome {
            let model = model::Model::load(&model)?;
            let mut evaluation = learn::evaluation(&model, objective.into());
            let measure = probcut::Measure {
                games,
                depth,
                solve,
                seed: 77,
                threads,
            };
            let (probcut, table) = measure.run(&evaluation);
            eprintln!("{table}{probcut:?}");
            evaluation.probcut = probcut;
            evaluation.name = name;
            std::fs::write(out, evaluation.to_bytes())?;
            Ok(())
        })(),
        Command::Openings {
            weights,
            first_depth,
            depth,
            near,
            threads,
            log,
        } => load(weights.as_deref()).and_then(|evaluation| {
            openings::Search {
                first_depth,
                depth,
                near,
                threads,
                log,
            }
            .run(&evaluation)
        }),
        Command::PackOpenings {
            log,
            list_version,
            out,
        } => (|| -> Outcome {
            let known = openings::read_log(&log)?;
            let (balanced, book) = openings::files(list_version, &known)
                .ok_or("the log lacks results of some openings")?;
            std::fs::write(out.join("balanced.rvo"), balanced)?;
            std::fs::write(out.join("book.rvo"), book)?;
            Ok(())
        })(),
        Command::Positions {
            weights,
            time,
            depth,
            nodes,
            threads,
            table_mib,
            each,
            files,
        } => (|| -> Outcome {
            let evaluation = load(weights.as_deref())?;
            let mut engine = Engine::new(table_mib << 20, threads);
            for file in files {
                let records = positions::read(&file)?;
                let budget = positions::Budget {
                    time: time.map(Duration::from_millis),
                    limits: Limits { depth, nodes },
                };
                let score =
                    positions::run(&records, &mut engine, &evaluation, &budget, &mut |line| {
                        if each {
                            println!("{line}");
                        }
                    });
                println!("{}: {score}", file.display());
            }
            Ok(())
        })(),
        Command::Match(arguments) => arguments.run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
