//! `reversi new`.

use std::time::Duration;

use clap::{Args, ValueEnum};
use reversi_client::proto::{
    self, Clock, Color, CreateGameRequest, OnExpiry, Seat, SeatOccupant, TotalTime, clock::Time,
};

use super::{
    args::{self, PositionArgs, RuleArgs, Side, api_duration},
    context::Context,
    failure::Failure,
    view::{SeatedView, Tokens, seated_text},
};

/// Create a stored game
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  reversi new --black Ada --white Grace\n  \
                  reversi new --white-level 3 --clock 5m --increment 3s\n  \
                  reversi new --open O --color-policy draw-lots --seat-tokens\n  \
                  reversi new --objective fewest-discs --json | jq -r .name")]
pub(crate) struct New {
    #[command(flatten)]
    position: PositionArgs,
    #[command(flatten)]
    rules: RuleArgs,
    /// The moves that have been played already
    #[arg(
        long,
        value_name = "MOVES",
        default_value = "",
        hide_default_value = true
    )]
    transcript: String,
    /// How many plies of the game so far nobody is to take back, a balanced opening's included
    #[arg(long, value_name = "N", default_value_t = 0, requires = "transcript")]
    prelude: i32,
    /// A word to find the game by; may be given several times
    #[arg(long, value_name = "WORD")]
    label: Vec<String>,
    /// Your id of the game
    #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
    external_id: String,
    // Last: options after them would be told under their headings.
    #[command(flatten)]
    players: Players,
    #[command(flatten)]
    timing: Timing,
}

/// Who plays.
#[derive(Debug, Args)]
#[command(next_help_heading = "Seats")]
struct Players {
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
    /// The engine plays Black, so well
    #[arg(long, value_name = "1-10")]
    black_level: Option<i32>,
    /// The engine plays White, so well
    #[arg(long, value_name = "1-10")]
    white_level: Option<i32>,
    /// A seat that nobody has yet; may be given for both
    #[arg(
        long,
        value_name = "X|O",
        ignore_case = true,
        hide_possible_values = true
    )]
    open: Vec<Side>,
    /// Who gets which colour
    #[arg(long, value_enum, default_value_t = ColorPolicy::AsGiven)]
    color_policy: ColorPolicy,
    /// Only who has the token of a seat acts for it
    #[arg(long)]
    seat_tokens: bool,
    /// How well the engine plays for a person who has left, or whose time is over [default: 5]
    #[arg(long, value_name = "1-10")]
    substitute_level: Option<i32>,
    /// How long a player may be absent before the engine takes the seat
    #[arg(long, value_name = "TIME", value_parser = args::duration)]
    presence: Option<Duration>,
}

/// How a game is timed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Clock")]
struct Timing {
    /// The time of each side for the game
    #[arg(long, value_name = "TIME", value_parser = args::duration, conflicts_with = "per_move")]
    clock: Option<Duration>,
    /// What each move adds
    #[arg(long, value_name = "TIME", value_parser = args::duration, requires = "clock")]
    increment: Option<Duration>,
    /// The time for each move
    #[arg(long, value_name = "TIME", value_parser = args::duration)]
    per_move: Option<Duration>,
    /// What happens when a time is over
    #[arg(long, value_enum, default_value_t = Expiry::Lose)]
    on_expiry: Expiry,
}

/// Who gets which colour.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum ColorPolicy {
    /// Everybody the seat that was given or claimed
    AsGiven,
    /// Who sits down first is Black
    FirstToSitIsBlack,
    /// Lots are drawn
    DrawLots,
}

/// What happens when a time is over.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Expiry {
    /// The side has lost
    Lose,
    /// The engine makes this one move
    EngineMovesOnce,
    /// The engine takes the seat
    EngineTakesSeat,
}

impl New {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = context.connect().await?;
        let created = client.games().create_game(self.request()).await?;
        let tokens = Tokens::of(&created);
        let game = created.into_answer().game.ok_or(Failure::Lacking("game"))?;
        let view = SeatedView::new(&game, Color::Unspecified, tokens);
        context.output.write(&view, |view| {
            seated_text(&game, view, context.output.board_style())
        })?;
        Ok(())
    }

    fn request(self) -> CreateGameRequest {
        let players = self.players;
        let open = |side| players.open.contains(&side);
        let policy = match players.color_policy {
            ColorPolicy::AsGiven => proto::ColorPolicy::AsGiven,
            ColorPolicy::FirstToSitIsBlack => proto::ColorPolicy::FirstToSitIsBlack,
            ColorPolicy::DrawLots => proto::ColorPolicy::DrawLots,
        };
        let (black_open, white_open) = (open(Side::Black), open(Side::White));
        CreateGameRequest {
            rules: Some(self.rules.rules(self.position.position())),
            black_seat: Some(occupied(players.black, players.black_level, black_open)),
            white_seat: Some(occupied(players.white, players.white_level, white_open)),
            clock: self.timing.clock(),
            color_policy: policy.into(),
            substitute_level: players.substitute_level.unwrap_or_default(),
            seat_tokens: players.seat_tokens,
            presence_ttl: players.presence.map(api_duration),
            labels: self.label,
            external_id: self.external_id,
            transcript: self.transcript,
            prelude_ply: self.prelude,
            ..Default::default()
        }
    }
}

impl Timing {
    fn clock(&self) -> Option<Clock> {
        let total = |initial| {
            Time::Total(TotalTime {
                initial: Some(api_duration(initial)),
                increment: self.increment.map(api_duration),
            })
        };
        let per_move = |time| Time::PerMove(api_duration(time));
        let time = self.clock.map(total).or(self.per_move.map(per_move))?;
        let on_expiry = match self.on_expiry {
            Expiry::Lose => OnExpiry::Lose,
            Expiry::EngineMovesOnce => OnExpiry::EngineMovesOnce,
            Expiry::EngineTakesSeat => OnExpiry::EngineTakesSeat,
        };
        Some(Clock {
            on_expiry: on_expiry.into(),
            time: Some(time),
        })
    }
}

/// A seat of nobody, of the engine if it has a level, or of a person. The service refuses an open
/// seat with a level.
fn occupied(display_name: String, level: Option<i32>, open: bool) -> Seat {
    let occupant = match level {
        _ if open => SeatOccupant::Open,
        Some(_) => SeatOccupant::Engine,
        None => SeatOccupant::Person,
    };
    Seat {
        occupant: occupant.into(),
        level: level.unwrap_or_default(),
        ..seat(display_name)
    }
}

/// A seat of somebody with a name.
pub(crate) fn seat(display_name: String) -> Seat {
    Seat {
        display_name,
        ..Default::default()
    }
}
