//! The events in a stored value, and what those that were folded away have left.
//!
//! An event is a byte: a move its square, a pass 64, and others from there on, two for Black and
//! White where a side belongs to it. Some have more after it: a ply, a level, texts, an id. In a
//! game with a clock the time since the event before follows, in ms, doubled, and 1 more if some
//! of it counts for no clock; that part follows then.
//!
//! Where events were folded away: who had proposed to take back (0 nobody, 1 Black, 2 White) and 4
//! if the engine was about to move for a person; and of a game with a clock what Black and White
//! had left, and when, since it was created.

use std::time::Duration;

use reversi_engine::Color;

use super::UnreadableValue;
use super::bytes::{PASS, Reader, millis, move_code, move_of, put_bytes, put_id, put_number};
use super::extras::level;
use crate::session::clock::Clock;
use crate::session::event::{Happened, Lapse};
use crate::session::{Event, GameRecord, HandOver, LegalMovesDisplay};

const TAKEN_BACK: u8 = 65;
const RESIGNED: u8 = 67;
const DELETED: u8 = 69;
const PROPOSED: u8 = 70;
const DECLINED: u8 = 72;
const EXPIRED: u8 = 74;
const CLAIMED: u8 = 76;
const LEFT: u8 = 78;
const ABSENT: u8 = 80;
const RETURNED: u8 = 82;
const SHOWN: u8 = 84;
const HIDDEN: u8 = 85;
const REMATCHED: u8 = 86;

impl GameRecord {
    pub(super) fn put_base(&self, out: &mut Vec<u8>) {
        if self.folded == 0 {
            return;
        }
        let proposal = match self.base.proposal {
            None => 0,
            Some(Color::Black) => 1,
            Some(Color::White) => 2,
        };
        out.push(proposal | u8::from(self.base.engine_moves_once) << 2);
        if let Some((clock, at)) = self.base.clock {
            put_number(out, millis(clock.black));
            put_number(out, millis(clock.white));
            put_number(out, millis(at.since(self.created)));
        }
    }

    pub(super) fn put_events(&self, out: &mut Vec<u8>) {
        for Happened { event, lapse } in &self.events {
            put_event(out, event);
            if self.clock.is_some() {
                let idle = u64::from(!lapse.idle.is_zero());
                put_number(out, millis(lapse.passed) << 1 | idle);
                if idle == 1 {
                    put_number(out, millis(lapse.idle));
                }
            }
        }
    }
}

fn put_event(out: &mut Vec<u8>, event: &Event) {
    let of = |code: u8, side: Color| code + u8::from(side == Color::White);
    match *event {
        Event::Played(mv) => out.push(move_code(mv)),
        Event::TakenBack { side, ply } => out.extend([of(TAKEN_BACK, side), ply]),
        Event::Resigned(side) => out.push(of(RESIGNED, side)),
        Event::Deleted => out.push(DELETED),
        Event::TakeBackProposed(side) => out.push(of(PROPOSED, side)),
        Event::TakeBackDeclined(side) => out.push(of(DECLINED, side)),
        Event::TimeExpired(side) => out.push(of(EXPIRED, side)),
        Event::SeatClaimed {
            side,
            ref player_id,
            ref display_name,
        } => {
            out.push(of(CLAIMED, side));
            put_bytes(out, player_id.as_bytes());
            put_bytes(out, display_name.as_bytes());
        }
        Event::SeatHandedOver { side, level, cause } => {
            let code = match cause {
                HandOver::Asked => LEFT,
                HandOver::Absent => ABSENT,
            };
            out.extend([of(code, side), level.number()]);
        }
        Event::SeatReturned(side) => out.push(of(RETURNED, side)),
        Event::DisplayChanged(LegalMovesDisplay::Shown) => out.push(SHOWN),
        Event::DisplayChanged(LegalMovesDisplay::Hidden) => out.push(HIDDEN),
        Event::Rematched(next) => {
            out.push(REMATCHED);
            put_id(out, next);
        }
    }
}

impl Reader<'_> {
    pub(super) fn base(&mut self, record: &mut GameRecord) -> Result<(), UnreadableValue> {
        if record.folded == 0 {
            return Ok(());
        }
        let flags = self.byte()?;
        record.base.proposal = match flags & 3 {
            0 => None,
            1 => Some(Color::Black),
            2 => Some(Color::White),
            _ => return Err(UnreadableValue::Malformed),
        };
        record.base.engine_moves_once = flags & 4 != 0;
        if flags > 7 {
            return Err(UnreadableValue::Malformed);
        }
        if let Some(rules) = record.clock {
            let clock = Clock {
                rules,
                black: self.duration()?,
                white: self.duration()?,
            };
            record.base.clock = Some((clock, record.created + self.duration()?));
        }
        Ok(())
    }

    pub(super) fn events(
        &mut self,
        count: u32,
        timing: Timing,
    ) -> Result<Vec<Happened>, UnreadableValue> {
        // Each takes a byte at least.
        let most = usize::try_from(count).unwrap_or(usize::MAX);
        let mut events = Vec::with_capacity(most.min(self.rest.len()));
        for _ in 0..count {
            let event = self.event()?;
            let lapse = match timing {
                Timing::Timed => self.lapse()?,
                Timing::Untimed => Lapse::default(),
            };
            events.push(Happened { event, lapse });
        }
        Ok(events)
    }

    fn event(&mut self) -> Result<Event, UnreadableValue> {
        let code = self.byte()?;
        if code <= PASS {
            return move_of(code).map(Event::Played);
        }
        let side = |first: u8| match code - first {
            0 => Color::Black,
            _ => Color::White,
        };
        Ok(match code {
            TAKEN_BACK..RESIGNED => Event::TakenBack {
                side: side(TAKEN_BACK),
                ply: self.byte()?,
            },
            RESIGNED..DELETED => Event::Resigned(side(RESIGNED)),
            DELETED => Event::Deleted,
            PROPOSED..DECLINED => Event::TakeBackProposed(side(PROPOSED)),
            DECLINED..EXPIRED => Event::TakeBackDeclined(side(DECLINED)),
            EXPIRED..CLAIMED => Event::TimeExpired(side(EXPIRED)),
            CLAIMED..LEFT => Event::SeatClaimed {
                side: side(CLAIMED),
                player_id: self.text()?,
                display_name: self.text()?,
            },
            LEFT..ABSENT => Event::SeatHandedOver {
                side: side(LEFT),
                level: level(self.byte()?)?,
                cause: HandOver::Asked,
            },
            ABSENT..RETURNED => Event::SeatHandedOver {
                side: side(ABSENT),
                level: level(self.byte()?)?,
                cause: HandOver::Absent,
            },
            RETURNED..SHOWN => Event::SeatReturned(side(RETURNED)),
            SHOWN => Event::DisplayChanged(LegalMovesDisplay::Shown),
            HIDDEN => Event::DisplayChanged(LegalMovesDisplay::Hidden),
            REMATCHED => Event::Rematched(self.id()?),
            _ => return Err(UnreadableValue::Malformed),
        })
    }

    fn lapse(&mut self) -> Result<Lapse, UnreadableValue> {
        let number = self.number()?;
        Ok(Lapse {
            passed: Duration::from_millis(number >> 1),
            idle: if number & 1 == 1 {
                self.duration()?
            } else {
                Duration::ZERO
            },
        })
    }
}

/// Whether the times of events are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timing {
    Timed,
    Untimed,
}
