//! `reversi answer`.

use clap::{ArgGroup, Args};
use reversi_client::{game_name, proto::AnswerTakeBackRequest};

use super::{
    args::Side,
    context::Context,
    failure::Failure,
    show,
    view::{GameView, game_text},
};

/// Answer the other side's wish to take moves back
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("what").required(true).args(["accept", "decline"]),
    after_help = "Example:\n  reversi answer abcdefghijklmnopqrst --accept"
)]
pub(crate) struct Answer {
    /// The game's name or id
    name: String,
    /// Let the moves be taken back
    #[arg(long)]
    accept: bool,
    /// Do not
    #[arg(long)]
    decline: bool,
    /// Who answers [default: who was asked]
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

impl Answer {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = context.connect().await?;
        let (side, etag) = match self.side {
            Some(side) => (side, self.etag.unwrap_or_default()),
            None => {
                let game = show::fetch(&client, &self.name).await?;
                let proposer = game.take_back_proposal.map(|proposal| proposal.side());
                let asked = match proposer {
                    Some(reversi_client::proto::Color::Black) => Side::White,
                    // Without a proposal the service refuses either.
                    Some(_) | None => Side::Black,
                };
                (asked, self.etag.unwrap_or(game.etag))
            }
        };
        let answered = client
            .games()
            .answer_take_back(AnswerTakeBackRequest {
                name: game_name(&self.name),
                side: side.color().into(),
                accept: self.accept,
                etag,
                ..Default::default()
            })
            .await?;
        let game = answered.game.ok_or(Failure::Lacking("game"))?;
        context.output.write(&GameView::from(&game), |_| {
            game_text(&game, context.output.board_style())
        })?;
        Ok(())
    }
}
