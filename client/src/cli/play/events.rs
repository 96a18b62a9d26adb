//! What is told of a game: text for people, one JSON object a line for programs.

use std::io::{self, IsTerminal};

use reversi_client::proto::{Game, Move, MoveKind, SuggestMoveResponse};
use serde::Serialize;

use super::command::HELP;
use crate::cli::{
    args::Side,
    failure::{ErrorBody, Failure},
    output::{Form, Output},
    suggest::SuggestionView,
    view::{self, GameView, MoveView, game_text, legal_squares},
};

/// Tells what happens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Events {
    output: Output,
}

/// Who made a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum By {
    Person,
    Engine,
}

/// Whether a person has the board before them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Board {
    New,
    Shown,
}

/// An event for programs.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Event<'a> {
    Start {
        side: Option<&'static str>,
        game: Box<GameView>,
    },
    /// The person is to move.
    Turn {
        side: Option<&'static str>,
        etag: &'a str,
        board: &'a str,
        legal_moves: Vec<String>,
    },
    /// A move; `by` is `service` for a pass that it entered.
    Move {
        by: &'static str,
        #[serde(flatten)]
        played: MoveView,
        board: &'a str,
    },
    Hint {
        suggestion: SuggestionView,
    },
    TakenBack {
        game: Box<GameView>,
    },
    Error {
        error: ErrorBody,
    },
    /// The person has left a game that is not over.
    Left {
        game: &'a str,
    },
    Result {
        game: Box<GameView>,
    },
}

impl Events {
    pub(super) fn new(output: Output) -> Self {
        Self { output }
    }

    /// Whether a person sits there, who can be asked to try again.
    pub(super) fn interactive(self) -> bool {
        self.output.form() == Form::Text && io::stdin().is_terminal()
    }

    pub(super) fn start(self, game: &Game, person: Side) -> io::Result<()> {
        self.tell(
            || Event::Start {
                side: view::side(person.color()),
                game: Box::new(game.into()),
            },
            || {
                let side = view::side(person.color()).unwrap_or_default();
                format!("{}: you play {side}. Type help for help.", game.name)
            },
        )
    }

    /// The person is to move: shows the board, unless a person has it before them, and asks.
    pub(super) fn turn(self, game: &Game, board: Board) -> io::Result<()> {
        let to_move = game
            .position
            .as_ref()
            .and_then(|position| view::side(position.side_to_move()));
        match (self.output.form(), board) {
            (Form::Text, Board::Shown) => {}
            (Form::Text, Board::New) => {
                Output::text(game_text(game, self.output.board_style()))?;
            }
            (Form::Json, Board::New | Board::Shown) => Output::json(&Event::Turn {
                side: to_move,
                etag: &game.etag,
                board: &game.board_text,
                legal_moves: what_can_be_typed(game),
            })?,
        }
        self.ask(to_move.unwrap_or_default())
    }

    /// Asks for a line, where somebody sits there to be asked.
    pub(super) fn ask(self, what: &str) -> io::Result<()> {
        if self.interactive() {
            Output::prompt(format_args!("{what}> "))?;
        }
        Ok(())
    }

    pub(super) fn moves(self, by: By, moves: &[Move], game: &Game) -> io::Result<()> {
        for (index, played) in moves.iter().enumerate() {
            // What follows the first is what the service entered with it.
            let by = match by {
                _ if index > 0 => "service",
                By::Person => "person",
                By::Engine => "engine",
            };
            self.tell(
                || Event::Move {
                    by,
                    played: played.into(),
                    board: &game.board_text,
                },
                || match played.kind() {
                    MoveKind::Pass => format!("{} has no move.", MoveView::from(played)),
                    MoveKind::Placement | MoveKind::Disc | MoveKind::Unspecified => {
                        MoveView::from(played).to_string()
                    }
                },
            )?;
        }
        Ok(())
    }

    pub(super) fn hint(self, suggested: SuggestMoveResponse) -> io::Result<()> {
        let suggestion = SuggestionView::from(suggested);
        match self.output.form() {
            Form::Text => Output::text(suggestion),
            Form::Json => Output::json(&Event::Hint { suggestion }),
        }
    }

    pub(super) fn taken_back(self, game: &Game) -> io::Result<()> {
        self.tell(
            || Event::TakenBack {
                game: Box::new(game.into()),
            },
            || "taken back",
        )
    }

    pub(super) fn help(self) -> io::Result<()> {
        match self.output.form() {
            Form::Text => Output::text(HELP),
            // A program that asks for help is not helped by text among its events.
            Form::Json => Ok(()),
        }
    }

    /// Something went wrong that the game survives.
    pub(super) fn error(self, failure: &Failure) -> io::Result<()> {
        self.tell(
            || Event::Error {
                error: failure.body(),
            },
            || failure,
        )
    }

    pub(super) fn left(self, game: &Game) -> io::Result<()> {
        let name = &game.name;
        self.tell(
            || Event::Left { game: name },
            || format!("The game is kept: reversi play --game {name}"),
        )
    }

    pub(super) fn result(self, game: &Game) -> io::Result<()> {
        self.tell(
            || Event::Result {
                game: Box::new(game.into()),
            },
            || game_text(game, self.output.board_style()),
        )
    }

    fn tell<'a, T: std::fmt::Display>(
        self,
        event: impl FnOnce() -> Event<'a>,
        text: impl FnOnce() -> T,
    ) -> io::Result<()> {
        match self.output.form() {
            Form::Json => Output::json(&event()),
            Form::Text => Output::text(text()),
        }
    }
}

/// The legal squares, or `pass`; nothing where they are hidden.
fn what_can_be_typed(game: &Game) -> Vec<String> {
    let Some(legal) = &game.legal_moves else {
        return Vec::new();
    };
    let squares = legal_squares(legal);
    if squares.is_empty() {
        vec!["pass".to_owned()]
    } else {
        squares
    }
}
