//! `reversi list`.

use clap::{Args, ValueEnum};
use reversi_client::proto::{Game, GameState, ListGamesRequest};
use serde::Serialize;

use super::{
    context::Context,
    failure::Failure,
    filter::Filter,
    view::{GameView, standing},
};

/// List the stored games, newest first
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  reversi list --state finished --limit 10")]
pub(crate) struct List {
    /// Only games in this state
    #[arg(long, value_enum, default_value_t = State::Any)]
    state: State,
    #[command(flatten)]
    filter: Filter,
    /// The most games to list
    #[arg(
        long,
        default_value_t = 50,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    limit: u32,
}

/// Where a game stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum State {
    /// Any state
    Any,
    /// Moves can be played
    InProgress,
    /// A seat is open
    Waiting,
    /// Both players have left their seats to the engine
    Paused,
    /// Over
    Finished,
}

/// Games for programs.
#[derive(Debug, Serialize)]
struct ListView {
    games: Vec<GameView>,
}

impl List {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let games = self.games(context).await?;
        let view = ListView {
            games: games.iter().map(GameView::from).collect(),
        };
        context.output.write(&view, |_| {
            if games.is_empty() {
                return "no games".to_owned();
            }
            let lines: Vec<_> = games.iter().map(standing).collect();
            lines.join("\n")
        })?;
        Ok(())
    }

    /// All pages up to the limit.
    async fn games(&self, context: &Context) -> Result<Vec<Game>, Failure> {
        let client = context.connect().await?;
        let state = match self.state {
            State::Any => GameState::Unspecified,
            State::InProgress => GameState::InProgress,
            State::Waiting => GameState::Waiting,
            State::Paused => GameState::Paused,
            State::Finished => GameState::Finished,
        };
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let mut games = Vec::new();
        let mut page_token = String::new();
        while games.len() < limit {
            let page = client
                .games()
                .list_games(ListGamesRequest {
                    page_size: i32::try_from(limit - games.len()).unwrap_or(i32::MAX),
                    page_token,
                    state: state.into(),
                    player_id: self.filter.player.clone(),
                    label: self.filter.label.clone(),
                })
                .await?;
            games.extend(page.games);
            page_token = page.next_page_token;
            if page_token.is_empty() {
                break;
            }
        }
        games.truncate(limit);
        Ok(games)
    }
}
