//! What commands write: the JSON shapes, and the same as text.

mod analysis;
mod clock;
mod game;
mod legal;
mod position;
mod seated;

pub(crate) use self::{
    analysis::{ReasonView, Step, StepView, TrustView, VariationView, millis},
    game::{
        GameView, MoveView, OutcomeView, SeatView, StatusView, full_text, game_text, legal_squares,
        seated, standing, state, status_text,
    },
    legal::LegalView,
    position::{AppliedView, ScoredView, TotalsView},
    seated::{SeatedView, Tokens, seated_text},
};

use reversi_client::{
    BoardStyle, BoardText,
    proto::{Color, EndReason, Outcome, Turn},
};

/// A side as text, `X` or `O`; nothing for no side.
pub(crate) fn side(color: Color) -> Option<&'static str> {
    match color {
        Color::Black => Some("X"),
        Color::White => Some("O"),
        Color::Unspecified => None,
    }
}

/// What the side to move can do, as text.
pub(crate) fn turn(turn: Turn) -> &'static str {
    match turn {
        Turn::Move => "move",
        Turn::Pass => "pass",
        Turn::Over | Turn::Unspecified => "over",
    }
}

/// An enum value's name without what it shares with its siblings.
pub(crate) fn short(name: &'static str, prefix: &str) -> &'static str {
    name.strip_prefix(prefix).unwrap_or(name)
}

/// Why a game ended, for people.
pub(crate) fn end_reason(reason: EndReason) -> &'static str {
    match reason {
        EndReason::NoMoves => "neither side can move",
        EndReason::BoardFull => "the board is full",
        EndReason::Wipeout => "a colour is gone",
        EndReason::Resignation => "by resignation",
        EndReason::Timeout => "on time",
        EndReason::Unspecified => "for an unknown reason",
    }
}

/// How a game ended, for people, with the totals where the board ended it.
pub(crate) fn outcome_text(outcome: &Outcome, totals: Option<(i32, i32)>) -> String {
    let winner = side(outcome.winner()).map_or("a draw".to_owned(), |side| format!("{side} wins"));
    let totals = totals.map_or(String::new(), |(black, white)| format!(" {black}-{white}"));
    format!("{winner}{totals}: {}", end_reason(outcome.reason()))
}

/// A board drawn with its legal squares and the last move; the text itself if it is none.
pub(crate) fn board(text: &str, legal: &[String], last: Option<&str>, style: BoardStyle) -> String {
    match text.parse::<BoardText>() {
        Ok(board) => board
            .drawing()
            .mark(legal)
            .highlight(last.unwrap_or_default())
            .style(style)
            .to_string(),
        Err(_) => text.to_owned(),
    }
}
