//! Levels of play.

#[path = "support/playouts.rs"]
mod playouts;

use std::collections::BTreeSet;

use playouts::{Random, STARTS};
use reversi_engine::search::{Control, Engine, Evaluation, Limits, Query, Unlimited};
use reversi_engine::{
    Bitboard, Color, Level, Move, Objective, Position, Setup, Square, Turn, UnknownLevel,
};

/// Random moves at the beginning of each game.
const OPENING_PLIES: usize = 8;

fn engine() -> Engine {
    Engine::new(1 << 20, 1)
}

fn level(number: u32) -> Level {
    Level::new(number).expect("a level")
}

/// The move of a level without limits.
fn mv(
    engine: &mut Engine,
    level: Level,
    position: &Position,
    objective: Objective,
    seed: u64,
) -> Move {
    let evaluation = Evaluation::of(objective);
    let query = Query::default();
    let choice = level.choose(engine, evaluation, position, &query, seed, &Unlimited);
    let choice = choice.expect("the game is not over");
    choice.mv().expect("a line has a move")
}

/// Who plays: a level with a seed for the game, or one who turns the most discs with each move.
#[derive(Clone, Copy)]
enum Player {
    Of(Level),
    MostTurned,
}

fn most_turned(position: &Position, random: &mut Random) -> Move {
    let squares: Vec<Square> = position.legal_moves().iter().collect();
    // Begins anywhere, so that equal moves are chosen at random.
    let first = random.below(squares.len().max(1));
    let around = (0..squares.len()).map(|index| squares[(first + index) % squares.len()]);
    let best = around.max_by_key(|&square| position.flips(square).count());
    best.map_or(Move::Pass, Move::Place)
}

/// The first player's points in a pair of games with colours swapped: 0 to 2, and its losses.
fn pair(seed: u64, players: [Player; 2]) -> (f64, u32) {
    let mut engine = engine();
    let random = &mut Random(seed);
    let opening = loop {
        let game = playouts::random_game(STARTS[0], random);
        if game.len() > OPENING_PLIES + 1 {
            break game[OPENING_PLIES];
        }
    };
    let (mut points, mut lost) = (0.0, 0);
    for first in [Color::Black, Color::White] {
        let mut position = opening;
        while !position.turn().is_over() {
            let is_first = position.side_to_move() == first;
            let player = players[usize::from(!is_first)];
            let mv = match player {
                Player::Of(level) => mv(&mut engine, level, &position, Objective::MostDiscs, seed),
                Player::MostTurned => most_turned(&position, random),
            };
            position = position.play(mv).expect("players play legal moves");
        }
        let result = position.result(Objective::MostDiscs).expect("it is over");
        match result.winner {
            Some(winner) if winner == first => points += 1.0,
            Some(_) => lost += 1,
            None => points += 0.5,
        }
    }
    (points, lost)
}

#[test]
fn the_lowest_level_loses_to_one_who_turns_the_most_discs() {
    let games = 400;
    let lost: u32 = (1..=games / 2)
        .map(|seed| pair(seed.into(), [Player::Of(Level::LOWEST), Player::MostTurned]).1)
        .sum();
    eprintln!("lost {lost} of {games}");
    assert!(lost * 10 >= games * 7, "{lost} of {games}");
}

#[test]
fn each_of_the_lower_levels_beats_the_one_below() {
    for number in 1..=4 {
        let players = [number + 1, number].map(|number| Player::Of(level(number)));
        let points: f64 = (1..=40).map(|seed| pair(seed, players).0).sum();
        eprintln!("level {}: {points} of 80", number + 1);
        assert!(points >= 48.0, "level {}: {points} of 80", number + 1);
    }
}

#[test]
fn levels_have_numbers_from_1_to_10() {
    let numbers: Vec<u8> = Level::all().map(Level::number).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    for found in [0, 11, 256, 266, u32::MAX] {
        assert_eq!(Level::new(found), Err(UnknownLevel { found }));
    }
    let error = Level::new(11).unwrap_err();
    assert_eq!(error.to_string(), "there is no level 11, only 1 to 10");
}

#[test]
fn every_level_plays_legally_from_every_start() {
    let mut engine = engine();
    for (seed, start) in STARTS.into_iter().enumerate() {
        let random = &mut Random(seed as u64 + 1);
        let game = playouts::random_game(start, random);
        for objective in [Objective::MostDiscs, Objective::FewestDiscs] {
            for number in 1..=7 {
                for position in [
                    &game[0],
                    &game[1],
                    &game[game.len() / 2],
                    &game[game.len() - 2],
                ] {
                    let mv = mv(&mut engine, level(number), position, objective, 1);
                    assert_eq!(position.check(mv), Ok(()), "{number} {mv}\n{position}");
                }
            }
        }
    }
}

#[test]
fn a_seed_decides_and_does_so_again() {
    let mut engine = engine();
    let position = playouts::random_game(STARTS[0], &mut Random(5))[20];
    let mut moves = BTreeSet::new();
    for seed in 0..20 {
        let mut play = || mv(&mut engine, level(1), &position, Objective::MostDiscs, seed);
        let first = play();
        assert_eq!(first, play());
        moves.insert(first.to_string());
    }
    assert!(moves.len() > 2, "{moves:?}");
}

#[test]
fn over_games_have_no_choice_and_forced_passes_one() {
    let mut engine = engine();
    let evaluation = Evaluation::of(Objective::MostDiscs);
    let set = |square: Square| Bitboard::from(square);
    let setup = |black, white| Setup {
        black,
        white,
        side_to_move: Color::Black,
    };
    let over = setup(set(Square::A1), set(Square::H8))
        .into_position()
        .unwrap();
    let pass = setup(set(Square::B1), set(Square::A1))
        .into_position()
        .unwrap();
    assert_eq!(pass.turn(), Turn::Pass);
    for level in Level::all() {
        let query = Query::default();
        let choice = level.choose(&mut engine, evaluation, &over, &query, 1, &Unlimited);
        assert_eq!(choice, None);
        let mv = mv(&mut engine, level, &pass, Objective::MostDiscs, 1);
        assert_eq!(mv, Move::Pass);
    }
}

#[test]
fn from_level_3_on_nobody_is_invited_to_take_all_discs() {
    // d1 lets White take everything with e1; b3 does not.
    let position = Setup {
        black: Square::B1.into(),
        white: [Square::A1, Square::C1, Square::B2].into_iter().collect(),
        side_to_move: Color::Black,
    };
    let position = position.into_position().unwrap();
    assert_eq!(position.legal_moves().to_string(), "d1 b3");
    let mut engine = engine();
    let mut played = |number, seed| {
        let level = level(number);
        mv(&mut engine, level, &position, Objective::MostDiscs, seed)
    };
    for number in 3..=9 {
        for seed in 0..50 {
            assert_eq!(
                played(number, seed),
                Move::Place(Square::B3),
                "{number} {seed}"
            );
        }
    }
}

#[test]
fn where_fewer_discs_win_nobody_takes_the_last_disc() {
    // d2 takes both of White's discs and loses; the others take one.
    let position = Setup {
        black: [Square::A2, Square::B3].into_iter().collect(),
        white: [Square::B2, Square::C2].into_iter().collect(),
        side_to_move: Color::Black,
    };
    let position = position.into_position().unwrap();
    assert!(position.legal_moves().contains(Square::D2));
    assert!(position.legal_moves().count() > 1);
    let mut engine = engine();
    for number in 3..=9 {
        for seed in 0..50 {
            let level = level(number);
            let mv = mv(&mut engine, level, &position, Objective::FewestDiscs, seed);
            assert_ne!(mv, Move::Place(Square::D2), "{number} {seed}");
        }
    }
}

/// Stops a search at once.
struct Stopped;

impl Control for Stopped {
    fn should_stop(&self) -> bool {
        true
    }
}

#[test]
fn limits_and_controls_cut_a_level_short_but_never_off() {
    let mut engine = engine();
    let evaluation = Evaluation::of(Objective::MostDiscs);
    let position = Position::standard();
    let mut choose = |query: &Query, control: &dyn Control| {
        let choice = level(8).choose(&mut engine, evaluation, &position, query, 1, control);
        choice.expect("the game is not over")
    };
    let shallow = Query {
        limits: Limits {
            depth: Some(2),
            nodes: None,
        },
        lines: 1,
    };
    let choice = choose(&shallow, &Unlimited);
    assert_eq!(choice.analysis.depth, 2);
    assert_eq!(choice.analysis.lines.len(), 4, "all moves are looked at");
    let stopped = choose(&Query::default(), &Stopped);
    assert_eq!(stopped.analysis.depth, 1);
    assert!(stopped.mv().is_some());
}
