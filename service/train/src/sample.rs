//! Positions as they come up in games, so many with each number of empty squares.

use std::ops::RangeInclusive;

use reversi_engine::search::{Engine, Evaluation};
use reversi_engine::{Board, Random};

use crate::game::{self, Play};

const TABLE_BYTES: usize = 1 << 24;

/// As many positions where the mover has a move, with each of these numbers of empty squares.
pub(crate) fn positions(
    evaluation: &Evaluation,
    empties: &RangeInclusive<u32>,
    each: u32,
    seed: u64,
) -> Vec<Board> {
    let mut random = Random::new(seed);
    let mut engine = Engine::new(TABLE_BYTES, 1);
    let play = Play {
        evaluation: Some(evaluation),
        objective: evaluation.objective,
        depth: 2,
        random_discs: (4, 14),
        slip: 0.03,
    };
    let mut boards: Vec<Board> = Vec::new();
    let mut missing = empties.clone().map(|_| each).collect::<Vec<_>>();
    while missing.iter().any(|&missing| missing > 0) {
        let game = game::play(&play, &mut engine, &mut random);
        // Few of each game, because those of one are alike.
        boards.extend(game.into_iter().filter(|board| {
            let place = board.empties_count().checked_sub(*empties.start());
            let missing = place.and_then(|place| missing.get_mut(place as usize));
            let Some(missing) = missing.filter(|missing| **missing > 0) else {
                return false;
            };
            let chosen = board.has_legal_move() && random.below(8) == 0;
            *missing -= u32::from(chosen);
            chosen
        }));
    }
    boards
}
