//! What an engine is to think about and how much, for the commands that ask it.

use std::time::Duration;

use clap::Args;
use reversi_client::{
    game_name,
    proto::{Budget, Line},
};

use super::args::{self, PositionArgs, RuleArgs};

/// A position, a start with moves, or a stored game.
#[derive(Debug, Args)]
pub(crate) struct SubjectArgs {
    #[command(flatten)]
    position: PositionArgs,
    /// Moves played from the start or from the board
    #[arg(long, default_value = "", hide_default_value = true)]
    transcript: String,
    /// A stored game, by name or id
    #[arg(long, value_name = "NAME", conflicts_with_all = ["board", "transcript"])]
    game: Option<String>,
    #[command(flatten)]
    rules: RuleArgs,
}

/// What to think about.
pub(crate) enum Subject {
    Line(Line),
    Game(String),
}

impl SubjectArgs {
    pub(crate) fn subject(self) -> Subject {
        match &self.game {
            Some(game) => Subject::Game(game_name(game)),
            None => Subject::Line(Line {
                position: self.position.position(),
                rules: Some(self.rules.rules(None)),
                transcript: self.transcript,
            }),
        }
    }
}

macro_rules! subjects {
    ($($request:ident)*) => {$(
        impl From<Subject> for reversi_client::proto::$request::Subject {
            fn from(subject: Subject) -> Self {
                match subject {
                    Subject::Line(line) => Self::Line(line),
                    Subject::Game(name) => Self::Game(name),
                }
            }
        }
    )*};
}

subjects!(suggest_move_request analyze_position_request solve_position_request);

/// How much to think. What runs out first ends it.
#[derive(Debug, Args)]
pub(crate) struct BudgetArgs {
    /// Think for at most this long
    #[arg(long, value_parser = args::duration)]
    pub(crate) time: Option<Duration>,
    /// Search at most this many plies
    #[arg(long, value_parser = clap::value_parser!(i32).range(1..))]
    depth: Option<i32>,
    /// Search at most this many positions
    #[arg(long, value_parser = clap::value_parser!(i64).range(1..))]
    nodes: Option<i64>,
}

impl BudgetArgs {
    /// The budget, if there is any limit.
    pub(crate) fn budget(&self) -> Option<Budget> {
        let limited = self.time.is_some() || self.depth.is_some() || self.nodes.is_some();
        limited.then(|| Budget {
            depth: self.depth.unwrap_or_default(),
            nodes: self.nodes.unwrap_or_default(),
            ..self.time.map(time_budget).unwrap_or_default()
        })
    }
}

/// So much time, and nothing else.
pub(crate) fn time_budget(time: Duration) -> Budget {
    Budget {
        time: time.try_into().ok(),
        ..Default::default()
    }
}

/// How many moves to tell the value of.
#[derive(Debug, Args)]
pub(crate) struct LinesArgs {
    /// Tell the value of this many moves
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(i32).range(1..=60))]
    pub(crate) lines: i32,
}
