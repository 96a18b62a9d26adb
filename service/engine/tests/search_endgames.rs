//! Exact values: known endgames, and a plain minimax that shares nothing with the search.

#[path = "support/cases.rs"]
mod cases;
#[path = "support/playouts.rs"]
mod playouts;
#[path = "support/text.rs"]
mod text;

use playouts::{Random, STARTS};
use proptest::prelude::*;
use reversi_engine::search::{self, Certainty, Limits, Suggestion, Unlimited};
use reversi_engine::{Bitboard, Color, Move, Objective, Position, Score, Scoring, Setup, Turn};

fn solve(position: &Position, objective: Objective) -> Suggestion {
    let suggestion = search::suggest(position, objective, &Limits::default(), &Unlimited)
        .expect("the game is not over");
    assert_eq!(suggestion.certainty, Certainty::Exact, "{position}");
    suggestion
}

fn side(text: &str) -> Color {
    match text {
        "X" => Color::Black,
        "O" => Color::White,
        _ => panic!("{text} is no side"),
    }
}

/// The value of a finished game for the side to move, in discs.
fn final_value(position: &Position, objective: Objective) -> i32 {
    let totals = Score::of(position, Scoring::EmptiesToMajority)
        .scored
        .expect("the game is over");
    let (own, other) = match position.side_to_move() {
        Color::Black => (totals.black, totals.white),
        Color::White => (totals.white, totals.black),
    };
    match objective {
        Objective::MostDiscs => i32::from(own) - i32::from(other),
        Objective::FewestDiscs => i32::from(other) - i32::from(own),
    }
}

/// The value with best play by trying everything.
fn minimax(position: &Position, objective: Objective) -> i32 {
    match position.turn() {
        Turn::Over(_) => final_value(position, objective),
        Turn::Pass => -minimax(&position.play_unchecked(Move::Pass), objective),
        Turn::Move => position
            .legal_moves()
            .iter()
            .map(|square| -minimax(&position.play_unchecked(Move::Place(square)), objective))
            .max()
            .expect("a legal move"),
    }
}

fn objectives() -> impl Strategy<Value = Objective> {
    prop::sample::select(vec![Objective::MostDiscs, Objective::FewestDiscs])
}

/// The position after the moves of a suggestion's line.
fn follow(position: &Position, suggestion: &Suggestion) -> Position {
    assert_eq!(suggestion.line.first(), Some(&suggestion.mv));
    suggestion
        .line
        .iter()
        .fold(*position, |at, &mv| at.play(mv).expect("the line is legal"))
}

/// The exact value must be the minimax value, and the line must lead to it.
fn assert_solved(position: &Position, objective: Objective) {
    let suggestion = solve(position, objective);
    let value = minimax(position, objective);
    assert_eq!(f64::from(suggestion.value), f64::from(value), "{position}");
    let end = follow(position, &suggestion);
    assert!(end.turn().is_over(), "{position}\n{:?}", suggestion.line);
    let seen_from_here = if end.side_to_move() == position.side_to_move() {
        final_value(&end, objective)
    } else {
        -final_value(&end, objective)
    };
    assert_eq!(seen_from_here, value, "{position}\n{:?}", suggestion.line);
}

fn assert_known(position: &Position, value: &str, best_moves: &str) {
    let suggestion = solve(position, Objective::MostDiscs);
    let value: f32 = value.parse().expect("a value");
    assert_eq!(suggestion.value, value, "{position}");
    let mv = suggestion.mv.to_string();
    assert!(
        best_moves == "-" || best_moves.split(',').any(|best| best == mv),
        "{mv} is none of {best_moves}\n{position}"
    );
}

#[test]
fn known_endgames_have_their_published_values() {
    for row in cases::rows(include_str!("cases/endgames.tsv")) {
        let [_, board, mover, value, best] = row[..] else {
            panic!("{row:?}");
        };
        assert_known(&text::position(board, side(mover)), value, best);
    }
}

#[test]
fn the_ffo_endgames_up_to_18_empties_have_their_published_values() {
    cases::for_each_row("endgame/ffo_1_79.tsv", 79, |row| {
        if row[3].parse::<u32>().expect("a count") <= 18 {
            assert_known(&text::position(row[1], side(row[2])), row[4], row[5]);
        }
    });
}

#[test]
fn endgames_of_computer_games_have_their_computed_values() {
    cases::for_each_row("endgame/flippy_endgames_13_22.tsv", 1239, |row| {
        if row[2].parse::<u32>().expect("a count") <= 16 && row[5] != "?" {
            assert_known(&text::position(row[0], side(row[1])), row[5], "-");
        }
    });
}

#[test]
fn a_wiped_out_side_has_lost_or_won_by_all_discs() {
    // Black turns the last white disc with d1; every other move leaves it.
    let position = text::position(
        "XXO-----
         --------
         --------
         --------
         --------
         --------
         --------
         --------",
        Color::Black,
    );
    let wins = solve(&position, Objective::MostDiscs);
    assert_eq!((wins.value, wins.mv.to_string()), (64.0, "d1".to_owned()));
    let loses = solve(&position, Objective::FewestDiscs);
    assert_eq!((loses.value, loses.depth), (-64.0, 1));
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(200)
    })]

    #[test]
    fn ends_of_random_games_are_solved_as_by_minimax(
        seed in 1_u64..,
        empties in 1_u32..=8,
        objective in objectives(),
    ) {
        let random = &mut Random(seed);
        let start = STARTS[random.below(STARTS.len())];
        let game = playouts::random_game(start, random);
        let late = game.iter().find(|position| position.empties().count() <= empties);
        if let Some(position) = late
            && !position.turn().is_over()
        {
            assert_solved(position, objective);
        }
    }

    #[test]
    fn arbitrary_boards_are_solved_as_by_minimax(
        black in any::<u64>(),
        empty_squares in prop::collection::vec(0_u64..64, 1..=8),
        objective in objectives(),
    ) {
        let empty = empty_squares.iter().fold(0, |set, square| set | 1 << square);
        let setup = Setup {
            black: Bitboard(black & !empty),
            white: Bitboard(!black & !empty),
            side_to_move: Color::Black,
        };
        let position = setup.into_position().expect("the sets do not overlap");
        if !position.turn().is_over() {
            assert_solved(&position, objective);
        }
    }
}
