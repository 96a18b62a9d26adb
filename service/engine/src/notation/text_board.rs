//! Boards as 64 characters, a1 b1 … h1 a2 … h8, and the letters of the two sides.

use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::setup::Setup;
use crate::square::Square;

/// The text is not a board of 64 squares, or not one followed by a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoardTextError {
    /// A character that stands for no kind of square.
    #[error("expected a square (X, O or -) at character {offset}, found {found:?}")]
    UnexpectedCharacter {
        /// Where it stands: characters from the beginning, white space included. The same number
        /// counts bytes, since everything before it is ASCII.
        offset: usize,
        /// The character.
        found: char,
    },
    /// More or fewer than 64 squares.
    #[error("expected 64 squares, found {}", squares(*.found))]
    WrongLength {
        /// The number of squares; 65 if there are too many, as reading stops there.
        found: usize,
    },
    /// No letter for the side to move after the board, or something else in its place.
    #[error("expected the side to move (X or O) at character {offset}")]
    MissingSide {
        /// Where the letter should stand, counted as above.
        offset: usize,
    },
}

/// The number of squares in words, for an error that stopped counting.
fn squares(found: usize) -> String {
    if found > 64 {
        "more".to_owned()
    } else {
        found.to_string()
    }
}

/// A board read from the beginning of a text.
pub(super) struct ReadBoard {
    pub(super) black: Bitboard,
    pub(super) white: Bitboard,
    /// The bytes up to the 64th square, with it.
    pub(super) length: usize,
}

/// Reads 64 squares and leaves what follows.
pub(super) fn read_board(text: &str) -> Result<ReadBoard, BoardTextError> {
    let (mut black, mut white) = (Bitboard::EMPTY, Bitboard::EMPTY);
    let mut squares = Square::all();
    let mut found = 0;
    for (offset, character) in text.char_indices() {
        if character.is_ascii_whitespace() {
            continue;
        }
        let disc = parse_cell(character).ok_or(BoardTextError::UnexpectedCharacter {
            offset,
            found: character,
        })?;
        let Some(square) = squares.next() else { break };
        match disc {
            Some(Color::Black) => black |= square.into(),
            Some(Color::White) => white |= square.into(),
            None => {}
        }
        found += 1;
        if found == 64 {
            return Ok(ReadBoard {
                black,
                white,
                length: offset + 1,
            });
        }
    }
    Err(BoardTextError::WrongLength { found })
}

/// The disc on a square, or `None` if the character stands for no kind of square.
const fn parse_cell(character: char) -> Option<Option<Color>> {
    match character {
        '-' | '.' => Some(None),
        _ => match parse_side(character) {
            Some(color) => Some(Some(color)),
            None => None,
        },
    }
}

/// Reads a board of 64 squares: black and white discs.
///
/// Black is `X`, `x`, `*`, `B` or `b`; White is `O`, `o`, `W` or `w`; an empty square is `-` or
/// `.`. ASCII white space is ignored.
///
/// ```
/// use reversi_engine::Position;
/// use reversi_engine::notation::parse_board;
///
/// let (black, white) = parse_board(
///     "-------- -------- -------- ---OX--- ---XO--- -------- -------- --------",
/// )?;
/// assert_eq!(black, Position::standard().black());
/// assert_eq!(white, Position::standard().white());
/// # Ok::<(), reversi_engine::notation::BoardTextError>(())
/// ```
///
/// # Errors
///
/// The first fault from the left, [`BoardTextError::UnexpectedCharacter`] or
/// [`BoardTextError::WrongLength`]. Reading stops there, so that a text of any size is safe.
pub fn parse_board(text: &str) -> Result<(Bitboard, Bitboard), BoardTextError> {
    let board = read_board(text)?;
    let rest = &text[board.length..];
    let Some(start) = rest.find(|character: char| !character.is_ascii_whitespace()) else {
        return Ok((board.black, board.white));
    };
    let found = rest[start..].chars().next().unwrap_or_default();
    Err(if parse_cell(found).is_some() {
        BoardTextError::WrongLength { found: 65 }
    } else {
        BoardTextError::UnexpectedCharacter {
            offset: board.length + start,
            found,
        }
    })
}

/// Writes a board as 64 characters, `X`, `O` and `-`, without blanks.
///
/// On a square that both sets hold, which no position has, it writes `X`.
///
/// ```
/// use reversi_engine::Position;
/// use reversi_engine::notation::board_text;
///
/// let position = Position::standard();
/// assert_eq!(
///     board_text(position.black(), position.white()),
///     "---------------------------OX------XO---------------------------",
/// );
/// ```
#[must_use]
pub fn board_text(black: Bitboard, white: Bitboard) -> String {
    Square::all()
        .map(|square| {
            if black.contains(square) {
                side_char(Color::Black)
            } else if white.contains(square) {
                side_char(Color::White)
            } else {
                '-'
            }
        })
        .collect()
}

/// Reads a board followed by the side to move, as in `-…OX…XO…- X`.
///
/// The letters are those of [`parse_board`]; white space around them is ignored.
///
/// # Errors
///
/// As [`parse_board`]; [`BoardTextError::MissingSide`] unless one letter follows the board.
pub fn parse_setup(text: &str) -> Result<Setup, BoardTextError> {
    let board = read_board(text)?;
    let rest = &text[board.length..];
    let side = rest.trim_ascii();
    let mut characters = side.chars();
    match (
        characters.next().and_then(parse_side),
        characters.as_str().is_empty(),
    ) {
        (Some(side_to_move), true) => Ok(Setup {
            black: board.black,
            white: board.white,
            side_to_move,
        }),
        _ => Err(BoardTextError::MissingSide {
            offset: board.length + rest.len() - rest.trim_ascii_start().len(),
        }),
    }
}

/// Writes the board and the side to move, with a blank between.
///
/// ```
/// use reversi_engine::Position;
/// use reversi_engine::notation::{parse_setup, setup_text};
///
/// let text = setup_text(Position::standard());
/// assert_eq!(text, "---------------------------OX------XO--------------------------- X");
/// assert_eq!(parse_setup(&text)?.into_position(), Ok(Position::standard()));
/// # Ok::<(), reversi_engine::notation::BoardTextError>(())
/// ```
#[must_use]
pub fn setup_text(setup: impl Into<Setup>) -> String {
    let setup = setup.into();
    let mut text = board_text(setup.black, setup.white);
    text.push(' ');
    text.push(side_char(setup.side_to_move));
    text
}

/// Reads the letter of a side, as [`parse_board`] reads its discs.
///
/// ```
/// use reversi_engine::Color;
/// use reversi_engine::notation::parse_side;
///
/// assert_eq!(parse_side('*'), Some(Color::Black));
/// assert_eq!(parse_side('o'), Some(Color::White));
/// assert_eq!(parse_side('-'), None);
/// ```
#[must_use]
pub const fn parse_side(character: char) -> Option<Color> {
    match character {
        'X' | 'x' | '*' | 'B' | 'b' => Some(Color::Black),
        'O' | 'o' | 'W' | 'w' => Some(Color::White),
        _ => None,
    }
}

/// The letter of a side: `X` for Black, `O` for White.
#[must_use]
pub const fn side_char(color: Color) -> char {
    match color {
        Color::Black => 'X',
        Color::White => 'O',
    }
}
