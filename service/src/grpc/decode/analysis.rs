//! What an engine is asked: about what, how far, how strong.

use std::time::Duration;

use reversi_engine::search::{Limits, Query};
use reversi_engine::{Game, Level};
use reversi_proto::v1;

use super::duration::seconds;
use super::{Faults, game_id, optional_position, rule_set};
use crate::grpc::{MAX_LINES, MAX_TRANSCRIPT_BYTES};
use crate::session::GameId;

/// The deepest search that can be asked for: as many plies as there are empties.
const MAX_DEPTH: i32 = 60;

/// What a call is about.
#[derive(Debug)]
pub(in crate::grpc) enum Subject {
    /// A game with moves that are still to be played, as they were sent.
    Line(Box<Game>, String),
    /// A stored game.
    Stored(GameId),
}

/// What a search may cost.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::grpc) struct Budget {
    pub(in crate::grpc) time: Option<Duration>,
    pub(in crate::grpc) search: Limits,
}

impl Budget {
    /// The query for so many lines within this budget.
    pub(in crate::grpc) const fn query(&self, lines: usize) -> Query {
        Query {
            limits: self.search,
            lines,
        }
    }
}

macro_rules! subjects {
    ($($message:ident)*) => {$(
        impl From<v1::$message::Subject> for SubjectMessage {
            fn from(subject: v1::$message::Subject) -> Self {
                match subject {
                    v1::$message::Subject::Line(line) => Self::Line(line),
                    v1::$message::Subject::Game(name) => Self::Game(name),
                }
            }
        }
    )*};
}

/// What a call is about, as it was sent.
#[derive(Debug)]
pub(in crate::grpc) enum SubjectMessage {
    Line(v1::Line),
    Game(String),
}

subjects!(suggest_move_request analyze_position_request solve_position_request);

/// The subject, which is required.
pub(in crate::grpc) fn subject(
    faults: &mut Faults,
    message: Option<impl Into<SubjectMessage>>,
) -> Option<Subject> {
    match message.map(Into::into) {
        None => {
            faults.required("subject");
            None
        }
        Some(SubjectMessage::Line(line)) => self::line(faults, line),
        Some(SubjectMessage::Game(name)) => game_id(faults, "game", &name).map(Subject::Stored),
    }
}

fn line(faults: &mut Faults, line: v1::Line) -> Option<Subject> {
    let transcript = faults.bounded("line.transcript", line.transcript, MAX_TRANSCRIPT_BYTES);
    let game = faults.within("line.", |faults| {
        let rules = rule_set(faults, line.rules);
        let position = optional_position(faults, "position", line.position, rules.as_ref());
        Some(Game::from_position(rules?, position?))
    });
    Some(Subject::Line(Box::new(game?), transcript))
}

/// How much to think; without limits where it is left out.
pub(in crate::grpc) fn budget(faults: &mut Faults, message: Option<v1::Budget>) -> Option<Budget> {
    let message = message.unwrap_or_default();
    let whole = |time: &prost_types::Duration| (0..1_000_000_000).contains(&time.nanos);
    let time = match message.time.map(|time| (time, Duration::try_from(time))) {
        None => Some(None),
        Some((given, Ok(time))) if whole(&given) && !time.is_zero() => Some(Some(time)),
        Some((time, _)) => {
            faults.invalid("budget.time", seconds(time), "is not a positive duration");
            None
        }
    };
    let depth = match message.depth {
        0 => Some(None),
        depth @ 1..=MAX_DEPTH => Some(u32::try_from(depth).ok()),
        depth => {
            let range = format!("is not from 1 to {MAX_DEPTH}");
            faults.invalid("budget.depth", depth, range);
            None
        }
    };
    let nodes = match u64::try_from(message.nodes) {
        Ok(nodes) => Some((nodes > 0).then_some(nodes)),
        Err(_) => {
            faults.invalid("budget.nodes", message.nodes, "is negative");
            None
        }
    };
    Some(Budget {
        time: time?,
        search: Limits {
            depth: depth?,
            nodes: nodes?,
        },
    })
}

/// How strong to play; the whole engine where it is left out.
pub(in crate::grpc) fn level(faults: &mut Faults, number: Option<i32>) -> Option<Level> {
    let Some(number) = number else {
        return Some(Level::HIGHEST);
    };
    let level = u32::try_from(number).ok().map(Level::new);
    let Some(Ok(level)) = level else {
        let highest = Level::HIGHEST.number();
        faults.invalid("level", number, format!("is not from 1 to {highest}"));
        return None;
    };
    Some(level)
}

/// How many moves to tell the value of.
pub(in crate::grpc) fn lines(faults: &mut Faults, lines: i32) -> Option<usize> {
    let known = usize::try_from(lines)
        .ok()
        .filter(|lines| *lines <= MAX_LINES);
    if known.is_none() {
        faults.invalid("lines", lines, format!("is not from 1 to {MAX_LINES}"));
    }
    known.map(|lines| lines.max(1))
}
