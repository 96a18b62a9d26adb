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

#[cfg(test)]
mod tests {
    use reversi_engine::{RuleSet, Square};

    use super::super::super::player::FaultKind;
    use super::super::process::Fake;
    use super::*;

    fn choose(go: &str) -> Result<Choice, Fault> {
        let fake = Fake::new(&[("ping", "echo pong $rest"), ("go", go)]);
        let mut player = Nboard::new(fake.command.clone(), Pace::default());
        let game = Game::new(RuleSet::default()).unwrap();
        player.begin(&game, 0).unwrap();
        player.choose(&game)
    }

    #[test]
    fn a_move_is_read_with_and_without_its_value() {
        for go in [
            "echo status; echo search; echo nodestats 77 0.1; echo '=== F5/1.0/0.1'",
            "echo nodestats 77 1; echo '=== f5 -1.00 0.0'",
            "echo nodestats 77 1; echo '===f5'",
        ] {
            let choice = choose(go).unwrap();
            assert_eq!(
                (choice.mv, choice.nodes),
                (Move::Place(Square::F5), 77),
                "{go}"
            );
        }
    }

    #[test]
    fn a_failure_is_told_by_its_kind() {
        let kind = |go| choose(go).unwrap_err().kind;
        assert_eq!(kind("echo '=== what?'"), FaultKind::Nonsense);
        assert_eq!(kind("exit 3"), FaultKind::Crash);
    }

    #[test]
    fn the_program_hears_of_the_game_and_of_every_move() {
        // It counts the moves, and then plays the square in that column.
        let fake = Fake::new(&[
            ("set", "moves=0"),
            ("move", "moves=$((moves + 1))"),
            ("ping", "echo pong $rest"),
            ("go", "echo === a$((moves + 1))"),
        ]);
        let mut player = Nboard::new(fake.command.clone(), Pace::default());
        let mut game = Game::new(RuleSet::default()).unwrap();
        player.begin(&game, 0).unwrap();
        for count in 1..4 {
            let choice = player.choose(&game).unwrap();
            assert_eq!(choice.mv.to_string(), format!("a{count}"));
            let any = game.legal_moves().iter().next().unwrap();
            game.play(Move::Place(any)).unwrap();
        }
    }
}
