//! `reversi suggest`.

use std::{fmt, time::Duration};

use clap::Args;
use reversi_client::{
    game_name,
    proto::{
        Budget, Certainty, Line, SuggestMoveRequest, SuggestMoveResponse,
        suggest_move_request::Subject,
    },
    squares,
};
use serde::Serialize;

use super::{
    args::{self, PositionArgs, RuleArgs},
    context::Context,
    failure::Failure,
};

/// Ask the engine for a move
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  reversi suggest --transcript f5d6c3 --time 2s\n  \
                  reversi suggest --game abcdefghijklmnopqrst --depth 12 --json"
)]
pub(crate) struct Suggest {
    #[command(flatten)]
    position: PositionArgs,
    /// Moves played from the start or from the board
    #[arg(long, default_value = "", hide_default_value = true)]
    transcript: String,
    /// A stored game, by name or id
    #[arg(long, value_name = "NAME", conflicts_with_all = ["board", "transcript"])]
    game: Option<String>,
    /// Think for at most this long
    #[arg(long, value_parser = args::duration)]
    time: Option<Duration>,
    /// Search at most this many plies
    #[arg(long, value_parser = clap::value_parser!(i32).range(1..))]
    depth: Option<i32>,
    /// Search at most this many positions
    #[arg(long, value_parser = clap::value_parser!(i64).range(1..))]
    nodes: Option<i64>,
    #[command(flatten)]
    rules: RuleArgs,
}

impl Suggest {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = context.connect().await?;
        let subject = match &self.game {
            Some(game) => Subject::Game(game_name(game)),
            None => Subject::Line(Line {
                position: self.position.position(),
                rules: Some(self.rules.rules(None)),
                transcript: self.transcript,
            }),
        };
        let limited = self.time.is_some() || self.depth.is_some() || self.nodes.is_some();
        let budget = limited.then(|| budget(self.time, self.depth, self.nodes));
        let suggested = client
            .with_timeout(context.thinking_timeout(self.time))
            .analysis()
            .suggest_move(SuggestMoveRequest {
                subject: Some(subject),
                budget,
                ..Default::default()
            })
            .await?;
        context
            .output
            .write(&SuggestionView::from(suggested), ToString::to_string)?;
        Ok(())
    }
}

/// A budget of what is given; what is not is unlimited.
pub(crate) fn budget(time: Option<Duration>, depth: Option<i32>, nodes: Option<i64>) -> Budget {
    Budget {
        time: time.and_then(|time| time.try_into().ok()),
        depth: depth.unwrap_or_default(),
        nodes: nodes.unwrap_or_default(),
    }
}

/// A suggestion for programs.
#[derive(Debug, Serialize)]
pub(crate) struct SuggestionView {
    #[serde(rename = "move")]
    square: String,
    flips: Vec<&'static str>,
    /// The final disc difference expected, for the side to move.
    value: f64,
    certainty: &'static str,
    depth: i32,
    line: Vec<String>,
    nodes: i64,
    elapsed_ms: u128,
    #[serde(skip_serializing_if = "String::is_empty")]
    etag: String,
}

impl From<SuggestMoveResponse> for SuggestionView {
    fn from(suggested: SuggestMoveResponse) -> Self {
        let certainty = match suggested.certainty() {
            Certainty::Exact => "exact",
            Certainty::Percent => "percent",
            Certainty::Depth | Certainty::Unspecified => "depth",
        };
        let played = suggested.r#move.unwrap_or_default();
        Self {
            square: played.square,
            flips: squares(played.flips),
            value: suggested.value,
            certainty,
            depth: suggested.depth,
            line: suggested.line,
            nodes: suggested.nodes,
            elapsed_ms: suggested
                .elapsed
                .and_then(|time| Duration::try_from(time).ok())
                .unwrap_or_default()
                .as_millis(),
            etag: suggested.etag,
        }
    }
}

impl fmt::Display for SuggestionView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}  {:+.2} {}, depth {}, {} positions in {} ms: {}",
            self.square,
            self.value,
            if self.certainty == "exact" {
                "exactly"
            } else {
                "expected"
            },
            self.depth,
            self.nodes,
            self.elapsed_ms,
            self.line.join(" ")
        )
    }
}
