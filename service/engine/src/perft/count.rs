//! The leaves below lists of boards.

use super::convention::Counting;
use super::ply::Ply;
use super::poll::Poll;
use super::weighted::{Expansion, Weighted, cuts};
use crate::kernel::Kernel;

/// Boards with fewer plies to go than this are not merged: to find one again takes as long as to
/// count what is below it. On Zen 3 with 2 instead, 12 plies from the start take 280 ms, not 223.
pub(super) const LEAST_MERGED_DEPTH: u32 = 3;

/// How many boards are expanded at a time. Their children, and the children of these and so on,
/// are kept; more boards at a time are no faster.
pub(super) const LIST: usize = 64;

/// How many boards of a merged ply are counted at a time: many lists, and little memory.
const MERGED_LIST: usize = 4096;

/// Counts leaves. Recursion goes no deeper than a game is long: each level places a disc or is a
/// pass between two discs.
pub(super) struct Count<'s> {
    kernel: Kernel,
    poll: Poll<'s>,
    /// By the number of plies to go, from [`LEAST_MERGED_DEPTH`] on: boards that may turn up again.
    merged: Vec<Ply>,
    /// Expansions out of use.
    expansions: Vec<Expansion>,
    leaves: u64,
}

impl<'s> Count<'s> {
    /// Counts every sequence of moves by itself.
    pub(super) fn new(kernel: Kernel, stop: &'s dyn Fn() -> bool) -> Self {
        Self {
            kernel,
            poll: Poll::new(stop),
            merged: Vec::new(),
            expansions: Vec::new(),
            leaves: 0,
        }
    }

    /// Merges boards that turn up again, counting down from `depth` plies. That takes up to `bytes`:
    /// half of it where three plies are to go, a quarter one ply above, and so on, for there are
    /// ever fewer boards.
    pub(super) fn merging(mut self, depth: u32, bytes: usize) -> Self {
        let mut share = bytes / 2;
        for _ in LEAST_MERGED_DEPTH..depth {
            let ply = Ply::merging(share);
            // One that holds little more than the children of one list merges nothing.
            if ply.capacity() < 40 * LIST {
                break;
            }
            self.merged.push(ply);
            share /= 2;
        }
        self
    }

    /// The leaves `depth` plies below boards, each as often as its weight says; `u64::MAX` stands
    /// for more, too. `None` if stopped.
    pub(super) fn leaves<C: Counting>(&mut self, from: &Weighted, depth: u32) -> Option<u64> {
        self.leaves = 0;
        self.count::<C>(from, depth)?;
        Some(self.leaves)
    }

    fn count<C: Counting>(&mut self, from: &Weighted, depth: u32) -> Option<()> {
        match depth {
            0 => from.weights.iter().for_each(|&weight| self.add(1, weight)),
            1 => self.count_one_ply::<C>(from)?,
            2 => self.count_two_plies::<C>(from)?,
            _ => {
                let mut expansion = self.expansions.pop().unwrap_or_default();
                for range in cuts(from.len(), LIST) {
                    self.poll.expanded(range.len())?;
                    let over = expansion.expand::<C>(self.kernel, from, range);
                    self.add(over, 1);
                    self.count_or_keep::<C>(&mut expansion.children, depth - 1)?;
                }
                self.expansions.push(expansion);
                self.count_kept::<C>(depth - 1)?;
            }
        }
        Some(())
    }

    /// Keeps boards where they may turn up again, and otherwise counts at once.
    fn count_or_keep<C: Counting>(&mut self, boards: &mut Weighted, depth: u32) -> Option<()> {
        let Some(number) = self.number_of_merged(depth) else {
            return self.count::<C>(boards, depth);
        };
        let ply = &self.merged[number];
        if ply.len() + boards.len() > ply.capacity() {
            self.count_kept::<C>(depth)?;
        }
        self.merged[number].add(self.kernel, boards);
        Some(())
    }

    /// Counts below the boards that were kept.
    fn count_kept<C: Counting>(&mut self, depth: u32) -> Option<()> {
        let Some(number) = self.number_of_merged(depth) else {
            return Some(());
        };
        let mut ply = std::mem::replace(&mut self.merged[number], Ply::of_all());
        for range in cuts(ply.len(), MERGED_LIST) {
            self.count::<C>(&ply.list(range), depth)?;
        }
        ply.clear();
        self.merged[number] = ply;
        Some(())
    }

    fn number_of_merged(&self, depth: u32) -> Option<usize> {
        let number = depth.checked_sub(LEAST_MERGED_DEPTH)? as usize;
        (number < self.merged.len()).then_some(number)
    }

    fn count_two_plies<C: Counting>(&mut self, from: &Weighted) -> Option<()> {
        self.poll.expanded(from.len())?;
        let mut leaves = vec![0; from.len()];
        let (mut blocked, mut blocked_after) = (Weighted::default(), Weighted::default());
        self.kernel.count_two_plies(
            &from.boards,
            &mut leaves,
            &mut |index| {
                let (player, opponent) = from.boards.get(index);
                blocked.push(player, opponent, from.weights[index as usize]);
            },
            &mut |player, opponent, parent| {
                blocked_after.push(player, opponent, from.weights[parent as usize]);
            },
        );
        for (leaves, &weight) in leaves.into_iter().zip(&from.weights) {
            self.add(leaves.into(), weight);
        }
        self.pass::<C>(&blocked, 2)?;
        self.pass::<C>(&blocked_after, 1)
    }

    fn count_one_ply<C: Counting>(&mut self, from: &Weighted) -> Option<()> {
        let mut blocked = Weighted::default();
        for ((player, opponent), weight) in from.iter(0..from.len()) {
            match self.kernel.legal_moves(player, opponent).count_ones() {
                0 => blocked.push(player, opponent, weight),
                moves => self.add(moves.into(), weight),
            }
        }
        self.pass::<C>(&blocked, 1)
    }

    /// Counts below boards without moves, with at least one ply to go.
    fn pass<C: Counting>(&mut self, blocked: &Weighted, depth: u32) -> Option<()> {
        let mut passed = Weighted::default();
        for ((player, opponent), weight) in blocked.iter(0..blocked.len()) {
            if self.kernel.legal_moves(opponent, player) == 0 {
                self.add(C::FINISHED, weight);
            } else {
                passed.push(opponent, player, weight);
            }
        }
        if passed.len() > 0 {
            self.count::<C>(&passed, if C::PASS_IS_PLY { depth - 1 } else { depth })?;
        }
        Some(())
    }

    fn add(&mut self, leaves: u64, weight: u64) {
        self.leaves = self.leaves.saturating_add(leaves.saturating_mul(weight));
    }
}
