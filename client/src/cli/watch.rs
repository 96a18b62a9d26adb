//! `reversi watch`.

use clap::Args;
use reversi_client::{
    GameWatch, game_name,
    proto::{
        GameEvent, GameStatus, HandOverCause, WatchGameRequest, game_event::Kind,
        watch_game_response::Update,
    },
};
use serde::Serialize;

use super::{
    args::Side,
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
    /// The side that you play: while you watch, you count as there
    #[arg(
        long,
        value_name = "X|O",
        ignore_case = true,
        hide_possible_values = true
    )]
    side: Option<Side>,
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
    TakeBackProposed {
        etag: String,
        side: Option<&'static str>,
        ply: i32,
        after: Option<StatusView>,
    },
    TakeBackDeclined {
        etag: String,
        side: Option<&'static str>,
        after: Option<StatusView>,
    },
    TimeExpired {
        etag: String,
        side: Option<&'static str>,
        after: Option<StatusView>,
    },
    SeatClaimed {
        etag: String,
        side: Option<&'static str>,
        after: Option<StatusView>,
    },
    SeatHandedOver {
        etag: String,
        side: Option<&'static str>,
        level: i32,
        absent: bool,
        after: Option<StatusView>,
    },
    SeatReturned {
        etag: String,
        side: Option<&'static str>,
        after: Option<StatusView>,
    },
    LegalMovesDisplayChanged {
        etag: String,
        after: Option<StatusView>,
    },
    Rematched {
        etag: String,
        next_game: String,
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
                side: self.side.map_or(0, |side| side.color().into()),
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
            Some(Kind::TakeBackProposed(proposed)) => Self::TakeBackProposed {
                etag,
                side: side(proposed.side()),
                ply: proposed.ply,
                after,
            },
            Some(Kind::TakeBackDeclined(declined)) => Self::TakeBackDeclined {
                etag,
                side: side(declined.side()),
                after,
            },
            Some(Kind::TimeExpired(expired)) => Self::TimeExpired {
                etag,
                side: side(expired.side()),
                after,
            },
            Some(Kind::SeatClaimed(claimed)) => Self::SeatClaimed {
                etag,
                side: side(claimed.side()),
                after,
            },
            Some(Kind::SeatHandedOver(handed)) => Self::SeatHandedOver {
                etag,
                side: side(handed.side()),
                level: handed.level,
                absent: handed.cause() == HandOverCause::Absent,
                after,
            },
            Some(Kind::SeatReturned(returned)) => Self::SeatReturned {
                etag,
                side: side(returned.side()),
                after,
            },
            Some(Kind::LegalMovesDisplayChanged(_)) => {
                Self::LegalMovesDisplayChanged { etag, after }
            }
            Some(Kind::Rematched(rematched)) => Self::Rematched {
                etag,
                next_game: rematched.next_game.clone(),
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
        Some(kind) => (other_text(kind), None),
        None => ("the game changed".to_owned(), None),
    };
    match &event.after {
        Some(after) => format!("{what}\n{}", drawn(after, last, output)),
        None => what,
    }
}

/// What happened beside moves, take-backs and resignations.
fn other_text(kind: &Kind) -> String {
    let who = |color| side(color).unwrap_or("somebody");
    match kind {
        Kind::TakeBackProposed(proposed) => {
            let side = who(proposed.side());
            format!("{side} asks to take back to ply {}", proposed.ply)
        }
        Kind::TakeBackDeclined(declined) => {
            format!("{} does not let take back", who(declined.side()))
        }
        Kind::TimeExpired(expired) => format!("{}'s time is over", who(expired.side())),
        Kind::SeatClaimed(claimed) => format!("{}'s seat is taken", who(claimed.side())),
        Kind::SeatHandedOver(handed) => {
            let side = who(handed.side());
            format!("the engine plays {side} at level {}", handed.level)
        }
        Kind::SeatReturned(returned) => format!("{}'s player is back", who(returned.side())),
        Kind::LegalMovesDisplayChanged(_) => {
            "the legal moves are shown or hidden from now on".to_owned()
        }
        Kind::Rematched(rematched) => format!("the next game is {}", rematched.next_game),
        Kind::Deleted(_) => "the game was deleted".to_owned(),
        Kind::Expired(_) => "the game has expired".to_owned(),
        Kind::MovesPlayed(_) | Kind::TakenBack(_) | Kind::Resigned(_) => {
            "the game changed".to_owned()
        }
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
