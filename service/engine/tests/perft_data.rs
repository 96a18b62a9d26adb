//! Perft over the tables of the test data.

#[path = "support/cases.rs"]
mod cases;

use reversi_engine::notation::{parse_board, parse_setup};
use reversi_engine::{Color, PerftConvention, PerftOptions, Position, Setup, perft, perft_run};

/// The greatest depth that is tried from real positions.
const MIDGAME_DEPTH: usize = 7;

/// The greatest depth that is tried from a start.
const START_DEPTH: u32 = 11;

/// The conventions in the order of the columns.
const COLUMNS: [PerftConvention; 3] = PerftConvention::ALL;

fn check(position: &Position, depth: u32, counts: &[&str]) {
    for (convention, expected) in COLUMNS.into_iter().zip(counts) {
        assert_eq!(
            perft(position, depth, convention).to_string(),
            *expected,
            "{convention}, depth {depth}\n{position}"
        );
        let options = PerftOptions {
            table_bytes: 4 << 20,
            ..PerftOptions::default()
        };
        let merged = perft_run(position, depth, convention, &options, &mut |_| {}, &|| {
            false
        });
        assert_eq!(
            merged.expect("not stopped").to_string(),
            *expected,
            "{convention}, depth {depth}, merged\n{position}"
        );
    }
}

#[test]
fn counts_from_the_standard_start_match_the_table() {
    cases::for_each_row("perft/perft_8x8_start.tsv", 22, |row| {
        let depth = row[0].parse().expect("a depth");
        if depth <= START_DEPTH {
            check(&Position::standard(), depth, &row[1..4]);
        }
    });
}

#[test]
fn counts_from_the_parallel_starts_match_the_table() {
    let mut checked = 0;
    cases::for_each_row("perft/perft_variants.tsv", 80, |row| {
        if row[0].starts_with("8x8_") {
            let (black, white) = parse_board(row[1]).expect("a board");
            let setup = Setup {
                black,
                white,
                side_to_move: Color::Black,
            };
            let position = setup.into_position().expect("a position");
            check(&position, row[2].parse().expect("a depth"), &row[3..6]);
            checked += 1;
        }
    });
    assert!(checked == 0 || checked == 22, "{checked} rows of 8x8");
}

#[test]
fn counts_from_real_positions_match_the_table() {
    cases::for_each_row("perft/perft_midgame_positions.tsv", 50, |row| {
        let setup = parse_setup(&row[..2].join(" ")).expect("a board and a side");
        let position = setup.into_position().expect("a position");
        let columns: Vec<Vec<&str>> = row[2..5]
            .iter()
            .map(|counts| counts.split(',').collect())
            .collect();
        for (index, depth) in (1..).enumerate().take(MIDGAME_DEPTH) {
            let counts: Vec<&str> = columns.iter().map(|counts| counts[index]).collect();
            check(&position, depth, &counts);
        }
    });
}
