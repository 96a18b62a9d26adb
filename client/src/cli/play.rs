//! `reversi play`: a game against the engine in the terminal.

mod command;
mod events;
mod lines;
mod session;

use std::time::Duration;

use clap::Args;
use reversi_client::{
    Client,
    proto::{CreateGameRequest, Game},
};

use self::{
    events::Events,
    lines::Lines,
    session::{Engine, Session},
};
use super::{
    args::{self, CustomStartArgs, RuleArgs, Side},
    context::Context,
    failure::Failure,
    new::seat,
    output::Output,
    show,
};

/// Play against the engine
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  reversi play\n  reversi play --side O --level 3 \
                        --objective fewest-discs\n  reversi play --game abcdefghijklmnopqrst\n\n\
                        The game is stored on the service, so it can be left and gone on with."
)]
pub(crate) struct Play {
    /// Your side
    #[arg(
        long,
        value_name = "X|O",
        default_value = "X",
        ignore_case = true,
        hide_possible_values = true
    )]
    side: Side,
    /// How long the engine thinks about a move
    #[arg(long, default_value = "1s", value_parser = args::duration)]
    time: Duration,
    /// How strong the engine plays, from 1 (a beginner) to 10
    #[arg(long, value_name = "1-10", value_parser = clap::value_parser!(i32).range(1..=10))]
    level: Option<i32>,
    /// Go on with a stored game, by name or id
    #[arg(long, value_name = "NAME")]
    game: Option<String>,
    #[command(flatten)]
    start: CustomStartArgs,
    #[command(flatten)]
    rules: RuleArgs,
}

impl Play {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = context
            .connect()
            .await?
            .with_timeout(context.thinking_timeout(Some(self.time)));
        let game = self.game(&client).await?;
        let name = game.name.clone();
        let events = Events::new(context.output);
        events.start(&game, self.side)?;
        let engine = Engine {
            time: self.time,
            level: self.level,
        };
        let mut session = Session::new(client, game, self.side, engine, events);
        tokio::select! {
            result = session.run(Lines::of_stdin()) => result,
            interrupted = tokio::signal::ctrl_c() => {
                interrupted?;
                Output::note(format_args!("the game is kept: reversi play --game {name}"));
                Err(Failure::Interrupted)
            }
        }
    }

    /// The game to go on with, or a new one.
    async fn game(&self, client: &Client) -> Result<Game, Failure> {
        if let Some(name) = &self.game {
            return show::fetch(client, name).await;
        }
        let (you, engine) = (seat("you".to_owned()), seat("engine".to_owned()));
        let (black_seat, white_seat) = match self.side {
            Side::Black => (you, engine),
            Side::White => (engine, you),
        };
        let created = client
            .games()
            .create_game(CreateGameRequest {
                rules: Some(self.rules.rules(self.start.position())),
                black_seat: Some(black_seat),
                white_seat: Some(white_seat),
                ..Default::default()
            })
            .await?;
        created.into_answer().game.ok_or(Failure::Lacking("game"))
    }
}
