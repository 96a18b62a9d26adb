//! The log of changes, a stream a shard.
//!
//! The scripts that write add to the log of their shard in the same step, where there is one. It
//! is there from the first time that it is read until nobody has read it for [`KEPT`].

use std::time::Duration;

use redis::Cmd;

use super::fault::Unexpected;
use super::keys::{SHARDS, Shard};
use super::script::CHANGES;
use super::servers::Servers;
use super::{member, milliseconds};
use crate::session::{EventNumber, GameId};
use crate::store::notice::Kept;
use crate::store::{LogEntry, LogPage, LogPosition, LoggedChange, LoggedKind, StoreError};

/// How long the log is kept when nobody reads it. The API's comments state it.
const KEPT: Duration = Duration::from_secs(15 * 60);

/// A stream's entry: its id, and its fields by their names.
type Entry = (String, Vec<Vec<u8>>);

/// What is in the logs after a position, of each at most so many changes.
pub(super) async fn read(
    servers: &Servers,
    after: Option<&LogPosition>,
    limit: usize,
) -> Result<LogPage, StoreError> {
    let parts = after.map(LogPosition::parts);
    // A position in the log of another kind of store says nothing of this one.
    let foreign = parts.is_some_and(|parts| parts.len() != usize::from(SHARDS));
    let command = |(part, shard): (usize, Shard)| {
        let after = parts.filter(|_| !foreign).and_then(|parts| parts.get(part));
        let mut command = CHANGES.on(&[shard.log()]);
        command
            .arg(after.map_or_else(String::new, shown))
            .arg(limit)
            .arg(milliseconds(KEPT));
        (shard, command)
    };
    let commands: Vec<(Shard, Cmd)> = Shard::all().enumerate().map(command).collect();
    let answers = servers.scripts(&CHANGES, &commands).await?;
    let mut changes = Vec::new();
    let mut positions = Vec::with_capacity(commands.len());
    let (mut more, mut missed) = (false, foreign);
    for (part, answer) in answers.into_iter().enumerate() {
        let (last, entries, gap): (String, Vec<Entry>, u8) = answer?;
        more |= entries.len() == limit;
        missed |= gap != 0;
        positions.push(place(&last).ok_or(Unexpected { command: "XRANGE" })?);
        changes.extend(entries.iter().filter_map(|entry| change(part, entry)));
    }
    Ok(LogPage {
        changes,
        position: LogPosition::new(positions),
        more,
        missed,
    })
}

/// A change; `None` for an entry that is there to begin the log.
fn change(part: usize, (entry, fields): &Entry) -> Option<LoggedChange> {
    let kind = match fields.first()?.as_slice() {
        b"c" => LoggedKind::Inserted,
        b"r" => LoggedKind::Replaced,
        b"d" => LoggedKind::Removed,
        _ => return None,
    };
    let (id, event) = game(fields.get(1)?).or_else(|| {
        tracing::error!(entry, "a change that cannot be read is left out");
        None
    })?;
    Some(LoggedChange {
        part,
        entry: place(entry)?,
        id,
        event,
        kind,
        notice: (fields.get(3))
            .and_then(|bytes| Kept::decode(bytes))
            .map(|kept| kept.notice),
    })
}

/// The game of a change and the number of its events: its member, and the head of its value.
fn game(bytes: &[u8]) -> Option<(GameId, EventNumber)> {
    let (id, head) = bytes.split_at_checked(member::BYTES)?;
    let (_format, event) = head.split_first()?;
    let event = u32::from_le_bytes(event.try_into().ok()?);
    Some((member::id(id)?, EventNumber(event)))
}

/// As Redis writes it.
fn shown(LogEntry { millis, sequence }: &LogEntry) -> String {
    format!("{millis}-{sequence}")
}

fn place(entry: &str) -> Option<LogEntry> {
    let (millis, sequence) = entry.split_once('-')?;
    Some(LogEntry {
        millis: millis.parse().ok()?,
        sequence: sequence.parse().ok()?,
    })
}
