//! Corners and the squares beside them.

use crate::bitboard::Bitboard;

/// The squares diagonally next to a corner: b2, g2, b7, g7.
const X_SQUARES: u64 = 0x0042_0000_0000_4200;
/// The squares of the edges next to a corner: b1, g1, a2, h2, a7, h7, b8, g8.
const C_SQUARES: u64 = 0x4281_0000_0000_8142;

/// The squares diagonally next to these corners.
pub(super) const fn x_squares(corners: Bitboard) -> Bitboard {
    Bitboard(around(corners.0) & X_SQUARES)
}

/// The squares of the edges next to these corners.
pub(super) const fn c_squares(corners: Bitboard) -> Bitboard {
    Bitboard(around(corners.0) & C_SQUARES)
}

/// The squares next to any of these.
pub(super) const fn around(squares: u64) -> u64 {
    const NOT_FILE_A: u64 = 0xFEFE_FEFE_FEFE_FEFE;
    const NOT_FILE_H: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    let beside = squares | ((squares & NOT_FILE_H) << 1) | ((squares & NOT_FILE_A) >> 1);
    (beside | (beside << 8) | (beside >> 8)) & !squares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::square::Square;

    #[test]
    fn each_corner_has_one_x_square_and_two_c_squares() {
        let all = Bitboard::CORNERS;
        assert_eq!(x_squares(all).to_string(), "b2 g2 b7 g7");
        assert_eq!(c_squares(all).to_string(), "b1 g1 a2 h2 a7 h7 b8 g8");
        assert_eq!(x_squares(Square::H8.into()).to_string(), "g7");
        assert_eq!(c_squares(Square::A8.into()).to_string(), "a7 b8");
    }

    #[test]
    fn neighbours_do_not_reach_around_the_board() {
        let corner = Bitboard(around(Square::A1.bit()));
        assert_eq!(corner.to_string(), "b1 a2 b2");
        let edge = Bitboard(around(Square::H4.bit()));
        assert_eq!(edge.to_string(), "g3 h3 g4 g5 h5");
    }
}
