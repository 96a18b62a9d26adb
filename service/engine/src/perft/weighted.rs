//! Boards that are reached in more ways than one, and their children.

use std::ops::Range;

use super::convention::Counting;
use crate::kernel::{Boards, Kernel};

/// Boards with the number of move sequences that lead to each; `u64::MAX` stands for more, too.
#[derive(Default)]
pub(super) struct Weighted {
    pub(super) boards: Boards,
    pub(super) weights: Vec<u64>,
}

impl Weighted {
    /// How many boards there are.
    pub(super) fn len(&self) -> usize {
        self.weights.len()
    }

    /// Some of the boards.
    pub(super) fn part(&self, range: Range<usize>) -> Self {
        let mut part = Self::default();
        part.boards.extend_from(&self.boards, range.clone());
        part.weights.extend_from_slice(&self.weights[range]);
        part
    }

    /// The memory that the boards take.
    pub(super) fn bytes(&self) -> usize {
        24 * self.len()
    }

    /// Some boards and their weights.
    pub(super) fn iter(
        &self,
        range: Range<usize>,
    ) -> impl Iterator<Item = ((u64, u64), u64)> + Clone {
        let weights = self.weights[range.clone()].iter().copied();
        self.boards.iter(range).zip(weights)
    }

    /// Adds a board.
    pub(super) fn push(&mut self, player: u64, opponent: u64, weight: u64) {
        self.boards.push(player, opponent);
        self.weights.push(weight);
    }

    /// Forgets all boards, and keeps the room.
    pub(super) fn clear(&mut self) {
        self.boards.clear();
        self.weights.clear();
    }
}

/// Plays all moves.
#[derive(Default)]
pub(super) struct Expansion {
    boards: Boards,
    parents: Vec<u32>,
    /// The boards one ply down.
    pub(super) children: Weighted,
}

impl Expansion {
    /// Makes the boards one ply down the children, where a forced pass may or may not be a ply.
    /// Returns the leaves that games count which are over.
    pub(super) fn expand<C: Counting>(
        &mut self,
        kernel: Kernel,
        from: &Weighted,
        range: Range<usize>,
    ) -> u64 {
        self.children.clear();
        self.boards.clear();
        self.boards.extend_from(&from.boards, range.clone());
        let weights = &from.weights[range];
        let mut blocked = Vec::new();
        self.play_all(kernel, weights, &mut |index| blocked.push(index));

        let mut over = 0_u64;
        let mut passed = Weighted::default();
        for index in blocked {
            let (player, opponent) = self.boards.get(index);
            let weight = weights[index as usize];
            if kernel.legal_moves(opponent, player) == 0 {
                over = over.saturating_add(weight.saturating_mul(C::FINISHED));
            } else if C::PASS_IS_PLY {
                self.children.push(opponent, player, weight);
            } else {
                passed.push(opponent, player, weight);
            }
        }
        if passed.len() > 0 {
            self.boards = passed.boards;
            self.play_all(kernel, &passed.weights, &mut |_| {});
        }
        over
    }

    fn play_all(&mut self, kernel: Kernel, weights: &[u64], blocked: &mut dyn FnMut(u32)) {
        self.parents.clear();
        let children = &mut self.children;
        kernel.expand(
            &self.boards,
            &mut children.boards,
            &mut self.parents,
            blocked,
        );
        let of_parents = self.parents.iter().map(|&parent| weights[parent as usize]);
        children.weights.extend(of_parents);
    }
}

/// Numbers up to `len`, so many at a time.
pub(super) fn cuts(len: usize, each: usize) -> impl Iterator<Item = Range<usize>> {
    (0..len)
        .step_by(each)
        .map(move |first| first..len.min(first + each))
}
