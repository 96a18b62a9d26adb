//! Whole games that the engine plays against itself, from every start under every rule: no
//! suggestion is illegal, and none is late.
//!
//! `REVERSI_SEEDED_GAMES=10000 cargo test --release -p reversi-engine --test seeded_games` plays as
//! many as it says.

#[path = "support/playouts.rs"]
mod playouts;

use playouts::Random;
use reversi_engine::opening::{Balance, Balanced};
use reversi_engine::search::{Engine, Evaluation, Limits, POLL_NODES, Query, Unlimited};
use reversi_engine::{
    Color, Game, Level, Objective, PassMode, Position, RuleSet, Scoring, Setup, Start,
};

/// The games that are played where nothing else is said.
const GAMES: u64 = 400;
/// The most boards that a suggestion may visit.
const NODES: usize = 600;

fn games() -> u64 {
    let asked = std::env::var("REVERSI_SEEDED_GAMES").ok();
    asked.map_or(GAMES, |games| games.parse().expect("a number of games"))
}

/// One of the starts, with what it leaves open decided by the seed.
fn start(seed: u64, random: &mut Random) -> Start {
    let named = playouts::STARTS;
    match random.below(named.len() + 2) {
        balanced if balanced == named.len() => {
            let list = Balanced::of(Balance::WithinTwoDiscs);
            let (_, opening) = list.draw(seed).expect("the list is not empty");
            Start::Balanced(list.start(opening))
        }
        custom if custom > named.len() => Start::Custom(somewhere(random)),
        name => named[name],
    }
}

/// A position out of a random game that is not over.
fn somewhere(random: &mut Random) -> Setup {
    let game = playouts::random_game(Start::Standard, random);
    let before_the_end = game.len() - 1;
    Setup::from(game[random.below(before_the_end)])
}

fn rules(seed: u64, random: &mut Random) -> RuleSet {
    let mut one_of = |count| random.below(count);
    RuleSet {
        objective: [Objective::MostDiscs, Objective::FewestDiscs][one_of(2)],
        scoring: [
            Scoring::Discs,
            Scoring::EmptiesToMajority,
            Scoring::EmptiesToMajorityTiesSplit,
        ][one_of(3)],
        pass_mode: [PassMode::Automatic, PassMode::Explicit][one_of(2)],
        start: start(seed, random),
    }
}

#[test]
fn no_suggestion_of_a_seeded_game_is_illegal_or_late() {
    let mut engine = Engine::new(1 << 16, 1);
    let evaluations = [Objective::MostDiscs, Objective::FewestDiscs].map(Evaluation::of);
    for seed in 1..=games() {
        let random = &mut Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let rules = rules(seed, random);
        let evaluation = evaluations
            .iter()
            .find(|evaluation| evaluation.objective == rules.objective)
            .expect("one for each objective");
        let levels = [(); 2].map(|()| {
            let number = u32::try_from(1 + random.below(10)).expect("few");
            Level::new(number).expect("there is such a level")
        });
        let mut game = Game::new(rules).expect("a sound start");
        while game.result().is_none() {
            let position = *game.position();
            let level = levels[usize::from(position.side_to_move() == Color::White)];
            let nodes = 1 + u64::try_from(random.below(NODES)).expect("few");
            let query = Query {
                limits: Limits {
                    nodes: Some(nodes),
                    ..Limits::default()
                },
                ..Query::default()
            };
            let choice = level
                .choose(&mut engine, evaluation, &position, &query, seed, &Unlimited)
                .unwrap_or_else(|| panic!("seed {seed}: not over\n{position}"));
            let most = nodes + first_look(&position) + POLL_NODES;
            assert!(
                choice.analysis.nodes <= most,
                "seed {seed}: {} nodes of {nodes}\n{position}",
                choice.analysis.nodes
            );
            let mv = choice.mv().expect("a move is chosen");
            game.play(mv)
                .unwrap_or_else(|error| panic!("seed {seed}, {level:?}: {error}\n{position}"));
            assert!(game.ply() <= 8 + 128, "seed {seed}: the game does not end");
        }
    }
}

/// What is looked at in any case: every move one disc ahead, behind every placement.
fn first_look(position: &Position) -> u64 {
    let moves = u64::from(position.legal_moves().count()) + 1;
    let empties = position.empties().count();
    if empties > 60 {
        // At most 4 · 3 · 2 ways to place what is left, with four moves behind each.
        24 * 8
    } else {
        moves * 64
    }
}
