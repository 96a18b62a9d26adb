//! `reversi show`, and fetching a game for other commands.

use clap::Args;
use reversi_client::{
    Client, game_name,
    proto::{Game, GetGameRequest},
};

use super::{
    context::Context,
    failure::Failure,
    view::{GameView, full_text},
};

/// Show a stored game: board, players, etag and moves
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  reversi show games/abcdefghijklmnopqrst")]
pub(crate) struct Show {
    /// The game's name or id
    name: String,
}

impl Show {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = context.connect().await?;
        let game = fetch(&client, &self.name).await?;
        context.output.write(&GameView::from(&game), |_| {
            full_text(&game, context.output.board_style())
        })?;
        Ok(())
    }
}

/// The game with that name or id.
pub(crate) async fn fetch(client: &Client, name: &str) -> Result<Game, Failure> {
    let name = game_name(name);
    let got = client.games().get_game(GetGameRequest { name }).await?;
    got.game.ok_or(Failure::Lacking("game"))
}
