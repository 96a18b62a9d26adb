//! `reversi score`.

use clap::Args;
use reversi_client::proto::ScorePositionRequest;

use super::{
    args::{PositionArgs, PositionRuleArgs},
    context::Context,
    failure::Failure,
    view::{ScoredView, outcome_text},
};

/// Count the discs of a position and, where it is over, score it
#[derive(Debug, Args)]
#[command(
    // The service has no position of its own to score: a board must be given.
    mut_arg("board", |board| board.required(true)),
    after_help = "Example:\n  reversi score --scoring empties-to-majority --side X --board \
                  XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOO-"
)]
pub(crate) struct Score {
    #[command(flatten)]
    position: PositionArgs,
    #[command(flatten)]
    rules: PositionRuleArgs,
}

impl Score {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = context.connect().await?;
        let scored = client
            .rules()
            .score_position(ScorePositionRequest {
                position: self.position.position(),
                rules: Some(self.rules.rules()),
            })
            .await?;
        context.output.write(&ScoredView::from(&scored), |_| {
            let score = scored.score.unwrap_or_default();
            let end = scored.outcome.map_or("not over".to_owned(), |outcome| {
                outcome_text(&outcome, score.scored.map(|s| (s.black, s.white)))
            });
            format!(
                "X {}  O {}  {} empty  {end}",
                score.black, score.white, score.empties
            )
        })?;
        Ok(())
    }
}
