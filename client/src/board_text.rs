//! Boards as text: reading the 64-character form and drawing it with coordinates.

mod drawing;

use std::{fmt, str::FromStr};

pub use self::drawing::{BoardDrawing, BoardStyle};

/// What is on a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// A black disc, `X`.
    Black,
    /// A white disc, `O`.
    White,
}

impl Cell {
    fn from_char(letter: char) -> Option<Self> {
        match letter {
            '-' | '.' => Some(Self::Empty),
            'X' | '*' | 'B' | 'b' => Some(Self::Black),
            'O' | 'W' | 'w' => Some(Self::White),
            _ => None,
        }
    }

    fn to_char(self) -> char {
        match self {
            Self::Empty => '-',
            Self::Black => 'X',
            Self::White => 'O',
        }
    }
}

/// A board read from text, as the API sends and takes it: 64 squares, a1 first, then b1.
///
/// ```
/// use reversi_client::{BoardText, Cell};
///
/// let start = "---------------------------OX------XO---------------------------";
/// let board: BoardText = start.parse()?;
/// assert_eq!(board.cell("d4"), Some(Cell::White));
/// assert_eq!(board.count(Cell::Black), 2);
/// assert_eq!(board.to_string(), start);
/// # Ok::<(), reversi_client::BoardTextError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct BoardText {
    cells: [Cell; 64],
}

/// Why a text is no board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BoardTextError {
    /// A character that stands for no square.
    #[error("character {offset} is `{found}`: a board has X, O and - only")]
    Letter {
        /// Its place in the text, from 0, in characters.
        offset: usize,
        /// The character.
        found: char,
    },
    /// Too few or too many squares.
    #[error("{found} squares: a board has 64")]
    Length {
        /// The number of squares found.
        found: usize,
    },
}

impl BoardText {
    /// What is on a square; `None` if it is no square.
    #[must_use]
    pub fn cell(&self, square: &str) -> Option<Cell> {
        square_index(square).map(|index| self.cells[index])
    }

    /// The number of squares with `cell` on them.
    #[must_use]
    pub fn count(&self, cell: Cell) -> usize {
        self.cells.iter().filter(|&&found| found == cell).count()
    }

    /// A drawing of the board, to be displayed.
    #[must_use]
    pub fn drawing(&self) -> BoardDrawing<'_> {
        BoardDrawing::new(&self.cells)
    }
}

impl FromStr for BoardText {
    type Err = BoardTextError;

    fn from_str(text: &str) -> Result<Self, BoardTextError> {
        let mut cells = Vec::with_capacity(64);
        for (offset, found) in text.chars().enumerate() {
            if found.is_whitespace() {
                continue;
            }
            cells.push(Cell::from_char(found).ok_or(BoardTextError::Letter { offset, found })?);
        }
        let cells = cells
            .try_into()
            .map_err(|cells: Vec<_>| BoardTextError::Length { found: cells.len() })?;
        Ok(Self { cells })
    }
}

impl fmt::Display for BoardText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cells
            .iter()
            .try_for_each(|cell| write!(f, "{}", cell.to_char()))
    }
}

impl fmt::Debug for BoardText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BoardText({self})")
    }
}

/// The place of a square in a text board and in a bit set: a1 is 0, b1 is 1, h8 is 63.
#[must_use]
pub fn square_index(square: &str) -> Option<usize> {
    let &[file, rank] = square.as_bytes() else {
        return None;
    };
    let file = file.to_ascii_lowercase();
    if !(b'a'..=b'h').contains(&file) || !(b'1'..=b'8').contains(&rank) {
        return None;
    }
    Some(usize::from(rank - b'1') * 8 + usize::from(file - b'a'))
}

/// The name of the square at a place; `None` from 64 on.
#[must_use]
pub fn square_name(index: usize) -> Option<&'static str> {
    const NAMES: &str = "a1b1c1d1e1f1g1h1a2b2c2d2e2f2g2h2a3b3c3d3e3f3g3h3a4b4c4d4e4f4g4h4\
                         a5b5c5d5e5f5g5h5a6b6c6d6e6f6g6h6a7b7c7d7e7f7g7h7a8b8c8d8e8f8g8h8";
    let start = index.checked_mul(2)?;
    NAMES.get(start..start + 2)
}

/// The squares of a bit set, a1 first.
///
/// ```
/// assert_eq!(reversi_client::squares(0b1001), ["a1", "d1"]);
/// ```
#[must_use]
pub fn squares(mask: u64) -> Vec<&'static str> {
    (0..64)
        .filter(|index| mask >> index & 1 == 1)
        .filter_map(square_name)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_square_has_a_name_and_a_place() {
        for index in 0..64 {
            let name = square_name(index).unwrap();
            assert_eq!(square_index(name), Some(index));
            assert_eq!(square_index(&name.to_uppercase()), Some(index));
        }
        assert_eq!(square_name(64), None);
        assert_eq!(square_name(usize::MAX), None);
        for text in ["", "a", "a0", "a9", "i1", "a1 ", "pass", "é"] {
            assert_eq!(square_index(text), None, "{text}");
        }
    }

    #[test]
    fn other_letters_and_white_space_are_read() {
        let rows = ["........", " --------", "\n*Bb.....", "OWw-----"].join("") + &"-".repeat(32);
        let board: BoardText = rows.parse().unwrap();
        assert_eq!(board.count(Cell::Black), 3);
        assert_eq!(board.count(Cell::White), 3);
        assert_eq!(board.cell("a3"), Some(Cell::Black));
        assert_eq!(board.cell("c4"), Some(Cell::White));
        assert_eq!(board.cell("c9"), None);
    }

    #[test]
    fn what_is_no_board_says_why() {
        let parse = |text: &str| text.parse::<BoardText>().unwrap_err();
        assert_eq!(parse(""), BoardTextError::Length { found: 0 });
        assert_eq!(parse(&"-".repeat(65)), BoardTextError::Length { found: 65 });
        assert_eq!(
            parse("--é"),
            BoardTextError::Letter {
                offset: 2,
                found: 'é'
            }
        );
    }
}
