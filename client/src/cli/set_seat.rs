//! `reversi set-seat`.

use clap::{Args, ValueEnum};
use reversi_client::{
    game_name,
    proto::{SeatOccupant, SetSeatRequest},
};

use super::{
    args::Side,
    context::Context,
    failure::Failure,
    view::{GameView, game_text},
};

/// Leave a seat to the engine, or take it back
#[derive(Debug, Args)]
#[command(
    name = "set-seat",
    after_help = "Examples:\n  reversi set-seat abcdefghijklmnopqrst --side X engine --level 3\n  \
                  reversi set-seat abcdefghijklmnopqrst --side X person"
)]
pub(crate) struct SetSeat {
    /// The game's name or id
    name: String,
    /// Who plays the seat from now on
    #[arg(value_enum)]
    occupant: Occupant,
    /// Whose seat
    #[arg(
        long,
        value_name = "X|O",
        ignore_case = true,
        hide_possible_values = true
    )]
    side: Side,
    /// How well the engine plays, 1 to 10 [default: as the game says]
    #[arg(long, value_name = "1-10")]
    level: Option<i32>,
    /// The etag the game must have
    #[arg(long, default_value = "", hide_default_value = true)]
    etag: String,
}

/// Who plays a seat.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Occupant {
    /// The engine
    Engine,
    /// The person whose seat it is
    Person,
}

impl SetSeat {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = context.connect().await?;
        let occupant = match self.occupant {
            Occupant::Engine => SeatOccupant::Engine,
            Occupant::Person => SeatOccupant::Person,
        };
        let set = client
            .games()
            .set_seat(SetSeatRequest {
                name: game_name(&self.name),
                side: self.side.color().into(),
                occupant: occupant.into(),
                level: self.level.unwrap_or_default(),
                etag: self.etag,
                ..Default::default()
            })
            .await?;
        let game = set.game.ok_or(Failure::Lacking("game"))?;
        context.output.write(&GameView::from(&game), |_| {
            game_text(&game, context.output.board_style())
        })?;
        Ok(())
    }
}
