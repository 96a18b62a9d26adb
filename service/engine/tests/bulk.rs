//! Batches: every kernel of this machine against the naive loop.

#[path = "support/naive.rs"]
mod naive;

use naive::{Cell, Mailbox};
use proptest::prelude::*;
use reversi_engine::bulk::{self, Children, ShapeError};
use reversi_engine::kernel::Kernel;
use reversi_engine::{Bitboard, Square};

/// Discs of the mover and of the other side, of all densities, without overlap.
fn position() -> impl Strategy<Value = (u64, u64)> {
    let occupied = prop_oneof![
        (any::<u64>(), any::<u64>()).prop_map(|(a, b)| a & b),
        any::<u64>(),
        (any::<u64>(), any::<u64>()).prop_map(|(a, b)| a | b),
        (any::<u64>(), any::<u64>(), any::<u64>()).prop_map(|(a, b, c)| a | b | c),
        Just(u64::MAX),
    ];
    (occupied, any::<u64>(), any::<u64>(), any::<bool>()).prop_map(|(occupied, a, b, rare)| {
        let player = occupied & a & if rare { b } else { u64::MAX };
        (player, occupied & !player)
    })
}

/// Batches shorter and longer than one, two and three blocks of any kernel.
fn batch() -> impl Strategy<Value = (Vec<u64>, Vec<u64>)> {
    prop::collection::vec(position(), 0..210).prop_map(|positions| positions.into_iter().unzip())
}

fn naive_moves(player: u64, opponent: u64) -> u64 {
    Mailbox::new(player, opponent).legal(Cell::Black)
}

fn bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(cases)
    }
}

/// A square of each position, occupied or not.
fn squares(of: usize) -> impl Strategy<Value = Vec<Square>> {
    let square = (0..64_u8).prop_map(|index| Square::new(index).expect("less than 64"));
    prop::collection::vec(square, of)
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn legal_moves_agree_with_the_naive_loop((player, opponent) in batch()) {
        let expected: Vec<u64> = player
            .iter()
            .zip(&opponent)
            .map(|(player, opponent)| naive_moves(*player, *opponent))
            .collect();
        for kernel in Kernel::available() {
            let mut moves = vec![u64::MAX; player.len()];
            bulk::legal_moves_with(kernel, &player, &opponent, &mut moves).expect("equal lengths");
            prop_assert_eq!(&moves, &expected, "{:?}", kernel);
        }
    }

    #[test]
    fn mobility_counts_the_legal_moves((player, opponent) in batch()) {
        let naive = |index: usize| naive_moves(player[index], opponent[index]).count_ones();
        let expected: Vec<u32> = (0..player.len()).map(naive).collect();
        for kernel in Kernel::available() {
            let mut counts = vec![u8::MAX; player.len()];
            bulk::mobility_with(kernel, &player, &opponent, &mut counts).expect("equal lengths");
            let counts: Vec<u32> = counts.into_iter().map(u32::from).collect();
            prop_assert_eq!(&counts, &expected, "{:?}", kernel);
        }
    }

    #[test]
    fn flips_agree_with_the_naive_loop(
        ((player, opponent), squares) in batch()
            .prop_flat_map(|batch| { let len = batch.0.len(); (Just(batch), squares(len)) })
    ) {
        let naive = |index: usize| {
            Mailbox::new(player[index], opponent[index])
                .turned(Cell::Black, usize::from(squares[index].index()))
        };
        let expected: Vec<u64> = (0..player.len()).map(naive).collect();
        for kernel in Kernel::available() {
            let mut flips = vec![u64::MAX; player.len()];
            bulk::flips_with(kernel, &player, &opponent, &squares, &mut flips)
                .expect("equal lengths");
            prop_assert_eq!(&flips, &expected, "{:?}", kernel);
        }
    }

    #[test]
    fn children_are_the_boards_after_all_moves_in_order((player, opponent) in batch()) {
        let mut expected = Children::default();
        for (&player, &opponent) in player.iter().zip(&opponent) {
            for square in Bitboard(naive_moves(player, opponent)) {
                let mut board = Mailbox::new(player, opponent);
                board.play(Cell::Black, usize::from(square.index()));
                expected.player.push(board.discs(Cell::White));
                expected.opponent.push(board.discs(Cell::Black));
                expected.squares.push(square);
            }
            expected.ends.push(expected.squares.len());
        }
        for kernel in Kernel::available() {
            let mut children = Children { ends: vec![7], ..expected.clone() };
            bulk::children_with(kernel, &player, &opponent, &mut children).expect("equal lengths");
            prop_assert_eq!(&children, &expected, "{:?}", kernel);
        }
    }

    #[test]
    fn bytes_give_the_same_moves_and_name_what_overlaps(
        (mut player, mut opponent) in batch(),
        overlaps in prop::collection::vec((any::<prop::sample::Index>(), 0..64_u32), 0..4),
        offset in 0..8_usize,
    ) {
        let mut overlapping = Vec::new();
        if !player.is_empty() {
            for (index, square) in &overlaps {
                let index = index.index(player.len());
                player[index] |= 1 << square;
                opponent[index] |= 1 << square;
                overlapping.push(index);
            }
        }
        overlapping.sort_unstable();
        overlapping.dedup();
        let mut expected = vec![0; player.len()];
        for index in 0..player.len() {
            if !overlapping.contains(&index) {
                expected[index] = naive_moves(player[index], opponent[index]);
            }
        }
        let misaligned = |words: &[u64]| [vec![0; offset], bytes(words)].concat();
        let (player, opponent) = (misaligned(&player), misaligned(&opponent));
        for kernel in Kernel::available() {
            let mut moves = vec![0xAA; player.len()];
            let found = bulk::legal_moves_le_with(
                kernel,
                &player[offset..],
                &opponent[offset..],
                &mut moves[offset..],
            );
            prop_assert_eq!(found, Ok(overlapping.clone()), "{:?}", kernel);
            prop_assert_eq!(&moves[offset..], &bytes(&expected), "{:?}", kernel);
        }
    }
}

#[test]
fn arrays_that_do_not_fit_together_are_refused() {
    let mut moves = [0; 2];
    assert_eq!(
        bulk::legal_moves(&[0; 2], &[0; 3], &mut moves),
        Err(ShapeError::Lengths {
            player: 2,
            opponent: 3,
            out: 2
        })
    );
    let mut moves = [0; 16];
    assert_eq!(
        bulk::legal_moves_le(&[0; 16], &[0; 15], &mut moves),
        Err(ShapeError::PartOfAWord { bytes: 15 })
    );
    assert_eq!(
        bulk::legal_moves_le(&[0; 16], &[0; 16], &mut moves[..8]),
        Err(ShapeError::Lengths {
            player: 2,
            opponent: 2,
            out: 1
        })
    );
}

#[test]
fn the_portable_kernel_comes_first_and_the_best_last() {
    let kernels: Vec<Kernel> = Kernel::available().collect();
    assert_eq!(kernels[0], Kernel::PORTABLE);
    assert_eq!(kernels.last(), Some(&Kernel::best()));
    assert_eq!(reversi_engine::kernel::name(), Kernel::best().name());
}
