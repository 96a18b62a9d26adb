//! Acting for a side of a stored game: what the commands for it share.

use clap::Args;
use reversi_client::{
    Client, game_name,
    proto::{Color, Game},
};

use super::{
    args::Side,
    context::Context,
    failure::Failure,
    show,
    view::{GameView, game_text},
};

/// Who acts in which game.
#[derive(Debug, Args)]
pub(crate) struct Acting {
    /// The game's name or id
    name: String,
    /// The side that it is done for
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

/// The same as a request has it.
#[derive(Debug)]
pub(crate) struct Act {
    pub(crate) name: String,
    pub(crate) side: i32,
    pub(crate) etag: String,
}

impl Acting {
    /// With the side as given; otherwise the one that the game says, as long as it says so.
    pub(crate) async fn in_game(
        self,
        client: &Client,
        side_of: impl FnOnce(&Game) -> Color,
    ) -> Result<Act, Failure> {
        let (side, etag) = match self.side {
            Some(side) => (side.color(), self.etag.unwrap_or_default()),
            None => {
                let game = show::fetch(client, &self.name).await?;
                (side_of(&game), self.etag.unwrap_or(game.etag))
            }
        };
        Ok(Act {
            name: game_name(&self.name),
            side: side.into(),
            etag,
        })
    }
}

/// Shows the game that an act has left.
pub(crate) fn show_left(context: &Context, game: Option<Game>) -> Result<(), Failure> {
    let game = game.ok_or(Failure::Lacking("game"))?;
    context.output.write(&GameView::from(&game), |_| {
        game_text(&game, context.output.board_style())
    })?;
    Ok(())
}
