//! The states of all patterns of a board, kept up to date from move to move.

use crate::bitboard::Bitboard;
use crate::board::Board;
use crate::square::Square;

use super::pattern::{DIGITS, LANES};

/// The state of every pattern instance, from the mover's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(32))]
pub struct States(pub(super) [i16; LANES]);

impl States {
    /// The states of a board, counted from nothing.
    #[must_use]
    pub fn of(board: Board) -> Self {
        let sum = |set: Bitboard| {
            let mut sum = [0; LANES];
            for square in set {
                add(&mut sum, square);
            }
            sum
        };
        let mut states = sum(board.player);
        for (state, other) in states.iter_mut().zip(sum(board.opponent)) {
            *state -= other;
        }
        Self(states)
    }

    /// The states after the mover has played on the square and turned these discs, from the next
    /// mover's view.
    #[inline(always)]
    #[must_use]
    pub fn play(&self, square: Square, flips: Bitboard) -> Self {
        let mut turned = [0; LANES];
        for flip in flips {
            add(&mut turned, flip);
        }
        let placed = &DIGITS[usize::from(square.index())];
        let mut next = [0; LANES];
        for lane in 0..LANES {
            // A turned disc goes from -1 over 0 to 1, so no sum is larger than a state.
            next[lane] = -(self.0[lane] + turned[lane] + turned[lane] + placed[lane]);
        }
        Self(next)
    }

    /// The states with the other side to move.
    #[inline(always)]
    #[must_use]
    pub fn pass(&self) -> Self {
        Self(self.0.map(|state| -state))
    }
}

#[inline(always)]
fn add(sum: &mut [i16; LANES], square: Square) {
    for (sum, digit) in sum.iter_mut().zip(&DIGITS[usize::from(square.index())]) {
        *sum += digit;
    }
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
