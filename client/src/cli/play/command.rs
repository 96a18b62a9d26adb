//! What a person types.

/// What a person wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Command {
    /// To play this; whether it is a legal move is the service's business.
    Play(String),
    TakeBack,
    Resign,
    Hint,
    Help,
    Quit,
    /// An empty line.
    Nothing,
}

/// What can be typed.
pub(super) const HELP: &str = "\
a square   play there, e.g. f5 (legal squares are marked +)
pass       pass, where you must and the rules leave it to you
takeback   take your last move back (or: u, undo)
hint       ask the engine for a move
resign     give up
quit       leave; the game is kept on the service
help       this; an empty line shows the board again";

impl Command {
    pub(super) fn parse(line: &str) -> Self {
        let text = line.trim().to_lowercase();
        match text.as_str() {
            "" => Self::Nothing,
            "takeback" | "undo" | "u" => Self::TakeBack,
            "resign" => Self::Resign,
            "hint" | "h" => Self::Hint,
            "help" | "?" => Self::Help,
            "quit" | "exit" | "q" => Self::Quit,
            _ => Self::Play(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_in_any_case_and_with_blanks_around() {
        assert_eq!(Command::parse(" TakeBack\r\n"), Command::TakeBack);
        assert_eq!(Command::parse("u"), Command::TakeBack);
        assert_eq!(Command::parse("Q"), Command::Quit);
        assert_eq!(Command::parse("  "), Command::Nothing);
        assert_eq!(Command::parse("F5"), Command::Play("f5".to_owned()));
        assert_eq!(Command::parse("pass"), Command::Play("pass".to_owned()));
    }

    #[test]
    fn every_command_is_in_the_help() {
        for word in ["takeback", "hint", "resign", "quit", "help", "pass", "u,"] {
            assert!(HELP.contains(word), "{word}");
        }
    }
}
