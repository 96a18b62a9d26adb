//! The positions that requests are about.

use reversi_engine::{Color, Move, Position, Turn};
use reversi_proto::v1;

use crate::random::Random;

/// How many different positions are enough that no cache remembers one.
const PLAYOUT_POSITIONS: usize = 4_096;
/// Positions of the middle of a game have this many empty squares.
const MIDGAME_EMPTIES: std::ops::RangeInclusive<u32> = 20..=40;

/// Where positions come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Positions {
    /// The standard start alone.
    Start,
    /// The middle of random games.
    Midgame,
    /// Random games from beginning to end.
    Playouts,
}

impl Positions {
    /// The positions for this seed.
    pub(crate) fn list(&self, seed: u64) -> Vec<Position> {
        match self {
            Self::Start => vec![Position::standard()],
            Self::Midgame => {
                let is_midgame = |position: &Position| {
                    MIDGAME_EMPTIES.contains(&position.empties().count())
                        && position.turn() == Turn::Move
                };
                playouts(seed, is_midgame)
            }
            Self::Playouts => playouts(seed, |_| true),
        }
    }
}

fn playouts(seed: u64, wanted: impl Fn(&Position) -> bool) -> Vec<Position> {
    let mut random = Random::new(seed);
    let mut positions = Vec::with_capacity(PLAYOUT_POSITIONS + 64);
    while positions.len() < PLAYOUT_POSITIONS {
        let mut position = Position::standard();
        while let Some(mv) = random_move(&position, &mut random) {
            if wanted(&position) {
                positions.push(position);
            }
            position = position.play_unchecked(mv);
        }
    }
    positions.truncate(PLAYOUT_POSITIONS);
    positions
}

/// A legal move; `None` if the game is over.
pub(crate) fn random_move(position: &Position, random: &mut Random) -> Option<Move> {
    match position.turn() {
        Turn::Over(_) => None,
        Turn::Pass => Some(Move::Pass),
        Turn::Move => {
            let moves = position.legal_moves();
            let choice = random.below(moves.count() as usize);
            moves.iter().nth(choice).map(Move::Place)
        }
    }
}

/// A position as the API writes it.
pub(crate) fn message(position: &Position) -> v1::Position {
    v1::Position {
        board: Some(v1::position::Board::Bitboards(v1::Bitboards {
            black: position.black().0,
            white: position.white().0,
        })),
        side_to_move: color(position.side_to_move()).into(),
    }
}

/// A side as the API writes it.
pub(crate) const fn color(color: Color) -> v1::Color {
    match color {
        Color::Black => v1::Color::Black,
        Color::White => v1::Color::White,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_positions() {
        assert_eq!(Positions::Playouts.list(3), Positions::Playouts.list(3));
        assert_ne!(Positions::Playouts.list(3), Positions::Playouts.list(4));
    }

    #[test]
    fn midgame_positions_are_from_the_middle() {
        let positions = Positions::Midgame.list(1);
        assert_eq!(positions.len(), PLAYOUT_POSITIONS);
        for position in positions {
            assert!(
                MIDGAME_EMPTIES.contains(&position.empties().count()),
                "{position}"
            );
        }
    }
}
