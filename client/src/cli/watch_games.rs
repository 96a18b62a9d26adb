//! `reversi watch-games`.

use clap::Args;
use reversi_client::proto::{
    GameChange, GameChangeKind, GameState, WatchGamesRequest, watch_games_response::Update,
};
use serde::Serialize;

use super::{
    context::Context,
    failure::Failure,
    filter::Filter,
    output::{Form, Output},
    view::{OutcomeView, SeatView, outcome_text, seated, side, state},
};

/// Watch many stored games: print each as it is created, changed or deleted, until interrupted
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  reversi watch-games --label cup --json\n\nWithout --player and \
                  --label: all of your games. Games that change often may be printed once for \
                  several changes. When the connection drops it goes on where it was."
)]
pub(crate) struct WatchGames {
    #[command(flatten)]
    filter: Filter,
    /// Print what has changed since an earlier watch: its last cursor, which --json prints
    #[arg(
        long,
        default_value = "",
        value_name = "CURSOR",
        hide_default_value = true
    )]
    cursor: String,
}

/// A line of a watch, for programs.
#[derive(Debug, Serialize)]
struct LineView {
    #[serde(flatten)]
    update: UpdateView,
    /// Where a later watch goes on.
    cursor: String,
}

#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum UpdateView {
    Start { missed: bool },
    Created(Box<ChangeView>),
    Changed(Box<ChangeView>),
    Finished(Box<ChangeView>),
    Deleted { name: String },
    Progress,
}

/// A game after a change, for programs.
#[derive(Debug, Serialize)]
struct ChangeView {
    name: String,
    etag: String,
    state: &'static str,
    side_to_move: Option<&'static str>,
    ply: i32,
    outcome: Option<OutcomeView>,
    black_seat: SeatView,
    white_seat: SeatView,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    external_id: String,
}

impl WatchGames {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        tokio::select! {
            result = self.follow(context) => result,
            // Being interrupted is how a watch usually ends.
            _ = tokio::signal::ctrl_c() => Ok(()),
        }
    }

    async fn follow(self, context: &Context) -> Result<(), Failure> {
        let client = context.connect().await?;
        let request = WatchGamesRequest {
            player_id: self.filter.player,
            label: self.filter.label,
            cursor: self.cursor,
        };
        let mut watch = client.games().watch_games(request).await?;
        let mut is_away = false;
        loop {
            match watch.next().await {
                Ok(None) => return Ok(()),
                Ok(Some(update)) => {
                    if std::mem::take(&mut is_away) {
                        Output::note("the watch goes on");
                    }
                    write(&update, watch.last_cursor(), context.output)?;
                }
                Err(error) if error.is_retryable() => {
                    if !std::mem::replace(&mut is_away, true) {
                        Output::note(format_args!("{error}; trying again"));
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Writes a line for an update; for people, none where there is nothing to say.
fn write(update: &Update, cursor: &str, output: Output) -> Result<(), Failure> {
    let line = LineView {
        update: UpdateView::from(update),
        cursor: cursor.to_owned(),
    };
    match (output.form(), text(update)) {
        (Form::Text, None) => Ok(()),
        (_, text) => Ok(output.write(&line, |_| text.unwrap_or_default())?),
    }
}

impl From<&Update> for UpdateView {
    fn from(update: &Update) -> Self {
        match update {
            Update::Start(start) => Self::Start {
                missed: start.missed,
            },
            Update::Progress(_) => Self::Progress,
            Update::Change(change) => match change.kind() {
                GameChangeKind::Created => Self::Created(Box::new(change.into())),
                GameChangeKind::Changed | GameChangeKind::Unspecified => {
                    Self::Changed(Box::new(change.into()))
                }
                GameChangeKind::Finished => Self::Finished(Box::new(change.into())),
                GameChangeKind::Deleted => Self::Deleted {
                    name: change.name.clone(),
                },
            },
        }
    }
}

impl From<&GameChange> for ChangeView {
    fn from(change: &GameChange) -> Self {
        Self {
            name: change.name.clone(),
            etag: change.etag.clone(),
            state: state(change.state()),
            side_to_move: side(change.side_to_move()),
            ply: change.ply,
            outcome: change.outcome.as_ref().map(Into::into),
            black_seat: change.black_seat.clone().unwrap_or_default().into(),
            white_seat: change.white_seat.clone().unwrap_or_default().into(),
            labels: change.labels.clone(),
            external_id: change.external_id.clone(),
        }
    }
}

/// An update for people: the name of the game, what became of it, who sits where, how it stands.
fn text(update: &Update) -> Option<String> {
    let change = match update {
        Update::Start(start) if start.missed => {
            return Some("changes may have been missed: list the games again".to_owned());
        }
        Update::Start(_) | Update::Progress(_) => return None,
        Update::Change(change) => change,
    };
    let name = &change.name;
    let what = match change.kind() {
        GameChangeKind::Created => "created",
        GameChangeKind::Changed | GameChangeKind::Unspecified => "changed",
        GameChangeKind::Finished => "finished",
        GameChangeKind::Deleted => return Some(format!("{name}  deleted")),
    };
    let [black, white] = [&change.black_seat, &change.white_seat].map(seated);
    let standing = match (&change.outcome, change.state()) {
        (Some(outcome), _) => outcome_text(outcome, None),
        (None, GameState::Waiting) => "waits for a player".to_owned(),
        (None, GameState::Paused) => "paused".to_owned(),
        (None, _) => format!(
            "{} to move",
            side(change.side_to_move()).unwrap_or("nobody")
        ),
    };
    Some(format!(
        "{name}  {what}  X{black}  O{white}  ply {}  {standing}",
        change.ply
    ))
}
