//! Regions of empty squares.

use crate::bitboard::Bitboard;
use crate::square::Square;

use super::corners::around;

/// The empty squares that hang together with this one, itself included; squares touch along edges
/// and at corners.
pub(super) fn region(empties: Bitboard, square: Square) -> Bitboard {
    let mut region = square.bit();
    loop {
        let more = region | (around(region) & empties.0);
        if more == region {
            return Bitboard(region);
        }
        region = more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_ends_where_discs_are() {
        let empties: Bitboard = [Square::A1, Square::B2, Square::D1, Square::H8]
            .into_iter()
            .collect();
        assert_eq!(region(empties, Square::A1).to_string(), "a1 b2");
        assert_eq!(region(empties, Square::H8).to_string(), "h8");
        assert_eq!(region(Bitboard::FULL, Square::H8), Bitboard::FULL);
    }
}
