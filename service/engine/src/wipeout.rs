//! Moves that lose at once because a colour has no disc left.

use crate::board::Board;
use crate::moves::Move;
use crate::position::{Phase, Position};
use crate::rules::Objective;

/// Whether the side to move can lose within two plies of this legal move by a colour's last disc:
/// under [`Objective::MostDiscs`] because some answer takes all its discs, under
/// [`Objective::FewestDiscs`] because the move itself takes all of the opponent's.
pub(crate) fn is_invited_by(position: &Position, mv: Move, objective: Objective) -> bool {
    match (position.phase(), mv) {
        (Phase::Placement, _) | (Phase::Play, Move::Pass) => false,
        (Phase::Play, Move::Place(_)) => {
            let after = position.play_unchecked(mv).board();
            match objective {
                Objective::MostDiscs => some_answer_takes_all(after),
                Objective::FewestDiscs => after.player.is_empty(),
            }
        }
    }
}

fn some_answer_takes_all(board: Board) -> bool {
    board
        .legal_moves()
        .iter()
        .any(|square| (board.opponent - board.flips(square)).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitboard::Bitboard;
    use crate::color::Color;
    use crate::setup::Setup;
    use crate::square::Square;

    fn position(black: &[Square], white: &[Square]) -> Position {
        let discs = |squares: &[Square]| squares.iter().copied().collect::<Bitboard>();
        let setup = Setup {
            black: discs(black),
            white: discs(white),
            side_to_move: Color::Black,
        };
        setup.into_position().unwrap()
    }

    #[test]
    fn an_answer_that_takes_the_last_disc_is_seen() {
        // After d1 White plays e1 and takes b1, c1 and d1, all that Black has.
        let position = position(&[Square::B1], &[Square::A1, Square::C1]);
        let mv = Move::Place(Square::D1);
        assert!(is_invited_by(&position, mv, Objective::MostDiscs));
        assert!(!is_invited_by(&position, mv, Objective::FewestDiscs));
    }

    #[test]
    fn a_move_that_takes_the_last_disc_loses_where_fewer_discs_win() {
        let position = position(&[Square::A1], &[Square::B1]);
        let mv = Move::Place(Square::C1);
        assert!(is_invited_by(&position, mv, Objective::FewestDiscs));
        assert!(!is_invited_by(&position, mv, Objective::MostDiscs));
    }

    #[test]
    fn ordinary_moves_invite_nothing() {
        let position = Position::standard();
        for objective in [Objective::MostDiscs, Objective::FewestDiscs] {
            for square in position.legal_moves() {
                assert!(!is_invited_by(&position, Move::Place(square), objective));
            }
        }
    }
}
