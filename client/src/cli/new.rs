//! `reversi new`.

use clap::Args;
use reversi_client::proto::{CreateGameRequest, Seat};

use super::{
    args::{PositionArgs, RuleArgs},
    context::Context,
    failure::Failure,
    view::{GameView, game_text},
};

/// Create a stored game
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  reversi new --black Ada --white Grace\n  \
                  reversi new --objective fewest-discs --json | jq -r .name")]
pub(crate) struct New {
    #[command(flatten)]
    position: PositionArgs,
    #[command(flatten)]
    rules: RuleArgs,
    /// Black's name
    #[arg(
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true
    )]
    black: String,
    /// White's name
    #[arg(
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true
    )]
    white: String,
}

impl New {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = context.connect().await?;
        let created = client
            .games()
            .create_game(CreateGameRequest {
                rules: Some(self.rules.rules(self.position.position())),
                black_seat: Some(seat(self.black)),
                white_seat: Some(seat(self.white)),
                ..Default::default()
            })
            .await?;
        let game = created.game.ok_or(Failure::Lacking("game"))?;
        context.output.write(&GameView::from(&game), |_| {
            game_text(&game, context.output.board_style())
        })?;
        Ok(())
    }
}

/// A seat of somebody with a name.
pub(crate) fn seat(display_name: String) -> Seat {
    Seat {
        display_name,
        ..Default::default()
    }
}
