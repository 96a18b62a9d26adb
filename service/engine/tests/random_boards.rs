//! Any two sets of discs: the kernels against the naive loop, and the laws of symmetry.

#[path = "support/naive.rs"]
mod naive;

use naive::{Cell, Mailbox};
use proptest::prelude::*;
use reversi_engine::kernel::Kernel;
use reversi_engine::{Bitboard, Board, Color, Objective, Position, Setup, Square, Symmetry, Turn};

/// Boards of all densities: most random words are half full, so words are combined first.
fn boards() -> impl Strategy<Value = Board> {
    let occupied = prop_oneof![
        any::<u64>(),
        (any::<u64>(), any::<u64>()).prop_map(|(a, b)| a & b),
        (any::<u64>(), any::<u64>()).prop_map(|(a, b)| a | b),
        (any::<u64>(), any::<u64>(), any::<u64>()).prop_map(|(a, b, c)| a | b | c),
        (any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>())
            .prop_map(|(a, b, c, d)| a | b | c | d),
    ];
    let mover = prop_oneof![
        any::<u64>(),
        (any::<u64>(), any::<u64>()).prop_map(|(a, b)| a & b),
        (any::<u64>(), any::<u64>(), any::<u64>()).prop_map(|(a, b, c)| a & b & c),
    ];
    (occupied, mover).prop_map(|(occupied, mover)| Board {
        player: Bitboard(occupied & mover),
        opponent: Bitboard(occupied & !mover),
    })
}

fn colors() -> impl Strategy<Value = Color> {
    prop_oneof![Just(Color::Black), Just(Color::White)]
}

fn position(board: Board, side_to_move: Color) -> Position {
    let (black, white) = match side_to_move {
        Color::Black => (board.player, board.opponent),
        Color::White => (board.opponent, board.player),
    };
    let setup = Setup {
        black,
        white,
        side_to_move,
    };
    setup.into_position().expect("no overlap")
}

fn config() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(2000)
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn moves_and_flips_agree_with_the_naive_loop(board in boards()) {
        let naive = Mailbox::new(board.player.0, board.opponent.0);
        let legal = naive.legal(Cell::Black);
        for kernel in Kernel::available() {
            let moves = kernel.legal_moves(board.player.0, board.opponent.0);
            prop_assert_eq!(moves, legal, "{:?}\n{}", kernel, board);
        }
        prop_assert_eq!(board.legal_moves(), Bitboard(legal), "\n{}", board);
        for square in Square::all() {
            let turned = naive.turned(Cell::Black, usize::from(square.index()));
            prop_assert_eq!(board.flips(square), Bitboard(turned), "{}\n{}", square, board);
            if board.empties().contains(square) {
                for kernel in Kernel::available() {
                    let flips = kernel.flips(board.player.0, board.opponent.0, square);
                    prop_assert_eq!(flips, turned, "{:?}, {}\n{}", kernel, square, board);
                }
            }
        }
    }

    #[test]
    fn playing_agrees_with_the_naive_loop(board in boards()) {
        for square in board.legal_moves() {
            let mut naive = Mailbox::new(board.player.0, board.opponent.0);
            naive.play(Cell::Black, usize::from(square.index()));
            let next = board.play(square).expect("a legal move");
            prop_assert_eq!(next.opponent.0, naive.discs(Cell::Black), "{}\n{}", square, board);
            prop_assert_eq!(next.player.0, naive.discs(Cell::White), "{}\n{}", square, board);
        }
        for square in !board.legal_moves() {
            prop_assert_eq!(board.play(square), None, "{}\n{}", square, board);
        }
    }

    #[test]
    fn turns_agree_with_the_naive_loop(board in boards(), side in colors()) {
        let naive = Mailbox::new(board.player.0, board.opponent.0);
        let (mover, other) = (naive.legal(Cell::Black), naive.legal(Cell::White));
        let turn = position(board, side).turn();
        prop_assert_eq!(turn == Turn::Move, mover != 0, "\n{}", board);
        prop_assert_eq!(turn == Turn::Pass, mover == 0 && other != 0, "\n{}", board);
        prop_assert_eq!(board.is_over(), turn.is_over(), "\n{}", board);
    }

    #[test]
    fn the_eight_symmetries_carry_moves_and_flips_along(board in boards()) {
        for symmetry in Symmetry::ALL {
            let image = board.transform(symmetry);
            let legal = symmetry.apply(board.legal_moves().0);
            prop_assert_eq!(image.legal_moves().0, legal, "{:?}\n{}", symmetry, board);
            for square in board.legal_moves() {
                let turned = symmetry.apply(board.flips(square).0);
                let there = symmetry.apply_square(square);
                prop_assert_eq!(image.flips(there).0, turned, "{:?} {}\n{}", symmetry, square, board);
            }
            prop_assert_eq!(image.canonical(), board.canonical(), "{:?}\n{}", symmetry, board);
            prop_assert_eq!(image.transform(symmetry.inverse()), board);
        }
        prop_assert!(board.canonical() <= board);
    }

    #[test]
    fn swapping_the_colours_changes_nothing_but_the_names(board in boards()) {
        let (black, white) = (position(board, Color::Black), position(board, Color::White));
        prop_assert_eq!(black.legal_moves(), white.legal_moves());
        prop_assert_eq!(black.turn(), white.turn());
        for square in board.legal_moves() {
            prop_assert_eq!(black.flips(square), white.flips(square));
            let (black, white) = (black.play(square.into()), white.play(square.into()));
            let (black, white) = (black.expect("legal"), white.expect("legal"));
            prop_assert_eq!(black.black(), white.white());
            prop_assert_eq!(black.white(), white.black());
        }
        for objective in [Objective::MostDiscs, Objective::FewestDiscs] {
            let (black, white) = (black.result(objective), white.result(objective));
            prop_assert_eq!(black.is_some(), white.is_some());
            if let (Some(black), Some(white)) = (black, white) {
                prop_assert_eq!(black.winner, white.winner.map(Color::opposite));
                prop_assert_eq!(black.reason, white.reason);
            }
        }
    }
}
