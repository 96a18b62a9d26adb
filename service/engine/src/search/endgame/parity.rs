//! Who moves last where: the side that does gains.

/// The squares of all quadrants with an odd number of empty squares. Quadrants are a cheap stand-in
/// for regions of empty squares.
#[inline(always)]
pub(super) const fn odd_quadrants(empty: u64) -> u64 {
    // Halves are folded upon each other until each quadrant's parity is in its first square.
    let pairs = empty ^ empty >> 1;
    let ranks = pairs ^ pairs >> 2;
    let ranks = ranks ^ ranks >> 8;
    let odd = (ranks ^ ranks >> 16) & 0x0000_0011_0000_0011;
    odd * 0x0F0F_0F0F
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::square::Square;

    #[test]
    fn odd_quadrants_are_those_with_an_odd_number_of_empty_squares() {
        let empty = Square::A1.bit() | Square::H8.bit() | Square::H7.bit();
        assert_eq!(odd_quadrants(empty), 0x0F0F_0F0F);
        assert_eq!(odd_quadrants(Square::H8.bit()), 0xF0F0_F0F0_0000_0000);
        assert_eq!(odd_quadrants(u64::MAX), 0);
    }
}
