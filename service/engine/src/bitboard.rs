//! Sets of squares as 64-bit words. Knows nothing of discs or colours.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::{
    BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Sub, SubAssign,
};

use crate::square::Square;

pub(crate) mod symmetry;

/// A set of squares: bit 0 is a1, bit 7 is h1, bit 63 is h8.
///
/// ```
/// use reversi_engine::{Bitboard, Square};
///
/// let set: Bitboard = [Square::D3, Square::C4].into_iter().collect();
/// assert_eq!(set.count(), 2);
/// assert!(set.contains(Square::C4));
/// assert_eq!(set.to_string(), "d3 c4");
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Bitboard(pub u64);

impl Bitboard {
    /// No square.
    pub const EMPTY: Self = Self(0);
    /// All 64 squares.
    pub const FULL: Self = Self(u64::MAX);
    /// a1, h1, a8 and h8.
    pub const CORNERS: Self = Self(0x8100_0000_0000_0081);
    /// d4, e4, d5 and e5.
    pub const CENTRE: Self = Self(0x0000_0018_1800_0000);

    /// The number of squares in the set, 0 to 64.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the square is in the set.
    #[must_use]
    pub const fn contains(self, square: Square) -> bool {
        self.0 & square.bit() != 0
    }

    /// Whether the set holds no square.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The squares of the set, a1 first, along the ranks.
    #[must_use]
    pub const fn iter(self) -> Squares {
        Squares(self.0)
    }
}

impl fmt::Display for Bitboard {
    /// Writes the names of the squares with blanks between; nothing for the empty set.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, square) in self.iter().enumerate() {
            if i > 0 {
                f.write_str(" ")?;
            }
            write!(f, "{square}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bitboard({:#018x}: {self})", self.0)
    }
}

impl From<Square> for Bitboard {
    fn from(square: Square) -> Self {
        Self(square.bit())
    }
}

impl From<u64> for Bitboard {
    fn from(bits: u64) -> Self {
        Self(bits)
    }
}

impl From<Bitboard> for u64 {
    fn from(set: Bitboard) -> Self {
        set.0
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        Self(
            squares
                .into_iter()
                .fold(0, |bits, square| bits | square.bit()),
        )
    }
}

impl Extend<Square> for Bitboard {
    fn extend<I: IntoIterator<Item = Square>>(&mut self, squares: I) {
        *self |= squares.into_iter().collect::<Self>();
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    fn into_iter(self) -> Squares {
        self.iter()
    }
}

/// The squares of a [`Bitboard`], a1 first.
#[derive(Clone, Debug)]
pub struct Squares(u64);

impl Iterator for Squares {
    type Item = Square;

    fn next(&mut self) -> Option<Square> {
        if self.0 == 0 {
            return None;
        }
        let square = Square::lowest_of(self.0);
        self.0 &= self.0 - 1;
        Some(square)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count_ones() as usize;
        (count, Some(count))
    }
}

impl ExactSizeIterator for Squares {}
impl FusedIterator for Squares {}

impl Not for Bitboard {
    type Output = Self;

    fn not(self) -> Self {
        Self(!self.0)
    }
}

/// Implements a binary operator on sets and its assigning form.
macro_rules! set_operator {
    ($($operator:ident $method:ident $assign:ident $assign_method:ident |$a:ident, $b:ident| $result:expr;)*) => {$(
        impl $operator for Bitboard {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                let ($a, $b) = (self.0, other.0);
                Self($result)
            }
        }

        impl $assign for Bitboard {
            fn $assign_method(&mut self, other: Self) {
                *self = $operator::$method(*self, other);
            }
        }
    )*};
}

set_operator! {
    BitAnd bitand BitAndAssign bitand_assign |a, b| a & b;
    BitOr bitor BitOrAssign bitor_assign |a, b| a | b;
    BitXor bitxor BitXorAssign bitxor_assign |a, b| a ^ b;
    // The set difference: what is in the first and not in the second.
    Sub sub SubAssign sub_assign |a, b| a & !b;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_come_in_order_from_a1() {
        let set: Bitboard = [Square::H8, Square::A1, Square::D3].into_iter().collect();
        let squares: Vec<Square> = set.iter().collect();
        assert_eq!(squares, [Square::A1, Square::D3, Square::H8]);
        assert_eq!(set.iter().len(), 3);
        assert_eq!(Bitboard::FULL.iter().count(), 64);
        assert_eq!(Bitboard::EMPTY.iter().next(), None);
    }

    #[test]
    fn named_sets_hold_their_squares() {
        assert_eq!(Bitboard::CORNERS.to_string(), "a1 h1 a8 h8");
        assert_eq!(Bitboard::CENTRE.to_string(), "d4 e4 d5 e5");
        assert_eq!(Bitboard::EMPTY.to_string(), "");
    }

    #[test]
    fn operators_work_on_sets() {
        let (a, b) = (Bitboard(0b0110), Bitboard(0b0011));
        assert_eq!(a & b, Bitboard(0b0010));
        assert_eq!(a | b, Bitboard(0b0111));
        assert_eq!(a ^ b, Bitboard(0b0101));
        assert_eq!(a - b, Bitboard(0b0100));
        assert_eq!(!Bitboard::EMPTY, Bitboard::FULL);
        let mut c = a;
        c |= b;
        c -= Bitboard::from(Square::A1);
        assert_eq!(c, a);
    }
}
