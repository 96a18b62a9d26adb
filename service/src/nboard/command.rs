//! What a line asks for. Knows its words, not what can be done.

use std::time::Duration;

use reversi_engine::Move;
use reversi_engine::notation::{GgfError, GgfNote, GgfRecord};

/// The deepest that there is to look.
const DEEPEST: u32 = 60;
/// The most characters of something unreadable that are repeated.
const FOUND_CHARACTERS: usize = 40;

/// A line that means something.
#[derive(Debug, PartialEq)]
pub(super) enum Command {
    /// `nboard 2`: the protocol begins.
    Begin,
    /// `set depth 12`.
    Depth(u32),
    /// `set game (;GM[Othello]…;)`.
    Game(Box<GgfRecord>),
    /// `set time 0.5`, in seconds a move. Not of the protocol.
    Time(Duration),
    /// `move F5/1.5/0.2`, in the first version of the protocol `F5` alone.
    Move(Move, GgfNote),
    /// `hint 3`: the best so many moves, with their values.
    Hint(usize),
    /// `go`: what would the engine play?
    Go,
    /// `ping 7`.
    Ping(i64),
    /// `learn`: the game is over.
    Learn,
    /// `analyze`: every position of the game.
    Analyze,
    /// `quit`. Not of the protocol, but usual.
    Quit,
    /// Nothing that has to be done.
    Nothing,
}

/// Why a known command means nothing.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum CommandError {
    #[error("expected a number behind {command:?}, found {found:?}")]
    Number {
        command: &'static str,
        found: String,
    },
    #[error("expected a move such as F5 or PA, found {found:?}")]
    Move { found: String },
    #[error("cannot read the game: {0}")]
    Game(#[from] GgfError),
}

/// Reads a line.
pub(super) fn parse(line: &str) -> Result<Command, CommandError> {
    let (word, rest) = split(line);
    Ok(match word {
        "nboard" => Command::Begin,
        "set" => return parse_set(rest),
        "move" => {
            let (mv, note) = GgfNote::of_move(rest).ok_or_else(|| CommandError::Move {
                found: shortened(rest),
            })?;
            Command::Move(mv, note)
        }
        "hint" if rest.is_empty() => Command::Hint(1),
        "hint" => Command::Hint(number("hint", rest)?),
        "go" => Command::Go,
        "ping" => Command::Ping(number("ping", rest)?),
        "learn" => Command::Learn,
        "analyze" => Command::Analyze,
        "quit" => Command::Quit,
        // A square alone is a move; anything else is nothing.
        word => word
            .parse()
            .map_or(Command::Nothing, |mv| Command::Move(mv, GgfNote::default())),
    })
}

fn parse_set(rest: &str) -> Result<Command, CommandError> {
    let (name, value) = split(rest);
    Ok(match name {
        "depth" => Command::Depth(number::<u32>("set depth", value)?.clamp(1, DEEPEST)),
        "game" => Command::Game(Box::new(value.parse()?)),
        "time" => {
            let seconds: f64 = number("set time", value)?;
            let time = Duration::try_from_secs_f64(seconds).ok();
            let time = time.filter(|time| !time.is_zero());
            Command::Time(time.ok_or_else(|| CommandError::Number {
                command: "set time",
                found: shortened(value),
            })?)
        }
        // What draws of an opening book are worth; no such book is used here.
        "contempt" => {
            number::<f64>("set contempt", value)?;
            Command::Nothing
        }
        _ => Command::Nothing,
    })
}

fn split(text: &str) -> (&str, &str) {
    let text = text.trim_ascii();
    let (word, rest) = text
        .split_once(|c: char| c.is_ascii_whitespace())
        .unwrap_or((text, ""));
    (word, rest.trim_ascii())
}

fn number<T: std::str::FromStr>(command: &'static str, text: &str) -> Result<T, CommandError> {
    text.parse().map_err(|_| CommandError::Number {
        command,
        found: shortened(text),
    })
}

fn shortened(text: &str) -> String {
    text.chars().take(FOUND_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use reversi_engine::Square;

    use super::*;

    #[test]
    fn commands_are_read_with_what_belongs_to_them() {
        let f5 = |evaluation, seconds| {
            let note = GgfNote {
                evaluation,
                seconds,
            };
            Command::Move(Move::Place(Square::F5), note)
        };
        for (line, expected) in [
            ("nboard 2", Command::Begin),
            ("  set   depth 12 ", Command::Depth(12)),
            ("set depth 0", Command::Depth(1)),
            ("set depth 100", Command::Depth(60)),
            ("set time 0.5", Command::Time(Duration::from_millis(500))),
            ("set contempt -100", Command::Nothing),
            ("set colour blue", Command::Nothing),
            ("set", Command::Nothing),
            ("move F5/1.5/0.2", f5(Some(1.5), Some(0.2))),
            ("move F5//2", f5(None, Some(2.0))),
            ("move f5", f5(None, None)),
            ("F5", f5(None, None)),
            ("PA", Command::Move(Move::Pass, GgfNote::default())),
            ("hint 3", Command::Hint(3)),
            ("hint", Command::Hint(1)),
            ("go", Command::Go),
            ("ping -7", Command::Ping(-7)),
            ("learn", Command::Learn),
            ("analyze", Command::Analyze),
            ("quit", Command::Quit),
            ("", Command::Nothing),
            ("dance", Command::Nothing),
        ] {
            assert_eq!(parse(line), Ok(expected), "{line:?}");
        }
    }

    #[test]
    fn a_command_that_makes_no_sense_is_refused_in_one_line() {
        for line in [
            "set depth",
            "set depth deep",
            "set depth 99999999999",
            "set time 0",
            "set time -1",
            "set time nan",
            "set time 1e300",
            "set contempt full",
            "set game",
            "set game chess",
            "move",
            "move i9",
            "hint many",
            "ping",
            "ping x",
        ] {
            let error = parse(line).expect_err(line).to_string();
            assert!(!error.contains('\n'), "{error}");
        }
    }
}
