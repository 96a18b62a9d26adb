//! `reversi watch`.

use clap::Args;
use reversi_client::{
    GameWatch, game_name,
    proto::{
        GameEvent, GameStatus, WatchGameRequest, game_event::Kind, watch_game_response::Update,
    },
};
use serde::Serialize;

use super::{
    context::Context,
    failure::Failure,
    output::Output,
    view::{GameView, MoveView, StatusView, board, game_text, legal_squares, side, status_text},
};

/// Watch a stored game: print it and each change until interrupted or the game is gone
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  reversi watch abcdefghijklmnopqrst --json\n\nWhen the connection \
                  drops it goes on where it was."
)]
pub(crate) struct Watch {
    /// The game's name or id
    name: String,
    /// Print only what changed after this etag
    #[arg(
        long,
        value_name = "ETAG",
        default_value = "",
        hide_default_value = true
    )]
    after: String,
}

/// A line of a watch, for programs.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum UpdateView {
    Snapshot {
        reset: bool,
        game: Box<GameView>,
    },
    Moves {
        etag: String,
        moves: Vec<MoveView>,
        after: Option<StatusView>,
    },
    TakenBack {
        etag: String,
        side: Option<&'static str>,
        after: Option<StatusView>,
    },
    Resigned {
        etag: String,
        side: Option<&'static str>,
        after: Option<StatusView>,
    },
    Deleted {
        etag: String,
    },
    Expired {
        etag: String,
    },
    /// A kind of event that this program does not know.
    Other {
        etag: String,
        after: Option<StatusView>,
    },
}

impl Watch {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        tokio::select! {
            result = self.follow(context) => result,
            // Being interrupted is how a watch usually ends.
            _ = tokio::signal::ctrl_c() => Ok(()),
        }
    }

    async fn follow(&self, context: &Context) -> Result<(), Failure> {
        let client = context.connect().await?;
        let mut watch = client
            .games()
            .watch_game(WatchGameRequest {
                name: game_name(&self.name),
                after_etag: self.after.clone(),
            })
            .await?;
        loop {
            match watch.next().await {
                Ok(Some(update)) => context.output.write(&UpdateView::from(&update), |_| {
                    text(&update, context.output)
                })?,
                Ok(None) => return Ok(()),
                Err(error) if error.is_retryable() => {
                    Output::note(format_args!("{error}; trying again"));
                    resume(&mut watch).await?;
                    Output::note("the watch goes on");
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Tries again until the watch stands, without a word: the outage has been told.
async fn resume(watch: &mut GameWatch) -> Result<(), Failure> {
    while let Err(error) = watch.resume().await {
        if !error.is_retryable() {
            return Err(error.into());
        }
    }
    Ok(())
}

impl From<&Update> for UpdateView {
    fn from(update: &Update) -> Self {
        match update {
            Update::Snapshot(snapshot) => Self::Snapshot {
                reset: snapshot.reset,
                game: Box::new(GameView::from(&snapshot.game.clone().unwrap_or_default())),
            },
            Update::Event(event) => event.into(),
        }
    }
}

impl From<&GameEvent> for UpdateView {
    fn from(event: &GameEvent) -> Self {
        let etag = event.etag.clone();
        let after = event.after.as_ref().map(StatusView::from);
        match &event.kind {
            Some(Kind::MovesPlayed(played)) => Self::Moves {
                etag,
                moves: played.moves.iter().map(MoveView::from).collect(),
                after,
            },
            Some(Kind::TakenBack(taken)) => Self::TakenBack {
                etag,
                side: side(taken.side()),
                after,
            },
            Some(Kind::Resigned(resigned)) => Self::Resigned {
                etag,
                side: side(resigned.side()),
                after,
            },
            Some(Kind::Deleted(_)) => Self::Deleted { etag },
            Some(Kind::Expired(_)) => Self::Expired { etag },
            None => Self::Other { etag, after },
        }
    }
}

fn text(update: &Update, output: Output) -> String {
    let event = match update {
        Update::Snapshot(snapshot) => {
            let game = snapshot.game.clone().unwrap_or_default();
            return game_text(&game, output.board_style());
        }
        Update::Event(event) => event,
    };
    let (what, last) = match &event.kind {
        Some(Kind::MovesPlayed(played)) => {
            let moves: Vec<_> = played.moves.iter().map(MoveView::from).collect();
            let lines: Vec<_> = moves.iter().map(ToString::to_string).collect();
            (lines.join("\n"), moves.into_iter().next())
        }
        Some(Kind::TakenBack(taken)) => {
            let side = side(taken.side()).unwrap_or("somebody");
            (format!("{side} takes back to ply {}", taken.ply), None)
        }
        Some(Kind::Resigned(resigned)) => {
            let side = side(resigned.side()).unwrap_or("somebody");
            (format!("{side} resigns"), None)
        }
        Some(Kind::Deleted(_)) => ("the game was deleted".to_owned(), None),
        Some(Kind::Expired(_)) => ("the game has expired".to_owned(), None),
        None => ("the game changed".to_owned(), None),
    };
    match &event.after {
        Some(after) => format!("{what}\n{}", drawn(after, last, output)),
        None => what,
    }
}

fn drawn(status: &GameStatus, last: Option<MoveView>, output: Output) -> String {
    let legal = status
        .legal_moves
        .as_ref()
        .map_or_else(Vec::new, legal_squares);
    let last = last.map(|played| played.square);
    let drawn = board(
        &status.board_text,
        &legal,
        last.as_deref(),
        output.board_style(),
    );
    format!("{drawn}\n{}", status_text(status))
}
