//! The form in which a store keeps a game: one compact, versioned, checksummed value.
//!
//! | bytes | what |
//! |---|---|
//! | 1 | format, now 1 |
//! | 4 | number of events, little-endian: what a store compares before it replaces a value |
//! | ≥ 4 | times: created, updated since then, time to live (ms, ms, s) |
//! | 2 | rules: bits 0 objective, 1 pass mode, 2 legal moves hidden, 3 creation fingerprint present, 4-5 scoring; start |
//! | 17 | custom start only: black, white, side to move |
//! | ≥ 9 | balanced start only: the squares of the moves; version of the list |
//! | ≥ 4 | seats: player id and display name of Black and White, each with its length |
//! | 8 | creation fingerprint, if present |
//! | ≥ 1 | remembered writes: count; each id (8), content (8), events since |
//! | ≥ 2 | events folded away; moves at that point: count, a byte each |
//! | ≥ 1 | events since: count, a byte each |
//! | 4 | CRC-32 of all before |
//!
//! Numbers without a width are LEB128. A square is its index, a pass 64; events go on from
//! there.

use std::time::Duration;

use reversi_engine::{
    BalancedStart, Bitboard, Color, Move, Objective, PassMode, RuleSet, Scoring, Setup, Square,
    Start,
};

use super::record::{GameRecord, LegalMovesDisplay, Seat, Seats};
use super::write::{RememberedWrite, WriteLog};
use super::{Event, EventNumber, Fingerprint, RequestId, Timestamp};

const FORMAT: u8 = 1;
const PASS: u8 = 64;
const TAKEN_BACK: u8 = 65;
const RESIGNED: u8 = 67;
const DELETED: u8 = 69;
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
        let since = self
            .updated
            .as_millis()
            .saturating_sub(self.created.as_millis());
        put_number(&mut out, since);
        put_number(&mut out, self.time_to_live.as_secs());
        self.put_settings(&mut out);
        self.put_seats(&mut out);
        if let Some(Fingerprint(content)) = self.creation {
            out.extend_from_slice(&content.to_le_bytes());
        }
        self.put_writes(&mut out);
        put_number(&mut out, self.folded.into());
        let base: Vec<u8> = self.base.iter().map(|mv| move_code(*mv)).collect();
        put_bytes(&mut out, &base);
        let events: Vec<u8> = self.events.iter().map(|event| event_code(*event)).collect();
        put_bytes(&mut out, &events);
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
        Reader {
            rest: content.get(1..).ok_or(UnreadableValue::Truncated)?,
        }
        .record()
    }

    /// The fingerprint of what the request for this game asked for.
    #[must_use]
    pub fn creation_fingerprint(&self) -> Fingerprint {
        let mut content = Vec::new();
        Self {
            creation: None,
            ..self.clone()
        }
        .put_settings(&mut content);
        self.put_seats(&mut content);
        Fingerprint::of(&content)
    }

    fn put_seats(&self, out: &mut Vec<u8>) {
        for text in [
            &self.seats.black.player_id,
            &self.seats.black.display_name,
            &self.seats.white.player_id,
            &self.seats.white.display_name,
        ] {
            put_bytes(out, text.as_bytes());
        }
    }

    fn put_settings(&self, out: &mut Vec<u8>) {
        let rules = &self.rules;
        let objective = u8::from(rules.objective == Objective::FewestDiscs);
        let pass_mode = u8::from(rules.pass_mode == PassMode::Explicit);
        let hidden = u8::from(self.legal_moves == LegalMovesDisplay::Hidden);
        let creation = u8::from(self.creation.is_some());
        let scoring = match rules.scoring {
            Scoring::Discs => 0,
            Scoring::EmptiesToMajority => 1,
            Scoring::EmptiesToMajorityTiesSplit => 2,
        };
        out.push(objective | pass_mode << 1 | hidden << 2 | creation << 3 | scoring << 4);
        match rules.start {
            Start::Standard => out.push(0),
            Start::Mirrored => out.push(1),
            Start::ParallelWhiteAbove => out.push(2),
            Start::ParallelBlackAbove => out.push(3),
            Start::Free => out.push(4),
            Start::Balanced(start) => {
                out.push(6);
                out.extend(start.moves().map(Square::index));
                put_number(out, start.list_version().into());
            }
            Start::Custom(setup) => {
                out.push(5);
                out.extend_from_slice(&setup.black.0.to_le_bytes());
                out.extend_from_slice(&setup.white.0.to_le_bytes());
                out.push(u8::from(setup.side_to_move == Color::White));
            }
        }
    }

    fn put_writes(&self, out: &mut Vec<u8>) {
        let now = self.event_number().0;
        put_number(out, self.writes.writes.len() as u64);
        for write in &self.writes.writes {
            out.extend_from_slice(&write.id.0.to_le_bytes());
            out.extend_from_slice(&write.content.0.to_le_bytes());
            put_number(out, u64::from(now - write.event.0));
        }
    }
}

fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn move_code(mv: Move) -> u8 {
    mv.square().map_or(PASS, Square::index)
}

fn move_of(code: u8) -> Result<Move, UnreadableValue> {
    match code {
        PASS => Ok(Move::Pass),
        _ => Square::new(code)
            .map(Move::Place)
            .ok_or(UnreadableValue::Malformed),
    }
}

fn event_code(event: Event) -> u8 {
    let second = |side| u8::from(side == Color::White);
    match event {
        Event::Played(mv) => move_code(mv),
        Event::TakenBack(side) => TAKEN_BACK + second(side),
        Event::Resigned(side) => RESIGNED + second(side),
        Event::Deleted => DELETED,
    }
}

fn event_of(code: u8) -> Result<Event, UnreadableValue> {
    const TAKEN_BACK_WHITE: u8 = TAKEN_BACK + 1;
    const RESIGNED_WHITE: u8 = RESIGNED + 1;
    match code {
        TAKEN_BACK => Ok(Event::TakenBack(Color::Black)),
        TAKEN_BACK_WHITE => Ok(Event::TakenBack(Color::White)),
        RESIGNED => Ok(Event::Resigned(Color::Black)),
        RESIGNED_WHITE => Ok(Event::Resigned(Color::White)),
        DELETED => Ok(Event::Deleted),
        _ => move_of(code).map(Event::Played),
    }
}

/// Reads a value from its second byte on.
struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn record(mut self) -> Result<GameRecord, UnreadableValue> {
        let number = u32::from_le_bytes(self.array()?);
        let created = Timestamp::from_millis(self.number()?);
        let updated = created + Duration::from_millis(self.number()?);
        let time_to_live = Duration::from_secs(self.number()?);
        let [settings, start] = self.array()?;
        let rules = self.rules(settings, start)?;
        let seats = self.seats()?;
        let creation = if settings & 8 == 0 {
            None
        } else {
            Some(Fingerprint(u64::from_le_bytes(self.array()?)))
        };
        let writes = self.writes(number)?;
        let folded = u32::try_from(self.number()?).map_err(|_| UnreadableValue::Malformed)?;
        let base: Result<Vec<Move>, _> = self.bytes()?.iter().map(|code| move_of(*code)).collect();
        let events: Result<Vec<Event>, _> =
            self.bytes()?.iter().map(|code| event_of(*code)).collect();
        let record = GameRecord {
            rules,
            seats,
            legal_moves: if settings & 4 == 0 {
                LegalMovesDisplay::Shown
            } else {
                LegalMovesDisplay::Hidden
            },
            created,
            updated,
            time_to_live,
            creation,
            base: base?,
            folded,
            events: events?,
            writes,
        };
        let events = u64::try_from(record.events.len()).unwrap_or(u64::MAX);
        let counted = u64::from(folded).checked_add(events) == Some(number.into());
        let mut writes = record.writes.writes.iter();
        if self.rest.is_empty() && counted && writes.all(|write| write.event.0 > folded) {
            Ok(record)
        } else {
            Err(UnreadableValue::Malformed)
        }
    }

    fn rules(&mut self, settings: u8, start: u8) -> Result<RuleSet, UnreadableValue> {
        Ok(RuleSet {
            objective: if settings & 1 == 0 {
                Objective::MostDiscs
            } else {
                Objective::FewestDiscs
            },
            pass_mode: if settings & 2 == 0 {
                PassMode::Automatic
            } else {
                PassMode::Explicit
            },
            scoring: match settings >> 4 {
                0 => Scoring::Discs,
                1 => Scoring::EmptiesToMajority,
                2 => Scoring::EmptiesToMajorityTiesSplit,
                _ => return Err(UnreadableValue::Malformed),
            },
            start: match start {
                0 => Start::Standard,
                1 => Start::Mirrored,
                2 => Start::ParallelWhiteAbove,
                3 => Start::ParallelBlackAbove,
                4 => Start::Free,
                5 => Start::Custom(self.setup()?),
                6 => Start::Balanced(self.balanced()?),
                _ => return Err(UnreadableValue::Malformed),
            },
        })
    }

    fn balanced(&mut self) -> Result<BalancedStart, UnreadableValue> {
        let mut moves = [Square::A1; BalancedStart::PLIES];
        for (square, index) in moves
            .iter_mut()
            .zip(self.array::<{ BalancedStart::PLIES }>()?)
        {
            *square = Square::new(index).ok_or(UnreadableValue::Malformed)?;
        }
        let list_version = u32::try_from(self.number()?).map_err(|_| UnreadableValue::Malformed)?;
        BalancedStart::new(moves, list_version).ok_or(UnreadableValue::ImpossibleEvents)
    }

    fn setup(&mut self) -> Result<Setup, UnreadableValue> {
        Ok(Setup {
            black: Bitboard(u64::from_le_bytes(self.array()?)),
            white: Bitboard(u64::from_le_bytes(self.array()?)),
            side_to_move: match self.array()? {
                [0] => Color::Black,
                [1] => Color::White,
                [_] => return Err(UnreadableValue::Malformed),
            },
        })
    }

    fn seats(&mut self) -> Result<Seats, UnreadableValue> {
        let mut seat = || {
            Ok(Seat {
                player_id: self.text()?,
                display_name: self.text()?,
            })
        };
        Ok(Seats {
            black: seat()?,
            white: seat()?,
        })
    }

    fn writes(&mut self, number: u32) -> Result<WriteLog, UnreadableValue> {
        let count = self.number()?;
        if count > WriteLog::CAPACITY as u64 {
            return Err(UnreadableValue::Malformed);
        }
        let mut writes = WriteLog::default();
        for _ in 0..count {
            let id = RequestId(u64::from_le_bytes(self.array()?));
            let content = Fingerprint(u64::from_le_bytes(self.array()?));
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

    fn text(&mut self) -> Result<String, UnreadableValue> {
        String::from_utf8(self.bytes()?.to_vec()).map_err(|_| UnreadableValue::Malformed)
    }

    fn bytes(&mut self) -> Result<&[u8], UnreadableValue> {
        let length = usize::try_from(self.number()?).map_err(|_| UnreadableValue::Truncated)?;
        let (bytes, rest) = self
            .rest
            .split_at_checked(length)
            .ok_or(UnreadableValue::Truncated)?;
        self.rest = rest;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], UnreadableValue> {
        let (array, rest) = self
            .rest
            .split_first_chunk()
            .ok_or(UnreadableValue::Truncated)?;
        self.rest = rest;
        Ok(*array)
    }

    fn number(&mut self) -> Result<u64, UnreadableValue> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(UnreadableValue::Malformed)
    }
}
