//! `reversi answer`.

use clap::{ArgGroup, Args};
use reversi_client::proto::{AnswerTakeBackRequest, Color, Game};

use super::{
    acting::{Act, Acting, show_left},
    context::Context,
    failure::Failure,
};

/// Answer the other side's wish to take moves back
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("what").required(true).args(["accept", "decline"]),
    after_help = "Example:\n  reversi answer abcdefghijklmnopqrst --accept\n\nWithout --side the \
                  side that was asked answers."
)]
pub(crate) struct Answer {
    #[command(flatten)]
    acting: Acting,
    /// Let the moves be taken back
    #[arg(long)]
    accept: bool,
    /// Do not
    #[arg(long)]
    decline: bool,
}

impl Answer {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = context.connect().await?;
        let Act { name, side, etag } = self.acting.in_game(&client, who_was_asked).await?;
        let answered = client
            .games()
            .answer_take_back(AnswerTakeBackRequest {
                name,
                side,
                accept: self.accept,
                etag,
                ..Default::default()
            })
            .await?;
        show_left(context, answered.game)
    }
}

fn who_was_asked(game: &Game) -> Color {
    match game.take_back_proposal.map(|proposal| proposal.side()) {
        Some(Color::Black) => Color::White,
        // Without a proposal the service refuses either.
        Some(_) | None => Color::Black,
    }
}
