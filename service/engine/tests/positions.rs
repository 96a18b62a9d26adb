//! Corner cases as positions: legal moves, turned discs, and whether it is a move, a pass or the
//! end.

#[path = "support/cases.rs"]
mod cases;
#[path = "support/text.rs"]
mod text;

use reversi_engine::{Color, Score, ScoredTotals, Scoring, Turn};

/// Checks one row of a table as `cases/positions.tsv` describes it.
fn check(row: &[&str]) {
    let [
        id,
        _,
        board,
        side,
        state,
        count,
        moves,
        black,
        white,
        score,
        ..,
    ] = *row
    else {
        panic!("too few columns: {row:?}");
    };
    let side = match side {
        "X" => Color::Black,
        "O" => Color::White,
        other => panic!("{id}: side {other:?}"),
    };
    let position = text::position(board, side);
    let context = format!("{id}\n{position}");

    let found: Vec<String> = position
        .legal_moves()
        .iter()
        .map(|square| format!("{square}:{}", position.flips(square).count()))
        .collect();
    let expected: Vec<&str> = moves.split(' ').filter(|mv| *mv != "-").collect();
    assert_eq!(found, expected, "{context}");
    assert_eq!(found.len().to_string(), count, "{context}");

    let found = match position.turn() {
        Turn::Move => "move",
        Turn::Pass => "pass",
        Turn::Over(_) => "over",
    };
    assert_eq!(found, state, "{context}");

    let counted = Score::of(&position, Scoring::EmptiesToMajority);
    assert_eq!(counted.black.to_string(), black, "{context}");
    assert_eq!(counted.white.to_string(), white, "{context}");
    let found = counted.scored.map(|ScoredTotals { black, white }| {
        let difference = i32::from(black) - i32::from(white);
        match side {
            Color::Black => difference,
            Color::White => -difference,
        }
    });
    assert_eq!(found, score.parse().ok(), "{context}");
}

#[test]
fn corner_case_positions_answer_as_listed() {
    let rows = cases::rows(include_str!("cases/positions.tsv"));
    assert_eq!(rows.len(), 36);
    for row in rows {
        check(&row);
    }
}

#[test]
fn positions_of_the_test_data_answer_as_listed() {
    cases::for_each_row("rules/positions.tsv", 36, check);
}
