//! `reversi suggest`.

use std::fmt;

use clap::Args;
use reversi_client::{
    proto::{SuggestMoveRequest, SuggestMoveResponse},
    squares,
};
use serde::Serialize;

use super::{
    context::Context,
    failure::Failure,
    subject::{BudgetArgs, LinesArgs, SubjectArgs},
    view::{ReasonView, TrustView, VariationView, millis},
};

/// Ask the engine for a move
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  reversi suggest --transcript f5d6c3 --time 2s --reasons\n  \
                  reversi suggest --game abcdefghijklmnopqrst --level 3 --json"
)]
pub(crate) struct Suggest {
    #[command(flatten)]
    subject: SubjectArgs,
    #[command(flatten)]
    budget: BudgetArgs,
    /// How strong to play, from 1 (a beginner) to 10 (the whole engine)
    #[arg(long, value_name = "1-10", value_parser = clap::value_parser!(i32).range(1..=10))]
    level: Option<i32>,
    /// What decides between the moves of a level below 10; the same for a whole game
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    #[command(flatten)]
    lines: LinesArgs,
    /// Say why
    #[arg(long)]
    reasons: bool,
    /// Search even where the engine knows the move from its book
    #[arg(long)]
    no_book: bool,
}

impl Suggest {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = context.connect().await?;
        let suggested = client
            .with_timeout(context.thinking_timeout(self.budget.time))
            .analysis()
            .suggest_move(SuggestMoveRequest {
                budget: self.budget.budget(),
                level: self.level,
                seed: self.seed,
                lines: self.lines.lines,
                reasons: self.reasons,
                no_book: self.no_book,
                subject: Some(self.subject.subject().into()),
            })
            .await?;
        context
            .output
            .write(&SuggestionView::from(suggested), ToString::to_string)?;
        Ok(())
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
    #[serde(flatten)]
    trust: TrustView,
    line: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    alternatives: Vec<VariationView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<ReasonView>,
    nodes: i64,
    elapsed_ms: u128,
    #[serde(skip_serializing_if = "String::is_empty")]
    etag: String,
    weights: String,
    from_book: bool,
    level: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
}

impl From<SuggestMoveResponse> for SuggestionView {
    fn from(suggested: SuggestMoveResponse) -> Self {
        let certainty = suggested.certainty();
        let played = suggested.r#move.unwrap_or_default();
        let alternatives = suggested.alternatives.into_iter();
        Self {
            square: played.square,
            flips: squares(played.flips),
            value: suggested.value,
            trust: TrustView::new(certainty, suggested.percent, suggested.depth),
            line: suggested.line,
            alternatives: alternatives.map(Into::into).collect(),
            reasons: suggested.reasons.into_iter().map(Into::into).collect(),
            nodes: suggested.nodes,
            elapsed_ms: millis(suggested.elapsed),
            etag: suggested.etag,
            weights: suggested.weights,
            from_book: suggested.from_book,
            level: suggested.level,
            seed: suggested.seed,
        }
    }
}

impl fmt::Display for SuggestionView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}  {:+.2} ", self.square, self.value)?;
        if self.trust.is_exact() {
            f.write_str("exactly")?;
        } else {
            write!(f, "expected, {}", self.trust)?;
        }
        let (nodes, millis, line) = (self.nodes, self.elapsed_ms, self.line.join(" "));
        if self.from_book {
            write!(f, ", from the book: {line}")?;
        } else {
            write!(f, ", {nodes} positions in {millis} ms: {line}")?;
        }
        for alternative in &self.alternatives {
            write!(f, "\n  or {alternative}")?;
        }
        for reason in &self.reasons {
            write!(f, "\n  {}", reason.text)?;
        }
        Ok(())
    }
}
