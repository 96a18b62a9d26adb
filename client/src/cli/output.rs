//! Standard output: text for people or JSON for programs.

use std::{
    env, fmt,
    io::{self, IsTerminal, Write},
};

use reversi_client::BoardStyle;
use serde::Serialize;

/// How to write.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    form: Form,
    board: BoardStyle,
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    Json,
}

impl Output {
    /// Colours go to a terminal only, and not where `NO_COLOR` is set.
    pub(crate) fn new(json: bool) -> Self {
        let form = if json { Form::Json } else { Form::Text };
        let plain = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || env::var_os("TERM").is_some_and(|value| value == "dumb")
            || !io::stdout().is_terminal();
        let board = if plain {
            BoardStyle::Plain
        } else {
            BoardStyle::Ansi
        };
        Self { form, board }
    }

    pub(crate) fn form(self) -> Form {
        self.form
    }

    pub(crate) fn board_style(self) -> BoardStyle {
        self.board
    }

    /// Writes `value` as JSON, or the text that `text` makes.
    pub(crate) fn write<T, D>(self, value: &T, text: impl FnOnce(&T) -> D) -> io::Result<()>
    where
        T: Serialize,
        D: fmt::Display,
    {
        match self.form {
            Form::Json => Self::json(value),
            Form::Text => Self::text(text(value)),
        }
    }

    /// Writes one line of JSON.
    pub(crate) fn json<T: Serialize>(value: &T) -> io::Result<()> {
        let line = serde_json::to_string(value)?;
        Self::text(line)
    }

    /// Writes text and a line break.
    pub(crate) fn text(text: impl fmt::Display) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        writeln!(stdout, "{text}")?;
        stdout.flush()
    }

    /// Writes text without a line break.
    pub(crate) fn prompt(text: impl fmt::Display) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        write!(stdout, "{text}")?;
        stdout.flush()
    }

    /// Writes a line to standard error; a closed one is nobody's loss.
    pub(crate) fn note(text: impl fmt::Display) {
        let _ = writeln!(io::stderr().lock(), "reversi: {text}");
    }
}
