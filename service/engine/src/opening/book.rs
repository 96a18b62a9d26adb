//! What is best at the beginning of a game.

#![allow(clippy::cast_possible_truncation, reason = "casts of floats saturate")]

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::board::Board;
use crate::moves::Move;
use crate::position::{Phase, Position};
use crate::rules::Objective;
use crate::search::{Analysis, Certainty, Line};
use crate::square::Square;

use super::tree::{PLIES, distinct, position_after};

/// The best moves of all positions less than eight moves from the standard start.
///
/// ```
/// use reversi_engine::opening::Book;
/// use reversi_engine::{Board, Square};
///
/// let found = Book::built_in().get(Board::STANDARD).expect("the start is in the book");
/// assert!(Board::STANDARD.legal_moves().contains(found.square));
/// assert_eq!(Book::built_in().get(Board::STANDARD.pass().pass()), Some(found));
/// ```
#[derive(Debug)]
pub struct Book {
    moves: HashMap<Board, BookMove>,
}

/// A move of the book.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BookMove {
    /// Where to play.
    pub square: Square,
    /// What the position is worth for the mover, in discs, by minimax over the searched openings.
    pub value: f32,
}

static BOOK: LazyLock<Book> =
    LazyLock::new(|| Book::from_bytes(include_bytes!("../../openings/book.rvo")));

/// For each position in the order of [`distinct`], those with fewer moves first: the square, and
/// the value in hundredths of a disc (2 bytes, little-endian).
const ENTRY: usize = 3;

/// Behind its eighth move, every opening was searched at least so many discs ahead: the first pass
/// of `reversi-train openings`.
const SEARCHED: u32 = 10;

impl Book {
    /// The book that comes with the engine.
    #[must_use]
    pub fn built_in() -> &'static Self {
        &BOOK
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        let (entries, _) = bytes.as_chunks::<ENTRY>();
        let positions = (0..PLIES).flat_map(distinct);
        let moves = positions.zip(entries).filter_map(|(moves, entry)| {
            let (symmetry, board) = position_after(&moves)?.board().to_canonical();
            let found = BookMove {
                square: symmetry.apply_square(Square::new(entry[0])?),
                value: f32::from(i16::from_le_bytes([entry[1], entry[2]])) / 100.0,
            };
            Some((board, found))
        });
        Self {
            moves: moves.collect(),
        }
    }

    /// The file of a book, given the move of each position in the order of [`distinct`], those
    /// with fewer moves first.
    #[must_use]
    pub fn to_bytes(moves: &[BookMove]) -> Vec<u8> {
        moves
            .iter()
            .flat_map(|found| {
                let hundredths = ((found.value * 100.0).round() as i16).to_le_bytes();
                [found.square.index(), hundredths[0], hundredths[1]]
            })
            .collect()
    }

    /// The best move, if the position is in the book.
    #[must_use]
    pub fn get(&self, board: Board) -> Option<BookMove> {
        let (symmetry, canonical) = board.to_canonical();
        let found = self.moves.get(&canonical)?;
        Some(BookMove {
            square: symmetry.inverse().apply_square(found.square),
            ..*found
        })
    }

    /// What a search would say of a position of the book: its best move, and the play that follows
    /// to the end of the book. It visits no board, and comes at once. `None` for positions that are
    /// not in the book, and where the fewest discs win.
    ///
    /// ```
    /// use reversi_engine::opening::Book;
    /// use reversi_engine::{Objective, Position};
    ///
    /// let known = Book::built_in().analysis(&Position::standard(), Objective::MostDiscs);
    /// assert_eq!(known.expect("the start is in the book").lines[0].moves.len(), 8);
    /// assert_eq!(Book::built_in().analysis(&Position::standard(), Objective::FewestDiscs), None);
    /// ```
    #[must_use]
    pub fn analysis(&self, position: &Position, objective: Objective) -> Option<Analysis> {
        if objective == Objective::FewestDiscs || position.phase() == Phase::Placement {
            return None;
        }
        let mut board = position.board();
        let value = self.get(board)?.value;
        let mut moves = Vec::new();
        while let Some(known) = self.get(board) {
            let Some(next) = board.play(known.square) else {
                break;
            };
            moves.push(Move::Place(known.square));
            board = next;
        }
        Some(Analysis {
            depth: SEARCHED + u32::try_from(moves.len()).unwrap_or(0),
            lines: vec![Line { value, moves }],
            certainty: Certainty::Depth,
            nodes: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitboard::Bitboard;
    use crate::bitboard::symmetry::Symmetry;

    #[test]
    fn every_opening_position_has_a_legal_move_however_the_board_lies() {
        let book = Book::built_in();
        for moves in (0..PLIES - 2).flat_map(distinct) {
            let board = position_after(&moves).unwrap().board();
            for symmetry in Symmetry::ALL {
                let board = board.transform(symmetry);
                let found = book.get(board).unwrap();
                assert!(board.legal_moves().contains(found.square), "{board}");
            }
        }
    }

    #[test]
    fn the_line_of_the_book_is_legal_and_ends_with_it() {
        for moves in (0..PLIES - 1).flat_map(distinct).step_by(7) {
            let position = position_after(&moves).unwrap();
            let known = Book::built_in().analysis(&position, Objective::MostDiscs);
            let line = &known.unwrap().lines[0];
            assert_eq!(moves.len() + line.moves.len(), PLIES);
            let end = line
                .moves
                .iter()
                .fold(position, |at, &mv| at.play(mv).unwrap());
            assert_eq!(Book::built_in().get(end.board()), None);
        }
    }

    #[test]
    fn other_positions_are_not_in_the_book() {
        let corner = Board {
            player: Bitboard(Square::A1.bit()),
            opponent: Bitboard(Square::B1.bit()),
        };
        assert_eq!(Book::built_in().get(corner), None);
    }
}
