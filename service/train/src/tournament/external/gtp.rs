//! Programs that speak GTP, the protocol of Go programs, for Reversi. They have no common way to
//! be told a time: their strength is a matter of their own arguments.

use reversi_engine::notation::board_text;
use reversi_engine::{Color, Game, Move, Position};

use super::super::player::{Choice, Fault, Player};
use super::process::{Command, Process, nonsense};

/// A player behind a GTP engine.
#[derive(Debug)]
pub(crate) struct Gtp {
    command: Command,
    process: Option<Process>,
    /// How many plies of the game the program knows.
    known: usize,
}

impl Gtp {
    pub(crate) const fn new(command: Command) -> Self {
        Self {
            command,
            process: None,
            known: 0,
        }
    }

    fn catch_up(&mut self, game: &Game) -> Result<&mut Process, Fault> {
        let process = self
            .process
            .as_mut()
            .ok_or_else(|| nonsense("not started"))?;
        for played in &game.history()[self.known..] {
            // Forced passes go without saying.
            if let Move::Place(square) = played.mv {
                ask(process, &format!("play {} {square}", played.side))?;
            }
        }
        self.known = game.ply();
        Ok(process)
    }
}

impl Player for Gtp {
    fn begin(&mut self, game: &Game, _seed: u64) -> Result<(), Fault> {
        if *game.initial_position() != Position::standard() {
            let start = game.initial_position();
            let board = board_text(start.black(), start.white());
            return Err(nonsense(&format!("cannot begin from {board}")));
        }
        let mut process = match self.process.take() {
            Some(process) => process,
            None => self.command.start(&[])?,
        };
        ask(&mut process, "boardsize 8")?;
        ask(&mut process, "clear_board")?;
        self.process = Some(process);
        self.known = 0;
        self.catch_up(game).map(|_| ())
    }

    fn choose(&mut self, game: &Game) -> Result<Choice, Fault> {
        let side = match game.position().side_to_move() {
            Color::Black => "black",
            Color::White => "white",
        };
        let process = self.catch_up(game)?;
        let answer = ask(process, &format!("genmove {side}"))?;
        let mv = answer.trim().parse().map_err(|_| nonsense(&answer))?;
        // It has played the move itself.
        self.known = game.ply() + 1;
        Ok(Choice { mv, nodes: 0 })
    }
}

/// Sends a command and waits for its answer.
fn ask(process: &mut Process, command: &str) -> Result<String, Fault> {
    process.send(command)?;
    process.answer(|line| {
        if let Some(answer) = line.strip_prefix('=') {
            Some(Ok(answer.trim().to_owned()))
        } else if line.starts_with('?') {
            Some(Err(nonsense(&format!("{command}: {line}"))))
        } else {
            None
        }
    })?
}

#[cfg(test)]
mod tests {
    use reversi_engine::{RuleSet, Square};

    use super::super::super::player::FaultKind;
    use super::super::process::Fake;
    use super::*;

    fn choose(answers: &[(&str, &str)]) -> Result<Choice, Fault> {
        let mut all = vec![
            ("boardsize", "echo =; echo"),
            ("clear_board", "echo =; echo"),
        ];
        all.extend(answers);
        let fake = Fake::new(&all);
        let mut player = Gtp::new(fake.command.clone());
        let mut game = Game::new(RuleSet::default()).unwrap();
        game.play(Move::Place(Square::F5)).unwrap();
        player.begin(&game, 0)?;
        player.choose(&game)
    }

    #[test]
    fn moves_are_told_and_asked_for() {
        let told = ("play", "moves=$rest; echo =; echo");
        let asked = (
            "genmove",
            "test \"$moves $rest\" = 'black f5 white' && echo = D6",
        );
        let choice = choose(&[told, asked]).unwrap();
        assert_eq!(choice.mv, Move::Place(Square::D6));
    }

    #[test]
    fn a_refusal_is_nonsense() {
        let refused = choose(&[("play", "echo '? illegal move'")]).unwrap_err();
        assert_eq!(refused.kind, FaultKind::Nonsense);
        assert!(refused.detail.contains("play black f5"), "{refused}");
    }
}
