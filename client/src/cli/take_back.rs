//! `reversi takeback`.

use clap::Args;
use reversi_client::proto::{Color, Game, Move, MoveKind, TakeBackRequest};

use super::{
    acting::{Act, Acting, show_left},
    context::Context,
    failure::Failure,
    play_move::side_to_move,
};

/// Take a side's last disc back, with all that was played after it
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  reversi takeback abcdefghijklmnopqrst --side X\n\nWithout --side \
                  the last disc is taken back, whoever placed it."
)]
pub(crate) struct TakeBack {
    #[command(flatten)]
    acting: Acting,
}

impl TakeBack {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = context.connect().await?;
        let Act { name, side, etag } = self.acting.in_game(&client, last_to_place).await?;
        let taken = client
            .games()
            .take_back(TakeBackRequest {
                name,
                side,
                etag,
                ..Default::default()
            })
            .await?;
        show_left(context, taken.game)
    }
}

/// Who placed the last disc; where nobody has, the side to move, for the service to refuse.
fn last_to_place(game: &Game) -> Color {
    game.history
        .iter()
        .rfind(|played| played.kind() != MoveKind::Pass)
        .map_or_else(|| side_to_move(game), Move::side)
}
