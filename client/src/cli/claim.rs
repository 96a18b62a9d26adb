//! `reversi claim`.

use clap::Args;
use reversi_client::{game_name, proto::ClaimSeatRequest};

use super::{
    args::Side,
    context::Context,
    failure::Failure,
    view::{SeatedView, Tokens, seated_text},
};

/// Take an open seat of a stored game
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  reversi claim abcdefghijklmnopqrst --as Ada\n\nIn a game with \
                  seat tokens it prints that of the seat: give it to the other commands by \
                  --seat-token."
)]
pub(crate) struct Claim {
    /// The game's name or id
    name: String,
    /// Your name
    #[arg(
        long = "as",
        value_name = "NAME",
        default_value = "",
        hide_default_value = true
    )]
    display_name: String,
    /// Your id, for programs
    #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
    player_id: String,
    /// Which seat, where the game lets you choose [default: the one that is open]
    #[arg(
        long,
        value_name = "X|O",
        ignore_case = true,
        hide_possible_values = true
    )]
    side: Option<Side>,
}

impl Claim {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = context.connect().await?;
        let claimed = client
            .games()
            .claim_seat(ClaimSeatRequest {
                name: game_name(&self.name),
                side: self.side.map_or(0, |side| side.color().into()),
                player_id: self.player_id,
                display_name: self.display_name,
                ..Default::default()
            })
            .await?;
        let tokens = Tokens::of(&claimed);
        let side = claimed.side();
        let game = claimed.into_answer().game.ok_or(Failure::Lacking("game"))?;
        let view = SeatedView::new(&game, side, tokens);
        context.output.write(&view, |view| {
            seated_text(&game, view, context.output.board_style())
        })?;
        Ok(())
    }
}
