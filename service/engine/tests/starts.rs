//! Where games begin, and the placement of the first four discs in a free start.

#[path = "support/text.rs"]
mod text;

use reversi_engine::opening::{Balance, Balanced};
use reversi_engine::{
    BalancedStart, Bitboard, Color, EndReason, Game, IllegalMove, Move, MoveKind, PassMode, Phase,
    PlyOutOfRange, Position, RuleSet, Setup, Square, Start, Turn,
};

fn begin(start: Start) -> Game {
    let rules = RuleSet {
        start,
        ..RuleSet::default()
    };
    Game::new(rules).expect("a sound start")
}

fn assert_start(start: Start, black: &str, white: &str, moves: &str) {
    let game = begin(start);
    let position = game.position();
    assert_eq!(position.black().to_string(), black, "{start:?}\n{position}");
    assert_eq!(position.white().to_string(), white, "{start:?}\n{position}");
    assert_eq!(position.side_to_move(), Color::Black, "{start:?}");
    assert_eq!(position.phase(), Phase::Play, "{start:?}");
    assert_eq!(
        game.legal_moves().to_string(),
        moves,
        "{start:?}\n{position}"
    );
    assert_eq!(game.ply(), 0);
}

#[test]
fn the_default_rules_begin_from_the_standard_position() {
    assert_eq!(
        begin(RuleSet::default().start).position(),
        &Position::standard()
    );
    assert_start(Start::Standard, "e4 d5", "d4 e5", "d3 c4 f5 e6");
}

#[test]
fn a_mirrored_start_swaps_the_diagonals() {
    assert_start(Start::Mirrored, "d4 e5", "e4 d5", "e3 f4 c5 d6");
}

#[test]
fn parallel_starts_put_one_colour_above_the_other() {
    assert_start(Start::ParallelWhiteAbove, "d5 e5", "d4 e4", "c3 d3 e3 f3");
    assert_start(Start::ParallelBlackAbove, "d4 e4", "d5 e5", "c6 d6 e6 f6");
}

#[test]
fn a_free_start_is_an_empty_board_with_the_centre_to_fill() {
    let game = begin(Start::Free);
    assert_eq!(game.position().phase(), Phase::Placement);
    assert_eq!(game.position().empties(), Bitboard::FULL);
    assert_eq!(game.position().side_to_move(), Color::Black);
    assert_eq!(game.turn(), Turn::Move);
    assert_eq!(game.legal_moves(), Bitboard::CENTRE);
    assert_eq!(game.score().scored, None);
    assert_eq!(game.result(), None);
}

/// All orders in which the four centre squares can be filled.
fn placements() -> Vec<[Square; 4]> {
    let mut orders = Vec::new();
    for a in Bitboard::CENTRE {
        for b in Bitboard::CENTRE {
            for c in Bitboard::CENTRE {
                for d in Bitboard::CENTRE {
                    let order = [a, b, c, d];
                    if order.into_iter().collect::<Bitboard>() == Bitboard::CENTRE {
                        orders.push(order);
                    }
                }
            }
        }
    }
    assert_eq!(orders.len(), 24);
    orders
}

#[test]
fn placements_alternate_and_turn_nothing() {
    for order in placements() {
        let mut game = begin(Start::Free);
        for (ply, square) in order.into_iter().enumerate() {
            let side = [Color::Black, Color::White][ply % 2];
            let played = game
                .play(Move::Place(square))
                .expect("a free centre square");
            let [played] = *played else {
                panic!("one ply: {played:?}");
            };
            assert_eq!(played.kind, MoveKind::Placement);
            assert_eq!(played.side, side);
            assert_eq!(played.flips, Bitboard::EMPTY);
        }
        let position = game.position();
        assert_eq!(position.black(), Bitboard::from_iter([order[0], order[2]]));
        assert_eq!(position.white(), Bitboard::from_iter([order[1], order[3]]));
        assert_eq!(position.phase(), Phase::Play);
        assert_eq!(position.side_to_move(), Color::Black);
    }
}

#[test]
fn every_layout_of_four_leaves_both_sides_four_moves() {
    for order in placements() {
        let mut game = begin(Start::Free);
        for square in order {
            game.play(Move::Place(square))
                .expect("a free centre square");
        }
        let board = game.position().board();
        assert_eq!(board.legal_moves().count(), 4, "{board}");
        assert_eq!(board.pass().legal_moves().count(), 4, "{board}");
    }
}

#[test]
fn a_placement_outside_the_centre_is_refused() {
    let mut game = begin(Start::Free);
    assert_eq!(
        game.play(Move::Place(Square::D3)),
        Err(IllegalMove::OutsideCentre { square: Square::D3 })
    );
    game.play(Move::Place(Square::D4)).unwrap();
    assert_eq!(
        game.play(Move::Place(Square::D4)),
        Err(IllegalMove::Occupied { square: Square::D4 })
    );
    // f4 would turn e4 under the usual rules.
    game.play(Move::Place(Square::E4)).unwrap();
    assert_eq!(
        game.play(Move::Place(Square::F4)),
        Err(IllegalMove::OutsideCentre { square: Square::F4 })
    );
}

#[test]
fn nobody_passes_during_the_placement() {
    for pass_mode in [PassMode::Automatic, PassMode::Explicit] {
        let rules = RuleSet {
            start: Start::Free,
            pass_mode,
            ..RuleSet::default()
        };
        let mut game = Game::new(rules).unwrap();
        for square in [Square::D4, Square::E5, Square::D5, Square::E4] {
            assert_eq!(game.play(Move::Pass), Err(IllegalMove::FalsePass));
            game.play(Move::Place(square)).unwrap();
        }
        assert_eq!(game.ply(), 4);
    }
}

#[test]
fn a_free_game_can_hold_sixty_four_discs() {
    let placed = "e4 d4 d5 e5";
    // A tournament game that fills the board, White passing fifteen times.
    let played = "f5f6e6f4d3c4e3d6g4h3b5b4c5c6b6g3c3f3b3a6c7d8d7e7b8b7h4h5a8c2a7a4c8e2a5g5a3e8a2f8f7c1\
                  b1a1b2g7d1d2g6g8h8h7h6e1f2g2f1h1g1h2";
    let played = played.as_bytes().chunks(2).map(|pair| {
        let name = std::str::from_utf8(pair).unwrap();
        name.parse::<Square>().unwrap()
    });
    let mut game = begin(Start::Free);
    for square in placed
        .split(' ')
        .map(|name| name.parse().unwrap())
        .chain(played)
    {
        game.play(Move::Place(square)).unwrap();
    }
    assert_eq!(game.discs_placed(), 64);
    assert_eq!(game.ply(), 64 + 15);
    assert_eq!(game.turn(), Turn::Over(EndReason::Wipeout));
}

#[test]
fn a_custom_start_says_itself_who_moves() {
    let setup = Setup {
        side_to_move: Color::White,
        ..Setup::from(Position::standard())
    };
    let game = begin(Start::Custom(setup));
    assert_eq!(game.position().side_to_move(), Color::White);
    assert_eq!(game.legal_moves().to_string(), "e3 f4 c5 d6");
}

#[test]
fn a_blocked_custom_start_passes_at_creation_if_passes_are_automatic() {
    // Black is blocked, White can play h8.
    let board = "XXXXXXXX OOOOOOOO XXXXXXXX XXXXXXXX XXXXXXXX XXXXXXXX XXXXXXXX OOOOOOO-";
    let game = begin(Start::Custom(text::setup(board, Color::Black)));
    assert_eq!(game.ply(), 1);
    assert_eq!(game.history()[0].kind, MoveKind::Pass);
    assert_eq!(game.history()[0].side, Color::Black);
    assert_eq!(
        *game.initial_position(),
        text::position(board, Color::Black)
    );
    assert_eq!(*game.position(), text::position(board, Color::White));
    assert_eq!(game.turn(), Turn::Move);

    let rules = RuleSet {
        pass_mode: PassMode::Explicit,
        ..*game.rules()
    };
    let game = Game::new(rules).unwrap();
    assert_eq!(game.ply(), 0);
    assert_eq!(game.turn(), Turn::Pass);
}

#[test]
fn balanced_game_begins_with_a_prelude_that_stays() {
    let list = Balanced::of(Balance::WithinOneDisc);
    let (_, opening) = list.draw(5).unwrap();
    let mut game = begin(Start::Balanced(list.start(opening)));
    assert_eq!((game.prelude(), game.ply()), (8, 8));
    let played: Vec<_> = game
        .history()
        .iter()
        .filter_map(|p| p.mv.square())
        .collect();
    assert_eq!(played, opening.moves);
    assert_eq!(game.position().side_to_move(), Color::Black);
    assert_eq!(*game.initial_position(), Position::standard());
    assert_eq!(Position::start(game.rules()), Ok(*game.position()));

    assert_eq!(game.last_disc_ply(Color::White), None);
    assert_eq!(
        game.truncate(7),
        Err(PlyOutOfRange {
            ply: 7,
            first: 8,
            last: 8
        })
    );
    let square = game.legal_moves().iter().next().unwrap();
    game.play(Move::Place(square)).unwrap();
    assert_eq!(game.last_disc_ply(Color::Black), Some(8));
    game.truncate(8).unwrap();
    assert_eq!(game.ply(), 8);
}

#[test]
fn balanced_start_takes_legal_moves_only() {
    let moves = |text: &str| -> [Square; 8] {
        let squares = (0..16)
            .step_by(2)
            .map(|at| text[at..at + 2].parse().unwrap());
        squares.collect::<Vec<_>>().try_into().unwrap()
    };
    assert!(BalancedStart::new(moves("f5d6c3d3c4f4e3f3"), 1).is_some());
    assert!(BalancedStart::new(moves("f5d6c3d3c4f4e3a1"), 1).is_none());
}
