//! `reversi move`.

use clap::Args;
use reversi_client::{
    Client, game_name,
    proto::{Color, Game, PlayMoveRequest, Position, play_move_request::Expected},
};
use serde::Serialize;

use super::{
    args::Side,
    context::Context,
    failure::Failure,
    show,
    view::{GameView, MoveView, game_text},
};

/// Play a move in a stored game
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  reversi move abcdefghijklmnopqrst f5\n  \
                  reversi move abcdefghijklmnopqrst d6 --side O --etag 1 --json\n\n\
                  Without --side and --etag the game is fetched first, and its side to move \
                  plays.")]
pub(crate) struct Move {
    /// The game's name or id
    name: String,
    /// The square a1 to h8, or pass
    square: String,
    /// Who moves
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

/// What was played, for programs.
#[derive(Debug, Serialize)]
struct PlayedView {
    moves: Vec<MoveView>,
    game: GameView,
}

impl Move {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = context.connect().await?;
        let (side, etag) = self.expected(&client).await?;
        let played = client
            .games()
            .play_move(PlayMoveRequest {
                name: game_name(&self.name),
                side: side.into(),
                square: self.square,
                expected: Some(Expected::Etag(etag)),
                ..Default::default()
            })
            .await?;
        let game = played.game.ok_or(Failure::Lacking("game"))?;
        let view = PlayedView {
            moves: played.moves.iter().map(MoveView::from).collect(),
            game: GameView::from(&game),
        };
        context.output.write(&view, |view| {
            let played: Vec<_> = view.moves.iter().map(ToString::to_string).collect();
            let board = game_text(&game, context.output.board_style());
            format!("{}\n{board}", played.join("\n"))
        })?;
        Ok(())
    }

    /// Who moves in which state of the game: as given, else as the game is now.
    async fn expected(&self, client: &Client) -> Result<(Color, String), Failure> {
        if let (Some(side), Some(etag)) = (self.side, &self.etag) {
            return Ok((side.color(), etag.clone()));
        }
        let game = show::fetch(client, &self.name).await?;
        let side = self.side.map_or_else(|| side_to_move(&game), Side::color);
        Ok((side, self.etag.clone().unwrap_or(game.etag)))
    }
}

/// The side to move; in a game that names none, Black, for the service to refuse.
pub(crate) fn side_to_move(game: &Game) -> Color {
    match game.position.as_ref().map(Position::side_to_move) {
        Some(Color::White) => Color::White,
        Some(Color::Black | Color::Unspecified) | None => Color::Black,
    }
}
