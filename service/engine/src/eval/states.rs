//! The states of all patterns of a board, kept up to date from move to move.

use crate::bitboard::Bitboard;
use crate::board::Board;
use crate::square::Square;

use super::pattern::{CENTRES, DIGITS, LANES};

/// The state of every pattern instance, from the mover's view, as its place in its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct States(pub(super) [u16; LANES]);

impl States {
    /// The states of a board, counted from nothing.
    #[must_use]
    pub fn of(board: Board) -> Self {
        let player = sum(board.player);
        let opponent = sum(board.opponent);
        Self(std::array::from_fn(|lane| {
            (CENTRES[lane] + player[lane]).wrapping_sub(opponent[lane])
        }))
    }

    /// The states after the mover has played on the square and turned these discs, from the next
    /// mover's view.
    #[inline(always)]
    #[must_use]
    pub fn play(&self, square: Square, flips: Bitboard) -> Self {
        let turned = sum(flips);
        let placed = &DIGITS[usize::from(square.index())];
        let mut next = [0; LANES];
        for lane in 0..LANES {
            // A turned disc goes from -1 over 0 to 1.
            let changed = turned[lane].wrapping_mul(2).wrapping_add(placed[lane]);
            next[lane] = swapped(lane, self.0[lane].wrapping_add(changed));
        }
        Self(next)
    }

    /// The states with the other side to move.
    #[inline(always)]
    #[must_use]
    pub fn pass(&self) -> Self {
        Self(std::array::from_fn(|lane| swapped(lane, self.0[lane])))
    }
}

/// What discs of the mover on these squares add to the states.
#[inline(always)]
fn sum(squares: Bitboard) -> [u16; LANES] {
    let mut sum = [0; LANES];
    for square in squares {
        for (sum, digit) in sum.iter_mut().zip(&DIGITS[usize::from(square.index())]) {
            *sum = u16::wrapping_add(*sum, *digit);
        }
    }
    sum
}

/// The place of a state when the sides are swapped: as far from the state 0, on its other side.
#[inline(always)]
fn swapped(lane: usize, place: u16) -> u16 {
    CENTRES[lane].wrapping_mul(2).wrapping_sub(place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitboard::symmetry::Symmetry;

    #[test]
    fn states_kept_up_to_date_are_those_counted_anew() {
        let mut board = Board::STANDARD;
        let mut states = States::of(board);
        for turn in 0..60 {
            let moves = board.legal_moves();
            let Some(square) = moves.iter().nth(turn * 7 % moves.count().max(1) as usize) else {
                board = board.pass();
                states = states.pass();
                continue;
            };
            let flips = board.flips(square);
            board = board.play_unchecked(square, flips);
            states = states.play(square, flips);
            assert_eq!(states, States::of(board), "{board}");
        }
    }

    #[test]
    fn swapping_the_sides_negates_the_states() {
        let board = Board::STANDARD.play(Square::D3).unwrap();
        assert_eq!(States::of(board).pass(), States::of(board.pass()));
        assert_ne!(
            States::of(board),
            States::of(board.transform(Symmetry::Rotate90))
        );
    }
}
