//! `reversi legal`.

use clap::Args;
use reversi_client::proto::ListLegalMovesRequest;

use super::{
    args::{PositionArgs, StartArgs},
    context::Context,
    failure::Failure,
    view::LegalView,
};

/// List the legal moves of a position with the discs they turn
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  reversi legal\n  reversi legal --json --side O --board \
                        ---------------------------OX------XO---------------------------"
)]
pub(crate) struct Legal {
    #[command(flatten)]
    position: PositionArgs,
    #[command(flatten)]
    start: StartArgs,
}

impl Legal {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = context.connect().await?;
        let listed = client
            .rules()
            .list_legal_moves(ListLegalMovesRequest {
                position: self.position.position(),
                rules: Some(self.start.rules()),
                ..Default::default()
            })
            .await?;
        let legal = listed.legal_moves.ok_or(Failure::Lacking("legal_moves"))?;
        context
            .output
            .write(&LegalView::from(legal), ToString::to_string)?;
        Ok(())
    }
}
