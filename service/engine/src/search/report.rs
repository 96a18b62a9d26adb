//! What a search tells of its results.

use crate::eval::DISC;
use crate::moves::Move;

use super::Certainty;
use super::analysis::Step;
use super::selectivity::Selectivity;

/// What is known about a position after a step of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// The best moves with the play that follows, best first: as many as were asked for and there
    /// are legal moves, at least one.
    pub lines: Vec<Line>,
    /// How many discs ahead the search has looked everywhere, without the placements of a free
    /// start.
    pub depth: u32,
    /// How far the values can be trusted.
    pub certainty: Certainty,
    /// The number of boards visited.
    pub nodes: u64,
}

/// A move and what is expected to follow.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The final disc difference to expect for the side to move, with the empty squares given to
    /// the majority; positive = good for it under the objective. -64 to 64, whole if exact.
    pub value: f32,
    /// The best play found for both sides, at least one move, passes included.
    pub moves: Vec<Move>,
}

impl Analysis {
    pub(super) fn new(step: &Step, nodes: u64, empties: u32) -> Self {
        let lines: Vec<Line> = step
            .lines
            .iter()
            .map(|found| Line {
                value: found.value as f32 / DISC as f32,
                moves: found.line.clone(),
            })
            .collect();
        // Estimates stay below 64 discs and shortcuts are not taken beyond, so a value of 64 is
        // proven however deep the search was.
        let proven = lines.iter().all(|line| line.value.abs() >= 64.0);
        Self {
            lines,
            depth: step.depth,
            certainty: if proven {
                Certainty::Exact
            } else if step.depth < empties {
                Certainty::Depth
            } else if step.selectivity == Selectivity::NONE {
                Certainty::Exact
            } else {
                Certainty::Percent(step.selectivity.percent())
            },
            nodes,
        }
    }
}
