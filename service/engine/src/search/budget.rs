//! When a search has to stop: counts nodes and asks the control now and then.

use std::fmt;

use super::{Control, POLL_NODES};

/// A search visits up to this many nodes between two questions. Half of what is promised, because
/// a node whose subtree is small does not ask on its own account.
const INTERVAL: u64 = POLL_NODES / 2;

/// The search has been told to stop; whatever it was computing is worthless.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopped;

/// Counts the nodes of one search.
pub(super) struct Budget<'a> {
    control: &'a dyn Control,
    nodes: u64,
    most_nodes: u64,
    next_poll: u64,
}

impl<'a> Budget<'a> {
    /// A budget that does not stop the search before [`Budget::enforce`] is called.
    pub(super) fn new(control: &'a dyn Control, nodes: Option<u64>) -> Self {
        Self {
            control,
            nodes: 0,
            most_nodes: nodes.unwrap_or(u64::MAX),
            next_poll: u64::MAX,
        }
    }

    /// From here on the search stops when it must.
    pub(super) const fn enforce(&mut self) {
        self.next_poll = 0;
    }

    /// The boards visited so far.
    pub(super) const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Counts a board, and stops the search if it must.
    #[inline]
    pub(super) fn visit(&mut self) -> Result<(), Stopped> {
        self.nodes += 1;
        if self.nodes < self.next_poll {
            Ok(())
        } else {
            self.poll()
        }
    }

    /// Counts a board without asking anybody.
    #[inline]
    pub(super) const fn count(&mut self) {
        self.nodes += 1;
    }

    #[cold]
    fn poll(&mut self) -> Result<(), Stopped> {
        if self.nodes > self.most_nodes || self.control.should_stop() {
            return Err(Stopped);
        }
        self.next_poll = self
            .nodes
            .saturating_add(INTERVAL)
            .min(self.most_nodes.saturating_add(1));
        Ok(())
    }
}

impl fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget")
            .field("nodes", &self.nodes)
            .field("most_nodes", &self.most_nodes)
            .finish_non_exhaustive()
    }
}
