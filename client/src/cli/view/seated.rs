//! A game with the tokens of seats that came with it.

use reversi_client::{
    BoardStyle, Seated,
    proto::{Color, Game},
};
use serde::Serialize;

use super::{GameView, game_text, side};

/// A game with the tokens of seats that came with it, for programs.
#[derive(Debug, Serialize)]
pub(crate) struct SeatedView {
    #[serde(flatten)]
    game: GameView,
    /// The side that the caller plays.
    #[serde(skip_serializing_if = "Option::is_none")]
    side: Option<&'static str>,
    #[serde(flatten)]
    tokens: Tokens,
}

/// The tokens of seats.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Tokens {
    #[serde(skip_serializing_if = "Option::is_none")]
    seat_token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    black_seat_token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    white_seat_token: Option<String>,
}

impl Tokens {
    pub(crate) fn of<T>(seated: &Seated<T>) -> Self {
        Self {
            seat_token: seated.seat_token().map(str::to_owned),
            black_seat_token: seated.black_seat_token().map(str::to_owned),
            white_seat_token: seated.white_seat_token().map(str::to_owned),
        }
    }
}

impl SeatedView {
    pub(crate) fn new(game: &Game, own: Color, tokens: Tokens) -> Self {
        Self {
            game: game.into(),
            side: side(own),
            tokens,
        }
    }
}

/// The same for people: the board, then the side and the tokens, a line each.
pub(crate) fn seated_text(game: &Game, view: &SeatedView, style: BoardStyle) -> String {
    let mut text = game_text(game, style);
    let side = view.side.map(|side| format!("you play {side}"));
    let token = |whose: &str, token: &Option<String>| {
        let token = token.as_ref()?;
        Some(format!("{whose} seat token  {token}"))
    };
    let tokens = &view.tokens;
    let lines = [
        side,
        token("your", &tokens.seat_token),
        token("X's", &tokens.black_seat_token),
        token("O's", &tokens.white_seat_token),
    ];
    for line in lines.into_iter().flatten() {
        text.push('\n');
        text.push_str(&line);
    }
    text
}
