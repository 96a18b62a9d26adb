//! The smallest parts of a stored value.

use std::time::Duration;

use reversi_engine::{Move, Square};

use super::UnreadableValue;
use crate::session::GameId;

/// The code of a pass; squares are below.
pub(super) const PASS: u8 = 64;
/// 100 bits.
const ID_BYTES: usize = 13;

pub(super) fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

pub(super) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

pub(super) fn put_id(out: &mut Vec<u8>, id: GameId) {
    out.extend(id.bits().to_le_bytes().iter().take(ID_BYTES));
}

/// A duration in the milliseconds that are stored.
pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

pub(super) fn move_code(mv: Move) -> u8 {
    mv.square().map_or(PASS, Square::index)
}

pub(super) fn move_of(code: u8) -> Result<Move, UnreadableValue> {
    match code {
        PASS => Ok(Move::Pass),
        _ => Square::new(code)
            .map(Move::Place)
            .ok_or(UnreadableValue::Malformed),
    }
}

/// Reads a value part by part.
pub(super) struct Reader<'a> {
    pub(super) rest: &'a [u8],
}

impl Reader<'_> {
    pub(super) fn text(&mut self) -> Result<String, UnreadableValue> {
        String::from_utf8(self.bytes()?.to_vec()).map_err(|_| UnreadableValue::Malformed)
    }

    pub(super) fn bytes(&mut self) -> Result<&[u8], UnreadableValue> {
        let length = usize::try_from(self.number()?).map_err(|_| UnreadableValue::Truncated)?;
        let (bytes, rest) = self
            .rest
            .split_at_checked(length)
            .ok_or(UnreadableValue::Truncated)?;
        self.rest = rest;
        Ok(bytes)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], UnreadableValue> {
        let (array, rest) = self
            .rest
            .split_first_chunk()
            .ok_or(UnreadableValue::Truncated)?;
        self.rest = rest;
        Ok(*array)
    }

    pub(super) fn byte(&mut self) -> Result<u8, UnreadableValue> {
        self.array().map(|[byte]| byte)
    }

    pub(super) fn number(&mut self) -> Result<u64, UnreadableValue> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(UnreadableValue::Malformed)
    }

    /// A number that is small.
    pub(super) fn small(&mut self) -> Result<u32, UnreadableValue> {
        u32::try_from(self.number()?).map_err(|_| UnreadableValue::Malformed)
    }

    pub(super) fn duration(&mut self) -> Result<Duration, UnreadableValue> {
        self.number().map(Duration::from_millis)
    }

    pub(super) fn id(&mut self) -> Result<GameId, UnreadableValue> {
        let mut bits = [0; 16];
        let bytes: [u8; ID_BYTES] = self.array()?;
        bits[..ID_BYTES].copy_from_slice(&bytes);
        Ok(GameId::from_bits(u128::from_le_bytes(bits)))
    }
}
