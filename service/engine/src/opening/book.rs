//! What is best at the beginning of a game.

#![allow(clippy::cast_possible_truncation, reason = "casts of floats saturate")]

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::board::Board;
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
    fn other_positions_are_not_in_the_book() {
        let corner = Board {
            player: Bitboard(Square::A1.bit()),
            opponent: Bitboard(Square::B1.bit()),
        };
        assert_eq!(Book::built_in().get(corner), None);
    }
}
