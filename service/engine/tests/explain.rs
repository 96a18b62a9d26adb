//! Reasons for moves, on positions made for them.

#[path = "support/playouts.rs"]
mod playouts;

use playouts::{Random, STARTS};
use reversi_engine::explain::{Reason, explain};
use reversi_engine::notation::parse_board;
use reversi_engine::search::Line;
use reversi_engine::{Bitboard, Color, Move, Objective, Position, Setup, Square, Symmetry, Turn};

/// A position of rows of text, with Black to move.
fn position(rows: [&str; 8]) -> Position {
    let (black, white) = parse_board(&rows.concat()).expect("a board");
    let setup = Setup {
        black,
        white,
        side_to_move: Color::Black,
    };
    setup.into_position().expect("a position")
}

fn set(squares: &[Square]) -> Bitboard {
    squares.iter().copied().collect()
}

fn line(moves: &[Square]) -> Line {
    Line {
        value: 0.0,
        moves: moves.iter().copied().map(Move::Place).collect(),
    }
}

/// All legal moves without an answer.
fn moves(position: &Position) -> Vec<Line> {
    let legal = position.legal_moves();
    legal.iter().map(|square| line(&[square])).collect()
}

/// The reasons for a move, with an answer or without, against all others.
fn reasons(position: &Position, objective: Objective, chosen: &[Square]) -> Vec<Reason> {
    assert!(position.legal_moves().contains(chosen[0]), "{position}");
    explain(position, objective, &line(chosen), &moves(position))
}

fn most(position: &Position, chosen: &[Square]) -> Vec<Reason> {
    reasons(position, Objective::MostDiscs, chosen)
}

fn fewest(position: &Position, chosen: &[Square]) -> Vec<Reason> {
    reasons(position, Objective::FewestDiscs, chosen)
}

/// The start in the middle; a1 can be taken.
const CORNER: [&str; 8] = [
    "-OX-----", "--------", "--------", "---OX---", "---XO---", "--------", "--------", "--------",
];

#[test]
fn a_corner_is_the_first_reason() {
    let position = position(CORNER);
    let corner = set(&[Square::A1]);
    let first = most(&position, &[Square::A1])[0];
    assert_eq!(first, Reason::TakesCorner { corner });
}

#[test]
fn where_fewer_discs_win_a_corner_is_kept_off() {
    let position = position(CORNER);
    let others = set(&[Square::A1]);
    let reasons = fewest(&position, &[Square::F5]);
    assert!(reasons.contains(&Reason::AvoidsCorner { others }));
    let taken = fewest(&position, &[Square::A1]);
    assert!(
        !taken
            .iter()
            .any(|reason| matches!(reason, Reason::TakesCorner { .. }))
    );
}

/// After b2 White takes a1.
const GIVEN: [&str; 8] = [
    "--------", "--------", "-OO-----", "-X-OX---", "---XO---", "--------", "--------", "--------",
];

#[test]
fn a_corner_that_others_give_away_is_kept() {
    let position = position(GIVEN);
    let reasons = most(&position, &[Square::F5]);
    let expected = Reason::KeepsCorner {
        corners: set(&[Square::A1]),
        others: set(&[Square::B2]),
    };
    assert!(reasons.contains(&expected), "{reasons:?}");
    // It is not said a second time by the name of the square.
    let avoids = |reason: &Reason| matches!(reason, Reason::AvoidsXSquare { .. });
    assert!(!reasons.iter().any(avoids), "{reasons:?}");
}

#[test]
fn a_corner_that_is_given_away_is_owned_up_to() {
    let position = position(GIVEN);
    let reasons = most(&position, &[Square::B2]);
    let corners = set(&[Square::A1]);
    assert_eq!(reasons.last(), Some(&Reason::GivesCorner { corners }));
}

#[test]
fn squares_beside_an_empty_corner_are_kept_off() {
    let x_square = position([
        "--------", "--------", "-O------", "-X-OX---", "---XO---", "--------", "--------",
        "--------",
    ]);
    let reasons = most(&x_square, &[Square::F5]);
    let others = set(&[Square::B2]);
    assert!(reasons.contains(&Reason::AvoidsXSquare { others }));

    let c_square = position([
        "--------", "-OX-----", "--------", "---OX---", "---XO---", "--------", "--------",
        "--------",
    ]);
    let reasons = most(&c_square, &[Square::F5]);
    let others = set(&[Square::A2]);
    assert!(reasons.contains(&Reason::AvoidsCSquare { others }));

    let taken = position([
        "X-------", "--------", "-O------", "-X-OX---", "---XO---", "--------", "--------",
        "--------",
    ]);
    let reasons = most(&taken, &[Square::F5]);
    let avoids = |reason: &Reason| matches!(reason, Reason::AvoidsXSquare { .. });
    assert!(!reasons.iter().any(avoids), "{reasons:?}");
}

#[test]
fn a_corner_that_the_answer_opens_is_a_reason() {
    let position = position([
        "--OX----", "-X------", "-O------", "---OX---", "---XO---", "--------", "--------",
        "--------",
    ]);
    let corners = set(&[Square::A1]);
    let opens = Reason::OpensCorner { corners };
    // White turns b2 from b1, and lets Black take a1.
    assert!(most(&position, &[Square::F5, Square::B1]).contains(&opens));
    assert!(!most(&position, &[Square::F5, Square::D6]).contains(&opens));
    assert!(!most(&position, &[Square::F5]).contains(&opens));
}

#[test]
fn discs_that_become_safe_are_counted() {
    let position = position([
        "X-OX----", "--------", "--------", "---OX---", "---XO---", "--------", "--------",
        "--------",
    ]);
    // b1 joins a1 to d1: three discs more are safe.
    let reasons = most(&position, &[Square::B1]);
    let safe = Reason::Stability {
        discs: 3,
        others: 0.0,
    };
    assert!(reasons.contains(&safe), "{reasons:?}");
}

#[test]
fn the_last_move_of_a_region_is_a_reason_in_the_end() {
    // h8 is alone; a1 and b1 hang together.
    let position = position([
        "--OXXXXX", "OOOXXXXX", "OOOOXXXX", "OOOOXXXX", "OOOOXXXX", "OOOOXXXX", "XXXXXXOO",
        "XXXXXXO-",
    ]);
    let legal = position.legal_moves();
    assert!(
        legal.contains(Square::H8) && legal.contains(Square::B1),
        "{position}"
    );
    let left = Bitboard::EMPTY;
    let reasons = most(&position, &[Square::H8]);
    assert!(reasons.contains(&Reason::Parity { left }), "{reasons:?}");
    let reasons = most(&position, &[Square::B1]);
    let parity = |reason: &Reason| matches!(reason, Reason::Parity { .. });
    assert!(!reasons.iter().any(parity), "{reasons:?}");
}

#[test]
fn few_discs_are_a_reason() {
    let position = position([
        "--------", "--------", "-OOOOX--", "--------", "-OOOOX--", "--------", "-OX-----",
        "--------",
    ]);
    let few = Reason::FewDiscs {
        turns: 1,
        others: 4.0,
    };
    assert!(most(&position, &[Square::A7]).contains(&few));
    assert!(fewest(&position, &[Square::A7]).contains(&few));
    let reasons = most(&position, &[Square::A5]);
    let is_few = |reason: &Reason| matches!(reason, Reason::FewDiscs { .. });
    assert!(!reasons.iter().any(is_few), "{reasons:?}");
}

#[test]
fn moves_of_both_sides_are_counted() {
    let position = position([
        "-OX-----", "--------", "--------", "---OX---", "---XO---", "--------", "--------",
        "--------",
    ]);
    for chosen in position.legal_moves() {
        let reasons = most(&position, &[chosen]);
        let after = |square| {
            position
                .play_unchecked(Move::Place(square))
                .legal_moves()
                .count()
        };
        let others: Vec<u32> = (position.legal_moves() - chosen.into())
            .iter()
            .map(after)
            .collect();
        let others = others.iter().sum::<u32>() as f32 / others.len() as f32;
        let moves = after(chosen);
        let limits = reasons.contains(&Reason::LimitsMobility { moves, others });
        assert_eq!(
            limits,
            others - moves as f32 >= 1.5,
            "{chosen}: {reasons:?}"
        );
    }
}

#[test]
fn taking_the_last_disc_needs_no_other_reason() {
    let position = position([
        "X-------", "-O------", "X-------", "--------", "--------", "--------", "--------",
        "--------",
    ]);
    assert_eq!(most(&position, &[Square::C1]), [Reason::Wipeout]);
    assert_eq!(most(&position, &[Square::C3]), [Reason::Wipeout]);
}

#[test]
fn a_move_that_does_not_lose_all_discs_says_so() {
    // After d1 White takes all with e1; after b3 it cannot.
    let position = position([
        "OXO-----", "-O------", "--------", "--------", "--------", "--------", "--------",
        "--------",
    ]);
    let others = set(&[Square::D1]);
    let reasons = most(&position, &[Square::B3]);
    assert_eq!(reasons.first(), Some(&Reason::EscapesWipeout { others }));
    let reasons = most(&position, &[Square::D1]);
    let escapes = |reason: &Reason| matches!(reason, Reason::EscapesWipeout { .. });
    assert!(!reasons.iter().any(escapes), "{reasons:?}");
}

#[test]
fn where_fewer_discs_win_forcing_a_corner_is_a_reason() {
    // After c8 White can play nothing but a1.
    let position = position([
        "-XO-----", "--------", "--------", "--------", "--------", "--------", "--------",
        "XO------",
    ]);
    let corners = set(&[Square::A1]);
    let reasons = fewest(&position, &[Square::C8]);
    assert!(
        reasons.contains(&Reason::ForcesCorner { corners }),
        "{reasons:?}"
    );
}

#[test]
fn an_only_move_and_a_pass_have_one_reason() {
    let only = position([
        "-OX-----", "--------", "--------", "--------", "--------", "--------", "--------",
        "--------",
    ]);
    assert_eq!(most(&only, &[Square::A1]), [Reason::OnlyMove]);
    let blocked = position([
        "OX------", "--------", "--------", "--------", "--------", "--------", "--------",
        "--------",
    ]);
    assert_eq!(blocked.turn(), Turn::Pass);
    let pass = Line {
        value: 0.0,
        moves: vec![Move::Pass],
    };
    let reasons = explain(&blocked, Objective::MostDiscs, &pass, &[]);
    assert_eq!(reasons, [Reason::OnlyMove]);
}

#[test]
fn placements_have_no_reasons() {
    let rules = reversi_engine::RuleSet {
        start: reversi_engine::Start::Free,
        ..Default::default()
    };
    let position = Position::start(&rules).unwrap();
    assert_eq!(most(&position, &[Square::D4]), []);
}

/// A reason on the board after a symmetry.
fn turned(reason: &Reason, symmetry: Symmetry) -> Reason {
    let turn = |set: Bitboard| symmetry.apply_bitboard(set);
    match *reason {
        Reason::EscapesWipeout { others } => Reason::EscapesWipeout {
            others: turn(others),
        },
        Reason::TakesCorner { corner } => Reason::TakesCorner {
            corner: turn(corner),
        },
        Reason::KeepsCorner { corners, others } => Reason::KeepsCorner {
            corners: turn(corners),
            others: turn(others),
        },
        Reason::OpensCorner { corners } => Reason::OpensCorner {
            corners: turn(corners),
        },
        Reason::AvoidsCorner { others } => Reason::AvoidsCorner {
            others: turn(others),
        },
        Reason::ForcesCorner { corners } => Reason::ForcesCorner {
            corners: turn(corners),
        },
        Reason::AvoidsXSquare { others } => Reason::AvoidsXSquare {
            others: turn(others),
        },
        Reason::AvoidsCSquare { others } => Reason::AvoidsCSquare {
            others: turn(others),
        },
        Reason::Parity { left } => Reason::Parity { left: turn(left) },
        Reason::GivesCorner { corners } => Reason::GivesCorner {
            corners: turn(corners),
        },
        Reason::OnlyMove
        | Reason::Wipeout
        | Reason::Stability { .. }
        | Reason::LimitsMobility { .. }
        | Reason::KeepsMobility { .. }
        | Reason::Frontier { .. }
        | Reason::FewDiscs { .. } => *reason,
    }
}

fn with_answers(position: &Position) -> Vec<Line> {
    let answer = |square| {
        let after = position.play_unchecked(Move::Place(square));
        // Any of those that turn the most.
        let replies = after.legal_moves().iter();
        let reply = replies.max_by_key(|&reply| after.flips(reply).count());
        let moves = [Some(square), reply].into_iter().flatten();
        line(&moves.collect::<Vec<_>>())
    };
    position.legal_moves().iter().map(answer).collect()
}

#[test]
fn reasons_turn_with_the_board_and_swap_with_the_colours() {
    for seed in 0..60 {
        let random = &mut Random(seed);
        let game = playouts::random_game(STARTS[random.below(STARTS.len())], random);
        let position = game[random.below(game.len())];
        let lines = with_answers(&position);
        for objective in [Objective::MostDiscs, Objective::FewestDiscs] {
            for chosen in &lines {
                let expected = explain(&position, objective, chosen, &lines);
                for symmetry in Symmetry::ALL {
                    let turn = |line: &Line| Line {
                        value: line.value,
                        moves: line
                            .moves
                            .iter()
                            .map(|mv| match *mv {
                                Move::Place(square) => Move::Place(symmetry.apply_square(square)),
                                Move::Pass => Move::Pass,
                            })
                            .collect(),
                    };
                    let swapped = Setup {
                        black: symmetry.apply_bitboard(position.white()),
                        white: symmetry.apply_bitboard(position.black()),
                        side_to_move: position.side_to_move().opposite(),
                    };
                    let Ok(other) = swapped.into_position() else {
                        continue;
                    };
                    let others: Vec<Line> = lines.iter().map(turn).collect();
                    let found = explain(&other, objective, &turn(chosen), &others);
                    let expected: Vec<Reason> = expected
                        .iter()
                        .map(|reason| turned(reason, symmetry))
                        .collect();
                    if position.phase() == other.phase() {
                        assert_eq!(found, expected, "{seed} {symmetry:?}\n{position}");
                    }
                }
            }
        }
    }
}
