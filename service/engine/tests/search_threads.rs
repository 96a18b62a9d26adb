//! What a search finds does not depend on how many threads look for it, and what one thread does
//! is always the same.

#[path = "support/playouts.rs"]
mod playouts;

use playouts::{Random, STARTS};
use reversi_engine::search::{Certainty, Engine, Evaluation, Limits, Query, Unlimited};
use reversi_engine::{Objective, Position, Turn};

const OBJECTIVES: [Objective; 2] = [Objective::MostDiscs, Objective::FewestDiscs];

/// One position of a random game for each number of empty squares.
fn positions(empties: &[u32]) -> Vec<Position> {
    let random = &mut Random(0xBEAD);
    let one = |&empties: &u32| loop {
        let game = playouts::random_game(STARTS[0], random);
        let wanted = |position: &&Position| {
            position.empties().count() == empties && position.turn() == Turn::Move
        };
        if let Some(position) = game.iter().find(wanted) {
            return *position;
        }
    };
    empties.iter().map(one).collect()
}

#[test]
fn exact_values_are_the_same_on_every_number_of_threads() {
    for objective in OBJECTIVES {
        let evaluation = Evaluation::of(objective);
        for position in positions(&[13, 14, 15, 15, 16, 16, 17]) {
            let mut values = [1, 2, 3, 5].map(|threads| {
                let mut engine = Engine::new(1 << 20, threads);
                let query = Query::default();
                let analysis = engine
                    .analyze(evaluation, &position, &query, &Unlimited, &mut |_| ())
                    .expect("the game is not over");
                assert_eq!(analysis.certainty, Certainty::Exact, "{position}");
                let line = &analysis.lines[0];
                let end = line.moves.iter().fold(position, |at, &mv| {
                    at.play(mv).unwrap_or_else(|error| panic!("{error}\n{at}"))
                });
                assert!(!line.moves.is_empty() && end != position);
                line.value
            });
            values.sort_unstable_by(f32::total_cmp);
            assert_eq!(values[0], values[3], "{values:?}\n{position}");
        }
    }
}

/// The boards visited to depth 10 from these positions, for each objective. A change of the search
/// or of the weights that is meant to change what is searched states the new numbers; any other
/// must not change them.
#[test]
fn the_signature_of_the_search_is_known() {
    let found = OBJECTIVES.map(|objective| {
        let evaluation = Evaluation::of(objective);
        let mut engine = Engine::new(1 << 20, 1);
        let nodes = positions(&[56, 50, 44, 38, 32, 26, 20])
            .into_iter()
            .map(|position| {
                let query = Query {
                    limits: Limits {
                        depth: Some(10),
                        ..Limits::default()
                    },
                    ..Query::default()
                };
                let analysis =
                    engine.analyze(evaluation, &position, &query, &Unlimited, &mut |_| ());
                analysis.expect("the game is not over").nodes
            });
        nodes.sum::<u64>()
    });
    assert_eq!(found, [188_890, 365_122]);
}

/// The pages that this process has in memory, in bytes.
#[cfg(target_os = "linux")]
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux tells");
    let pages = statm.split_whitespace().nth(1).expect("the second number");
    pages.parse::<usize>().expect("a number") * 4096
}

#[test]
#[cfg(target_os = "linux")]
fn a_search_keeps_to_its_memory() {
    const TABLE: usize = 32 << 20;
    /// Stacks of the threads, the lines, the marks of boards that are searched.
    const BESIDE: usize = 8 << 20;
    let evaluation = Evaluation::of(Objective::MostDiscs);
    let position = positions(&[40])[0];
    let before = resident();
    let mut engine = Engine::new(TABLE, 2);
    let query = Query {
        limits: Limits {
            nodes: Some(6_000_000),
            ..Limits::default()
        },
        ..Query::default()
    };
    for _ in 0..3 {
        let analysis = engine.analyze(evaluation, &position, &query, &Unlimited, &mut |_| ());
        assert!(analysis.expect("the game is not over").nodes > 5_000_000);
        let grown = resident().saturating_sub(before);
        assert!(grown <= TABLE + BESIDE, "{grown} bytes");
    }
}
