//! The endgame solver against a plain negamax, by every kernel and under both objectives.

use proptest::prelude::*;
use reversi_engine::kernel::Kernel;
use reversi_engine::search::Solver;
use reversi_engine::{Bitboard, Board, Objective, Square, Symmetry};

const OBJECTIVES: [Objective; 2] = [Objective::MostDiscs, Objective::FewestDiscs];

/// Below and above every value.
const WIDE: i32 = 65;

/// The value of a finished game for the mover.
fn final_value(board: Board, objective: Objective) -> i32 {
    let (own, other) = (board.player.count(), board.opponent.count());
    let difference = match own.cmp(&other) {
        std::cmp::Ordering::Less => own.cast_signed() * 2 - 64,
        std::cmp::Ordering::Equal => 0,
        std::cmp::Ordering::Greater => 64 - other.cast_signed() * 2,
    };
    match objective {
        Objective::MostDiscs => difference,
        Objective::FewestDiscs => -difference,
    }
}

/// Alpha-beta without an order, a table or special cases.
fn negamax(board: Board, objective: Objective, alpha: i32, beta: i32) -> i32 {
    if board.is_over() {
        return final_value(board, objective);
    }
    if !board.has_legal_move() {
        return -negamax(board.pass(), objective, -beta, -alpha);
    }
    let mut best = -WIDE;
    for square in board.legal_moves() {
        let child = board.play(square).expect("a legal move");
        best = best.max(-negamax(child, objective, -beta, -best.max(alpha)));
        if best >= beta {
            break;
        }
    }
    best
}

/// The value must be that of the plain search, and bounds must be right, whatever is asked first.
fn assert_solved(board: Board, objective: Objective) {
    let value = negamax(board, objective, -WIDE, WIDE);
    for kernel in Kernel::available() {
        let mut solver = Solver::with_kernel(objective, kernel);
        for alpha in [-64, -33, value - 2, value - 1, value, value + 1, 20, 63] {
            let bound = solver.bound(board, alpha);
            let right = if value > alpha {
                bound > alpha && bound <= value
            } else {
                bound <= alpha && bound >= value
            };
            assert!(
                right,
                "{bound} for {value}, {alpha}, {kernel:?}, {objective:?}\n{board}"
            );
        }
        let found = solver.value(board);
        assert_eq!(found, value, "{kernel:?}, {objective:?}\n{board}");
    }
}

/// A board of a random game with a number of empty squares, or with the fewest that it has.
fn late_board(mut seed: u64, empties: u32) -> Board {
    let mut board = Board::STANDARD;
    while board.empties_count() > empties && !board.is_over() {
        let moves: Vec<Square> = board.legal_moves().iter().collect();
        if moves.is_empty() {
            board = board.pass();
            continue;
        }
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        let chosen = usize::try_from(seed >> 33).expect("31 bits") % moves.len();
        board = board.play(moves[chosen]).expect("a legal move");
    }
    board
}

fn board(player: &str, opponent: &str) -> Board {
    let set = |names: &str| -> Bitboard {
        names
            .split_whitespace()
            .map(|name| name.parse::<Square>().expect("a square"))
            .collect()
    };
    Board::new(set(player), set(opponent)).expect("one disc a square")
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(300)
    })]

    #[test]
    fn ends_of_random_games_have_the_value_of_a_plain_search(seed in 1_u64.., empties in 0_u32..=8) {
        for objective in OBJECTIVES {
            assert_solved(late_board(seed, empties), objective);
        }
    }

    #[test]
    fn arbitrary_boards_have_the_value_of_a_plain_search(
        discs in any::<u64>(),
        squares in prop::collection::vec(0_u64..64, 0..=7),
    ) {
        let empty = squares.iter().fold(0, |set, square| set | 1 << square);
        let board = Board {
            player: Bitboard(discs & !empty),
            opponent: Bitboard(!discs & !empty),
        };
        for objective in OBJECTIVES {
            assert_solved(board, objective);
        }
    }

    /// Few discs of one side: passes and wipe-outs.
    #[test]
    fn lopsided_boards_have_the_value_of_a_plain_search(
        few in prop::collection::vec(0_u64..64, 0..=6),
        squares in prop::collection::vec(0_u64..64, 1..=7),
    ) {
        let empty = squares.iter().fold(0, |set, square| set | 1 << square);
        let few = few.iter().fold(0, |set, square| set | 1 << square) & !empty;
        let board = Board {
            player: Bitboard(few),
            opponent: Bitboard(!few & !empty),
        };
        for objective in OBJECTIVES {
            assert_solved(board, objective);
            assert_solved(board.pass(), objective);
        }
    }
}

#[test]
fn endgames_of_nine_and_ten_empty_squares_have_the_value_of_a_plain_search() {
    for seed in 1..=12 {
        for objective in OBJECTIVES {
            assert_solved(late_board(seed * 0x9E37_79B9, 9), objective);
            assert_solved(late_board(seed * 0xBB67_AE85, 10), objective);
        }
    }
}

#[test]
fn symmetric_boards_have_the_same_value() {
    for seed in 1..=10 {
        let board = late_board(seed * 0x3C6E_F372, 11);
        for objective in OBJECTIVES {
            let value = Solver::new(objective).value(board);
            for symmetry in Symmetry::ALL {
                let turned = board.transform(symmetry);
                assert_eq!(Solver::new(objective).value(turned), value, "{turned}");
            }
        }
    }
}

#[test]
fn a_solver_that_has_solved_other_boards_gives_the_same_answers() {
    for objective in OBJECTIVES {
        let mut solver = Solver::new(objective);
        for seed in 1..=200 {
            let board = late_board(seed * 0x9E37_79B9, 8);
            let fresh = Solver::new(objective).value(board);
            assert_eq!(solver.value(board), fresh, "{board}");
        }
    }
}

#[test]
fn boards_without_empty_squares_or_discs_are_worth_what_they_show() {
    let full = Board {
        player: Bitboard(0xFFFF_FFFF_FF00_0000),
        opponent: Bitboard(0x0000_0000_00FF_FFFF),
    };
    assert_eq!(Solver::new(Objective::MostDiscs).value(full), 16);
    assert_eq!(Solver::new(Objective::FewestDiscs).value(full), -16);
    let alone = board("a1", "");
    assert_eq!(Solver::new(Objective::MostDiscs).value(alone), 64);
    assert_eq!(Solver::new(Objective::FewestDiscs).value(alone.pass()), 64);
    let nothing = board("", "");
    assert_eq!(Solver::new(Objective::MostDiscs).value(nothing), 0);
}

#[test]
fn empty_squares_go_to_the_majority_when_nobody_can_move() {
    let board = board("a1 b1 c1", "h8");
    assert_eq!(Solver::new(Objective::MostDiscs).value(board), 62);
    assert_eq!(Solver::new(Objective::FewestDiscs).value(board), -62);
    assert_eq!(Solver::new(Objective::MostDiscs).value(board.pass()), -62);
}
