//! In which order moves are tried: the better the first guess, the smaller the tree.

use crate::bitboard::Bitboard;
use crate::board::Board;
use crate::kernel;
use crate::rules::Objective;
use crate::square::Square;

/// The four quadrants of the board. The side that moves last in a region gains, and a quadrant is
/// a cheap stand-in for a region.
const QUADRANTS: [u64; 4] = [
    0x0000_0000_0F0F_0F0F,
    0x0000_0000_F0F0_F0F0,
    0x0F0F_0F0F_0000_0000,
    0xF0F0_F0F0_0000_0000,
];

/// The squares of all quadrants with an odd number of empty squares.
#[inline]
pub(super) const fn odd_quadrants(empty: u64) -> u64 {
    let mut odd = 0;
    let mut index = 0;
    while index < QUADRANTS.len() {
        if !(empty & QUADRANTS[index]).count_ones().is_multiple_of(2) {
            odd |= QUADRANTS[index];
        }
        index += 1;
    }
    odd
}

/// The moves of one node with their promise, best first as they are taken.
#[derive(Debug)]
pub(super) struct MoveList {
    // Promise above, square below, so that the largest word is the best move.
    words: [u32; 64],
    len: usize,
}

/// Above every promise: the move that was best before.
const FIRST: i32 = 1 << 22;
/// Added to every promise to keep it positive.
const BIAS: i32 = 1 << 21;

impl MoveList {
    const fn empty() -> Self {
        Self {
            words: [0; 64],
            len: 0,
        }
    }

    #[inline]
    fn push(&mut self, square: Square, promise: i32) {
        let promise = (promise + BIAS).cast_unsigned();
        self.words[self.len & 63] = (promise << 6) | u32::from(square.index());
        self.len += 1;
    }

    /// Takes out the most promising move that is left.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Square> {
        let words = &mut self.words[..self.len.min(64)];
        let best = (0..words.len()).max_by_key(|&index| words[index])?;
        let word = words[best];
        self.len -= 1;
        words[best] = words[self.len];
        Square::new((word & 63) as u8)
    }
}

/// How moves are compared. The numbers were chosen by the nodes that solving FFO 1–29 and random
/// endgames of 12 to 16 empty squares takes; only their ratios matter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ordering {
    /// What a corner counts beside the moves that the other side is left with.
    corner: i32,
}

/// What each legal move left to the other side costs.
const REPLY: i32 = 16;
/// What a move into a region with an odd number of empty squares gains.
const ODD_REGION: i32 = 6;

impl Ordering {
    /// The ordering for this objective.
    pub(super) const fn new(objective: Objective) -> Self {
        Self {
            corner: match objective {
                Objective::MostDiscs => 8,
                Objective::FewestDiscs => -8,
            },
        }
    }

    /// Orders moves by the mobility that they leave to the other side, fewest replies first;
    /// corners, for either side, count extra. `first` comes before all others.
    pub(super) fn by_mobility(self, board: Board, moves: u64, first: Option<Square>) -> MoveList {
        let odd = odd_quadrants(board.empties().0);
        let mut list = MoveList::empty();
        for square in Bitboard(moves) {
            if Some(square) == first {
                list.push(square, FIRST);
                continue;
            }
            let child = board.play_unchecked(square, board.flips(square));
            let replies = kernel::legal_moves(child.player.0, child.opponent.0);
            let mobility = replies.count_ones().cast_signed();
            let corners = (replies & Bitboard::CORNERS.0).count_ones().cast_signed();
            let mut promise = -REPLY * mobility - self.corner * corners;
            if odd & square.bit() != 0 {
                promise += ODD_REGION;
            }
            if Bitboard::CORNERS.contains(square) {
                promise += self.corner;
            }
            list.push(square, promise);
        }
        list
    }

    /// The moves in no particular order.
    pub(super) fn unsorted(moves: u64) -> MoveList {
        let mut list = MoveList::empty();
        for square in Bitboard(moves) {
            list.push(square, 0);
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_come_most_promising_first() {
        let mut list = MoveList::empty();
        for (square, promise) in [(Square::A1, -700), (Square::B5, 30), (Square::H8, 29)] {
            list.push(square, promise);
        }
        list.push(Square::C3, FIRST);
        let order: Vec<Square> = std::iter::from_fn(|| list.next()).collect();
        assert_eq!(order, [Square::C3, Square::B5, Square::H8, Square::A1]);
    }

    #[test]
    fn odd_quadrants_are_those_with_an_odd_number_of_empty_squares() {
        let empty = Square::A1.bit() | Square::H8.bit() | Square::H7.bit();
        assert_eq!(odd_quadrants(empty), QUADRANTS[0]);
        assert_eq!(odd_quadrants(u64::MAX), 0);
    }
}
