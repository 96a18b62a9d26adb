//! The log of changes, in this process.

use std::collections::VecDeque;

use crate::session::{EventNumber, GameId, HEAD_BYTES, Timestamp};
use crate::store::{LogEntry, LogPage, LogPosition, LoggedChange, LoggedKind, Notice};

/// Changes that are kept at most: some 2 MB.
const KEPT: usize = 16_384;

/// The last changes, since somebody has asked for them.
pub(super) struct Log {
    /// Tells its entries from those of another log.
    begun: Timestamp,
    /// How many changes there have been.
    length: u64,
    /// The last of them.
    changes: VecDeque<LoggedChange>,
}

impl Log {
    pub(super) const fn begin(now: Timestamp) -> Self {
        Self {
            begun: now,
            length: 0,
            changes: VecDeque::new(),
        }
    }

    const fn entry(&self, sequence: u64) -> LogEntry {
        LogEntry {
            millis: self.begun.as_millis(),
            sequence,
        }
    }

    pub(super) fn add(
        &mut self,
        id: GameId,
        value: &[u8],
        kind: LoggedKind,
        notice: Option<Notice>,
    ) {
        self.length += 1;
        if self.changes.len() == KEPT {
            self.changes.pop_front();
        }
        self.changes.push_back(LoggedChange {
            part: 0,
            entry: self.entry(self.length),
            id,
            event: events(value),
            kind,
            notice,
        });
    }

    /// What comes after a position, or nothing from the end on.
    pub(super) fn read(&self, after: Option<&LogPosition>, limit: usize) -> LogPage {
        let Some(after) = after else {
            return self.end(false);
        };
        let read = match after.parts() {
            [read] if read.millis == self.begun.as_millis() => read.sequence,
            _ => return self.end(true),
        };
        let first = self.length - u64::try_from(self.changes.len()).unwrap_or(u64::MAX);
        if read < first || read > self.length {
            return self.end(true);
        }
        let skipped = usize::try_from(read - first).unwrap_or(usize::MAX);
        let changes: Vec<_> = self
            .changes
            .iter()
            .skip(skipped)
            .take(limit)
            .cloned()
            .collect();
        let last = changes
            .last()
            .map_or(self.entry(read), |change| change.entry);
        LogPage {
            changes,
            position: LogPosition::new(vec![last]),
            more: last.sequence < self.length,
            missed: false,
        }
    }

    fn end(&self, missed: bool) -> LogPage {
        LogPage {
            changes: Vec::new(),
            position: LogPosition::new(vec![self.entry(self.length)]),
            more: false,
            missed,
        }
    }
}

/// The number of events that the head of a value tells.
fn events(value: &[u8]) -> EventNumber {
    let head: Option<&[u8; HEAD_BYTES]> = value.first_chunk();
    let number = head.map_or([0; 4], |[_format, a, b, c, d]| [*a, *b, *c, *d]);
    EventNumber(u32::from_le_bytes(number))
}
