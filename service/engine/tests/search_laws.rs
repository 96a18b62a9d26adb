//! What holds for every suggestion: it is legal, it does not depend on colours or the way the
//! board lies, and it comes when it is asked for.

#[path = "support/playouts.rs"]
mod playouts;
#[path = "support/text.rs"]
mod text;

use std::sync::atomic::{AtomicU64, Ordering};

use playouts::{Random, STARTS};
use reversi_engine::search::{self, Certainty, Control, Limits, POLL_NODES, Suggestion, Unlimited};
use reversi_engine::{Color, Move, Objective, Phase, Position, Setup, Start, Symmetry, Turn};

const OBJECTIVES: [Objective; 2] = [Objective::MostDiscs, Objective::FewestDiscs];

/// Counts how often it is asked, and says stop from some question on.
struct StopsAt {
    question: u64,
    asked: AtomicU64,
}

impl StopsAt {
    fn new(question: u64) -> Self {
        Self {
            question,
            asked: AtomicU64::new(0),
        }
    }
}

impl Control for StopsAt {
    fn should_stop(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) + 1 >= self.question
    }
}

fn to_depth(depth: u32) -> Limits {
    Limits {
        depth: Some(depth),
        ..Limits::default()
    }
}

fn suggest(position: &Position, objective: Objective, depth: u32) -> Suggestion {
    search::suggest(position, objective, &to_depth(depth), &Unlimited)
        .unwrap_or_else(|| panic!("not over:\n{position}"))
}

fn transformed(position: &Position, symmetry: Symmetry) -> Position {
    let setup = Setup {
        black: symmetry.apply_bitboard(position.black()),
        white: symmetry.apply_bitboard(position.white()),
        side_to_move: position.side_to_move(),
    };
    setup.into_position().expect("as sound as before")
}

fn with_colours_swapped(position: &Position) -> Position {
    let setup = Setup {
        black: position.white(),
        white: position.black(),
        side_to_move: !position.side_to_move(),
    };
    setup.into_position().expect("as sound as before")
}

fn assert_legal(position: &Position, suggestion: &Suggestion) {
    assert_eq!(suggestion.line.first(), Some(&suggestion.mv));
    suggestion.line.iter().fold(*position, |at, &mv| {
        at.play(mv)
            .unwrap_or_else(|error| panic!("{error}: {:?}\n{position}", suggestion.line))
    });
    assert!((-64.0..=64.0).contains(&suggestion.value), "{position}");
    assert!(suggestion.depth >= 1);
}

/// Positions of random games with these numbers of empty squares.
fn midgames(empties: &[u32]) -> Vec<Position> {
    let random = &mut Random(0x5EED);
    let mut found = Vec::new();
    for &empties in empties {
        loop {
            let game = playouts::random_game(Start::Standard, random);
            let wanted = |position: &&Position| {
                position.empties().count() == empties && position.turn() == Turn::Move
            };
            if let Some(position) = game.iter().find(wanted) {
                found.push(*position);
                break;
            }
        }
    }
    found
}

#[test]
fn suggestions_are_legal_in_random_games_from_every_start() {
    for (seed, start) in (1..).zip(STARTS) {
        for objective in OBJECTIVES {
            for depth in 1..=3 {
                let random = &mut Random(seed * 1000 + u64::from(depth));
                for position in playouts::random_game(start, random) {
                    let limits = to_depth(depth);
                    let answer = search::suggest(&position, objective, &limits, &Unlimited);
                    assert_eq!(answer.is_none(), position.turn().is_over(), "{position}");
                    if let Some(suggestion) = answer {
                        assert_legal(&position, &suggestion);
                        assert!(suggestion.depth <= depth);
                    }
                }
            }
        }
    }
}

#[test]
fn values_do_not_change_when_the_board_is_turned_or_mirrored() {
    for position in midgames(&[50, 35, 20, 9]) {
        for objective in OBJECTIVES {
            let here = suggest(&position, objective, 5);
            for symmetry in Symmetry::ALL {
                let there = suggest(&transformed(&position, symmetry), objective, 5);
                assert_eq!(here.value, there.value, "{symmetry:?} of\n{position}");
            }
        }
    }
}

#[test]
fn exact_values_do_not_change_when_the_board_is_turned_or_mirrored() {
    for position in midgames(&[12, 11, 10]) {
        for objective in OBJECTIVES {
            let here = suggest(&position, objective, 12);
            assert_eq!(here.certainty, Certainty::Exact);
            for symmetry in Symmetry::ALL {
                let there = suggest(&transformed(&position, symmetry), objective, 12);
                assert_eq!(there.certainty, Certainty::Exact);
                assert_eq!(here.value, there.value, "{symmetry:?} of\n{position}");
            }
        }
    }
}

#[test]
fn the_suggestion_does_not_depend_on_the_colours() {
    for position in midgames(&[50, 35, 20, 10]) {
        for objective in OBJECTIVES {
            let here = suggest(&position, objective, 5);
            let there = suggest(&with_colours_swapped(&position), objective, 5);
            assert_eq!(here, there, "{position}");
        }
    }
}

#[test]
fn the_same_question_has_the_same_answer() {
    for position in midgames(&[40, 14]) {
        let limits = Limits {
            nodes: Some(20_000),
            ..Limits::default()
        };
        let ask = || search::suggest(&position, Objective::MostDiscs, &limits, &Unlimited);
        assert_eq!(ask(), ask(), "{position}");
    }
}

#[test]
fn a_search_told_to_stop_at_once_still_has_a_move() {
    for (seed, start) in (1..).zip(STARTS) {
        for position in playouts::random_game(start, &mut Random(seed)) {
            let control = StopsAt::new(1);
            let answer = search::suggest(
                &position,
                Objective::MostDiscs,
                &Limits::default(),
                &control,
            );
            if let Some(suggestion) = answer {
                assert_legal(&position, &suggestion);
                assert!(suggestion.nodes < POLL_NODES, "{position}");
                assert!(control.asked.into_inner() <= 1);
            } else {
                assert!(position.turn().is_over());
            }
        }
    }
}

#[test]
fn a_search_asks_often_and_stops_at_the_first_yes() {
    // From a full middle game, and from an endgame where the solver is at work.
    for position in midgames(&[45, 20]) {
        for objective in OBJECTIVES {
            for question in [2, 10, 200, 1000] {
                let control = StopsAt::new(question);
                let limits = Limits::default();
                let suggestion =
                    search::suggest(&position, objective, &limits, &control).expect("not over");
                assert_legal(&position, &suggestion);
                assert_ne!(suggestion.certainty, Certainty::Exact);
                assert_eq!(control.asked.into_inner(), question);
                assert!(
                    suggestion.nodes <= question * POLL_NODES,
                    "{} nodes, {question} questions",
                    suggestion.nodes
                );
            }
        }
    }
}

#[test]
fn a_search_keeps_to_its_nodes() {
    for position in midgames(&[45, 20]) {
        for nodes in [0, 1, 500, 5_000, 100_000] {
            let limits = Limits {
                nodes: Some(nodes),
                ..Limits::default()
            };
            let suggestion =
                search::suggest(&position, Objective::MostDiscs, &limits, &Unlimited).unwrap();
            assert_legal(&position, &suggestion);
            assert!(
                suggestion.nodes <= nodes + POLL_NODES / 4,
                "{} nodes of {nodes}",
                suggestion.nodes
            );
        }
    }
}

#[test]
fn a_forced_pass_is_suggested_with_the_value_behind_it() {
    let random = &mut Random(7);
    let mut passes = 0;
    while passes < 10 {
        for position in playouts::random_game(Start::Standard, random) {
            if position.turn() != Turn::Pass {
                continue;
            }
            passes += 1;
            for objective in OBJECTIVES {
                let suggestion = suggest(&position, objective, 4);
                assert_legal(&position, &suggestion);
                assert_eq!(suggestion.mv, Move::Pass);
                let after = position.play(Move::Pass).unwrap();
                let reply = suggest(&after, objective, 4);
                assert_eq!(suggestion.value, -reply.value, "{position}");
                assert_eq!(suggestion.certainty, reply.certainty);
            }
        }
    }
}

#[test]
fn a_single_legal_move_is_still_searched() {
    let random = &mut Random(11);
    let position = std::iter::repeat_with(|| playouts::random_game(Start::Standard, random))
        .flatten()
        .find(|position| position.legal_moves().count() == 1 && position.empties().count() > 20)
        .unwrap();
    let suggestion = suggest(&position, Objective::MostDiscs, 5);
    assert_legal(&position, &suggestion);
    assert_eq!(suggestion.depth, 5);
    assert!(suggestion.line.len() >= 5);
}

/// The value of a placement by trying all, with suggestions behind the last.
fn placement_value(position: &Position, objective: Objective, depth: u32) -> f32 {
    match position.phase() {
        Phase::Play => suggest(position, objective, depth).value,
        Phase::Placement => position
            .legal_moves()
            .iter()
            .map(|square| {
                -placement_value(&position.play_unchecked(square.into()), objective, depth)
            })
            .fold(f32::NEG_INFINITY, f32::max),
    }
}

#[test]
fn placements_of_a_free_start_are_looked_through_to_the_end() {
    for objective in OBJECTIVES {
        for placed in 0..4 {
            let position = playouts::random_game(Start::Free, &mut Random(5))[placed];
            assert_eq!(position.phase(), Phase::Placement);
            let suggestion = suggest(&position, objective, 4);
            assert_legal(&position, &suggestion);
            assert_eq!(suggestion.value, placement_value(&position, objective, 4));
            assert_eq!(suggestion.depth, 4);
            assert_eq!(suggestion.line.len(), 4 - placed + 4);
        }
    }
}

#[test]
fn a_finished_game_has_no_suggestion() {
    let full = text::position(&"X".repeat(64), Color::White);
    let blocked = text::position(&format!("{}-", "X".repeat(63)), Color::Black);
    for position in [full, blocked] {
        for objective in OBJECTIVES {
            let limits = Limits::default();
            assert_eq!(
                search::suggest(&position, objective, &limits, &Unlimited),
                None
            );
        }
    }
}
