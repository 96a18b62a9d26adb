//! `reversi solve`.

use clap::Args;
use reversi_client::proto::{SolvePositionRequest, SolvePositionResponse};

use super::{
    context::Context,
    failure::Failure,
    subject::{LinesArgs, SubjectArgs},
    view::{Step, StepView},
};

/// Find the result of best play by both sides: a line each step, the exact one last
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  reversi solve --side X \\\n    --board \
                  XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO-\n\nWithout --timeout \
                  it may take ten minutes.")]
pub(crate) struct Solve {
    #[command(flatten)]
    subject: SubjectArgs,
    #[command(flatten)]
    lines: LinesArgs,
}

impl Solve {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = context.connect().await?;
        let mut steps = client
            .with_timeout(context.analysis_timeout(None))
            .analysis()
            .solve_position(SolvePositionRequest {
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

impl From<SolvePositionResponse> for Step {
    fn from(response: SolvePositionResponse) -> Self {
        Self {
            analysis: response.analysis,
            r#final: response.r#final,
            etag: response.etag,
            weights: response.weights,
        }
    }
}
