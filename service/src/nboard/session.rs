//! A conversation: the game that it is about, and what is done with it.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use reversi_engine::notation::{GgfNote, GgfRecord};
use reversi_engine::opening::Book;
use reversi_engine::search::{Analysis, Engine, Query};
use reversi_engine::{Game, Move, Objective, Position, RuleSet, Score, Scoring};

use super::command::{self, Command};
use super::input::{Input, Line, UntilNext};
use super::{BookUse, answer, clock, reach};
use crate::evaluations::Evaluations;

/// The name that programs show.
const NAME: &str = "Reversi";
/// How far to look until the program says so.
const DEPTH: u32 = 12;

/// Everything that the answers depend on.
#[derive(Debug)]
pub(super) struct Session<W> {
    output: W,
    engine: Engine,
    evaluations: Evaluations,
    record: GgfRecord,
    depth: u32,
    time: Option<Duration>,
    book: BookUse,
}

/// Whether the conversation goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Line,
    End,
}

impl<W: Write> Session<W> {
    pub(super) fn new(
        evaluations: Evaluations,
        threads: usize,
        table_bytes: usize,
        time: Option<Duration>,
        book: BookUse,
        output: W,
    ) -> Self {
        let start = Game::from_position(RuleSet::default(), Position::standard());
        Self {
            output,
            engine: Engine::new(table_bytes, threads),
            evaluations,
            record: GgfRecord::new(start),
            depth: DEPTH,
            time,
            book,
        }
    }

    /// Answers line by line until the input ends.
    pub(super) fn run(mut self, input: &Input) -> io::Result<()> {
        while let Some(line) = input.next() {
            let next = match line {
                Line::Text(text) => match command::parse(&text) {
                    Ok(command) => self.obey(command, input)?,
                    Err(error) => self.status(&error.to_string())?,
                },
                Line::TooLong => self.status("that line is too long")?,
            };
            if next == Next::End {
                break;
            }
        }
        Ok(())
    }

    fn obey(&mut self, command: Command, input: &Input) -> io::Result<Next> {
        match command {
            Command::Begin => self.say(&format!("set myname {NAME}"))?,
            Command::Depth(depth) => self.depth = depth,
            Command::Time(time) => self.time = Some(time),
            Command::Game(record) => self.record = *record,
            Command::Move(mv, note) => return self.play(mv, note),
            Command::Hint(lines) => return self.hint(lines, input),
            Command::Go => return self.go(input),
            Command::Ping(number) => self.say(&format!("pong {number}"))?,
            // Games are learned from by training, not by playing.
            Command::Learn => self.say("learned")?,
            Command::Analyze => return self.analyze(input),
            Command::Quit => return Ok(Next::End),
            Command::Nothing => {}
        }
        Ok(Next::Line)
    }

    fn play(&mut self, mv: Move, note: GgfNote) -> io::Result<Next> {
        match self.record.play(mv, note) {
            Ok(()) => Ok(Next::Line),
            Err(fault) => self.status(&format!("cannot play {mv}: {fault}")),
        }
    }

    fn go(&mut self, input: &Input) -> io::Result<Next> {
        let share = clock::share(&self.record);
        let time = self.time.into_iter().chain(share).min();
        self.status("Thinking")?;
        let begun = Instant::now();
        let control = input.control(time.map(|time| begun + time));
        let found = match self.known() {
            Some(known) => Some(known),
            None => self.search(1, &control)?,
        };
        let said = found.and_then(|found| answer::go(&found, begun.elapsed()));
        match said {
            Some(said) => {
                self.say(&said)?;
                self.status("")
            }
            None => self.status("The game is over"),
        }
    }

    /// What the book says of the position.
    fn known(&self) -> Option<Analysis> {
        match self.book {
            BookUse::First => {
                let game = &self.record.game;
                Book::built_in().analysis(game.position(), game.rules().objective)
            }
            BookUse::Never => None,
        }
    }

    fn hint(&mut self, lines: usize, input: &Input) -> io::Result<Next> {
        self.status("Analyzing")?;
        let control = input.control(self.time.map(|time| Instant::now() + time));
        match self.search(lines, &control)? {
            Some(_) => self.status(""),
            None => self.status("The game is over"),
        }
    }

    /// Searches the position at the end of the game and tells every step.
    fn search(&mut self, lines: usize, control: &UntilNext<'_>) -> io::Result<Option<Analysis>> {
        let position = *self.record.game.position();
        let query = Query {
            limits: reach::limits(self.depth, position.empties().count()),
            lines,
        };
        let evaluation = self.evaluations.of(self.record.game.rules().objective);
        let begun = Instant::now();
        self.engine.go_on();
        let output = &mut self.output;
        let mut written = Ok(());
        let found = self
            .engine
            .analyze(evaluation, &position, &query, control, &mut |step| {
                if written.is_ok() {
                    written = tell_step(output, step, begun.elapsed());
                }
            });
        written.map(|()| found)
    }

    /// Tells what every position of the game is worth for its side to move, the last one first.
    fn analyze(&mut self, input: &Input) -> io::Result<Next> {
        self.status("Analyzing the game")?;
        let control = input.control(None);
        for ply in (0..=self.record.game.ply()).rev() {
            let Some(position) = self.record.game.position_at(ply) else {
                continue;
            };
            let value = match self.value(&position, &control) {
                Some(value) if !control.is_interrupted() => value,
                _ => return self.status(""),
            };
            self.say(&format!("analysis {ply} {value:.2}"))?;
        }
        self.status("")
    }

    fn value(&mut self, position: &Position, control: &UntilNext<'_>) -> Option<f32> {
        let objective = self.record.game.rules().objective;
        if position.turn().is_over() {
            return Some(result(position, objective));
        }
        let query = Query {
            limits: reach::limits(self.depth, position.empties().count()),
            lines: 1,
        };
        let evaluation = self.evaluations.of(objective);
        let found = self
            .engine
            .analyze(evaluation, position, &query, control, &mut |_| {});
        found.and_then(|found| Some(found.lines.first()?.value))
    }

    fn status(&mut self, text: &str) -> io::Result<Next> {
        self.say(format!("status {text}").trim_end())?;
        Ok(Next::Line)
    }

    fn say(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.output, "{line}")?;
        self.output.flush()
    }
}

fn tell_step(output: &mut impl Write, step: &Analysis, time: Duration) -> io::Result<()> {
    for line in &step.lines {
        writeln!(output, "{}", answer::search(step, line))?;
    }
    writeln!(output, "{}", answer::nodes(step, time))?;
    output.flush()
}

/// The result of a finished game for the side to move.
fn result(position: &Position, objective: Objective) -> f32 {
    let score = Score::of(position, Scoring::EmptiesToMajority);
    let (black, white) = score
        .scored
        .map_or((0, 0), |scored| (scored.black, scored.white));
    let for_black = f32::from(black) - f32::from(white);
    let for_mover = match position.side_to_move() {
        reversi_engine::Color::Black => for_black,
        reversi_engine::Color::White => -for_black,
    };
    match objective {
        Objective::MostDiscs => for_mover,
        Objective::FewestDiscs => -for_mover,
    }
}
