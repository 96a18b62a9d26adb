//! Perft against published and independently computed numbers, and against a plain walk.

#[path = "support/text.rs"]
mod text;

use std::cell::Cell;

use proptest::prelude::*;
use reversi_engine::PerftConvention::{DropFinished, PassIsFree, PassIsPly};
use reversi_engine::{
    Color, Move, PerftConvention, Position, RuleSet, Start, Turn, perft, perft_with,
};

/// The counts from depth 0 on of one position.
struct Counts<'a> {
    pass_is_ply: &'a [u64],
    drop_finished: &'a [u64],
    pass_is_free: &'a [u64],
}

impl Counts<'_> {
    /// Checks the position to the last depth that is listed.
    fn check(&self, position: &Position) {
        for (convention, counts) in [
            (PassIsPly, self.pass_is_ply),
            (DropFinished, self.drop_finished),
            (PassIsFree, self.pass_is_free),
        ] {
            for (depth, &expected) in (0..).zip(counts) {
                assert_eq!(
                    perft(position, depth, convention),
                    expected,
                    "{convention}, depth {depth}\n{position}"
                );
            }
        }
    }
}

/// The same counts under all conventions, as long as nobody passes.
fn check_all(position: &Position, counts: &[u64]) {
    Counts {
        pass_is_ply: counts,
        drop_finished: counts,
        pass_is_free: counts,
    }
    .check(position);
}

fn start(start: Start) -> Position {
    let rules = RuleSet {
        start,
        ..RuleSet::default()
    };
    Position::start(&rules).expect("the start is sound")
}

// Published by A. Bik (pass-is-ply), as OEIS A124004 (drop-finished) and in the documentation of
// Egaroucid (pass-is-free).
#[test]
fn counts_from_the_standard_start_are_the_published_ones_to_depth_9() {
    Counts {
        pass_is_ply: &[1, 4, 12, 56, 244, 1396, 8200, 55_092, 390_216, 3_005_288],
        drop_finished: &[1, 4, 12, 56, 244, 1396, 8200, 55_092, 390_216, 3_005_288],
        pass_is_free: &[1, 4, 12, 56, 244, 1396, 8200, 55_092, 390_216, 3_005_320],
    }
    .check(&Position::standard());
}

#[test]
fn counts_from_the_standard_start_are_the_published_ones_at_depth_11() {
    let standard = Position::standard();
    assert_eq!(perft(&standard, 11, PassIsPly), 212_258_800);
    assert_eq!(perft(&standard, 11, DropFinished), 212_258_216);
    assert_eq!(perft(&standard, 11, PassIsFree), 212_260_880);
}

#[test]
fn the_mirrored_start_counts_like_the_standard_one() {
    check_all(
        &start(Start::Mirrored),
        &[1, 4, 12, 56, 244, 1396, 8200, 55_092],
    );
}

#[test]
fn both_parallel_starts_have_the_same_counts() {
    for parallel in [Start::ParallelWhiteAbove, Start::ParallelBlackAbove] {
        Counts {
            pass_is_ply: &[1, 4, 14, 68, 292, 1690, 9696, 64_794, 450_012, 3_449_900],
            drop_finished: &[1, 4, 14, 68, 292, 1690, 9696, 64_794, 450_004, 3_449_892],
            pass_is_free: &[1, 4, 14, 68, 292, 1690, 9696, 64_794, 450_012, 3_449_900],
        }
        .check(&start(parallel));
    }
}

// Of the 24 orders of placing four discs, 8 make one of the two diagonal layouts and 16 one of the
// four parallel ones.
#[test]
fn the_free_start_counts_its_placements_and_then_every_layout() {
    let free = start(Start::Free);
    check_all(&free, &[1, 4, 12, 24, 24, 96]);
    for convention in PerftConvention::ALL {
        for depth in 1..=5 {
            assert_eq!(
                perft(&free, 4 + depth, convention),
                8 * perft(&Position::standard(), depth, convention)
                    + 16 * perft(&start(Start::ParallelWhiteAbove), depth, convention),
                "{convention}, {depth} plies after the placements"
            );
        }
    }
}

#[test]
fn passes_later_in_the_tree_count_by_convention() {
    let board = "O--XXO-- O--XXO-- OXXXXX-X OOOXXOOO OOOXXXOO OXXXXOO- OXXXOX-- XXXXXXX-";
    Counts {
        pass_is_ply: &[1, 6, 40, 212, 1204, 5521, 26_434, 103_983],
        drop_finished: &[1, 6, 40, 212, 1204, 5521, 26_434, 103_983],
        pass_is_free: &[1, 6, 40, 212, 1204, 5521, 26_465, 104_079],
    }
    .check(&text::position(board, Color::White));
}

#[test]
fn a_pass_at_the_root_counts_by_convention() {
    let board = "--OOOOOO --XXXXOO O-XXOOXO O-XXOOXO OXXOOOOO -XXXOXOO --XXXXXO --XXXXX-";
    Counts {
        pass_is_ply: &[1, 1, 9, 21, 152, 484, 2734, 9153],
        drop_finished: &[1, 1, 9, 21, 152, 484, 2734, 9153],
        pass_is_free: &[1, 9, 28, 160, 589, 2937, 10_703, 41_982],
    }
    .check(&text::position(board, Color::Black));
}

#[test]
fn games_that_end_on_the_way_count_by_convention() {
    let board = "OX-XXXXO OXXXXXOX OXOXXOXX OXOXOXOX OXXOOOXX OXOOXXXX OOOXXXX- OOOOOO--";
    Counts {
        pass_is_ply: &[1, 1, 4, 7, 15, 18, 18, 18],
        drop_finished: &[1, 1, 4, 7, 15, 18, 16, 0],
        pass_is_free: &[1, 4, 9, 18, 18, 18, 18, 18],
    }
    .check(&text::position(board, Color::Black));
}

#[test]
fn a_finished_game_is_one_leaf_or_dropped() {
    let board = "XXXXXXXX XXXXXXXX XXXXXXXX XXXXXXXX XXXXXXXX XXXXXXXX XXXXXXXX XXXXXXX-";
    Counts {
        pass_is_ply: &[1, 1, 1, 1],
        drop_finished: &[1, 0, 0, 0],
        pass_is_free: &[1, 1, 1, 1],
    }
    .check(&text::position(board, Color::White));
}

#[test]
fn a_depth_beyond_every_end_counts_complete_games() {
    let board = "OX-XXXXO OXXXXXOX OXOXXOXX OXOXOXOX OXXOOOXX OXOOXXXX OOOXXXX- OOOOOO--";
    let position = text::position(board, Color::Black);
    assert_eq!(perft(&position, u32::MAX, PassIsPly), 18);
    assert_eq!(perft(&position, u32::MAX, DropFinished), 0);
    assert_eq!(perft(&position, u32::MAX, PassIsFree), 18);
}

#[test]
fn a_stop_from_the_beginning_counts_nothing() {
    for depth in [0, 1, u32::MAX] {
        let count = perft_with(&start(Start::Free), depth, PassIsFree, &|| true);
        assert_eq!(count, None, "depth {depth}");
    }
}

#[test]
fn a_stop_on_the_way_gives_up_an_endless_count() {
    for standing in [Position::standard(), start(Start::Free)] {
        for convention in PerftConvention::ALL {
            let asked = Cell::new(0);
            let stop = || {
                asked.set(asked.get() + 1);
                asked.get() > 10
            };
            assert_eq!(perft_with(&standing, u32::MAX, convention, &stop), None);
            assert_eq!(asked.get(), 11, "asked no more after the answer");
        }
    }
}

// 1 + 4 + 12 + 56 + 244 + 1396 + 8200 boards have two or more of eight plies to go.
#[test]
fn the_stop_is_asked_at_the_beginning_and_after_every_4096_boards() {
    let asked = Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        false
    };
    let count = perft_with(&Position::standard(), 8, PassIsPly, &stop);
    assert_eq!(count, Some(390_216));
    assert_eq!(asked.get(), 1 + 9913 / 4096);
}

#[test]
fn conventions_read_back_from_their_names() {
    for convention in PerftConvention::ALL {
        assert_eq!(convention.to_string().parse(), Ok(convention));
    }
    for text in ["", "pass", "Pass-Is-Ply", "pass-is-ply "] {
        assert!(text.parse::<PerftConvention>().is_err(), "{text:?}");
    }
}

/// The definition of the conventions, move by move and leaf by leaf.
fn plain_walk(position: &Position, depth: u32, convention: PerftConvention) -> u64 {
    if depth == 0 {
        return 1;
    }
    match (position.turn(), convention) {
        (Turn::Over(_), DropFinished) => 0,
        (Turn::Over(_), PassIsPly | PassIsFree) => 1,
        (Turn::Pass, PassIsFree) => plain_walk(&after(position, Move::Pass), depth, convention),
        (Turn::Pass, PassIsPly | DropFinished) => {
            plain_walk(&after(position, Move::Pass), depth - 1, convention)
        }
        (Turn::Move, _) => position
            .legal_moves()
            .iter()
            .map(|square| plain_walk(&after(position, square.into()), depth - 1, convention))
            .sum(),
    }
}

fn after(position: &Position, mv: Move) -> Position {
    position.play(mv).expect("legal")
}

/// A position of a random game: forced passes are played, and the last one may be due.
fn positions() -> impl Strategy<Value = Position> {
    let starts = prop::sample::select(vec![
        Start::Standard,
        Start::ParallelBlackAbove,
        Start::Free,
    ]);
    (starts, prop::collection::vec(any::<u8>(), 0..64)).prop_map(|(from, choices)| {
        let mut position = start(from);
        for choice in choices {
            let legal = position.legal_moves();
            if position.turn() == Turn::Pass {
                position = after(&position, Move::Pass);
            } else if let Some(square) = legal.iter().cycle().nth(usize::from(choice)) {
                position = after(&position, square.into());
            }
        }
        position
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn counts_agree_with_a_plain_walk(position in positions(), depth in 0_u32..5) {
        for convention in PerftConvention::ALL {
            prop_assert_eq!(
                perft(&position, depth, convention),
                plain_walk(&position, depth, convention),
                "{}\n{}", convention, position
            );
        }
    }
}
