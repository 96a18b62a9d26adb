//! The 64 squares of the board and their names.

use std::fmt;
use std::str::FromStr;

/// One of the 64 squares, numbered from 0 (a1, top left) along the ranks to 63 (h8).
///
/// Files run a–h from left to right, ranks 1–8 from top to bottom.
///
/// ```
/// use reversi_engine::Square;
///
/// let square: Square = "d3".parse()?;
/// assert_eq!(square, Square::D3);
/// assert_eq!((square.file(), square.rank()), (3, 2));
/// assert_eq!(square.index(), 19);
/// assert_eq!(square.to_string(), "d3");
/// # Ok::<(), reversi_engine::ParseSquareError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Square(u8);

/// Names the constants of one rank after another, a1 first.
macro_rules! square_constants {
    ($($name:ident = $index:expr),* $(,)?) => {
        #[allow(missing_docs, reason = "each constant is the square that it names")]
        impl Square {
            $(pub const $name: Self = Self($index);)*
        }
    };
}

#[rustfmt::skip]
square_constants! {
    A1 = 0, B1 = 1, C1 = 2, D1 = 3, E1 = 4, F1 = 5, G1 = 6, H1 = 7,
    A2 = 8, B2 = 9, C2 = 10, D2 = 11, E2 = 12, F2 = 13, G2 = 14, H2 = 15,
    A3 = 16, B3 = 17, C3 = 18, D3 = 19, E3 = 20, F3 = 21, G3 = 22, H3 = 23,
    A4 = 24, B4 = 25, C4 = 26, D4 = 27, E4 = 28, F4 = 29, G4 = 30, H4 = 31,
    A5 = 32, B5 = 33, C5 = 34, D5 = 35, E5 = 36, F5 = 37, G5 = 38, H5 = 39,
    A6 = 40, B6 = 41, C6 = 42, D6 = 43, E6 = 44, F6 = 45, G6 = 46, H6 = 47,
    A7 = 48, B7 = 49, C7 = 50, D7 = 51, E7 = 52, F7 = 53, G7 = 54, H7 = 55,
    A8 = 56, B8 = 57, C8 = 58, D8 = 59, E8 = 60, F8 = 61, G8 = 62, H8 = 63,
}

/// The letters of the names, by index.
static LETTERS: [[u8; 2]; 64] = {
    let mut letters = [[0; 2]; 64];
    let mut index = 0;
    while index < 64 {
        let square = Square(index);
        letters[index as usize] = [b'a' + square.file(), b'1' + square.rank()];
        index += 1;
    }
    letters
};

/// The names, by index.
static NAMES: [&str; 64] = {
    let mut names = [""; 64];
    let mut index = 0;
    while index < 64 {
        names[index] = match str::from_utf8(&LETTERS[index]) {
            Ok(name) => name,
            Err(_) => panic!("invariant: letters and digits"),
        };
        index += 1;
    }
    names
};

impl Square {
    /// The square with this index (0 = a1, 7 = h1, 63 = h8), or `None` above 63.
    #[must_use]
    pub const fn new(index: u8) -> Option<Self> {
        if index < 64 { Some(Self(index)) } else { None }
    }

    /// The square on this file (0 = a) and rank (0 = the top rank, 1), or `None` off the board.
    #[must_use]
    pub const fn from_coords(file: u8, rank: u8) -> Option<Self> {
        if file < 8 && rank < 8 {
            Some(Self(rank * 8 + file))
        } else {
            None
        }
    }

    /// The square of the lowest set bit; `bits` must not be zero (zero answers a1).
    pub(crate) const fn lowest_of(bits: u64) -> Self {
        Self((bits.trailing_zeros() & 63) as u8)
    }

    /// The index, 0 (a1) to 63 (h8).
    #[must_use]
    pub const fn index(self) -> u8 {
        self.0
    }

    /// The file, 0 (a) to 7 (h).
    #[must_use]
    pub const fn file(self) -> u8 {
        self.0 % 8
    }

    /// The rank, 0 (rank 1, the top) to 7 (rank 8, the bottom).
    #[must_use]
    pub const fn rank(self) -> u8 {
        self.0 / 8
    }

    /// The name, `a1` to `h8`.
    #[must_use]
    pub fn name(self) -> &'static str {
        NAMES[usize::from(self.0 & 63)]
    }

    /// The bitboard that holds this square alone.
    #[must_use]
    pub const fn bit(self) -> u64 {
        // The mask changes nothing; it lets the compiler drop the overflow check.
        1 << (self.0 & 63)
    }

    /// All 64 squares, a1 first, along the ranks.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        (0..64_u8).map(Self)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not the name of a square.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a square from a1 to h8, found {found:?}")]
pub struct ParseSquareError {
    /// The text that was read.
    pub found: String,
}

impl FromStr for Square {
    type Err = ParseSquareError;

    /// Reads a file letter of either case and a rank digit, nothing else around them.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let square = match *text.as_bytes() {
            [file, rank] => Self::from_coords(
                file.to_ascii_lowercase().wrapping_sub(b'a'),
                rank.wrapping_sub(b'1'),
            ),
            _ => None,
        };
        square.ok_or_else(|| ParseSquareError {
            found: text.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_square_reads_back_from_its_name_in_either_case() {
        for square in Square::all() {
            let name = square.to_string();
            assert_eq!(name.parse(), Ok(square));
            assert_eq!(name.to_uppercase().parse(), Ok(square));
        }
    }

    #[test]
    fn bits_follow_the_ranks_from_a1() {
        assert_eq!(Square::A1.bit(), 1);
        assert_eq!(Square::H1.bit(), 1 << 7);
        assert_eq!(Square::A2.bit(), 1 << 8);
        assert_eq!(Square::H8.bit(), 1 << 63);
        assert_eq!(Square::all().count(), 64);
    }

    #[test]
    fn coordinates_and_index_agree() {
        for square in Square::all() {
            assert_eq!(
                Square::from_coords(square.file(), square.rank()),
                Some(square)
            );
            assert_eq!(Square::new(square.index()), Some(square));
        }
        assert_eq!(Square::new(64), None);
        assert_eq!(Square::from_coords(8, 0), None);
        assert_eq!(Square::from_coords(0, 8), None);
    }

    #[test]
    fn other_text_is_refused_and_named() {
        for text in [
            "", "d", "i5", "f0", "a9", "d3 ", " d3", "33", "dd", "pa", "é", "d33",
        ] {
            let error = text.parse::<Square>().unwrap_err();
            assert_eq!(error.found, text);
        }
    }
}
