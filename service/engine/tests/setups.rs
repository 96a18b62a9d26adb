//! What may be written down as a position, and that every fault is reported at once.

#[path = "support/text.rs"]
mod text;

use reversi_engine::{
    Bitboard, Color, EndReason, Game, Phase, Position, RuleSet, Setup, SetupFault, Square, Start,
    Turn,
};

fn setup(black: &[Square], white: &[Square], side_to_move: Color) -> Setup {
    Setup {
        black: black.iter().copied().collect(),
        white: white.iter().copied().collect(),
        side_to_move,
    }
}

#[test]
fn overlapping_discs_are_refused_at_every_door() {
    let overlapping = setup(
        &[Square::D4, Square::E4, Square::A1, Square::B1],
        &[Square::D4, Square::D5, Square::C1],
        Color::Black,
    );
    let overlap = SetupFault::Overlap {
        squares: Bitboard::from(Square::D4),
    };
    assert_eq!(overlapping.into_position().unwrap_err().faults, [overlap]);
    assert_eq!(
        overlapping.into_free_position().unwrap_err().faults,
        [overlap]
    );
    let rules = RuleSet {
        start: Start::Custom(overlapping),
        ..RuleSet::default()
    };
    assert_eq!(Game::new(rules).unwrap_err().faults, [overlap]);
}

#[test]
fn a_dead_position_can_be_asked_about_but_not_begun_from() {
    let dead = setup(&[Square::A1], &[Square::H8], Color::White);
    let position = dead.into_position().unwrap();
    assert_eq!(position.turn(), Turn::Over(EndReason::NoMoves));
    assert_eq!(
        dead.into_start().unwrap_err().faults,
        [SetupFault::NeitherSideCanMove]
    );
}

#[test]
fn a_start_reports_overlap_and_deadness_together() {
    let faulty = setup(&[Square::A1], &[Square::A1], Color::Black);
    let error = faulty.into_start().unwrap_err();
    assert_eq!(
        error.faults,
        [
            SetupFault::Overlap {
                squares: Bitboard::from(Square::A1)
            },
            SetupFault::NeitherSideCanMove
        ]
    );
    assert_eq!(
        error.to_string(),
        "impossible position: discs of both colours on a1; neither side can move"
    );
}

#[test]
fn unreachable_positions_are_welcome() {
    // No game leaves the centre empty.
    let unreachable = setup(&[Square::A1], &[Square::B1, Square::H8], Color::Black);
    let position = unreachable.into_start().unwrap();
    assert_eq!(position.legal_moves().to_string(), "c1");
    assert_eq!(Setup::from(position), unreachable);
}

#[test]
fn few_discs_in_the_centre_are_a_placement_in_a_free_game_only() {
    let one = setup(&[Square::D4], &[], Color::White);
    let placement = one.into_free_position().unwrap();
    assert_eq!(placement.phase(), Phase::Placement);
    assert_eq!(placement.turn(), Turn::Move);
    assert_eq!(placement.legal_moves().to_string(), "e4 d5 e5");

    let play = one.into_position().unwrap();
    assert_eq!(play.phase(), Phase::Play);
    assert_eq!(play.turn(), Turn::Over(EndReason::Wipeout));
}

#[test]
fn a_free_position_reads_back_at_every_placement() {
    let rules = RuleSet {
        start: Start::Free,
        ..RuleSet::default()
    };
    let mut game = Game::new(rules).unwrap();
    for square in [Square::E5, Square::D4, Square::E4, Square::D5] {
        let position = *game.position();
        assert_eq!(Setup::from(position).into_free_position(), Ok(position));
        game.play(square.into()).unwrap();
    }
    let position = *game.position();
    assert_eq!(position.phase(), Phase::Play);
    assert_eq!(Setup::from(position).into_free_position(), Ok(position));
}

#[test]
fn four_discs_anywhere_are_usual_play_in_a_free_game() {
    let standard = Setup::from(Position::standard());
    assert_eq!(standard.into_free_position(), Ok(Position::standard()));
    let four = setup(
        &[Square::A1, Square::C1],
        &[Square::B1, Square::D1],
        Color::White,
    );
    assert_eq!(four.into_free_position(), four.into_position());
}

#[test]
fn a_placement_reports_all_its_faults() {
    let faulty = setup(&[Square::D4, Square::A1], &[], Color::White);
    let error = faulty.into_free_position().unwrap_err();
    assert_eq!(
        error.faults,
        [
            SetupFault::PlacementOutsideCentre {
                squares: Bitboard::from(Square::A1)
            },
            SetupFault::PlacementOutOfTurn { black: 2, white: 0 },
            SetupFault::PlacementWrongSide {
                expected: Color::Black,
                found: Color::White
            },
        ]
    );
    assert_eq!(
        error.to_string(),
        "impossible position: one of the first four discs is outside the centre, on a1; \
         2 black and 0 white discs cannot have been placed in turn; \
         white is to move, but black places the next of the first four discs"
    );
}

#[test]
fn the_side_of_a_placement_follows_from_the_number_of_discs() {
    let squares = [Square::D4, Square::E4, Square::D5];
    for placed in 0..4 {
        let (black, white): (Vec<_>, Vec<_>) = (0..placed).partition(|index| index % 2 == 0);
        let squares = |indices: Vec<usize>| indices.into_iter().map(|i| squares[i]).collect();
        let (black, white): (Vec<_>, Vec<_>) = (squares(black), squares(white));
        let side = [Color::Black, Color::White][placed % 2];
        assert!(setup(&black, &white, side).into_free_position().is_ok());
        assert_eq!(
            setup(&black, &white, !side)
                .into_free_position()
                .unwrap_err()
                .faults,
            [SetupFault::PlacementWrongSide {
                expected: side,
                found: !side
            }]
        );
    }
}

#[test]
fn a_setup_survives_being_drawn() {
    let position = text::position(
        "-------- -------- ---O---- ---OX--- ---XO--- -------- -------- -------X",
        Color::White,
    );
    let drawing = position.to_string();
    let lines: Vec<&str> = drawing.lines().collect();
    assert_eq!(lines[3], "3 - - - O - - - -");
    assert_eq!(lines[8], "8 - - - - - - - X");
    assert_eq!(lines[9], "white to move");
}
