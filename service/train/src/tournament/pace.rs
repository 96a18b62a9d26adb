//! What a player may spend on a move.

use std::fmt;
use std::time::Duration;

use reversi_engine::search::Limits;

/// What a player may spend on a move: whatever runs out first. Nothing given is no bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pace {
    pub(crate) time: Option<Duration>,
    pub(crate) depth: Option<u32>,
    pub(crate) nodes: Option<u64>,
}

impl Pace {
    pub(crate) const fn is_unbounded(self) -> bool {
        self.time.is_none() && self.depth.is_none() && self.nodes.is_none()
    }

    pub(crate) const fn limits(self) -> Limits {
        Limits {
            depth: self.depth,
            nodes: self.nodes,
        }
    }

    /// This pace, or the other one if this has no bound.
    pub(crate) const fn or(self, other: Self) -> Self {
        if self.is_unbounded() { other } else { self }
    }
}

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.time.map(|time| format!("{} ms", time.as_millis())),
            self.depth.map(|depth| format!("depth {depth}")),
            self.nodes.map(|nodes| format!("{nodes} nodes")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() {
            f.write_str("no bound")
        } else {
            f.write_str(&parts.join(", "))
        }
    }
}
