//! The best line of play that a search finds, kept per ply while it runs.

use crate::moves::Move;

/// The most plies of a line: 64 discs, with a pass before each.
const PLIES: usize = 128;

/// For every ply of the tree the best continuation found at the current node of that ply.
#[derive(Debug)]
pub(super) struct Lines {
    by_ply: Vec<Vec<Move>>,
}

impl Lines {
    /// No lines.
    pub(super) fn new() -> Self {
        Self {
            by_ply: vec![Vec::new(); PLIES + 1],
        }
    }

    /// Forgets the line of this ply.
    pub(super) fn clear(&mut self, ply: usize) {
        self.by_ply[ply].clear();
    }

    /// Makes the best line of this ply the move and then the best line of the next ply.
    pub(super) fn prepend(&mut self, ply: usize, mv: Move) {
        let (before, after) = self.by_ply.split_at_mut(ply + 1);
        let line = &mut before[ply];
        line.clear();
        line.push(mv);
        line.extend_from_slice(&after[0]);
    }

    /// The best line of this ply.
    pub(super) fn at(&self, ply: usize) -> &[Move] {
        &self.by_ply[ply]
    }
}
