//! The tree of openings, with symmetric positions and transpositions as one.

use std::collections::HashSet;

use crate::moves::Move;
use crate::position::Position;
use crate::rules::BalancedStart;
use crate::square::Square;

/// The number of moves of an opening.
pub const PLIES: usize = BalancedStart::PLIES;

/// The first move of every opening: all four are the same but for symmetry, and players write
/// openings with this one.
const FIRST: Square = Square::F5;

/// The distinct positions after so many moves from the standard start, symmetric ones counted
/// once; each by the first of the ways that lead there, as squares are numbered. Always in the same
/// order.
///
/// ```
/// use reversi_engine::opening::distinct;
///
/// assert_eq!((0..=4).map(|plies| distinct(plies).len()).collect::<Vec<_>>(), [1, 1, 3, 14, 60]);
/// ```
#[must_use]
pub fn distinct(plies: usize) -> Vec<Vec<Square>> {
    let Some(rest) = plies.checked_sub(1) else {
        return vec![Vec::new()];
    };
    let first = Position::standard().play_unchecked(Move::Place(FIRST));
    let mut layer = vec![(vec![FIRST], first)];
    for _ in 0..rest {
        let mut seen = HashSet::new();
        let mut next = Vec::new();
        for (moves, position) in &layer {
            for square in position.legal_moves() {
                let after = position.play_unchecked(Move::Place(square));
                if seen.insert(after.board().canonical()) {
                    let mut moves = moves.clone();
                    moves.push(square);
                    next.push((moves, after));
                }
            }
        }
        layer = next;
    }
    layer.into_iter().map(|(moves, _)| moves).collect()
}

/// The position after moves from the standard start; `None` if one is illegal.
#[must_use]
pub fn position_after(moves: &[Square]) -> Option<Position> {
    moves
        .iter()
        .try_fold(Position::standard(), |position, &square| {
            position.play(Move::Place(square)).ok()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinct_positions_are_as_many_as_published() {
        // Positions up to symmetry after 1 to 6 moves.
        let counts: Vec<usize> = (1..=6).map(|plies| distinct(plies).len()).collect();
        assert_eq!(counts, [1, 3, 14, 60, 322, 1773]);
    }

    #[test]
    fn openings_are_legal_and_nobody_has_to_pass_in_them() {
        for moves in distinct(5) {
            let position = position_after(&moves).unwrap();
            assert!(!position.legal_moves().is_empty());
        }
        assert_eq!(position_after(&[Square::A1]), None);
    }
}
