//! Counting on several threads, with merging, with every kernel: the leaves are always the same.

#[path = "support/text.rs"]
mod text;

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU32, Ordering};

use proptest::prelude::*;
use reversi_engine::PerftConvention::{DropFinished, PassIsFree, PassIsPly};
use reversi_engine::kernel::Kernel;
use reversi_engine::{
    Color, PerftConvention, PerftOptions, Position, RuleSet, Start, Turn, perft, perft_run,
};

fn options(threads: usize, table_bytes: usize) -> PerftOptions {
    PerftOptions {
        threads: NonZeroUsize::new(threads).expect("not 0"),
        table_bytes,
        ..PerftOptions::default()
    }
}

fn count(
    position: &Position,
    depth: u32,
    convention: PerftConvention,
    options: &PerftOptions,
) -> u64 {
    perft_run(position, depth, convention, options, &mut |_| {}, &|| false).expect("not stopped")
}

fn free_start() -> Position {
    let rules = RuleSet {
        start: Start::Free,
        ..RuleSet::default()
    };
    Position::start(&rules).expect("the start is sound")
}

#[test]
fn merged_counts_are_the_published_ones_to_depth_12() {
    let standard = Position::standard();
    let options = options(2, 100 << 20);
    for (convention, depth, leaves) in [
        (PassIsPly, 11, 212_258_800),
        (DropFinished, 11, 212_258_216),
        (PassIsFree, 11, 212_260_880),
        (PassIsPly, 12, 1_939_886_636),
        (DropFinished, 12, 1_939_879_668),
        (PassIsFree, 12, 1_939_899_208),
    ] {
        assert_eq!(
            count(&standard, depth, convention, &options),
            leaves,
            "{convention}, depth {depth}"
        );
    }
}

#[test]
fn every_kernel_counts_the_standard_start() {
    for kernel in Kernel::available() {
        for table_bytes in [0, 10 << 20] {
            let options = PerftOptions {
                kernel,
                ..options(1, table_bytes)
            };
            let leaves = count(&Position::standard(), 9, PassIsFree, &options);
            assert_eq!(leaves, 3_005_320, "{options:?}");
        }
    }
}

// What does not fit is counted again and again, but not wrong.
#[test]
fn little_memory_changes_no_count() {
    for table_bytes in [1, 10_000, 300_000, 1_000_000, 3_000_000] {
        let options = options(1, table_bytes);
        let leaves = count(&Position::standard(), 9, PassIsPly, &options);
        assert_eq!(leaves, 3_005_288, "{table_bytes} bytes");
    }
}

#[test]
fn placements_of_a_free_start_are_counted_too() {
    for depth in 0..8 {
        let expected = perft(&free_start(), depth, PassIsPly);
        for options in [options(1, 0), options(2, 0), options(1, 1 << 20)] {
            let leaves = count(&free_start(), depth, PassIsPly, &options);
            assert_eq!(leaves, expected, "depth {depth}, {options:?}");
        }
    }
}

#[test]
fn a_depth_beyond_every_end_counts_complete_games() {
    let board = "OX-XXXXO OXXXXXOX OXOXXOXX OXOXOXOX OXXOOOXX OXOOXXXX OOOXXXX- OOOOOO--";
    let position = text::position(board, Color::Black);
    for options in [options(1, 0), options(3, 0), options(2, 1 << 20)] {
        for (convention, leaves) in [(PassIsPly, 18), (DropFinished, 0), (PassIsFree, 18)] {
            let counted = count(&position, 1000, convention, &options);
            assert_eq!(counted, leaves, "{convention}, {options:?}");
        }
    }
}

#[test]
fn progress_goes_up_to_the_whole_count() {
    for options in [options(1, 0), options(2, 0), options(2, 1 << 20)] {
        let mut seen = Vec::new();
        let leaves = perft_run(
            &Position::standard(),
            8,
            PassIsPly,
            &options,
            &mut |progress| seen.push(progress),
            &|| false,
        );
        assert_eq!(leaves, Some(390_216));
        assert!(seen.is_sorted_by(|a, b| a.leaves <= b.leaves), "{seen:?}");
        for (number, progress) in seen.iter().enumerate() {
            assert_eq!(progress.subtrees_done, number);
            assert_eq!(progress.subtrees, seen.len() - 1);
        }
        assert!(seen.len() > 10, "{seen:?}");
        assert_eq!(seen[seen.len() - 1].leaves, 390_216);
    }
}

#[test]
fn a_stop_ends_the_count_at_any_time_on_all_threads() {
    for options in [
        options(1, 0),
        options(3, 0),
        options(1, 1 << 20),
        options(3, 1 << 20),
    ] {
        for after in [0, 1, 2, 50] {
            let asked = AtomicU32::new(0);
            let stop = || asked.fetch_add(1, Ordering::Relaxed) >= after;
            let standard = Position::standard();
            let leaves = perft_run(&standard, 60, PassIsPly, &options, &mut |_| {}, &stop);
            assert_eq!(leaves, None, "{options:?}, stopped after {after}");
            let threads = u32::try_from(options.threads.get()).expect("few");
            assert!(
                asked.into_inner() <= after + threads,
                "asked on after the answer"
            );
        }
    }
}

/// A position of a random game: forced passes are played, and the last one may be due.
fn positions() -> impl Strategy<Value = Position> {
    prop::collection::vec(any::<u8>(), 0..64).prop_map(|choices| {
        let mut position = Position::standard();
        for choice in choices {
            let legal = position.legal_moves();
            let mv = match position.turn() {
                Turn::Pass => reversi_engine::Move::Pass,
                Turn::Over(_) => break,
                Turn::Move => legal
                    .iter()
                    .cycle()
                    .nth(usize::from(choice))
                    .expect("there is a move")
                    .into(),
            };
            position = position.play(mv).expect("legal");
        }
        position
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn counts_do_not_depend_on_the_options(
        position in positions(),
        depth in 0_u32..7,
        threads in 1_usize..4,
        table_bytes in prop::sample::select(vec![0, 1, 300_000, 2_000_000]),
    ) {
        for convention in PerftConvention::ALL {
            for kernel in Kernel::available() {
                let options = PerftOptions { kernel, ..options(threads, table_bytes) };
                prop_assert_eq!(
                    count(&position, depth, convention, &options),
                    perft(&position, depth, convention),
                    "{}, {:?}\n{}", convention, options, position
                );
            }
        }
    }
}
