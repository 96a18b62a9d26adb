//! One thread of a search, and what all its threads share.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use crate::eval::Weights;
use crate::rules::Objective;

use super::analysis::Searching;
use super::endgame::Cache;
use super::hash::{Hash, Table};
use super::lines::Lines;
use super::probcut::ProbCut;
use super::root::{Found, Task};
use super::{Control, POLL_NODES};

/// A thread visits up to this many nodes between two questions. Half of what is promised, because
/// a node whose subtree is small does not ask on its own account.
const INTERVAL: u64 = POLL_NODES / 2;

/// The search has been told to stop; whatever it was computing is worthless.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopped;

/// What the threads of a search share.
pub(super) struct Shared<'a> {
    pub(super) table: &'a Table,
    pub(super) weights: &'a Weights,
    pub(super) probcut: &'a ProbCut,
    pub(super) objective: Objective,
    pub(super) threads: usize,
    control: &'a dyn Control,
    most_nodes: u64,
    // Nodes that threads have reported.
    nodes: AtomicU64,
    // The control or the number of nodes has ended the search.
    stopped: AtomicBool,
    // Boards that some thread is searching: the later ones of a node can wait.
    busy: Box<[AtomicU64]>,
}

/// The number of boards that can be marked as being searched.
const BUSY: usize = 1 << 12;

/// One thread of a search.
pub(super) struct Worker<'a> {
    pub(super) shared: &'a Shared<'a>,
    pub(super) lines: Lines,
    /// What is known of small endgames.
    pub(super) cache: Cache,
    /// What is searched.
    pub(super) task: &'a Task,
    /// The best move of the root, if one was found.
    pub(super) partial: Option<Found>,
    // Another thread has finished what this one is searching.
    finished: &'a AtomicBool,
    nodes: u64,
    reported: u64,
    next_poll: u64,
}

impl<'a> Shared<'a> {
    pub(super) fn new(
        searching: &Searching<'a>,
        control: &'a dyn Control,
        nodes: Option<u64>,
    ) -> Self {
        let Searching {
            table,
            evaluation,
            threads,
        } = *searching;
        let busy = if threads > 1 { BUSY } else { 0 };
        Self {
            table,
            weights: &evaluation.weights,
            probcut: &evaluation.probcut,
            objective: evaluation.objective,
            threads,
            control,
            most_nodes: nodes.unwrap_or(u64::MAX),
            nodes: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
            busy: std::iter::repeat_with(AtomicU64::default)
                .take(busy)
                .collect(),
        }
    }

    /// The boards visited, as far as the threads have said.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes.load(Relaxed)
    }

    /// Whether the search has been told to stop.
    fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    /// Whether another thread is searching the board.
    #[inline(always)]
    pub(super) fn is_busy(&self, hash: Hash) -> bool {
        self.busy_slot(hash)
            .is_some_and(|slot| slot.load(Relaxed) == hash.bits())
    }

    /// Says that this thread is searching the board, or no longer.
    #[inline(always)]
    pub(super) fn mark(&self, hash: Hash, busy: bool) {
        if let Some(slot) = self.busy_slot(hash) {
            slot.store(if busy { hash.bits() } else { 0 }, Relaxed);
        }
    }

    #[inline(always)]
    fn busy_slot(&self, hash: Hash) -> Option<&AtomicU64> {
        self.busy.get((hash.bits() >> 40) as usize & (BUSY - 1))
    }
}

impl<'a> Worker<'a> {
    pub(super) fn new(shared: &'a Shared<'a>, task: &'a Task, finished: &'a AtomicBool) -> Self {
        Self {
            shared,
            lines: Lines::new(),
            cache: Cache::default(),
            task,
            partial: None,
            finished,
            nodes: 0,
            reported: 0,
            next_poll: 0,
        }
    }

    /// A worker that does not stop: for what has to be known in any case.
    pub(super) const fn unstoppable(mut self) -> Self {
        self.next_poll = u64::MAX;
        self
    }

    /// Counts a board, and stops the search if it must.
    #[inline(always)]
    pub(super) fn visit(&mut self) -> Result<(), Stopped> {
        self.nodes += 1;
        self.check()
    }

    /// Stops the search if it must.
    #[inline(always)]
    pub(super) fn check(&mut self) -> Result<(), Stopped> {
        if self.nodes < self.next_poll {
            Ok(())
        } else {
            self.poll()
        }
    }

    /// Counts a board without asking anybody.
    #[inline(always)]
    pub(super) const fn count(&mut self) {
        self.nodes += 1;
    }

    /// Remembers that the root has found a move, should the search be stopped later. What a less
    /// deep search of the root has found is not worth it: the step before knew more.
    pub(super) fn note_root(&mut self, ply: usize, depth: u32, value: i32) {
        if ply == 0 && depth == self.task.depth {
            self.partial = Some(Found {
                value,
                line: self.lines.at(0).to_vec(),
            });
        }
    }

    /// The count of boards, for those who count by themselves.
    #[inline(always)]
    pub(super) const fn nodes_mut(&mut self) -> &mut u64 {
        &mut self.nodes
    }

    #[cold]
    fn poll(&mut self) -> Result<(), Stopped> {
        let total = self.report();
        if total >= self.shared.most_nodes || self.shared.control.should_stop() {
            self.shared.stopped.store(true, Relaxed);
        }
        if self.shared.is_stopped() || self.finished.load(Relaxed) {
            return Err(Stopped);
        }
        self.next_poll = self
            .nodes
            .saturating_add(INTERVAL.min(self.shared.most_nodes - total));
        Ok(())
    }

    /// Tells the others how many boards were visited.
    fn report(&mut self) -> u64 {
        let new = self.nodes - self.reported;
        self.reported = self.nodes;
        self.shared.nodes.fetch_add(new, Relaxed) + new
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        self.report();
    }
}

impl fmt::Debug for Shared<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("objective", &self.objective)
            .field("threads", &self.threads)
            .field("nodes", &self.nodes)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Worker<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker")
            .field("task", &self.task)
            .field("nodes", &self.nodes)
            .finish_non_exhaustive()
    }
}
