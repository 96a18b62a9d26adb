//! Forced passes, entered by the game or sent by the player, and which fault is named when
//! several apply.

#[path = "support/text.rs"]
mod text;

use reversi_engine::{
    Color, Game, IllegalMove, Move, MoveKind, PassMode, Position, RuleSet, Square, Start, Turn,
};

/// After these moves Black has no legal move and White has; no game comes to a pass earlier.
const EIGHT_MOVES_TO_A_PASS: &str = "c4 c3 c2 b2 e6 c1 a1 a3";

fn game(pass_mode: PassMode) -> Game {
    let rules = RuleSet {
        pass_mode,
        ..RuleSet::default()
    };
    Game::new(rules).expect("the standard start is sound")
}

fn play(game: &mut Game, moves: &str) {
    for name in moves.split(' ') {
        game.play(name.parse().expect("a move"))
            .expect("a legal move");
    }
}

#[test]
fn an_automatic_pass_comes_with_the_move_before_it() {
    let mut game = game(PassMode::Automatic);
    play(&mut game, "c4 c3 c2 b2 e6 c1 a1");
    let played = game.play(Move::Place(Square::A3)).unwrap().to_vec();
    let kinds: Vec<MoveKind> = played.iter().map(|played| played.kind).collect();
    assert_eq!(kinds, [MoveKind::Disc, MoveKind::Pass]);
    assert_eq!(played[0].side, Color::White);
    assert_eq!(played[1].side, Color::Black);
    assert_eq!(game.position().side_to_move(), Color::White);
    assert_eq!(game.turn(), Turn::Move);
    assert_eq!(game.ply(), 9);
    assert_eq!(game.discs_placed(), 8);
}

#[test]
fn an_explicit_pass_is_awaited() {
    let mut game = game(PassMode::Explicit);
    play(&mut game, EIGHT_MOVES_TO_A_PASS);
    assert_eq!(game.turn(), Turn::Pass);
    assert_eq!(game.ply(), 8);
    assert!(game.legal_moves().is_empty());
    let played = game.play(Move::Pass).unwrap();
    assert_eq!(played.len(), 1);
    assert_eq!(played[0].kind, MoveKind::Pass);
    assert_eq!(game.turn(), Turn::Move);
}

#[test]
fn a_disc_is_refused_while_a_pass_is_due() {
    let mut game = game(PassMode::Explicit);
    play(&mut game, EIGHT_MOVES_TO_A_PASS);
    let before = game.clone();
    // An empty square, a square that the other side could play, an occupied one: all the same.
    for square in Square::all() {
        assert_eq!(game.play(Move::Place(square)), Err(IllegalMove::MustPass));
    }
    assert_eq!(game, before);
}

#[test]
fn a_pass_is_refused_while_a_move_exists() {
    for pass_mode in [PassMode::Automatic, PassMode::Explicit] {
        let mut game = game(pass_mode);
        assert_eq!(game.play(Move::Pass), Err(IllegalMove::FalsePass));
        assert_eq!(game.ply(), 0);
    }
}

#[test]
fn a_pass_sent_after_an_automatic_one_is_refused() {
    let mut game = game(PassMode::Automatic);
    play(&mut game, EIGHT_MOVES_TO_A_PASS);
    assert_eq!(game.play(Move::Pass), Err(IllegalMove::FalsePass));
    assert_eq!(game.ply(), 9);
}

#[test]
fn nothing_is_accepted_after_the_end() {
    for pass_mode in [PassMode::Automatic, PassMode::Explicit] {
        let mut game = game(pass_mode);
        play(&mut game, "e6 f4 e3 f6 g5 d6 e7 f5 c5");
        assert!(game.turn().is_over());
        assert_eq!(game.ply(), 9, "no closing pass is entered or awaited");
        assert_eq!(game.play(Move::Pass), Err(IllegalMove::GameOver));
        for square in Square::all() {
            assert_eq!(game.play(Move::Place(square)), Err(IllegalMove::GameOver));
        }
    }
}

#[test]
fn one_side_can_move_many_times_in_a_row() {
    // Black is blocked for good on the left; White eats one line after the other.
    let setup = text::setup(
        "OX------ OX------ OX------ OX------ OX------ OX------ OX------ OX------",
        Color::White,
    );
    let rules = RuleSet {
        start: Start::Custom(setup),
        ..RuleSet::default()
    };
    let mut game = Game::new(rules).unwrap();
    let mut run = 0;
    while let Some(square) = game.legal_moves().iter().next() {
        let side = game.position().side_to_move();
        assert_eq!(side, Color::White, "{}", game.position());
        game.play(Move::Place(square)).unwrap();
        run += 1;
    }
    assert!(run > 1, "{}", game.position());
    assert!(game.turn().is_over(), "{}", game.position());
    // Each reply was a pass, but for the last, which is not entered.
    assert_eq!(game.ply(), 2 * run - 1);
    assert_eq!(game.discs_placed(), run);
}

#[test]
fn an_occupied_square_is_named_before_a_move_that_turns_nothing() {
    let position = Position::standard();
    for square in position.board().occupied() {
        assert_eq!(
            position.check(Move::Place(square)),
            Err(IllegalMove::Occupied { square })
        );
    }
    for square in position.empties() - position.legal_moves() {
        assert_eq!(
            position.check(Move::Place(square)),
            Err(IllegalMove::NoFlip { square })
        );
    }
    for square in position.legal_moves() {
        assert_eq!(position.check(Move::Place(square)), Ok(()));
        assert_eq!(
            position.play(Move::Place(square)),
            Ok(position.play_unchecked(Move::Place(square)))
        );
    }
}

#[test]
fn turned_discs_enclose_nothing_in_the_same_move() {
    // e1 turns d1; d1 and d3 then enclose d2, which must stay.
    let position = text::position(
        "--XO---- ---O---- ---X---- -------- -------- -------- -------- --------",
        Color::Black,
    );
    assert_eq!(position.flips(Square::E1).to_string(), "d1");
    let next = position.play(Move::Place(Square::E1)).unwrap();
    assert_eq!(next.white().to_string(), "d2");
}

#[test]
fn illegal_moves_say_what_is_wrong() {
    let square = Square::D3;
    for (error, text) in [
        (IllegalMove::Occupied { square }, "d3 is occupied"),
        (IllegalMove::NoFlip { square }, "a disc on d3 turns nothing"),
        (
            IllegalMove::OutsideCentre { square },
            "the first four discs go on the centre squares, not on d3",
        ),
        (
            IllegalMove::FalsePass,
            "a pass is allowed only without a legal move",
        ),
        (
            IllegalMove::MustPass,
            "there is no legal move; the side must pass",
        ),
        (IllegalMove::GameOver, "the game is over"),
    ] {
        assert_eq!(error.to_string(), text);
    }
}
