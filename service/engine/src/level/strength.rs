//! How far each level looks and what it loses.

use crate::position::{Phase, Position};
use crate::random::Random;
use crate::rules::Objective;
use crate::search::{Analysis, Limits, Query};

use super::{EVERY_MOVE, Level, chance};
use crate::wipeout;

/// What makes a level below the highest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Strength {
    /// How many discs it looks ahead.
    depth: u32,
    /// With no more empty squares than this it plays out to the end.
    plays_out: u32,
    /// What it loses with a move on average, in discs.
    loss: f64,
    /// What it loses with a move at most, in discs.
    most: f64,
    /// Whether it sees that a move lets the next one take all discs.
    sees_wipeouts: Sees,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sees {
    Wipeouts,
    Nothing,
}

/// From level 1 on. Depths begin with what a beginner looks ahead and grow with the level; the end
/// is played out from about twice the depth, which takes no longer. The losses were then chosen by
/// games between neighbours, so that each level is about as far from the next: see the ladder in
/// [`Level`]. The most that is lost at once is many times the average: a lower bound
/// makes a level's games more alike and the steps between levels larger.
const STRENGTHS: [Strength; 9] = [
    strength(1, 1, 34.0, 128.0, Sees::Nothing),
    strength(1, 2, 12.5, 128.0, Sees::Nothing),
    strength(1, 2, 7.5, 96.0, Sees::Wipeouts),
    strength(2, 4, 4.8, 84.0, Sees::Wipeouts),
    strength(3, 6, 3.0, 72.0, Sees::Wipeouts),
    strength(4, 8, 2.1, 60.0, Sees::Wipeouts),
    strength(5, 10, 1.15, 48.0, Sees::Wipeouts),
    strength(7, 14, 0.66, 36.0, Sees::Wipeouts),
    strength(9, 16, 0.2, 24.0, Sees::Wipeouts),
];

const fn strength(
    depth: u32,
    plays_out: u32,
    loss: f64,
    most: f64,
    sees_wipeouts: Sees,
) -> Strength {
    Strength {
        depth,
        plays_out,
        loss,
        most,
        sees_wipeouts,
    }
}

/// How far a level's form is from its average at most, as a part of it. Where all games of a level
/// were alike, ten levels that are at most 250 Elo apart would not reach from a beginner to the
/// whole engine; with this much they do.
const FORM: f64 = 0.8;

/// The form of the day, which is the same for all positions: by what to multiply the loss. 1 on
/// average, and of each level its own.
fn form(level: Level, seed: u64) -> f64 {
    let day = Random::new(seed).bits() ^ u64::from(level.number());
    1.0 - FORM + 2.0 * FORM * Random::new(day).unit()
}

/// A number of at least 0 and less than 1 that follows from the seed and the position.
fn lot(position: &Position, seed: u64) -> f64 {
    let board = position.board();
    let mixed = [board.player, board.opponent]
        .into_iter()
        .fold(seed, |mixed, discs| Random::new(mixed ^ discs.0).bits());
    Random::new(mixed).unit()
}

impl Strength {
    /// Of a level; `None` for the highest, which has no bounds.
    pub(super) fn of(level: Level) -> Option<&'static Self> {
        STRENGTHS.get(usize::from(level.number()) - 1)
    }

    /// What the level looks for where this is asked.
    pub(super) fn query(&self, position: &Position, asked: &Query) -> Query {
        let plays_out = match position.phase() {
            Phase::Placement => false,
            Phase::Play => position.empties().count() <= self.plays_out,
        };
        let depth = if plays_out {
            asked.limits.depth
        } else {
            let asked = asked.limits.depth.unwrap_or(self.depth);
            Some(asked.min(self.depth))
        };
        Query {
            limits: Limits {
                depth,
                ..asked.limits
            },
            lines: EVERY_MOVE,
        }
    }

    /// Which line it plays.
    pub(super) fn pick(
        &self,
        level: Level,
        analysis: &Analysis,
        position: &Position,
        objective: Objective,
        seed: u64,
    ) -> usize {
        let candidates = self.candidates(analysis, position, objective);
        let value = |index: usize| f64::from(analysis.lines[index].value);
        let best = candidates.first().map_or(0.0, |&index| value(index));
        let (lines, losses): (Vec<usize>, Vec<f64>) = candidates
            .into_iter()
            .map(|index| (index, best - value(index)))
            .filter(|&(_, loss)| loss <= self.most)
            .unzip();
        let chances = chance::chances(&losses, self.loss * form(level, seed));
        let picked = chance::pick(&chances, lot(position, seed));
        lines.get(picked).copied().unwrap_or_default()
    }

    /// The lines that it takes into account, best first: all, unless it sees that some lose at
    /// once and some do not.
    fn candidates(
        &self,
        analysis: &Analysis,
        position: &Position,
        objective: Objective,
    ) -> Vec<usize> {
        let all = 0..analysis.lines.len();
        if self.sees_wipeouts == Sees::Nothing {
            return all.collect();
        }
        let is_safe = |index: &usize| {
            let mv = analysis.lines[*index].moves.first();
            mv.is_some_and(|&mv| !wipeout::is_invited_by(position, mv, objective))
        };
        let safe: Vec<usize> = all.clone().filter(is_safe).collect();
        if safe.is_empty() { all.collect() } else { safe }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strengths_grow_with_the_level() {
        for pair in STRENGTHS.windows(2) {
            assert!(pair[0].depth <= pair[1].depth, "{pair:?}");
            assert!(pair[0].plays_out <= pair[1].plays_out, "{pair:?}");
            assert!(pair[0].loss > pair[1].loss, "{pair:?}");
            assert!(pair[0].most >= pair[1].most, "{pair:?}");
        }
    }

    #[test]
    fn the_form_is_one_on_average_and_never_far_from_it() {
        for level in Level::all() {
            let forms: Vec<f64> = (0..10_000).map(|seed| form(level, seed)).collect();
            let mean = forms.iter().sum::<f64>() / 10_000.0;
            assert!((mean - 1.0).abs() < 0.02, "{mean}");
            assert!(forms.iter().all(|form| (0.2..=1.8).contains(form)));
        }
        assert_ne!(form(Level::LOWEST, 1), form(Level(2), 1));
    }

    #[test]
    fn lots_differ_by_seed_and_by_position() {
        let first = Position::standard();
        let second = first.play_unchecked(crate::Move::Place(crate::Square::D3));
        assert_ne!(lot(&first, 1), lot(&first, 2));
        assert_ne!(lot(&first, 1), lot(&second, 1));
        assert_eq!(lot(&second, 7), lot(&second, 7));
    }
}
