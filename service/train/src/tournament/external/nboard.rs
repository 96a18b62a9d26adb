//! Programs that speak the NBoard protocol, version 2.

use reversi_engine::notation::GgfRecord;
use reversi_engine::{Game, Move, PlayedMove};

use super::super::pace::Pace;
use super::super::player::{Choice, Fault, Player};
use super::process::{Command, Process, nonsense};

/// The depth for those who have none: as deep as the time allows.
const NO_DEPTH: u32 = 60;

/// A player behind an NBoard engine.
#[derive(Debug)]
pub(crate) struct Nboard {
    command: Command,
    pace: Pace,
    process: Option<Process>,
    /// How many plies of the game the program knows.
    known: usize,
    pings: u32,
}

impl Nboard {
    pub(crate) const fn new(command: Command, pace: Pace) -> Self {
        Self {
            command,
            pace,
            process: None,
            known: 0,
            pings: 0,
        }
    }

    /// The program, started and told how deep to look.
    fn start(&self) -> Result<Process, Fault> {
        let mut process = self.command.start(&[])?;
        process.send("nboard 2")?;
        process.send(&format!(
            "set depth {}",
            self.pace.depth.unwrap_or(NO_DEPTH)
        ))?;
        if let Some(time) = self.pace.time {
            // Not part of the protocol; those who do not know it have to ignore it.
            process.send(&format!("set time {}", time.as_secs_f64()))?;
        }
        Ok(process)
    }

    /// Waits until the program has done everything it was told: some abort a search when anything
    /// arrives.
    fn settle(process: &mut Process, ping: u32) -> Result<(), Fault> {
        process.send(&format!("ping {ping}"))?;
        let pong = format!("pong {ping}");
        process.answer(|line| (line.trim() == pong).then_some(()))
    }
}

impl Player for Nboard {
    fn begin(&mut self, game: &Game, _seed: u64) -> Result<(), Fault> {
        let mut process = match self.process.take() {
            Some(process) => process,
            None => self.start()?,
        };
        process.send(&format!("set game {}", GgfRecord::new(game.clone())))?;
        self.pings += 1;
        Self::settle(&mut process, self.pings)?;
        self.known = game.ply();
        self.process = Some(process);
        Ok(())
    }

    fn choose(&mut self, game: &Game) -> Result<Choice, Fault> {
        let process = self
            .process
            .as_mut()
            .ok_or_else(|| nonsense("not started"))?;
        for played in &game.history()[self.known..] {
            process.send(&format!("move {}", name(played)))?;
        }
        self.known = game.ply();
        self.pings += 1;
        Self::settle(process, self.pings)?;
        process.send("go")?;
        let mut nodes = 0;
        let mv = process.answer(|line| {
            if let Some(stats) = line.strip_prefix("nodestats ") {
                nodes = stats.split_whitespace().next()?.parse().ok()?;
                return None;
            }
            line.strip_prefix("===").map(|answer| {
                let word = answer
                    .trim_start()
                    .split(['/', ' '])
                    .next()
                    .unwrap_or_default();
                word.parse::<Move>().map_err(|_| nonsense(line))
            })
        })??;
        Ok(Choice { mv, nodes })
    }
}

/// A move as the protocol writes it.
fn name(played: &PlayedMove) -> String {
    match played.mv {
        Move::Place(square) => square.to_string().to_ascii_uppercase(),
        Move::Pass => "PA".to_owned(),
    }
}
