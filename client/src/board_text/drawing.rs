//! A board drawn for a terminal, 33 columns wide.

use std::fmt;

use super::{Cell, square_index};

/// How a board is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BoardStyle {
    /// Letters alone; the highlighted square stands in brackets.
    #[default]
    Plain,
    /// With ANSI colours as well.
    Ansi,
}

/// A board with coordinates, legal squares marked `+`, one square highlighted.
///
/// ```
/// # let text = "---------------------------OX------XO---------------------------";
/// # let board: reversi_client::BoardText = text.parse()?;
/// println!("{}", board.drawing().mark(["d3", "c4", "f5", "e6"]).highlight("d5"));
/// # Ok::<(), reversi_client::BoardTextError>(())
/// ```
#[derive(Debug, Clone)]
pub struct BoardDrawing<'a> {
    cells: &'a [Cell; 64],
    marked: [bool; 64],
    highlighted: Option<usize>,
    style: BoardStyle,
}

impl<'a> BoardDrawing<'a> {
    pub(super) fn new(cells: &'a [Cell; 64]) -> Self {
        Self {
            cells,
            marked: [false; 64],
            highlighted: None,
            style: BoardStyle::Plain,
        }
    }

    /// Marks empty squares; what is no square is left out.
    #[must_use]
    pub fn mark<I>(mut self, squares: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        for square in squares {
            if let Some(index) = square_index(square.as_ref()) {
                self.marked[index] = true;
            }
        }
        self
    }

    /// Highlights a square, usually the last move; nothing if it is none.
    #[must_use]
    pub fn highlight(mut self, square: &str) -> Self {
        self.highlighted = square_index(square);
        self
    }

    /// Draws with colours or without.
    #[must_use]
    pub fn style(mut self, style: BoardStyle) -> Self {
        self.style = style;
        self
    }

    fn fmt_cell(&self, f: &mut fmt::Formatter<'_>, index: usize) -> fmt::Result {
        // Bold cyan, bold yellow, green, faint: legible on dark and light backgrounds.
        let (letter, colour) = match self.cells[index] {
            Cell::Black => ('X', "1;36"),
            Cell::White => ('O', "1;33"),
            Cell::Empty if self.marked[index] => ('+', "32"),
            Cell::Empty => ('.', "2"),
        };
        let (open, close) = if self.highlighted == Some(index) {
            ('[', ']')
        } else {
            (' ', ' ')
        };
        match self.style {
            BoardStyle::Plain => write!(f, "{open}{letter}{close}"),
            BoardStyle::Ansi => write!(f, "{open}\x1b[{colour}m{letter}\x1b[0m{close}"),
        }
    }
}

impl fmt::Display for BoardDrawing<'_> {
    /// Ten lines without a line break at the end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const FILES: &str = "    a  b  c  d  e  f  g  h";
        writeln!(f, "{FILES}")?;
        for rank in 0..8 {
            write!(f, " {} ", rank + 1)?;
            for file in 0..8 {
                self.fmt_cell(f, rank * 8 + file)?;
            }
            writeln!(f, " {}", rank + 1)?;
        }
        write!(f, "{FILES}")
    }
}

#[cfg(test)]
mod tests {
    use super::super::BoardText;
    use super::*;

    fn start() -> BoardText {
        "---------------------------OX------XO---------------------------"
            .parse()
            .unwrap()
    }

    #[test]
    fn a_board_is_drawn_with_marks_and_highlight() {
        let drawn = start()
            .drawing()
            .mark(["d3", "c4", "pass", "d4"])
            .highlight("e4")
            .to_string();
        let expected = "    a  b  c  d  e  f  g  h
 1  .  .  .  .  .  .  .  .  1
 2  .  .  .  .  .  .  .  .  2
 3  .  .  .  +  .  .  .  .  3
 4  .  .  +  O [X] .  .  .  4
 5  .  .  .  X  O  .  .  .  5
 6  .  .  .  .  .  .  .  .  6
 7  .  .  .  .  .  .  .  .  7
 8  .  .  .  .  .  .  .  .  8
    a  b  c  d  e  f  g  h";
        assert_eq!(drawn, expected);
    }

    #[test]
    fn only_the_ansi_style_has_escapes() {
        let board = start();
        assert!(!board.drawing().to_string().contains('\x1b'));
        let coloured = board.drawing().style(BoardStyle::Ansi).to_string();
        assert!(coloured.contains("\x1b[1;36mX\x1b[0m"));
    }
}
