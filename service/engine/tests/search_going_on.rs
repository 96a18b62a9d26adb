//! Searches that begin with what the one before them in a game has found.

#[path = "support/playouts.rs"]
mod playouts;

use playouts::{Random, STARTS, random_game};
use reversi_engine::search::{Analysis, Certainty, Engine, Evaluation, Limits, Query, Unlimited};
use reversi_engine::{Move, Objective, Position, Turn};

const TABLE_BYTES: usize = 1 << 22;

fn new_engine() -> Engine {
    Engine::new(TABLE_BYTES, 1)
}

fn analyze(
    engine: &mut Engine,
    objective: Objective,
    position: &Position,
    limits: Limits,
) -> Option<Analysis> {
    let query = Query { limits, lines: 1 };
    let evaluation = Evaluation::of(objective);
    engine.analyze(evaluation, position, &query, &Unlimited, &mut |_| {})
}

fn to_depth(depth: u32) -> Limits {
    Limits {
        depth: Some(depth),
        ..Limits::default()
    }
}

/// The positions of a random game where a side can move, with at most so many empty squares.
fn positions(seed: u64, most_empties: u32) -> Vec<Position> {
    let mut positions = random_game(STARTS[0], &mut Random(seed));
    positions.retain(|position| {
        position.turn() == Turn::Move && position.empties().count() <= most_empties
    });
    positions
}

#[test]
fn exact_values_are_the_same() {
    for seed in 1..=8 {
        for objective in [Objective::MostDiscs, Objective::FewestDiscs] {
            let mut engine = new_engine();
            for position in positions(seed, 15) {
                engine.go_on();
                let after = analyze(&mut engine, objective, &position, Limits::default()).unwrap();
                let fresh = analyze(&mut new_engine(), objective, &position, Limits::default());
                let fresh = fresh.unwrap();
                assert_eq!(after.certainty, Certainty::Exact, "{position}");
                assert_eq!(after.lines[0].value, fresh.lines[0].value, "{position}");
                assert!(
                    position.check(after.lines[0].moves[0]).is_ok(),
                    "{position}"
                );
            }
        }
    }
}

/// Also where the position lies otherwise than the one that stands for all its symmetric ones.
#[test]
fn what_is_known_is_not_searched_again() {
    let (mut going_on, mut anew) = (0, 0);
    for before in positions(1, 46).iter().chain(&positions(2, 46)) {
        if before.empties().count() < 20 {
            continue;
        }
        let mut engine = new_engine();
        let found = analyze(&mut engine, Objective::MostDiscs, before, to_depth(10)).unwrap();
        let position = before.play(found.lines[0].moves[0]).unwrap();
        engine.go_on();
        let found = analyze(&mut engine, Objective::MostDiscs, &position, to_depth(9));
        going_on += found.unwrap().nodes;
        let found = analyze(
            &mut new_engine(),
            Objective::MostDiscs,
            &position,
            to_depth(9),
        );
        anew += found.unwrap().nodes;
    }
    assert!(2 * going_on < anew, "{going_on} boards, anew {anew}");
}

#[test]
fn nothing_is_taken_over_unasked_or_of_another_objective() {
    let [first, .., over_soon] = &positions(3, 18)[..] else {
        panic!("a game has many positions");
    };
    let fresh = |objective| analyze(&mut new_engine(), objective, first, Limits::default());
    let mut engine = new_engine();
    let mut next = |goes_on: bool, objective| {
        if goes_on {
            engine.go_on();
        }
        analyze(&mut engine, objective, first, Limits::default())
    };
    let (most, fewest) = (Objective::MostDiscs, Objective::FewestDiscs);
    assert_eq!(next(false, most), fresh(most));
    assert_eq!(next(false, most), fresh(most));
    assert_eq!(next(true, fewest), fresh(fewest));
    let (going_on, anew) = (next(true, fewest).unwrap(), fresh(fewest).unwrap());
    assert!(
        3 * going_on.nodes < 2 * anew.nodes,
        "{} boards, anew {}",
        going_on.nodes,
        anew.nodes
    );
    // Once asked, once done, also where there is nothing to search.
    let mut over = *over_soon;
    while !over.turn().is_over() {
        let square = over.legal_moves().iter().next();
        over = over.play_unchecked(square.map_or(Move::Pass, Move::Place));
    }
    engine.go_on();
    assert_eq!(analyze(&mut engine, fewest, &over, Limits::default()), None);
    let found = analyze(&mut engine, fewest, first, Limits::default());
    assert_eq!(found, fresh(fewest));
}
