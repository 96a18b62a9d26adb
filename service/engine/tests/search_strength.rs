//! The engine against players who do not look ahead, over full games.

#[path = "support/playouts.rs"]
mod playouts;

use playouts::{Random, STARTS};
use reversi_engine::search::{self, Limits, Unlimited};
use reversi_engine::{Color, Move, Objective, Position, Turn};

/// Random moves at the beginning of each game, so that no two games are the same.
const OPENING_PLIES: usize = 6;
/// Games of a match, half of them with each colour.
const GAMES: u32 = 40;

type Player = fn(&Position, Objective, &mut Random) -> Move;

fn engine(position: &Position, objective: Objective, _: &mut Random) -> Move {
    let limits = Limits {
        depth: Some(4),
        ..Limits::default()
    };
    search::suggest(position, objective, &limits, &Unlimited)
        .expect("the game is not over")
        .mv
}

fn random_player(position: &Position, _: Objective, random: &mut Random) -> Move {
    random.legal_move(position).expect("the game is not over")
}

/// Turns as many discs as it can, or as few when the fewer discs win.
fn greedy_player(position: &Position, objective: Objective, random: &mut Random) -> Move {
    if position.turn() == Turn::Pass {
        return Move::Pass;
    }
    let squares: Vec<_> = position.legal_moves().iter().collect();
    let turned = |index: &usize| position.flips(squares[*index]).count();
    // Begins anywhere, so that equal moves are chosen at random.
    let first = random.below(squares.len());
    let around = (0..squares.len()).map(|index| (first + index) % squares.len());
    let best = match objective {
        Objective::MostDiscs => around.max_by_key(turned),
        Objective::FewestDiscs => around.min_by_key(turned),
    };
    Move::Place(squares[best.expect("a legal move")])
}

/// The engine's points: 1 for a win, a half for a draw.
fn play(seed: u64, objective: Objective, opponent: Player) -> f64 {
    let random = &mut Random(seed);
    let start = STARTS[random.below(STARTS.len())];
    let mut position = playouts::random_game(start, random)[OPENING_PLIES];
    let engine_side = if seed.is_multiple_of(2) {
        Color::Black
    } else {
        Color::White
    };
    while !position.turn().is_over() {
        let player = if position.side_to_move() == engine_side {
            engine
        } else {
            opponent
        };
        let mv = player(&position, objective, random);
        position = position.play(mv).expect("players play legal moves");
    }
    match position.result(objective).expect("the game is over").winner {
        Some(winner) if winner == engine_side => 1.0,
        Some(_) => 0.0,
        None => 0.5,
    }
}

/// The engine must score this share of the points.
fn assert_scores(objective: Objective, opponent: Player, share: f64) {
    let points: f64 = (1..=GAMES)
        .map(|seed| play(seed.into(), objective, opponent))
        .sum();
    let games = f64::from(GAMES);
    eprintln!("{objective:?}: {points} of {games}");
    assert!(points >= share * games, "{points} of {games}");
}

#[test]
fn beats_a_random_player() {
    assert_scores(Objective::MostDiscs, random_player, 0.95);
}

#[test]
fn beats_a_player_who_takes_the_most_discs() {
    assert_scores(Objective::MostDiscs, greedy_player, 0.9);
}

#[test]
fn beats_a_random_player_when_the_fewest_discs_win() {
    assert_scores(Objective::FewestDiscs, random_player, 0.95);
}

#[test]
fn beats_a_player_who_takes_the_fewest_discs_when_they_win() {
    assert_scores(Objective::FewestDiscs, greedy_player, 0.9);
}
