//! The eight symmetries of the square board.

use super::Bitboard;
use crate::square::Square;

/// One of the eight ways to turn or mirror the board onto itself.
///
/// ```
/// use reversi_engine::{Square, Symmetry};
///
/// assert_eq!(Symmetry::MirrorFiles.apply_square(Square::A1), Square::H1);
/// for symmetry in Symmetry::ALL {
///     let there = symmetry.apply_square(Square::B1);
///     assert_eq!(symmetry.inverse().apply_square(there), Square::B1);
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Symmetry {
    /// Leaves the board as it is.
    #[default]
    Identity,
    /// A quarter turn clockwise, as the board is printed: a1 goes to h1.
    Rotate90,
    /// A half turn: a1 goes to h8.
    Rotate180,
    /// A quarter turn anticlockwise: a1 goes to a8.
    Rotate270,
    /// Swaps left and right: a1 goes to h1, b1 to g1.
    MirrorFiles,
    /// Swaps top and bottom: a1 goes to a8, b1 to b8.
    MirrorRanks,
    /// Mirrors in the diagonal a1–h8: b1 goes to a2.
    Transpose,
    /// Mirrors in the diagonal h1–a8: a1 goes to h8, b1 to h7.
    AntiTranspose,
}

impl Symmetry {
    /// All eight, the identity first.
    pub const ALL: [Self; 8] = [
        Self::Identity,
        Self::Rotate90,
        Self::Rotate180,
        Self::Rotate270,
        Self::MirrorFiles,
        Self::MirrorRanks,
        Self::Transpose,
        Self::AntiTranspose,
    ];

    /// The set of squares after the symmetry.
    #[must_use]
    pub const fn apply(self, bits: u64) -> u64 {
        match self {
            Self::Identity => bits,
            Self::Rotate90 => mirror_files(transpose(bits)),
            Self::Rotate180 => bits.reverse_bits(),
            Self::Rotate270 => mirror_ranks(transpose(bits)),
            Self::MirrorFiles => mirror_files(bits),
            Self::MirrorRanks => mirror_ranks(bits),
            Self::Transpose => transpose(bits),
            Self::AntiTranspose => transpose(bits).reverse_bits(),
        }
    }

    /// The set of squares after the symmetry.
    #[must_use]
    pub const fn apply_bitboard(self, set: Bitboard) -> Bitboard {
        Bitboard(self.apply(set.0))
    }

    /// Where the square goes.
    #[must_use]
    pub const fn apply_square(self, square: Square) -> Square {
        Square::lowest_of(self.apply(square.bit()))
    }

    /// The symmetry that undoes this one.
    #[must_use]
    pub const fn inverse(self) -> Self {
        match self {
            Self::Rotate90 => Self::Rotate270,
            Self::Rotate270 => Self::Rotate90,
            Self::Identity
            | Self::Rotate180
            | Self::MirrorFiles
            | Self::MirrorRanks
            | Self::Transpose
            | Self::AntiTranspose => self,
        }
    }
}

/// The images of a set under the eight symmetries, in no particular order.
#[inline]
pub(crate) const fn images(bits: u64) -> [u64; 8] {
    let mirrored = mirror_files(bits);
    let transposed = transpose(bits);
    let turned = mirror_files(transposed);
    [
        bits,
        mirrored,
        mirror_ranks(bits),
        mirror_ranks(mirrored),
        transposed,
        turned,
        mirror_ranks(transposed),
        mirror_ranks(turned),
    ]
}

/// Swaps left and right: reverses the bits of each byte.
const fn mirror_files(bits: u64) -> u64 {
    bits.reverse_bits().swap_bytes()
}

/// Swaps top and bottom: reverses the bytes.
const fn mirror_ranks(bits: u64) -> u64 {
    bits.swap_bytes()
}

/// Transposes the 8x8 bit matrix by swapping ever larger blocks
/// (Warren, "Hacker's Delight", section 7-3).
const fn transpose(mut bits: u64) -> u64 {
    let t = (bits ^ (bits >> 7)) & 0x00AA_00AA_00AA_00AA;
    bits ^= t ^ (t << 7);
    let t = (bits ^ (bits >> 14)) & 0x0000_CCCC_0000_CCCC;
    bits ^= t ^ (t << 14);
    let t = (bits ^ (bits >> 28)) & 0x0000_0000_F0F0_F0F0;
    bits ^ t ^ (t << 28)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same symmetry by coordinates.
    fn by_coordinates(symmetry: Symmetry, file: u8, rank: u8) -> (u8, u8) {
        match symmetry {
            Symmetry::Identity => (file, rank),
            Symmetry::Rotate90 => (7 - rank, file),
            Symmetry::Rotate180 => (7 - file, 7 - rank),
            Symmetry::Rotate270 => (rank, 7 - file),
            Symmetry::MirrorFiles => (7 - file, rank),
            Symmetry::MirrorRanks => (file, 7 - rank),
            Symmetry::Transpose => (rank, file),
            Symmetry::AntiTranspose => (7 - rank, 7 - file),
        }
    }

    #[test]
    fn every_symmetry_moves_every_square_as_its_coordinates_say() {
        for symmetry in Symmetry::ALL {
            for square in Square::all() {
                let (file, rank) = by_coordinates(symmetry, square.file(), square.rank());
                assert_eq!(
                    Some(symmetry.apply_square(square)),
                    Square::from_coords(file, rank),
                    "{symmetry:?} of {square}"
                );
            }
        }
    }

    #[test]
    fn inverses_undo() {
        let bits = 0x0123_4567_89AB_CDEF;
        for symmetry in Symmetry::ALL {
            assert_eq!(symmetry.inverse().apply(symmetry.apply(bits)), bits);
        }
    }
}
