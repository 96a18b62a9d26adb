//! Discs that are safe for good.

use crate::bitboard::Bitboard;

/// The four directions of lines, as steps of a bit index towards larger ones, with the squares
/// that have a neighbour in that direction and in the opposite one.
const DIRECTIONS: [(u32, u64, u64); 4] = [
    (1, NOT_FILE_H, NOT_FILE_A),
    (8, NOT_RANK_8, NOT_RANK_1),
    (9, NOT_FILE_H & NOT_RANK_8, NOT_FILE_A & NOT_RANK_1),
    (7, NOT_FILE_A & NOT_RANK_8, NOT_FILE_H & NOT_RANK_1),
];

const NOT_FILE_A: u64 = 0xFEFE_FEFE_FEFE_FEFE;
const NOT_FILE_H: u64 = 0x7F7F_7F7F_7F7F_7F7F;
const NOT_RANK_1: u64 = 0xFFFF_FFFF_FFFF_FF00;
const NOT_RANK_8: u64 = 0x00FF_FFFF_FFFF_FFFF;

/// Discs of one side that can never be turned, as far as can be seen without looking ahead: in each
/// direction the line is full, or the disc is at its end, or next to such a disc of its own side.
pub(super) fn stable(own: Bitboard, other: Bitboard) -> Bitboard {
    let occupied = own.0 | other.0;
    let safe_lines = DIRECTIONS.map(|(step, up, down)| {
        // The end of a line, or a full one.
        !up | !down | full_lines(occupied, step, up, down)
    });
    let mut stable = 0;
    loop {
        let more =
            DIRECTIONS
                .iter()
                .zip(safe_lines)
                .fold(own.0, |left, (&(step, up, down), safe)| {
                    let beside = ((stable & up) << step) | ((stable & down) >> step);
                    left & (safe | beside)
                });
        if more == stable {
            return Bitboard(stable);
        }
        stable = more;
    }
}

/// The squares of lines in this direction that hold no empty square.
const fn full_lines(occupied: u64, step: u32, up: u64, down: u64) -> u64 {
    let mut holes = !occupied;
    let mut count = 0;
    while count < 7 {
        holes |= ((holes & up) << step) | ((holes & down) >> step);
        count += 1;
    }
    !holes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::square::Square;

    fn set(squares: &[Square]) -> Bitboard {
        squares.iter().copied().collect()
    }

    #[test]
    fn a_corner_and_the_edge_beside_it_are_safe() {
        let own = set(&[Square::A1, Square::B1, Square::C1, Square::E1, Square::B2]);
        let safe = stable(own, Bitboard::EMPTY);
        assert_eq!(safe.to_string(), "a1 b1 c1");
    }

    #[test]
    fn a_disc_inside_is_safe_beside_safe_ones_in_every_direction() {
        let own = set(&[
            Square::A1,
            Square::B1,
            Square::C1,
            Square::A2,
            Square::B2,
            Square::A3,
        ]);
        assert_eq!(stable(own, Bitboard::EMPTY), own);
    }

    #[test]
    fn a_full_edge_is_safe_for_both_sides() {
        let own = set(&[Square::B8, Square::C8, Square::G8]);
        let rank_8 = Bitboard(0xFF << 56);
        assert_eq!(stable(own, rank_8 - own), own);
        assert_eq!(stable(rank_8 - own, own), rank_8 - own);
    }

    #[test]
    fn nothing_is_safe_at_the_start_and_everything_on_a_full_board() {
        let board = crate::Board::STANDARD;
        assert_eq!(stable(board.player, board.opponent), Bitboard::EMPTY);
        let black = Bitboard(0x0F0F_F0F0_1234_5678);
        assert_eq!(stable(black, !black), black);
    }
}
