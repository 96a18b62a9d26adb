//! `reversi opening`.

use std::fmt;

use clap::Args;
use reversi_client::proto::{BalancedOpening, DrawBalancedOpeningRequest};
use serde::Serialize;

use super::{args::OpeningArgs, context::Context, failure::Failure};

/// Draw a balanced opening
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  reversi opening\n  reversi opening --balance within-two-discs \
                  --opening-seed 7 --json"
)]
pub(crate) struct Opening {
    #[command(flatten)]
    opening: OpeningArgs,
}

impl Opening {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = context.connect().await?;
        let drawn = client
            .openings()
            .draw_balanced_opening(DrawBalancedOpeningRequest {
                choice: self.opening.choice(),
            })
            .await?;
        let opening = drawn.opening.ok_or(Failure::Lacking("opening"))?;
        context
            .output
            .write(&OpeningView::from(opening), ToString::to_string)?;
        Ok(())
    }
}

/// An opening for programs.
#[derive(Debug, Serialize)]
struct OpeningView {
    moves: String,
    /// What it is worth for Black, in discs.
    value: f32,
    depth: u32,
    index: u32,
    list_size: u32,
    list_version: u32,
}

impl From<BalancedOpening> for OpeningView {
    fn from(opening: BalancedOpening) -> Self {
        Self {
            moves: opening.moves,
            value: opening.value,
            depth: opening.depth,
            index: opening.index,
            list_size: opening.list_size,
            list_version: opening.list_version,
        }
    }
}

impl fmt::Display for OpeningView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            moves,
            value,
            depth,
            index,
            list_size,
            list_version,
        } = self;
        write!(
            f,
            "{moves}, worth {value:+.2} discs for Black at depth {depth} \
             (number {index} of {list_size}, version {list_version})"
        )
    }
}
