//! The form in which a store keeps a game: one compact, versioned, checksummed value.
//!
//! | bytes | what |
//! |---|---|
//! | 1 | format, now 2 |
//! | 4 | number of events, little-endian: what a store compares before it replaces a value |
//! | ≥ 4 | times: created, updated since then, time to live (ms, ms, s) |
//! | 2 | rules: bits 0 objective, 1 pass mode, 2 legal moves hidden, 3 creation fingerprint present, 4-5 scoring, 6 extras present; start |
//! | 17 | custom start only: black, white, side to move |
//! | ≥ 9 | balanced start only: the squares of the moves; version of the list |
//! | ≥ 4 | seats: player id and display name of Black and White, each with its length |
//! | ≥ 1 | extras, if present: see `value/extras.rs` |
//! | 8 | creation fingerprint, if present |
//! | ≥ 1 | remembered writes: count; each id (6), content (4), events since |
//! | ≥ 2 | events folded away; moves at the base: count, a byte each |
//! | ≥ 5 | where events were folded away: what else they have left, see `value/events.rs` |
//! | ≥ 0 | events since, see `value/events.rs` |
//! | 4 | CRC-32 of all before |
//!
//! Numbers without a width are LEB128. A square is its index, a pass 64.

mod bytes;
mod events;
mod extras;
mod settings;

use std::time::Duration;

use self::bytes::{Reader, millis, move_code, move_of, put_bytes, put_number};
use self::events::Timing;
use super::record::GameRecord;
use super::seat::Seats;
use super::write::{RememberedWrite, WriteContent, WriteLog};
use super::{EventNumber, Fingerprint, RequestId, Timestamp};

const FORMAT: u8 = 2;
const CHECKSUM_BYTES: usize = 4;

/// The bytes of the format and the number of events at the head of every value. Two values
/// of a game with the same head are the same.
pub const HEAD_BYTES: usize = 5;

/// A stored value that is not what this service writes. It is never overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnreadableValue {
    /// A newer service wrote it, or something else did.
    #[error("unknown format {0}")]
    UnknownFormat(u8),
    /// It ends too early.
    #[error("the value is cut short")]
    Truncated,
    /// The checksum is wrong.
    #[error("the checksum does not match")]
    Checksum,
    /// A part has no meaning.
    #[error("a part of the value has no meaning")]
    Malformed,
    /// The events cannot have happened under the rules.
    #[error("the events cannot have happened")]
    ImpossibleEvents,
}

/// The head of the value that has this event as its last.
#[must_use]
pub fn head(number: EventNumber) -> [u8; HEAD_BYTES] {
    let [a, b, c, d] = number.0.to_le_bytes();
    [FORMAT, a, b, c, d]
}

impl GameRecord {
    /// The value that a store keeps.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(192);
        out.extend_from_slice(&head(self.event_number()));
        put_number(&mut out, self.created.as_millis());
        put_number(&mut out, millis(self.updated.since(self.created)));
        put_number(&mut out, self.time_to_live.as_secs());
        self.put_settings(&mut out);
        self.put_seats(&mut out);
        self.put_extras(&mut out);
        if let Some(Fingerprint(content)) = self.creation {
            out.extend_from_slice(&content.to_le_bytes());
        }
        self.put_writes(&mut out);
        put_number(&mut out, self.folded.into());
        let base: Vec<u8> = self.base.moves.iter().map(|mv| move_code(*mv)).collect();
        put_bytes(&mut out, &base);
        self.put_base(&mut out);
        self.put_events(&mut out);
        let checksum = crc32fast::hash(&out);
        out.extend_from_slice(&checksum.to_le_bytes());
        out
    }

    /// The record in a stored value.
    ///
    /// # Errors
    ///
    /// [`UnreadableValue`] if the bytes are not what [`encode`](Self::encode) writes.
    pub fn decode(value: &[u8]) -> Result<Self, UnreadableValue> {
        match value.first() {
            None => return Err(UnreadableValue::Truncated),
            Some(&FORMAT) => {}
            Some(&format) => return Err(UnreadableValue::UnknownFormat(format)),
        }
        let (content, checksum) = value
            .split_last_chunk::<CHECKSUM_BYTES>()
            .ok_or(UnreadableValue::Truncated)?;
        if crc32fast::hash(content) != u32::from_le_bytes(*checksum) {
            return Err(UnreadableValue::Checksum);
        }
        let rest = content.get(1..).ok_or(UnreadableValue::Truncated)?;
        Reader { rest }.record()
    }

    /// The fingerprint of what the request for this game asked for.
    #[must_use]
    pub fn creation_fingerprint(&self) -> Fingerprint {
        let mut content = Vec::new();
        let uncounted = Self {
            creation: None,
            ..self.clone()
        };
        uncounted.put_asked(&mut content);
        Fingerprint::of(&content)
    }

    fn put_asked(&self, out: &mut Vec<u8>) {
        self.put_settings(out);
        self.put_seats(out);
        self.put_extras(out);
        out.extend(self.base.moves.iter().map(|mv| move_code(*mv)));
    }

    fn put_seats(&self, out: &mut Vec<u8>) {
        let Seats { black, white } = &self.seats;
        for text in [
            &black.player_id,
            &black.display_name,
            &white.player_id,
            &white.display_name,
        ] {
            put_bytes(out, text.as_bytes());
        }
    }

    fn put_writes(&self, out: &mut Vec<u8>) {
        let now = self.event_number().0;
        put_number(out, self.writes.writes.len() as u64);
        for write in &self.writes.writes {
            out.extend_from_slice(&write.id.to_bytes());
            out.extend_from_slice(&write.content.to_bytes());
            put_number(out, u64::from(now - write.event.0));
        }
    }
}

impl Reader<'_> {
    /// The record in a value, from its second byte on.
    fn record(mut self) -> Result<GameRecord, UnreadableValue> {
        let number = u32::from_le_bytes(self.array()?);
        let created = Timestamp::from_millis(self.number()?);
        let updated = created + self.duration()?;
        let time_to_live = Duration::from_secs(self.number()?);
        let settings = self.settings()?;
        let mut record = GameRecord::new(settings.rules, created, time_to_live);
        record.updated = updated;
        record.legal_moves = settings.legal_moves;
        for side in [&mut record.seats.black, &mut record.seats.white] {
            side.player_id = self.text()?;
            side.display_name = self.text()?;
        }
        if settings.has_extras {
            self.extras(&mut record)?;
        }
        if settings.has_creation {
            record.creation = Some(Fingerprint(u64::from_le_bytes(self.array()?)));
        }
        record.writes = self.writes(number)?;
        record.folded = self.small()?;
        let moves = self.bytes()?.iter().map(|code| move_of(*code));
        record.base.moves = moves.collect::<Result<_, _>>()?;
        self.base(&mut record)?;
        let events = number.checked_sub(record.folded);
        let events = events.ok_or(UnreadableValue::Malformed)?;
        let timing = match record.clock {
            Some(_) => Timing::Timed,
            None => Timing::Untimed,
        };
        record.events = self.events(events, timing)?;
        let mut writes = record.writes.writes.iter();
        if self.rest.is_empty() && writes.all(|write| write.event.0 > record.folded) {
            Ok(record)
        } else {
            Err(UnreadableValue::Malformed)
        }
    }

    fn writes(&mut self, number: u32) -> Result<WriteLog, UnreadableValue> {
        let count = self.number()?;
        if count > WriteLog::CAPACITY as u64 {
            return Err(UnreadableValue::Malformed);
        }
        let mut writes = WriteLog::default();
        for _ in 0..count {
            let id = RequestId::from_bytes(self.array()?);
            let content = WriteContent::from_bytes(self.array()?);
            let event = u32::try_from(self.number()?)
                .ok()
                .and_then(|since| number.checked_sub(since))
                .ok_or(UnreadableValue::Malformed)?;
            writes.remember(RememberedWrite {
                id,
                content,
                event: EventNumber(event),
            });
        }
        Ok(writes)
    }
}
