//! Teaches the engine.

#![allow(clippy::print_stdout, reason = "results go to standard output")]

use std::path::PathBuf;
use std::process::ExitCode;

use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use reversi_engine::eval::PHASES;
use reversi_engine::search::{Engine, Evaluation, Limits};

use run::Run;

mod file;
mod fit;
mod game;
mod label;
mod learn;
mod openings;
mod parallel;
mod positions;
mod probcut;
mod progress;
mod regression;
mod run;
mod sample;
mod scale;
mod selfplay;
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

/// Where a training run is kept, and what it may take.
#[derive(Clone, Debug, Args)]
struct RunArguments {
    /// The folder of the run. Made if it is not there; a run that was stopped goes on in it.
    #[arg(long)]
    run: PathBuf,
    #[arg(long, default_value_t = 2)]
    threads: usize,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Does all steps from games to weights that are not done yet.
    Learn {
        #[command(flatten)]
        run: RunArguments,
        #[command(flatten)]
        learn: learn::Learn,
    },
    /// Plays games and keeps their positions, by phase.
    #[command(name = "selfplay")]
    SelfPlay {
        #[command(flatten)]
        run: RunArguments,
        #[command(flatten)]
        games: selfplay::SelfPlay,
    },
    /// Finds out what the positions of a phase are worth.
    Label {
        #[command(flatten)]
        run: RunArguments,
        #[arg(long, default_value = "most")]
        objective: Objective,
        /// From 0, the last two discs, to 29.
        #[arg(long, value_parser = phase)]
        phase: usize,
        #[command(flatten)]
        label: label::Label,
    },
    /// Finds the weights of a phase that explain its labels best.
    Fit {
        #[command(flatten)]
        run: RunArguments,
        /// From 0, the last two discs, to 29.
        #[arg(long, value_parser = phase)]
        phase: usize,
        #[command(flatten)]
        fit: fit::Fit,
    },
    /// Measures how far shallow searches with the weights of a run can be trusted.
    #[command(name = "probcut")]
    ProbCut {
        #[command(flatten)]
        run: RunArguments,
        #[arg(long, default_value = "most")]
        objective: Objective,
        #[command(flatten)]
        calibrate: probcut::Calibrate,
    },
    /// Brings the weights of a file to scale and measures anew how far shallow searches with them can
    /// be trusted.
    Recalibrate {
        /// A file of the engine's weights.
        #[arg(long)]
        weights: PathBuf,
        #[arg(long)]
        out: PathBuf,
        /// Without, the name stays.
        #[arg(long)]
        name: Option<String>,
        #[arg(long, default_value_t = 2)]
        threads: usize,
        #[command(flatten)]
        scale: scale::Scale,
        #[command(flatten)]
        calibrate: probcut::Calibrate,
    },
    /// Makes the engine's file of a run, with measured trust in shallow searches.
    Pack {
        #[command(flatten)]
        run: RunArguments,
        #[arg(long, default_value = "most")]
        objective: Objective,
        /// A name for people, such as `round 7`.
        #[arg(long)]
        name: String,
        #[arg(long)]
        out: PathBuf,
        #[command(flatten)]
        calibrate: probcut::Calibrate,
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

impl RunArguments {
    fn with(&self, step: impl FnOnce(&Run, usize) -> Outcome) -> Outcome {
        step(&Run::open(&self.run)?, self.threads.max(1))
    }
}

fn phase(text: &str) -> Result<usize, String> {
    let phase = text.parse().ok().filter(|phase| *phase < PHASES);
    phase.ok_or_else(|| format!("a phase is a number from 0 to {}", PHASES - 1))
}

fn load(weights: Option<&std::path::Path>) -> Result<Evaluation, Box<dyn std::error::Error>> {
    Ok(match weights {
        Some(path) => file::evaluation(path)?,
        None => Evaluation::of(reversi_engine::Objective::MostDiscs).clone(),
    })
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Learn { run, learn } => run.with(|run, threads| learn.run(run, threads)),
        Command::SelfPlay { run, games } => run.with(|run, threads| games.run(run, threads)),
        Command::Label {
            run,
            objective,
            phase,
            label,
        } => run.with(|run, threads| label.run(run, objective, phase, threads)),
        Command::Fit { run, phase, fit } => run.with(|run, threads| fit.run(run, phase, threads)),
        Command::ProbCut {
            run,
            objective,
            calibrate,
        } => run.with(|run, threads| calibrate.run(run, objective, threads).map(drop)),
        Command::Recalibrate {
            weights,
            out,
            name,
            threads,
            scale,
            calibrate,
        } => load(Some(&weights)).and_then(|mut evaluation| {
            eprint!("{}", scale.run(&mut evaluation, threads.max(1))?);
            let (probcut, table) = calibrate.measure(&evaluation, threads.max(1))?;
            eprint!("{table}");
            evaluation.probcut = probcut;
            evaluation.name = name.unwrap_or(evaluation.name);
            Ok(file::write(&out, &evaluation.to_bytes())?)
        }),
        Command::Pack {
            run,
            objective,
            name,
            out,
            calibrate,
        } => run.with(|run, threads| {
            let probcut = calibrate.run(run, objective, threads)?;
            let evaluation = Evaluation {
                probcut,
                name,
                ..run.evaluation(objective.into(), PHASES)?
            };
            Ok(file::write(&out, &evaluation.to_bytes())?)
        }),
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
            file::write(&out.join("balanced.rvo"), &balanced)?;
            file::write(&out.join("book.rvo"), &book)?;
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
