//! The whole count: splits the tree into subtrees, and shares them out among threads.

use std::mem::swap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::Starts;
use super::convention::Counting;
use super::count::{Count, LEAST_MERGED_DEPTH, LIST};
use super::ply::Ply;
use super::poll::Poll;
use super::weighted::{Expansion, Weighted, cuts};
use crate::kernel::Kernel;

/// How [`perft_run`](super::perft_run) counts. By default: one thread, nothing merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerftOptions {
    /// The number of threads.
    pub threads: NonZeroUsize,
    /// The most memory to take for merging boards that are reached in several ways, in bytes; 0
    /// counts every sequence of moves by itself. Symmetric boards are merged, too. The leaves are
    /// the same in every case, and so is, but for 24 bytes a board that is being expanded, the
    /// memory: what does not fit is merged less. More than half a gigabyte pays from 14 plies on.
    pub table_bytes: usize,
    /// The implementation to count with.
    pub kernel: Kernel,
}

impl Default for PerftOptions {
    fn default() -> Self {
        Self {
            threads: NonZeroUsize::MIN,
            table_bytes: 0,
            kernel: Kernel::best(),
        }
    }
}

/// How far a count has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerftProgress {
    /// The leaves so far; `u64::MAX` stands for more, too.
    pub leaves: u64,
    /// The number of subtrees that are counted.
    pub subtrees_done: usize,
    /// The number of all subtrees. They are of about the same size.
    pub subtrees: usize,
}

/// How many subtrees there are for each thread, where there are as many boards: enough that none
/// waits long for the last.
const SUBTREES_PER_THREAD: usize = 64;

/// By how much a ply is taken to grow at least in the next one, with merging. One that grows more
/// and does not fit is given up.
const GROWTH: usize = 4;

/// The leaves below the starts; `None` if stopped.
pub(super) fn leaves<C: Counting>(
    starts: Starts,
    options: &PerftOptions,
    progress: &mut (dyn FnMut(PerftProgress) + Send),
    stop: &(dyn Fn() -> bool + Sync),
) -> Option<u64> {
    let trunk = trunk::<C>(starts, options, stop)?;
    let most_subtrees = SUBTREES_PER_THREAD.saturating_mul(options.threads.get());
    let each = trunk.boards.len().div_ceil(most_subtrees).max(1);
    let subtrees: Vec<Range<usize>> = cuts(trunk.boards.len(), each).collect();
    let bytes = options.table_bytes.saturating_sub(trunk.boards.bytes()) / options.threads;

    let mut state = PerftProgress {
        leaves: trunk.leaves,
        subtrees_done: 0,
        subtrees: subtrees.len(),
    };
    progress(state);
    let shared = Mutex::new((&mut state, progress));
    let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let stop = || {
        let stop = stopped.load(Ordering::Relaxed) || stop();
        if stop {
            stopped.store(true, Ordering::Relaxed);
        }
        stop
    };
    let count_subtrees = || {
        let mut count = Count::new(options.kernel, &stop).merging(trunk.depth, bytes);
        while let Some(subtree) = subtrees.get(next.fetch_add(1, Ordering::Relaxed)) {
            let boards = trunk.boards.part(subtree.clone());
            let Some(leaves) = count.leaves::<C>(&boards, trunk.depth) else {
                return;
            };
            let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
            let (state, progress) = &mut *shared;
            state.leaves = state.leaves.saturating_add(leaves);
            state.subtrees_done += 1;
            progress(**state);
        }
    };
    if options.threads == NonZeroUsize::MIN {
        count_subtrees();
    } else {
        thread::scope(|scope| {
            for _ in 1..options.threads.get().min(subtrees.len()) {
                scope.spawn(count_subtrees);
            }
            count_subtrees();
        });
    }
    (state.subtrees_done == state.subtrees).then_some(state.leaves)
}

/// The upper part of the tree, which one thread counts.
struct Trunk {
    /// Where the subtrees begin.
    boards: Weighted,
    /// How many plies they have to go.
    depth: u32,
    /// What games that end above count.
    leaves: u64,
}

/// Goes down ply by ply: with merging as long as a ply fits the memory, without until there are
/// enough subtrees.
fn trunk<C: Counting>(
    mut starts: Starts,
    options: &PerftOptions,
    stop: &dyn Fn() -> bool,
) -> Option<Trunk> {
    let merging = options.table_bytes > 0;
    let new_ply = || match options.table_bytes {
        0 => Ply::of_all(),
        bytes => Ply::merging(bytes / 2),
    };
    let (mut ply, mut next) = (new_ply(), new_ply());
    let enough = if merging {
        ply.capacity() / GROWTH
    } else {
        SUBTREES_PER_THREAD.saturating_mul(options.threads.get())
    };
    ply.add(options.kernel, &mut starts.boards);
    let mut trunk = Trunk {
        boards: starts.boards,
        depth: starts.depth,
        leaves: starts.leaves,
    };
    let mut poll = Poll::new(stop);
    let mut expansion = Expansion::default();
    'plies: while trunk.depth > LEAST_MERGED_DEPTH && ply.len() <= enough {
        let mut leaves = trunk.leaves;
        for range in cuts(ply.len(), LIST) {
            poll.expanded(range.len())?;
            let list = ply.list(range);
            let over = expansion.expand::<C>(options.kernel, &list, 0..list.len());
            leaves = leaves.saturating_add(over);
            if next.len() + expansion.children.len() > next.capacity() {
                break 'plies;
            }
            next.add(options.kernel, &mut expansion.children);
        }
        swap(&mut ply, &mut next);
        next.clear();
        trunk.depth -= 1;
        trunk.leaves = leaves;
    }
    drop(next);
    trunk.boards = ply.list(0..ply.len());
    Some(trunk)
}
