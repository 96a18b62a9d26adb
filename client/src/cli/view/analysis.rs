//! What an engine has found.

use std::{fmt, time::Duration};

use reversi_client::proto::{self, Certainty};
use serde::Serialize;

use super::short;

/// How far values can be trusted, for programs.
#[derive(Debug, Serialize)]
pub(crate) struct TrustView {
    certainty: &'static str,
    /// How often a shortcut is right, with the certainty `percent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    percent: Option<i32>,
    /// How deep the search was, in plies.
    depth: i32,
}

impl TrustView {
    pub(crate) fn new(certainty: Certainty, percent: i32, depth: i32) -> Self {
        let (certainty, percent) = match certainty {
            Certainty::Exact => ("exact", None),
            Certainty::Percent => ("percent", Some(percent)),
            Certainty::Depth | Certainty::Unspecified => ("depth", None),
        };
        Self {
            certainty,
            percent,
            depth,
        }
    }

    pub(crate) fn is_exact(&self) -> bool {
        self.certainty == "exact"
    }
}

impl fmt::Display for TrustView {
    /// As in `exact`, `87 % sure` and `depth 12`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.percent {
            Some(percent) => write!(f, "{percent} % sure"),
            None if self.is_exact() => f.write_str("exact"),
            None => write!(f, "depth {}", self.depth),
        }
    }
}

/// A move with what follows, for programs.
#[derive(Debug, Serialize)]
pub(crate) struct VariationView {
    #[serde(rename = "move")]
    square: String,
    /// The final disc difference expected, for the side to move.
    value: f64,
    line: Vec<String>,
}

impl From<proto::Variation> for VariationView {
    fn from(variation: proto::Variation) -> Self {
        Self {
            square: variation.r#move.unwrap_or_default().square,
            value: variation.value,
            line: variation.line,
        }
    }
}

impl fmt::Display for VariationView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { value, line, .. } = self;
        write!(f, "{value:+7.2}  {}", line.join(" "))
    }
}

/// A reason for a move, for programs.
#[derive(Debug, Serialize)]
pub(crate) struct ReasonView {
    kind: &'static str,
    pub(crate) text: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    squares: Vec<String>,
    amount: f64,
    others: f64,
}

impl From<proto::Reason> for ReasonView {
    fn from(reason: proto::Reason) -> Self {
        Self {
            kind: short(reason.kind().as_str_name(), "REASON_KIND_"),
            text: reason.text,
            squares: reason.squares,
            amount: reason.amount,
            others: reason.others,
        }
    }
}

/// A step of an analysis, for programs: a line each.
#[derive(Debug, Serialize)]
pub(crate) struct StepView {
    #[serde(flatten)]
    trust: TrustView,
    variations: Vec<VariationView>,
    nodes: i64,
    elapsed_ms: u128,
    /// Whether it is the last.
    r#final: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    etag: String,
    weights: String,
}

/// What a step is made of, whichever call it comes from.
pub(crate) struct Step {
    pub(crate) analysis: Option<proto::Analysis>,
    pub(crate) r#final: bool,
    pub(crate) etag: String,
    pub(crate) weights: String,
}

impl From<Step> for StepView {
    fn from(step: Step) -> Self {
        let analysis = step.analysis.unwrap_or_default();
        Self {
            trust: TrustView::new(analysis.certainty(), analysis.percent, analysis.depth),
            variations: analysis.variations.into_iter().map(Into::into).collect(),
            nodes: analysis.nodes,
            elapsed_ms: millis(analysis.elapsed),
            r#final: step.r#final,
            etag: step.etag,
            weights: step.weights,
        }
    }
}

impl fmt::Display for StepView {
    /// A line for the best move, and one for each of the others.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let trust = self.trust.to_string();
        let (nodes, millis) = (self.nodes, self.elapsed_ms);
        write!(f, "{trust:>10}  {nodes:>12} positions  {millis:>7} ms")?;
        for (index, variation) in self.variations.iter().enumerate() {
            let indent = if index == 0 { 0 } else { 46 };
            write!(
                f,
                "{}{:indent$}{variation}",
                if index == 0 { "" } else { "\n" },
                ""
            )?;
        }
        Ok(())
    }
}

/// A duration in whole milliseconds.
pub(crate) fn millis<T>(elapsed: Option<T>) -> u128
where
    Duration: TryFrom<T>,
{
    let elapsed = elapsed.and_then(|time| Duration::try_from(time).ok());
    elapsed.unwrap_or_default().as_millis()
}
