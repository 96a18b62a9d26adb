//! Zebra, which speaks no protocol: it is given the opening on its command line and plays against
//! a person at the keyboard, a process a game. Its moves are read off the boards that it draws.

use reversi_engine::notation::{WrittenPasses, parse_board, transcript};
use reversi_engine::{Color, Game, Move, MoveKind, Position, Square};

use super::super::pace::Pace;
use super::super::player::{Choice, Fault, Player};
use super::process::{Command, Process, nonsense};

/// From this depth on Zebra goes by its clock.
const BY_THE_CLOCK: u32 = 60;
/// By the clock, it plays out the end for a win until so many squares are empty, then for discs.
const EXACT_BY_THE_CLOCK: u32 = 12;
/// What Zebra always leaves on its clock, in seconds.
const RESERVE: u64 = 10;

/// A player behind Zebra. Its command has to make its output come line by line, as `stdbuf -oL`
/// does, and should not ask for waiting or chance: `stdbuf -oL ./zebra -b 0 -r 0 -w 0`.
#[derive(Debug)]
pub(crate) struct Zebra {
    command: Command,
    pace: Pace,
    process: Option<Process>,
    /// How many plies of the game Zebra knows.
    known: usize,
}

impl Zebra {
    pub(crate) const fn new(command: Command, pace: Pace) -> Self {
        Self {
            command,
            pace,
            process: None,
            known: 0,
        }
    }

    fn start(&self, game: &Game, color: Color) -> Result<Process, Fault> {
        // Its own levels play out the end from about twice their depth on.
        let (depth, exact) = match self.pace.depth {
            Some(depth) => (depth, depth.saturating_mul(2)),
            None => (BY_THE_CLOCK, EXACT_BY_THE_CLOCK),
        };
        let [depth, exact, win] = [depth, exact, exact + 2].map(|number| number.to_string());
        let (person, zebra) = (["0"].as_slice(), [depth.as_str(), &exact, &win]);
        let mut arguments = vec!["-l"];
        match color {
            Color::Black => arguments.extend(zebra.iter().chain(person)),
            Color::White => arguments.extend(person.iter().chain(&zebra)),
        }
        let clock = self.clock(game).to_string();
        if self.pace.time.is_some() {
            arguments.extend(["-time", &clock, "0", &clock, "0"]);
        }
        let opening = transcript(game.history(), WrittenPasses::Omitted);
        if !opening.is_empty() {
            arguments.extend(["-seq", &opening]);
        }
        self.command.start(&arguments)
    }

    /// The time for the whole game in seconds, rounded up: Zebra counts in those.
    fn clock(&self, game: &Game) -> u64 {
        let moves = game.position().empties().count().div_ceil(2);
        let time = self.pace.time.unwrap_or_default() * moves;
        RESERVE
            + time
                .as_millis()
                .div_ceil(1000)
                .try_into()
                .unwrap_or(u64::MAX - RESERVE)
    }
}

impl Player for Zebra {
    fn begin(&mut self, game: &Game, _seed: u64) -> Result<(), Fault> {
        self.process = None;
        self.known = game.ply();
        if *game.initial_position() == Position::standard() {
            Ok(())
        } else {
            Err(nonsense("cannot begin from another start"))
        }
    }

    fn choose(&mut self, game: &Game) -> Result<Choice, Fault> {
        let color = game.position().side_to_move();
        let mut process = match self.process.take() {
            Some(process) => process,
            None => self.start(game, color)?,
        };
        for played in &game.history()[self.known.min(game.ply())..] {
            if played.side != color && played.kind == MoveKind::Disc {
                process.send(&played.mv.to_string())?;
            }
        }
        self.known = game.ply();
        let before = *game.position();
        let mut rows = String::new();
        let placed = loop {
            let seen = process.answer(|line| {
                if line.contains("press Enter") {
                    return Some(Seen::Pass);
                }
                read_row(line, &mut rows);
                let whole = (rows.len() == 64).then(|| std::mem::take(&mut rows))?;
                move_between(&before, &whole).map(Seen::Move)
            })?;
            match seen {
                Seen::Move(square) => break square,
                Seen::Pass => process.send("")?,
            }
        };
        self.process = Some(process);
        Ok(Choice {
            mv: Move::Place(placed),
            nodes: 0,
        })
    }
}

/// What a line of Zebra's means.
enum Seen {
    /// The other side has to pass, and Zebra waits for a key.
    Pass,
    Move(Square),
}

/// The move that leads from a position to a drawn board, if one does.
fn move_between(before: &Position, drawn: &str) -> Option<Square> {
    let (black, white) = parse_board(drawn).ok()?;
    let new = (black | white) & before.empties();
    let placed = new.iter().next().filter(|_| new.count() == 1)?;
    let after = before.play(Move::Place(placed)).ok()?;
    (after.black() == black && after.white() == white).then_some(placed)
}

/// Adds the squares of a line such as `      4        O *      ` to those of the rows above it.
fn read_row(line: &str, rows: &mut String) {
    if line.trim() == "a b c d e f g h" {
        rows.clear();
    }
    let expected = format!("      {}", rows.len() / 8 + 1);
    let Some(squares) = line.strip_prefix(&expected) else {
        return;
    };
    // Two blanks, then a square and a blank eight times, the trailing ones cut off.
    let squares = squares.strip_prefix("  ").unwrap_or_default();
    for file in 0..8 {
        rows.push(match squares.as_bytes().get(2 * file) {
            Some(b'*') => 'X',
            Some(b'O') => 'O',
            _ => '-',
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawn_board_is_read_whatever_stands_beside_it() {
        let drawing = "
         a b c d e f g h

      1                       Black    Zebra         1. f5  d6
      2                                              2. c3  d3
      3      * O               (*)     4 discs
      4        O *
      5        O * *          White    Zebra
      6        O
      7                                4 discs
      8
";
        let mut rows = String::new();
        for line in drawing.lines() {
            read_row(line.trim_end(), &mut rows);
        }
        let (black, white) = parse_board(&rows).unwrap();
        assert_eq!(black.to_string(), "c3 e4 e5 f5");
        assert_eq!(white.to_string(), "d3 d4 d5 d6");
    }
}
