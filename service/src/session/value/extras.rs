//! What most games have not, in a stored value: a bit for each part, then the parts there are.
//!
//! | bit | part | bytes |
//! |---|---|---|
//! | 0 | who makes the moves of Black and White: 0 a person, 32 nobody, the engine's level, 16 and its level for a person | 2 |
//! | 1 | colour policy: 1 first is Black, 2 and 3 lots drawn for Black or White | 1 |
//! | 2 | clock: kind and what an expiry does; its times in ms | ≥ 2 |
//! | 3 | how well the engine plays for a person | 1 |
//! | 4 | seat tokens are required | 0 |
//! | 5 | how long a player may be absent, in ms | ≥ 1 |
//! | 6 | series: the first game, games before doubled and 1 more if colours were swapped, what Black and White have won | ≥ 16 |
//! | 7 | labels: count, each with its length; external id | ≥ 2 |
//! | 8 | plies of the prelude | 1 |

use std::time::Duration;

use reversi_engine::{Color, Level};

use super::UnreadableValue;
use super::bytes::{Reader, millis, put_bytes, put_id, put_number};
use crate::session::record::default_substitute;
use crate::session::{
    ClockRules, ColorPolicy, GameRecord, Occupant, OnExpiry, SeatTokens, Series, SeriesColors,
    TimeControl,
};

const OCCUPANTS: u64 = 1;
const COLOR_POLICY: u64 = 1 << 1;
const CLOCK: u64 = 1 << 2;
const SUBSTITUTE: u64 = 1 << 3;
const SEAT_TOKENS: u64 = 1 << 4;
const PRESENCE: u64 = 1 << 5;
const SERIES: u64 = 1 << 6;
const LABELS: u64 = 1 << 7;
const PRELUDE: u64 = 1 << 8;
const ALL: u64 = (1 << 9) - 1;

/// The level of a substitute is stored on top of this.
const SUBSTITUTED: u8 = 16;
const OPEN: u8 = 32;

impl GameRecord {
    /// The parts there are.
    fn extras(&self) -> u64 {
        let person = Occupant::Person;
        let seats = &self.seats;
        let parts = [
            (
                OCCUPANTS,
                seats.black.occupant != person || seats.white.occupant != person,
            ),
            (COLOR_POLICY, self.color_policy != ColorPolicy::AsGiven),
            (CLOCK, self.clock.is_some()),
            (SUBSTITUTE, self.substitute != default_substitute()),
            (SEAT_TOKENS, self.seat_tokens == SeatTokens::Required),
            (PRESENCE, self.presence.is_some()),
            (SERIES, self.series.is_some()),
            (
                LABELS,
                !self.labels.is_empty() || !self.external_id.is_empty(),
            ),
            (PRELUDE, self.prelude > 0),
        ];
        let there = parts.into_iter().filter(|(_, there)| *there);
        there.fold(0, |bits, (bit, _)| bits | bit)
    }

    pub(super) fn has_extras(&self) -> bool {
        self.extras() != 0
    }

    pub(super) fn put_extras(&self, out: &mut Vec<u8>) {
        let extras = self.extras();
        if extras == 0 {
            return;
        }
        put_number(out, extras);
        if extras & OCCUPANTS != 0 {
            out.push(occupant_code(self.seats.black.occupant));
            out.push(occupant_code(self.seats.white.occupant));
        }
        match self.color_policy {
            ColorPolicy::AsGiven => {}
            ColorPolicy::FirstToSitIsBlack => out.push(1),
            ColorPolicy::DrawLots(Color::Black) => out.push(2),
            ColorPolicy::DrawLots(Color::White) => out.push(3),
        }
        if let Some(clock) = &self.clock {
            put_clock(out, clock);
        }
        if extras & SUBSTITUTE != 0 {
            out.push(self.substitute.number());
        }
        if let Some(presence) = self.presence {
            put_number(out, millis(presence));
        }
        if let Some(series) = &self.series {
            put_id(out, series.first);
            let swapped = u64::from(series.colors == SeriesColors::Swapped);
            put_number(out, u64::from(series.games_before) << 1 | swapped);
            put_number(out, series.black_halves.into());
            put_number(out, series.white_halves.into());
        }
        if extras & LABELS != 0 {
            put_number(out, self.labels.len() as u64);
            for text in self.labels.iter().chain([&self.external_id]) {
                put_bytes(out, text.as_bytes());
            }
        }
        if self.prelude > 0 {
            out.push(self.prelude);
        }
    }
}

fn put_clock(out: &mut Vec<u8>, clock: &ClockRules) {
    let on_expiry = match clock.on_expiry {
        OnExpiry::Lose => 0,
        OnExpiry::EngineMovesOnce => 1,
        OnExpiry::EngineTakesSeat => 2,
    };
    match clock.time {
        TimeControl::PerMove(time) => {
            out.push(on_expiry);
            put_number(out, millis(time));
        }
        TimeControl::Total { initial, increment } => {
            out.push(on_expiry | 1 << 4);
            put_number(out, millis(initial));
            put_number(out, millis(increment));
        }
    }
}

fn occupant_code(occupant: Occupant) -> u8 {
    match occupant {
        Occupant::Person => 0,
        Occupant::Engine(level) => level.number(),
        Occupant::Substitute(level) => SUBSTITUTED + level.number(),
        Occupant::Open => OPEN,
    }
}

impl Reader<'_> {
    pub(super) fn extras(&mut self, record: &mut GameRecord) -> Result<(), UnreadableValue> {
        let extras = self.number()?;
        if extras == 0 || extras & !ALL != 0 {
            return Err(UnreadableValue::Malformed);
        }
        if extras & OCCUPANTS != 0 {
            record.seats.black.occupant = self.occupant()?;
            record.seats.white.occupant = self.occupant()?;
        }
        if extras & COLOR_POLICY != 0 {
            record.color_policy = match self.byte()? {
                1 => ColorPolicy::FirstToSitIsBlack,
                2 => ColorPolicy::DrawLots(Color::Black),
                3 => ColorPolicy::DrawLots(Color::White),
                _ => return Err(UnreadableValue::Malformed),
            };
        }
        if extras & CLOCK != 0 {
            record.clock = Some(self.clock_rules()?);
        }
        if extras & SUBSTITUTE != 0 {
            record.substitute = level(self.byte()?)?;
        }
        if extras & SEAT_TOKENS != 0 {
            record.seat_tokens = SeatTokens::Required;
        }
        if extras & PRESENCE != 0 {
            record.presence = Some(self.duration()?);
        }
        if extras & SERIES != 0 {
            record.series = Some(self.series()?);
        }
        if extras & LABELS != 0 {
            let count = self.number()?;
            if count > GameRecord::MAX_LABELS as u64 {
                return Err(UnreadableValue::Malformed);
            }
            record.labels = (0..count).map(|_| self.text()).collect::<Result<_, _>>()?;
            record.external_id = self.text()?;
        }
        if extras & PRELUDE != 0 {
            record.prelude = self.byte()?;
        }
        Ok(())
    }

    fn series(&mut self) -> Result<Series, UnreadableValue> {
        let first = self.id()?;
        let before = self.number()?;
        Ok(Series {
            first,
            games_before: u32::try_from(before >> 1).map_err(|_| UnreadableValue::Malformed)?,
            black_halves: self.small()?,
            white_halves: self.small()?,
            colors: match before & 1 {
                0 => SeriesColors::Kept,
                _ => SeriesColors::Swapped,
            },
        })
    }

    fn occupant(&mut self) -> Result<Occupant, UnreadableValue> {
        match self.byte()? {
            0 => Ok(Occupant::Person),
            OPEN => Ok(Occupant::Open),
            code if code > SUBSTITUTED => level(code - SUBSTITUTED).map(Occupant::Substitute),
            code => level(code).map(Occupant::Engine),
        }
    }

    fn clock_rules(&mut self) -> Result<ClockRules, UnreadableValue> {
        let kinds = self.byte()?;
        let on_expiry = match kinds & 0xf {
            0 => OnExpiry::Lose,
            1 => OnExpiry::EngineMovesOnce,
            2 => OnExpiry::EngineTakesSeat,
            _ => return Err(UnreadableValue::Malformed),
        };
        let time = match kinds >> 4 {
            0 => TimeControl::PerMove(self.bounded()?),
            1 => TimeControl::Total {
                initial: self.bounded()?,
                increment: self.bounded()?,
            },
            _ => return Err(UnreadableValue::Malformed),
        };
        Ok(ClockRules { time, on_expiry })
    }

    /// A time of a clock.
    fn bounded(&mut self) -> Result<Duration, UnreadableValue> {
        let time = self.duration()?;
        if time > TimeControl::LONGEST {
            return Err(UnreadableValue::Malformed);
        }
        Ok(time)
    }
}

pub(super) fn level(number: u8) -> Result<Level, UnreadableValue> {
    Level::new(number.into()).map_err(|_| UnreadableValue::Malformed)
}
