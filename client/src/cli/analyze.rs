//! `reversi analyze`.

use std::time::Duration;

use clap::Args;
use reversi_client::proto::{AnalyzePositionRequest, AnalyzePositionResponse};

use super::{
    context::Context,
    failure::Failure,
    subject::{BudgetArgs, LinesArgs, SubjectArgs, time_budget},
    view::{Step, StepView},
};

/// How long it goes on where nothing else is said.
const TIME: Duration = Duration::from_secs(10);

/// Analyse a position deeper and deeper: a line each step
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  reversi analyze --transcript f5d6c3 --lines 3\n  \
                  reversi analyze --game abcdefghijklmnopqrst --time 1m --json\n\nWithout a limit \
                  it goes on for ten seconds."
)]
pub(crate) struct Analyze {
    #[command(flatten)]
    subject: SubjectArgs,
    #[command(flatten)]
    budget: BudgetArgs,
    #[command(flatten)]
    lines: LinesArgs,
}

impl Analyze {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = context.connect().await?;
        let budget = self.budget.budget();
        let time = match budget {
            None => Some(TIME),
            Some(_) => self.budget.time,
        };
        let mut steps = client
            .with_timeout(context.analysis_timeout(time))
            .analysis()
            .analyze_position(AnalyzePositionRequest {
                budget: Some(budget.unwrap_or_else(|| time_budget(TIME))),
                lines: self.lines.lines,
                subject: Some(self.subject.subject().into()),
            })
            .await?;
        while let Some(step) = steps.next().await? {
            let step = StepView::from(Step::from(step));
            context.output.write(&step, ToString::to_string)?;
        }
        Ok(())
    }
}

impl From<AnalyzePositionResponse> for Step {
    fn from(response: AnalyzePositionResponse) -> Self {
        Self {
            analysis: response.analysis,
            r#final: response.r#final,
            etag: response.etag,
            weights: response.weights,
        }
    }
}
