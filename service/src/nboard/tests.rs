//! Conversations, from the first line to the last.

use std::io::{BufRead, BufReader, Lines, PipeReader, PipeWriter, pipe};
use std::thread::JoinHandle;

use reversi_engine::Move;

use super::*;

/// A running session at the other end of two pipes.
struct Talk {
    input: Option<PipeWriter>,
    lines: Lines<BufReader<PipeReader>>,
    session: Option<JoinHandle<io::Result<()>>>,
}

impl Talk {
    fn start() -> Self {
        Self::with(BookUse::Never)
    }

    fn with(book: BookUse) -> Self {
        let options = NboardOptions {
            threads: NonZeroUsize::new(1),
            table_size: 1 << 20,
            weights: Vec::new(),
            time: None,
            no_book: book == BookUse::Never,
        };
        let (from_here, input) = pipe().unwrap();
        let (output, from_there) = pipe().unwrap();
        let session = thread::spawn(move || run(&options, from_here, from_there));
        let mut talk = Self {
            input: Some(input),
            lines: BufReader::new(output).lines(),
            session: Some(session),
        };
        talk.say("nboard 2");
        assert_eq!(talk.line(), "set myname Reversi");
        talk
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    fn line(&mut self) -> String {
        self.lines.next().unwrap().unwrap()
    }

    /// Lines up to one that begins like this, with it.
    fn until(&mut self, beginning: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            lines.push(self.line());
            if lines.last().unwrap().starts_with(beginning) {
                return lines;
            }
        }
    }

    /// Everything that is said before the session has heard all.
    fn settle(&mut self) -> Vec<String> {
        self.say("ping 99");
        let mut lines = self.until("pong 99");
        lines.pop();
        lines
    }

    fn end(mut self) {
        drop(self.input.take());
        self.session.take().unwrap().join().unwrap().unwrap();
    }
}

const START: &str =
    "(;GM[Othello]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]";

fn is_move(text: &str) -> bool {
    text.len() == 2 && text.parse::<Move>().is_ok()
}

#[test]
fn a_known_opening_is_played_from_the_book() {
    let mut talk = Talk::with(BookUse::First);
    talk.say("set depth 60");
    talk.say("go");
    let lines = talk.until("=== ");
    assert!(
        !lines.iter().any(|line| line.starts_with("nodestats")),
        "{lines:?}"
    );
}

#[test]
fn go_is_answered_with_a_move_which_is_not_played() {
    let mut talk = Talk::start();
    talk.say("set depth 4");
    talk.say(&format!("set game {START}B[F5];)"));
    for _ in 0..2 {
        talk.say("go");
        let said = talk.until("===");
        assert_eq!(said[0], "status Thinking");
        assert!(said.iter().any(|line| line.starts_with("search ")));
        assert!(said.iter().any(|line| line.starts_with("nodestats ")));
        let answer = said.last().unwrap();
        let parts: Vec<&str> = answer[4..].split('/').collect();
        // The same answer twice: D6, F6 and F4 are White's moves behind F5.
        assert!(["D6", "F6", "F4"].contains(&parts[0]), "{answer}");
        assert!(
            parts[1..]
                .iter()
                .all(|number| number.parse::<f64>().is_ok())
        );
        assert_eq!(talk.line(), "status");
    }
    talk.end();
}

#[test]
fn hints_name_as_many_moves_as_were_asked_for() {
    let mut talk = Talk::start();
    talk.say("set depth 3");
    talk.say("hint 3");
    let said = talk.until("nodestats");
    let searches = said.iter().filter(|line| line.starts_with("search "));
    let first: Vec<&str> = searches.map(|line| &line[7..9]).collect();
    assert_eq!(first.len(), 3, "{said:?}");
    assert!(first.iter().all(|name| is_move(name)));
    talk.end();
}

#[test]
fn a_new_line_ends_a_search_without_limits() {
    let mut talk = Talk::start();
    talk.say("set depth 60");
    talk.say("hint 1");
    talk.until("search");
    talk.say("ping 5");
    talk.until("pong 5");
    talk.say("go");
    talk.until("search");
    talk.say("ping 6");
    let said = talk.until("pong 6");
    assert!(said.iter().any(|line| line.starts_with("===")), "{said:?}");
    talk.end();
}

#[test]
fn the_end_of_the_input_ends_a_search_and_the_session() {
    let mut talk = Talk::start();
    talk.say("set depth 60");
    talk.say("go");
    talk.until("search");
    talk.end();
}

#[test]
fn time_ends_a_search_where_depth_does_not() {
    let mut talk = Talk::start();
    talk.say("set depth 60");
    talk.say("set time 0.01");
    talk.say("go");
    talk.until("===");
    talk.say("set game (;TI[0:01];)");
    talk.say("set time 1000");
    talk.say("go");
    talk.until("===");
    talk.end();
}

#[test]
fn passes_are_played_and_answered() {
    // Black cannot move; White can.
    let board = format!("OX-{}", "-".repeat(61)).replace('X', "*");
    let mut talk = Talk::start();
    talk.say(&format!("set game (;BO[8 {board} *];)"));
    talk.say("go");
    assert!(talk.until("===").last().unwrap().starts_with("=== PA/"));
    talk.say("move PA");
    talk.say("go");
    assert!(
        talk.until("===")
            .last()
            .unwrap()
            .starts_with("=== C1/64.00/")
    );
    // A pass that nobody mentions is understood.
    talk.say(&format!("set game (;BO[8 {board} *];)"));
    talk.say("move C1");
    talk.say("go");
    assert_eq!(
        talk.until("status The").last().unwrap(),
        "status The game is over"
    );
    talk.end();
}

#[test]
fn every_position_of_a_game_is_analyzed() {
    let mut talk = Talk::start();
    talk.say("set depth 2");
    talk.say(&format!(
        "set game {START}B[E6]W[F4]B[E3]W[F6]B[G5]W[D6]B[E7]W[F5]B[C5];)"
    ));
    talk.say("analyze");
    let said = talk.until("analysis 0 ");
    // White is to move and has no disc left.
    assert_eq!(said[1], "analysis 9 -64.00");
    assert_eq!(said[2], "analysis 8 64.00");
    assert_eq!(said.len(), 11);
    talk.end();
}

#[test]
fn the_fewest_discs_win_where_the_game_says_so() {
    let mut talk = Talk::start();
    talk.say("set depth 2");
    let won = "TY[8a]B[E6]W[F4]B[E3]W[F6]B[G5]W[D6]B[E7]W[F5]B[C5];)";
    talk.say(&format!("set game (;{won}"));
    talk.say("analyze");
    assert_eq!(talk.until("analysis 9")[1], "analysis 9 64.00");
    talk.end();
}

#[test]
fn nonsense_is_told_and_changes_nothing() {
    let mut talk = Talk::start();
    for line in [
        "move A1",
        "set game (;B[A1];)",
        "set depth x",
        "move",
        "ping",
    ] {
        talk.say(line);
        let said = talk.line();
        assert!(said.starts_with("status "), "{line}: {said}");
    }
    for line in ["", "dance", "set colour blue", "(;", "\u{0}\u{1}é"] {
        talk.say(line);
    }
    assert_eq!(talk.settle(), Vec::<String>::new());
    talk.say("set depth 1");
    talk.say("go");
    assert!(talk.until("===").last().is_some());
    talk.end();
}

#[test]
fn learning_and_quitting_are_polite() {
    let mut talk = Talk::start();
    talk.say("learn");
    assert_eq!(talk.line(), "learned");
    talk.say("quit");
    talk.say("ping 1");
    assert!(talk.lines.next().is_none());
    talk.end();
}
