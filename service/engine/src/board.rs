//! The discs from the mover's view. Knows no colours, rule sets or histories.

use std::fmt;

use crate::bitboard::Bitboard;
use crate::bitboard::symmetry::Symmetry;
use crate::kernel::{self, Kernel};
use crate::square::Square;

/// The discs of the side to move and of the other side.
///
/// This is the form that search works on: after each move the two sets change places. Which of
/// them is Black is known one layer up, by [`Position`](crate::Position).
///
/// The two sets must not overlap; [`Board::new`] checks that, writing the fields does not.
///
/// ```
/// use reversi_engine::{Board, Square};
///
/// let board = Board::STANDARD;
/// assert_eq!(board.legal_moves().to_string(), "d3 c4 f5 e6");
///
/// let next = board.play(Square::D3).expect("d3 turns d4");
/// assert_eq!((next.player.count(), next.opponent.count()), (1, 4));
/// assert_eq!(board.play(Square::A1), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Board {
    /// The discs of the side to move.
    pub player: Bitboard,
    /// The discs of the other side.
    pub opponent: Bitboard,
}

/// Some squares hold a disc of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("discs of both sides on {squares}")]
pub struct OverlappingDiscs {
    /// The squares that both sides hold.
    pub squares: Bitboard,
}

impl Board {
    /// The standard start: the mover on d5 and e4, the other side on d4 and e5.
    pub const STANDARD: Self = Self {
        player: Bitboard(Square::D5.bit() | Square::E4.bit()),
        opponent: Bitboard(Square::D4.bit() | Square::E5.bit()),
    };

    /// A board of these discs.
    ///
    /// # Errors
    ///
    /// [`OverlappingDiscs`] if a square is in both sets.
    pub const fn new(player: Bitboard, opponent: Bitboard) -> Result<Self, OverlappingDiscs> {
        let squares = Bitboard(player.0 & opponent.0);
        if squares.is_empty() {
            Ok(Self { player, opponent })
        } else {
            Err(OverlappingDiscs { squares })
        }
    }

    /// The squares where the mover turns at least one disc.
    #[inline]
    #[must_use]
    pub fn legal_moves(self) -> Bitboard {
        Bitboard(kernel::legal_moves(self.player.0, self.opponent.0))
    }

    /// Whether the mover has a legal move.
    #[inline]
    #[must_use]
    pub fn has_legal_move(self) -> bool {
        !self.legal_moves().is_empty()
    }

    /// Whether neither side has a legal move.
    #[inline]
    #[must_use]
    pub fn is_over(self) -> bool {
        !self.has_legal_move() && !self.pass().has_legal_move()
    }

    /// The discs that the mover turns by playing on the square; empty if the move is illegal.
    #[inline]
    #[must_use]
    pub fn flips(self, square: Square) -> Bitboard {
        if self.occupied().contains(square) {
            Bitboard::EMPTY
        } else {
            Bitboard(kernel::flips(self.player.0, self.opponent.0, square))
        }
    }

    /// The board after the move, from the next mover's view; `None` if the move is illegal.
    #[inline]
    #[must_use]
    pub fn play(self, square: Square) -> Option<Self> {
        let flips = self.flips(square);
        if flips.is_empty() {
            None
        } else {
            Some(self.play_unchecked(square, flips))
        }
    }

    /// The board after a move whose flips are known, from the next mover's view.
    ///
    /// `square` must be empty and `flips` must be what [`Board::flips`] answers for it; otherwise
    /// the result is some board that no game reaches.
    #[inline]
    #[must_use]
    pub const fn play_unchecked(self, square: Square, flips: Bitboard) -> Self {
        Self {
            player: Bitboard(self.opponent.0 ^ flips.0),
            opponent: Bitboard(self.player.0 ^ flips.0 | square.bit()),
        }
    }

    /// Calls `visit` with each legal move, in the order of the squares, and the board after it, from
    /// the next mover's view. Faster than a [`play`](Self::play) for each move.
    ///
    /// ```
    /// use reversi_engine::Board;
    ///
    /// let mut children = Vec::new();
    /// Board::STANDARD.for_each_child(|square, child| children.push((square, child)));
    /// assert_eq!(children.len(), 4);
    /// assert!(children.iter().all(|&(square, child)| Board::STANDARD.play(square) == Some(child)));
    /// ```
    #[inline]
    pub fn for_each_child(self, mut visit: impl FnMut(Square, Self)) {
        Kernel::best().for_each_move(self.player.0, self.opponent.0, |square, flips| {
            visit(square, self.play_unchecked(square, Bitboard(flips)));
        });
    }

    /// The same discs with the other side to move. Does not ask whether a pass is due.
    #[inline]
    #[must_use]
    pub const fn pass(self) -> Self {
        Self {
            player: self.opponent,
            opponent: self.player,
        }
    }

    /// The squares that hold a disc.
    #[inline]
    #[must_use]
    pub const fn occupied(self) -> Bitboard {
        Bitboard(self.player.0 | self.opponent.0)
    }

    /// The squares that hold none.
    #[inline]
    #[must_use]
    pub const fn empties(self) -> Bitboard {
        Bitboard(!self.occupied().0)
    }

    /// The number of squares without a disc, 0 to 64.
    #[inline]
    #[must_use]
    pub const fn empties_count(self) -> u32 {
        self.empties().count()
    }

    /// The mover's discs minus the other side's, -64 to 64. Empty squares count for nobody.
    #[inline]
    #[must_use]
    pub const fn disc_difference(self) -> i32 {
        // Counts are at most 64.
        self.player.count().cast_signed() - self.opponent.count().cast_signed()
    }

    /// The board turned or mirrored.
    #[must_use]
    pub const fn transform(self, symmetry: Symmetry) -> Self {
        Self {
            player: symmetry.apply_bitboard(self.player),
            opponent: symmetry.apply_bitboard(self.opponent),
        }
    }

    /// The smallest of the eight symmetric boards: equal for boards that are the same but for a
    /// symmetry.
    #[must_use]
    pub fn canonical(self) -> Self {
        Symmetry::ALL
            .into_iter()
            .map(|symmetry| self.transform(symmetry))
            .fold(self, Self::min)
    }

    /// The canonical form, and a symmetry that leads there.
    #[must_use]
    pub fn to_canonical(self) -> (Symmetry, Self) {
        let canonical = self.canonical();
        let symmetry = Symmetry::ALL
            .into_iter()
            .find(|&symmetry| self.transform(symmetry) == canonical)
            .unwrap_or_default();
        (symmetry, canonical)
    }
}

impl fmt::Display for Board {
    /// Draws the board for people: eight lines, `X` the mover, `O` the other side, `-` empty.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        draw(f, self.player, self.opponent)
    }
}

/// Draws eight lines with the names of files and ranks, `x` discs as `X`, `o` discs as `O`.
pub(crate) fn draw(f: &mut fmt::Formatter<'_>, x: Bitboard, o: Bitboard) -> fmt::Result {
    write!(f, "  a b c d e f g h")?;
    for square in Square::all() {
        if square.file() == 0 {
            write!(f, "\n{}", square.rank() + 1)?;
        }
        f.write_str(match (x.contains(square), o.contains(square)) {
            (true, false) => " X",
            (false, true) => " O",
            (false, false) => " -",
            (true, true) => " ?",
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_discs_are_refused_and_named() {
        let error = Board::new(Bitboard(0b011), Bitboard(0b110)).unwrap_err();
        assert_eq!(error.squares, Bitboard(0b010));
        assert_eq!(error.to_string(), "discs of both sides on b1");
    }

    #[test]
    fn an_occupied_square_turns_nothing() {
        for square in Board::STANDARD.occupied() {
            assert_eq!(Board::STANDARD.flips(square), Bitboard::EMPTY);
            assert_eq!(Board::STANDARD.play(square), None);
        }
    }

    #[test]
    fn a_move_turns_the_enclosed_discs_and_swaps_the_view() {
        let next = Board::STANDARD.play(Square::E6).unwrap();
        assert_eq!(next.player.to_string(), "d4");
        assert_eq!(next.opponent.to_string(), "e4 d5 e5 e6");
        assert_eq!(next.disc_difference(), -3);
        assert_eq!(next.empties_count(), 59);
    }

    #[test]
    fn symmetric_boards_share_their_canonical_form() {
        let board = Board::STANDARD.play(Square::D3).unwrap();
        for square in Board::STANDARD.legal_moves() {
            let other = Board::STANDARD.play(square).unwrap();
            assert_eq!(other.canonical(), board.canonical());
        }
        for symmetry in Symmetry::ALL {
            assert_eq!(board.transform(symmetry).canonical(), board.canonical());
        }
    }

    #[test]
    fn a_board_is_drawn_with_its_coordinates() {
        let drawing = Board::STANDARD.to_string();
        let lines: Vec<&str> = drawing.lines().collect();
        assert_eq!(lines[0], "  a b c d e f g h");
        assert_eq!(lines[4], "4 - - - O X - - -");
        assert_eq!(lines[5], "5 - - - X O - - -");
    }
}
