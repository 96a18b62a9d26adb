//! How far each level looks and what it loses.

use crate::position::{Phase, Position};
use crate::rules::Objective;
use crate::search::{Analysis, Limits, Query};

use super::{EVERY_MOVE, Level, chance, lot, wipeout};

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
    /// Whether it sees that a move loses all discs to the next.
    sees_wipeouts: bool,
}

const fn strength(depth: u32, plays_out: u32, loss: f64, most: f64) -> Strength {
    Strength {
        depth,
        plays_out,
        loss,
        most,
        sees_wipeouts: true,
    }
}

const fn blind(strength: Strength) -> Strength {
    Strength {
        sees_wipeouts: false,
        ..strength
    }
}

const STRENGTHS: [Strength; 9] = [
    blind(strength(1, 1, 9.0, 64.0)),
    blind(strength(1, 2, 5.0, 24.0)),
    strength(1, 4, 3.5, 20.0),
    strength(2, 6, 2.5, 16.0),
    strength(3, 8, 1.8, 12.0),
    strength(4, 10, 1.2, 8.0),
    strength(5, 10, 0.7, 6.0),
    strength(6, 12, 0.35, 4.0),
    strength(8, 14, 0.1, 2.0),
];

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
        let chances = chance::chances(&losses, self.loss);
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
        if !self.sees_wipeouts {
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
