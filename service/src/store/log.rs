//! The log of changes: which games have changed, in order, for those who follow all of them.
//!
//! A store keeps it from the first time that it is read until nobody has read it for a while, and
//! only so many changes of it. It is in parts, each in an order of its own; a game is always in
//! the same part.

use std::fmt;
use std::str::FromStr;

use super::Notice;
use crate::session::{EventNumber, GameId};

/// The most parts that a position can have.
const MAX_PARTS: usize = 64;

/// The place of a change in its part of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogEntry {
    /// When it was written, in ms; or what else tells it from those of another log.
    pub millis: u64,
    /// Which of that time it is.
    pub sequence: u64,
}

/// How far the log has been read: the last entry read of each part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogPosition(Vec<LogEntry>);

/// A text that is no position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is no place in the log of changes")]
pub struct MalformedPosition;

/// A change in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedChange {
    /// Its part of the log.
    pub part: usize,
    /// Its place in it.
    pub entry: LogEntry,
    /// The game.
    pub id: GameId,
    /// The number of events that the game had after it.
    pub event: EventNumber,
    /// What was written.
    pub kind: LoggedKind,
    /// What the lists were told of it, if anything.
    pub notice: Option<Notice>,
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoggedKind {
    /// A new game.
    Inserted,
    /// A game that stays in the list.
    Replaced,
    /// A game that was taken out of the list.
    Removed,
}

/// What is in the log after a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogPage {
    /// The changes; those of one part in order.
    pub changes: Vec<LoggedChange>,
    /// How far the log is read with them.
    pub position: LogPosition,
    /// Whether there is more to read now.
    pub more: bool,
    /// Whether there may have been changes after the position that are in the log no more.
    pub missed: bool,
}

impl LogPosition {
    /// The position after these entries, one for each part.
    pub(super) const fn new(parts: Vec<LogEntry>) -> Self {
        Self(parts)
    }

    /// The last entry read of each part.
    pub(super) fn parts(&self) -> &[LogEntry] {
        &self.0
    }

    /// Whether it is past an entry of a part.
    #[must_use]
    pub fn has_read(&self, part: usize, entry: LogEntry) -> bool {
        self.0.get(part).is_some_and(|read| *read >= entry)
    }

    /// Goes on to another position where that is further.
    pub fn advance(&mut self, other: &Self) {
        for (read, further) in self.0.iter_mut().zip(&other.0) {
            *read = (*read).max(*further);
        }
    }
}

/// The latest time, and how long before it each part is, in hexadecimal.
impl fmt::Display for LogPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let latest = self.0.iter().map(|read| read.millis).max().unwrap_or(0);
        write!(f, "{latest:x}")?;
        for LogEntry { millis, sequence } in &self.0 {
            write!(f, "-{:x}", latest - millis)?;
            if *sequence != 0 {
                write!(f, ".{sequence:x}")?;
            }
        }
        Ok(())
    }
}

impl FromStr for LogPosition {
    type Err = MalformedPosition;

    fn from_str(text: &str) -> Result<Self, MalformedPosition> {
        let number = |digits: &str| u64::from_str_radix(digits, 16).map_err(|_| MalformedPosition);
        let mut fields = text.split('-');
        let latest = number(fields.next().unwrap_or_default())?;
        let mut parts = Vec::new();
        for field in fields {
            if parts.len() == MAX_PARTS {
                return Err(MalformedPosition);
            }
            let (before, sequence) = field.split_once('.').unwrap_or((field, "0"));
            let millis = latest.checked_sub(number(before)?);
            parts.push(LogEntry {
                millis: millis.ok_or(MalformedPosition)?,
                sequence: number(sequence)?,
            });
        }
        if parts.is_empty() {
            return Err(MalformedPosition);
        }
        Ok(Self(parts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(millis: u64, sequence: u64) -> LogEntry {
        LogEntry { millis, sequence }
    }

    #[test]
    fn a_position_survives_its_text() {
        for parts in [
            vec![entry(0, 0)],
            vec![entry(1_790_000_000_123, 4), entry(1_789_000_000_000, 0)],
            vec![entry(u64::MAX, u64::MAX), entry(0, 0)],
        ] {
            let position = LogPosition(parts);
            assert_eq!(position.to_string().parse(), Ok(position));
        }
    }

    #[test]
    fn other_texts_are_no_positions() {
        let long = format!("1{}", "-0".repeat(MAX_PARTS + 1));
        for text in [
            "", "-", "1", "1-2", "1-", "1-0.", "1-x", "ö-0", "1-0.1.1", &long,
        ] {
            assert_eq!(
                text.parse::<LogPosition>(),
                Err(MalformedPosition),
                "{text}"
            );
        }
    }

    #[test]
    fn the_further_of_two_positions_is_kept_in_each_part() {
        let mut position = LogPosition(vec![entry(5, 0), entry(5, 1)]);
        position.advance(&LogPosition(vec![entry(6, 0), entry(5, 0)]));
        assert_eq!(position.0, [entry(6, 0), entry(5, 1)]);
        assert!(position.has_read(1, entry(5, 1)) && !position.has_read(1, entry(5, 2)));
    }
}
