//! OBF, the Othello board file: a position a line, with the values of moves.

use std::fmt;
use std::str::FromStr;

use super::text_board::{BoardTextError, parse_side, read_board, setup_text};
use crate::moves::Move;
use crate::position::{IllegalMove, Position};
use crate::setup::Setup;

/// The value that other programs give to "no move" at the end of a line.
const NO_MOVE_VALUE: i32 = -127;

/// The most characters of an unreadable item that are kept for the message.
const FOUND_CHARACTERS: usize = 16;

/// A position with what is known of it.
///
/// A line is the board, the side to move, then items that end in `;`: `move:value` for a move, or
/// one `value` for the position. `%` begins a comment, which is not kept. An item `--:-127`, with
/// which some programs close the list, says nothing and is left out.
///
/// ```
/// use reversi_engine::notation::ObfRecord;
/// use reversi_engine::{Move, Position, Square};
///
/// let line = "---------------------------OX------XO--------------------------- X; F5:+0; % start";
/// let record: ObfRecord = line.parse()?;
/// assert_eq!(record.position, Position::standard());
/// assert_eq!(record.moves[0].mv, Move::Place(Square::F5));
/// assert_eq!(
///     record.to_string(),
///     "---------------------------OX------XO--------------------------- X; F5:+0;",
/// );
/// # Ok::<(), reversi_engine::notation::ObfError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObfRecord {
    /// The position, in usual play.
    pub position: Position,
    /// The value of the position, if the line gives one without a move.
    pub value: Option<i32>,
    /// The moves in the order of the line, by custom the best first. All are legal; some may be
    /// missing.
    pub moves: Vec<MoveValue>,
}

/// A move and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MoveValue {
    /// The move.
    pub mv: Move,
    /// The final disc difference for the side to move, -64 to 64.
    pub value: i32,
}

/// Why a line is not an OBF record. Offsets are bytes from the beginning of the line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ObfError {
    /// The line is blank, or holds nothing but a comment.
    #[error("no position on the line")]
    Blank,
    /// The board cannot be read.
    #[error(transparent)]
    Board(#[from] BoardTextError),
    /// No side to move after the board, or no `;` after the side.
    #[error("expected the side to move (X or O) and \";\" at byte {offset}")]
    Side {
        /// Where it should stand.
        offset: usize,
    },
    /// Neither a value nor a move with a value.
    #[error("expected move:value or a value from -64 to 64 at byte {offset}, found {found:?}")]
    Item {
        /// Where the item begins.
        offset: usize,
        /// The item, at most 16 characters of it.
        found: String,
    },
    /// A second value for the position.
    #[error("a second value for the position at byte {offset}")]
    SecondValue {
        /// Where it begins.
        offset: usize,
    },
    /// A move that the rules forbid in the position.
    #[error("at byte {offset}: {fault}")]
    Illegal {
        /// Where the item begins.
        offset: usize,
        /// Why it is illegal.
        fault: IllegalMove,
    },
}

impl FromStr for ObfRecord {
    type Err = ObfError;

    /// Reads one line.
    ///
    /// The board's letters are those of [`parse_board`](super::parse_board), squares and passes
    /// those of [`Move`]. The last `;` may be missing.
    fn from_str(line: &str) -> Result<Self, Self::Err> {
        let line = line.split_once('%').map_or(line, |(record, _)| record);
        if line.trim_ascii().is_empty() {
            return Err(ObfError::Blank);
        }
        let (position, items) = read_position(line)?;
        let mut record = Self {
            position,
            value: None,
            moves: Vec::new(),
        };
        let mut begin = items;
        for item in line[items..].split(';') {
            let offset = begin + item.len() - item.trim_ascii_start().len();
            begin += item.len() + 1;
            let item = item.trim_ascii();
            if !item.is_empty() {
                record.add_item(item, offset)?;
            }
        }
        Ok(record)
    }
}

/// The position, and the byte where the items begin.
fn read_position(line: &str) -> Result<(Position, usize), ObfError> {
    let board = read_board(line)?;
    let rest = &line[board.length..];
    let offset = line.len() - rest.trim_ascii_start().len();
    let mut after = line[offset..].chars();
    let side = after.next().and_then(parse_side);
    let tail = after.as_str().trim_ascii_start();
    match side {
        Some(side_to_move) if tail.is_empty() || tail.starts_with(';') => {
            let setup = Setup {
                black: board.black,
                white: board.white,
                side_to_move,
            };
            let position = setup
                .into_position()
                .expect("invariant: a text board has one disc a square");
            Ok((position, line.len() - tail.len()))
        }
        _ => Err(ObfError::Side { offset }),
    }
}

impl ObfRecord {
    fn add_item(&mut self, item: &str, offset: usize) -> Result<(), ObfError> {
        let unreadable = || ObfError::Item {
            offset,
            found: item.chars().take(FOUND_CHARACTERS).collect(),
        };
        let Some((name, value)) = item.split_once(':') else {
            let value = parse_value(item).ok_or_else(unreadable)?;
            return match self.value.replace(value) {
                None => Ok(()),
                Some(_) => Err(ObfError::SecondValue { offset }),
            };
        };
        let (name, value) = (name.trim_ascii(), value.trim_ascii());
        if name == "--" && value.parse() == Ok(NO_MOVE_VALUE) {
            return Ok(());
        }
        let value = parse_value(value).ok_or_else(unreadable)?;
        let mv: Move = name.parse().map_err(|_| unreadable())?;
        self.position
            .check(mv)
            .map_err(|fault| ObfError::Illegal { offset, fault })?;
        self.moves.push(MoveValue { mv, value });
        Ok(())
    }
}

fn parse_value(text: &str) -> Option<i32> {
    text.parse()
        .ok()
        .filter(|value: &i32| (-64..=64).contains(value))
}

impl fmt::Display for ObfRecord {
    /// Writes the line without a line end, squares in upper case and a pass as `PA`, as other
    /// programs do.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{};", setup_text(self.position))?;
        if let Some(value) = self.value {
            write!(f, " {value:+};")?;
        }
        for MoveValue { mv, value } in &self.moves {
            match mv {
                Move::Place(square) => {
                    let name = square.to_string().to_ascii_uppercase();
                    write!(f, " {name}:{value:+};")?;
                }
                Move::Pass => write!(f, " PA:{value:+};")?,
            }
        }
        Ok(())
    }
}
