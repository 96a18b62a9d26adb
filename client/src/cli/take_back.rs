//! `reversi takeback`.

use clap::Args;
use reversi_client::{
    game_name,
    proto::{Color, Game, Move, MoveKind, TakeBackRequest},
};

use super::{
    args::Side,
    context::Context,
    failure::Failure,
    play_move::side_to_move,
    show,
    view::{GameView, game_text},
};

/// Take a side's last disc back, with all that was played after it
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  reversi takeback abcdefghijklmnopqrst --side X\n\nWithout --side \
                  the last disc is taken back, whoever placed it."
)]
pub(crate) struct TakeBack {
    /// The game's name or id
    name: String,
    /// Whose last disc
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

impl TakeBack {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = context.connect().await?;
        let (side, etag) = match self.side {
            Some(side) => (side.color(), self.etag.unwrap_or_default()),
            None => {
                let game = show::fetch(&client, &self.name).await?;
                (last_to_place(&game), self.etag.unwrap_or(game.etag))
            }
        };
        let taken = client
            .games()
            .take_back(TakeBackRequest {
                name: game_name(&self.name),
                side: side.into(),
                etag,
                ..Default::default()
            })
            .await?;
        let game = taken.game.ok_or(Failure::Lacking("game"))?;
        context.output.write(&GameView::from(&game), |_| {
            game_text(&game, context.output.board_style())
        })?;
        Ok(())
    }
}

/// Who placed the last disc; where nobody has, the side to move, for the service to refuse.
fn last_to_place(game: &Game) -> Color {
    game.history
        .iter()
        .rfind(|played| played.kind() != MoveKind::Pass)
        .map_or_else(|| side_to_move(game), Move::side)
}
