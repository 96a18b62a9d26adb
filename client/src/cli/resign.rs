//! `reversi resign`.

use clap::Args;
use reversi_client::{game_name, proto::ResignRequest};

use super::{
    args::Side,
    context::Context,
    failure::Failure,
    play_move::side_to_move,
    show,
    view::{GameView, game_text},
};

/// Give up a stored game: the other side wins
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  reversi resign abcdefghijklmnopqrst --side O\n\nWithout --side \
                  the side to move gives up."
)]
pub(crate) struct Resign {
    /// The game's name or id
    name: String,
    /// Who gives up
    #[arg(
        long,
        value_name = "X|O",
        ignore_case = true,
        hide_possible_values = true
    )]
    side: Option<Side>,
    /// The etag the game must have
    #[arg(long)]
    etag: Option<String>,
}

impl Resign {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = context.connect().await?;
        let (side, etag) = match self.side {
            Some(side) => (side.color(), self.etag.unwrap_or_default()),
            None => {
                let game = show::fetch(&client, &self.name).await?;
                (side_to_move(&game), self.etag.unwrap_or(game.etag))
            }
        };
        let resigned = client
            .games()
            .resign(ResignRequest {
                name: game_name(&self.name),
                side: side.into(),
                etag,
                ..Default::default()
            })
            .await?;
        let game = resigned.game.ok_or(Failure::Lacking("game"))?;
        context.output.write(&GameView::from(&game), |_| {
            game_text(&game, context.output.board_style())
        })?;
        Ok(())
    }
}
