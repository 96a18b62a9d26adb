//! `reversi perft`.

use std::time::Duration;

use clap::{Args, ValueEnum};
use reversi_client::{
    Code, Error,
    proto::{CountConvention, CountPositionsRequest},
};
use serde::Serialize;

use super::{
    args::{PositionArgs, StartArgs},
    context::Context,
    failure::Failure,
    output::{Form, Output},
};

/// The deadline of a count without `--timeout`: it may be deep.
const TIMEOUT: Duration = Duration::from_secs(600);

/// Count the leaves of the game tree to each depth
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  reversi perft --depth 9\n\nWithout --timeout it may count for ten \
                  minutes."
)]
pub(crate) struct Perft {
    /// The greatest depth in plies
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(1..))]
    depth: i32,
    /// How passes and finished games are counted
    #[arg(long, value_enum, default_value_t = Convention::PassIsPly)]
    convention: Convention,
    #[command(flatten)]
    position: PositionArgs,
    #[command(flatten)]
    start: StartArgs,
}

/// How passes and finished games are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Convention {
    /// A pass is a ply; a finished game counts at every deeper depth
    PassIsPly,
    /// A pass is a ply; a finished game is not counted deeper
    DropFinished,
    /// A pass is no ply; a finished game counts at every deeper depth
    PassIsFree,
}

impl Convention {
    fn proto(self) -> CountConvention {
        match self {
            Self::PassIsPly => CountConvention::PassIsPly,
            Self::DropFinished => CountConvention::DropFinished,
            Self::PassIsFree => CountConvention::PassIsFree,
        }
    }
}

/// The leaves at depth 1, 2, and so on, for programs.
#[derive(Debug, Serialize)]
struct CountsView {
    nodes: Vec<u64>,
}

impl Perft {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = context.connect().await?;
        let mut counts = client
            .with_timeout(context.timeout(TIMEOUT))
            .rules()
            .count_positions(CountPositionsRequest {
                position: self.position.position(),
                rules: Some(self.start.rules()),
                depth: self.depth,
                convention: self.convention.proto().into(),
            })
            .await?;
        let mut nodes = Vec::new();
        let mut depth = 0;
        while let Some(count) = counts.next().await.map_err(|error| ended(depth, error))? {
            if !count.complete {
                continue;
            }
            depth = count.depth;
            nodes.push(count.nodes);
            if context.output.form() == Form::Text {
                let elapsed = count
                    .elapsed
                    .and_then(|time| Duration::try_from(time).ok())
                    .unwrap_or_default();
                Output::text(format_args!(
                    "{:>3}  {:>20}  {elapsed:.3?}",
                    count.depth, count.nodes
                ))?;
            }
        }
        if context.output.form() == Form::Json {
            Output::json(&CountsView { nodes })?;
        }
        Ok(())
    }
}

/// Why a count ended that had been answered to `depth`; 0 before the first answer.
fn ended(depth: i32, source: Error) -> Failure {
    let time_up = matches!(source, Error::DeadlineExceeded { .. })
        || source.code() == Some(Code::DeadlineExceeded);
    if time_up && depth > 0 {
        Failure::TimeUp { depth, source }
    } else {
        source.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_that_was_answered_says_how_far_it_came() {
        let late = || Error::DeadlineExceeded {
            timeout: Duration::from_secs(1),
            last: None,
        };
        let cut = ended(7, late());
        assert_eq!(cut.to_string(), "the time was up after depth 7");
        assert_eq!(cut.body().reason, "DEADLINE_EXCEEDED");
        assert_eq!(ended(0, late()).to_string(), "no answer within 1s");
    }
}
