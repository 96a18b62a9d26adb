//! Looking back at a game and taking moves back.

use reversi_engine::{
    Color, Game, Move, MoveKind, PassMode, PlyOutOfRange, Position, RuleSet, Square, Start, Turn,
};

fn game(rules: RuleSet, moves: &str) -> Game {
    let mut game = Game::new(rules).expect("a sound start");
    for name in moves.split(' ') {
        game.play(name.parse().expect("a move"))
            .expect("a legal move");
    }
    game
}

/// White's last of these moves leaves Black without a legal move.
const WITH_A_PASS: &str = "c4 c3 c2 b2 e6 c1 a1 a3";

#[test]
fn every_earlier_position_is_at_hand() {
    let game = game(RuleSet::default(), "f5 d6 c3");
    assert_eq!(game.position_at(0), Some(Position::standard()));
    assert_eq!(
        game.position_at(1),
        Position::standard().play(Move::Place(Square::F5)).ok()
    );
    assert_eq!(game.position_at(3), Some(*game.position()));
    assert_eq!(game.position_at(4), None);
    assert_eq!(game.position_at(usize::MAX), None);
}

#[test]
fn later_moves_are_dropped() {
    let mut game = game(RuleSet::default(), "f5 d6 c3 d3");
    let second = game.position_at(2).unwrap();
    game.truncate(2).unwrap();
    assert_eq!(game.ply(), 2);
    assert_eq!(*game.position(), second);
    game.truncate(2).unwrap();
    assert_eq!(game.ply(), 2);
    game.truncate(0).unwrap();
    assert_eq!(*game.position(), Position::standard());
}

#[test]
fn a_ply_that_was_not_reached_is_refused() {
    let mut game = game(RuleSet::default(), "f5 d6");
    let before = game.clone();
    assert_eq!(
        game.truncate(3),
        Err(PlyOutOfRange {
            ply: 3,
            first: 0,
            last: 2
        })
    );
    assert_eq!(game, before);
    assert_eq!(
        game.truncate(usize::MAX).unwrap_err().to_string(),
        format!("ply {} is not from 0 to 2", usize::MAX)
    );
}

#[test]
fn a_game_with_automatic_passes_is_never_left_waiting_for_one() {
    let mut automatic = game(RuleSet::default(), WITH_A_PASS);
    assert_eq!(automatic.ply(), 9);
    automatic.truncate(8).unwrap();
    assert_eq!(automatic.ply(), 9);
    assert_eq!(automatic.turn(), Turn::Move);

    let rules = RuleSet {
        pass_mode: PassMode::Explicit,
        ..RuleSet::default()
    };
    let mut explicit = game(rules, &format!("{WITH_A_PASS} pass"));
    explicit.truncate(8).unwrap();
    assert_eq!(explicit.ply(), 8);
    assert_eq!(explicit.turn(), Turn::Pass);
}

#[test]
fn the_last_own_disc_is_found_behind_passes_and_replies() {
    let mut game = game(RuleSet::default(), WITH_A_PASS);
    assert_eq!(game.history()[8].kind, MoveKind::Pass);
    assert_eq!(game.history()[8].side, Color::Black);
    assert_eq!(game.last_disc_ply(Color::White), Some(7));
    assert_eq!(game.last_disc_ply(Color::Black), Some(6));

    game.truncate(6).unwrap();
    assert_eq!(game.position().side_to_move(), Color::Black);
    assert_eq!(game.ply(), 6);
    game.truncate(0).unwrap();
    assert_eq!(game.last_disc_ply(Color::Black), None);
}

#[test]
fn placements_can_be_taken_back() {
    let rules = RuleSet {
        start: Start::Free,
        ..RuleSet::default()
    };
    let mut game = game(rules, "d4 e4 d5 e5 f3");
    assert_eq!(game.discs_placed(), 5);
    assert_eq!(game.last_disc_ply(Color::White), Some(3));
    game.truncate(3).unwrap();
    assert_eq!(game.legal_moves().to_string(), "e5");
    assert_eq!(game.position().side_to_move(), Color::White);
    assert_eq!(game.discs_placed(), 3);
}

#[test]
fn a_finished_game_goes_on_after_a_take_back() {
    let mut game = game(RuleSet::default(), "e6 f4 e3 f6 g5 d6 e7 f5 c5");
    assert!(game.turn().is_over());
    game.truncate(8).unwrap();
    assert_eq!(game.turn(), Turn::Move);
    assert_eq!(game.result(), None);
}
