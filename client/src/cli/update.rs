//! `reversi update`.

use clap::{Args, ValueEnum};
use reversi_client::{
    game_name,
    proto::{LegalMovesDisplay, UpdateGameRequest},
};

use super::{
    context::Context,
    failure::Failure,
    view::{GameView, game_text},
};

/// Show or hide the legal moves of a stored game
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  reversi update abcdefghijklmnopqrst --legal-moves hidden")]
pub(crate) struct Update {
    /// The game's name or id
    name: String,
    /// Whether the game's answers list the legal moves
    #[arg(long, value_enum)]
    legal_moves: Display,
    /// The etag the game must have
    #[arg(long, default_value = "", hide_default_value = true)]
    etag: String,
}

/// Whether the legal moves are listed.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Display {
    /// They are
    Shown,
    /// They are not
    Hidden,
}

impl Update {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = context.connect().await?;
        let display = match self.legal_moves {
            Display::Shown => LegalMovesDisplay::Shown,
            Display::Hidden => LegalMovesDisplay::Hidden,
        };
        let updated = client
            .games()
            .update_game(UpdateGameRequest {
                name: game_name(&self.name),
                legal_moves_display: display.into(),
                etag: self.etag,
                ..Default::default()
            })
            .await?;
        let game = updated.game.ok_or(Failure::Lacking("game"))?;
        context.output.write(&GameView::from(&game), |_| {
            game_text(&game, context.output.board_style())
        })?;
        Ok(())
    }
}
