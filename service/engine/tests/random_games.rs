//! Random games from every start, played side by side with the naive rules.

#[path = "support/naive.rs"]
mod naive;

use naive::{Cell, Mailbox, other};
use proptest::prelude::*;
use reversi_engine::{
    Bitboard, Color, Game, Move, MoveKind, PassMode, Phase, RuleSet, Square, Start, Turn,
};

const CENTRE: u64 = 0x0000_0018_1800_0000;

fn starts() -> impl Strategy<Value = Start> {
    prop::sample::select(vec![
        Start::Standard,
        Start::Mirrored,
        Start::ParallelWhiteAbove,
        Start::ParallelBlackAbove,
        Start::Free,
    ])
}

fn pass_modes() -> impl Strategy<Value = PassMode> {
    prop::sample::select(vec![PassMode::Automatic, PassMode::Explicit])
}

/// One number a disc, to choose among the legal moves.
fn choices() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 64)
}

fn cell(side: Color) -> Cell {
    match side {
        Color::Black => Cell::Black,
        Color::White => Cell::White,
    }
}

/// Plays by the choices until they run out or the game is over.
fn play_out(rules: RuleSet, choices: &[u8]) -> Game {
    let mut game = Game::new(rules).expect("a sound start");
    for choice in choices {
        if game.turn() == Turn::Pass {
            game.play(Move::Pass).expect("a pass is due");
        }
        if game.turn().is_over() {
            break;
        }
        let legal: Vec<Square> = game.legal_moves().iter().collect();
        let square = legal[usize::from(*choice) % legal.len()];
        game.play(Move::Place(square)).expect("a legal move");
    }
    game
}

fn config() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(500)
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn games_agree_with_the_naive_rules_at_every_ply(
        start in starts(), pass_mode in pass_modes(), choices in choices(),
    ) {
        let game = play_out(RuleSet { start, pass_mode, ..RuleSet::default() }, &choices);
        let initial = game.initial_position();
        let mut naive = Mailbox::new(initial.black().0, initial.white().0);
        let mut side = Cell::Black;
        for (ply, played) in game.history().iter().enumerate() {
            let position = game.position_at(ply).expect("played");
            prop_assert_eq!(cell(position.side_to_move()), side, "\n{}", position);
            prop_assert_eq!(cell(played.side), side, "\n{}", position);
            prop_assert_eq!(position.black().0, naive.discs(Cell::Black), "\n{}", position);
            prop_assert_eq!(position.white().0, naive.discs(Cell::White), "\n{}", position);

            let occupied = naive.discs(Cell::Black) | naive.discs(Cell::White);
            let placing = start == Start::Free && ply < 4;
            let legal = if placing { CENTRE & !occupied } else { naive.legal(side) };
            prop_assert_eq!(position.legal_moves(), Bitboard(legal), "\n{}", position);
            prop_assert_eq!(position.phase() == Phase::Placement, placing);

            match played.mv {
                Move::Pass => {
                    prop_assert_eq!(played.kind, MoveKind::Pass);
                    prop_assert!(legal == 0 && naive.legal(other(side)) != 0, "\n{}", position);
                    prop_assert_eq!(played.flips, Bitboard::EMPTY);
                }
                Move::Place(square) if placing => {
                    prop_assert_eq!(played.kind, MoveKind::Placement);
                    prop_assert_eq!(played.flips, Bitboard::EMPTY);
                    naive.put(side, usize::from(square.index()));
                }
                Move::Place(square) => {
                    let index = usize::from(square.index());
                    prop_assert_eq!(played.kind, MoveKind::Disc);
                    prop_assert_eq!(played.flips, Bitboard(naive.turned(side, index)));
                    naive.play(side, index);
                }
            }
            side = other(side);
        }
        let dead = naive.legal(Cell::Black) == 0 && naive.legal(Cell::White) == 0;
        prop_assert!(dead, "64 choices finish every game\n{}", game.position());
        prop_assert!(game.turn().is_over(), "\n{}", game.position());
        prop_assert_eq!(game.position().black().0, naive.discs(Cell::Black));
        prop_assert_eq!(game.position().white().0, naive.discs(Cell::White));
    }

    #[test]
    fn both_pass_modes_write_the_same_history(start in starts(), choices in choices()) {
        let [automatic, explicit] = [PassMode::Automatic, PassMode::Explicit]
            .map(|pass_mode| play_out(RuleSet { start, pass_mode, ..RuleSet::default() }, &choices));
        prop_assert_eq!(automatic.history(), explicit.history());
        prop_assert_eq!(automatic.position(), explicit.position());
        prop_assert_eq!(automatic.turn(), explicit.turn());
        prop_assert_eq!(automatic.score(), explicit.score());
    }

    #[test]
    fn no_history_holds_two_passes_in_a_row_or_ends_with_one(
        start in starts(), choices in choices(),
    ) {
        let game = play_out(RuleSet { start, ..RuleSet::default() }, &choices);
        let passes = |pair: &[reversi_engine::PlayedMove]| {
            pair.iter().all(|played| played.kind == MoveKind::Pass)
        };
        prop_assert!(!game.history().windows(2).any(passes));
        prop_assert_ne!(game.history().last().map(|played| played.kind), Some(MoveKind::Pass));
    }

    #[test]
    fn a_game_taken_back_and_played_again_is_the_same_game(
        start in starts(), pass_mode in pass_modes(), choices in choices(), ply in 0..60_usize,
    ) {
        let played = play_out(RuleSet { start, pass_mode, ..RuleSet::default() }, &choices);
        let ply = ply.min(played.ply());
        let mut game = played.clone();
        game.truncate(ply).expect("within the game");
        prop_assert!(pass_mode == PassMode::Explicit || game.turn() != Turn::Pass);
        prop_assert_eq!(game.history(), &played.history()[..game.ply()]);
        prop_assert_eq!(*game.position(), played.position_at(game.ply()).expect("played"));
        while game.ply() < played.ply() {
            game.play(played.history()[game.ply()].mv).expect("it was legal before");
        }
        prop_assert_eq!(game, played);
    }

    #[test]
    fn illegal_moves_leave_a_game_as_it_was(
        start in starts(), choices in prop::collection::vec(any::<u8>(), 0..64),
    ) {
        let mut game = play_out(RuleSet { start, ..RuleSet::default() }, &choices);
        let before = game.clone();
        for square in !before.legal_moves() {
            prop_assert!(game.play(Move::Place(square)).is_err(), "{}\n{}", square, game.position());
        }
        prop_assert!(game.play(Move::Pass).is_err(), "\n{}", game.position());
        prop_assert_eq!(game, before);
    }
}
