//! `reversi rematch`.

use clap::{Args, ValueEnum};
use reversi_client::{
    game_name,
    proto::{Color, RematchColors, RematchRequest},
};

use super::{
    context::Context,
    failure::Failure,
    view::{SeatedView, Tokens, seated_text},
};

/// Play again: create the game that follows one that is over, or find it
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  reversi rematch abcdefghijklmnopqrst --colors keep")]
pub(crate) struct Rematch {
    /// The name or id of the game that is over
    name: String,
    /// Who gets which colour
    #[arg(long, value_enum, default_value_t = Colors::Swap)]
    colors: Colors,
}

/// Who gets which colour in a rematch.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Colors {
    /// The other one
    Swap,
    /// The same
    Keep,
    /// Lots are drawn
    Lots,
}

impl Rematch {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = context.connect().await?;
        let colors = match self.colors {
            Colors::Swap => RematchColors::Swap,
            Colors::Keep => RematchColors::Keep,
            Colors::Lots => RematchColors::Lots,
        };
        let rematched = client
            .games()
            .rematch(RematchRequest {
                name: game_name(&self.name),
                colors: colors.into(),
                ..Default::default()
            })
            .await?;
        let tokens = Tokens::of(&rematched);
        let game = rematched
            .into_answer()
            .game
            .ok_or(Failure::Lacking("game"))?;
        let view = SeatedView::new(&game, Color::Unspecified, tokens);
        context.output.write(&view, |view| {
            seated_text(&game, view, context.output.board_style())
        })?;
        Ok(())
    }
}
