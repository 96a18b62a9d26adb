//! `reversi resign`.

use clap::Args;
use reversi_client::proto::ResignRequest;

use super::{
    acting::{Act, Acting, show_left},
    context::Context,
    failure::Failure,
    play_move::side_to_move,
};

/// Give up a stored game: the other side wins
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  reversi resign abcdefghijklmnopqrst --side O\n\nWithout --side \
                  the side to move gives up."
)]
pub(crate) struct Resign {
    #[command(flatten)]
    acting: Acting,
}

impl Resign {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = context.connect().await?;
        let Act { name, side, etag } = self.acting.in_game(&client, side_to_move).await?;
        let resigned = client
            .games()
            .resign(ResignRequest {
                name,
                side,
                etag,
                ..Default::default()
            })
            .await?;
        show_left(context, resigned.game)
    }
}
