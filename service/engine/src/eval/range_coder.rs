//! An adaptive binary range coder, after G. N. N. Martin (1979): each bit costs as little as its
//! model finds it likely, and the model learns from the bits that it has seen. The carry is
//! handled as in Igor Pavlov's LZMA, which is in the public domain.

#![allow(
    clippy::cast_possible_truncation,
    reason = "bytes are taken from a larger number"
)]

/// How likely a bit is to be 0, in 4096ths.
#[derive(Clone, Copy, Debug)]
pub(super) struct Model(u16);

const ONE: u16 = 1 << 12;
/// How slowly a model learns: by one part in 2^5 of what it was wrong.
const RATE: u32 = 5;
/// Below this the range is widened by a byte.
const LEAST_RANGE: u32 = 1 << 24;

impl Model {
    /// A model that expects nothing.
    pub(super) const NEW: Self = Self(ONE / 2);

    const fn learn(&mut self, bit: bool) {
        if bit {
            self.0 -= self.0 >> RATE;
        } else {
            self.0 += (ONE - self.0) >> RATE;
        }
    }

    const fn bound(self, range: u32) -> u32 {
        (range >> 12) * self.0 as u32
    }
}

/// Writes bits.
#[derive(Debug)]
pub(super) struct Encoder {
    low: u64,
    range: u32,
    // A byte that waits for a carry, and how many bytes 0xFF wait with it.
    waiting: u8,
    waiting_full: usize,
    bytes: Vec<u8>,
}

impl Encoder {
    pub(super) const fn new() -> Self {
        Self {
            low: 0,
            range: u32::MAX,
            waiting: 0,
            waiting_full: 0,
            bytes: Vec::new(),
        }
    }

    pub(super) fn put(&mut self, model: &mut Model, bit: bool) {
        let bound = model.bound(self.range);
        if bit {
            self.low += u64::from(bound);
            self.range -= bound;
        } else {
            self.range = bound;
        }
        model.learn(bit);
        while self.range < LEAST_RANGE {
            self.range <<= 8;
            self.shift();
        }
    }

    /// All bytes; the first one is always 0 and left out.
    pub(super) fn finish(mut self) -> Vec<u8> {
        for _ in 0..5 {
            self.shift();
        }
        self.bytes.split_off(1)
    }

    fn shift(&mut self) {
        let carry = (self.low >> 32) as u8;
        if self.low < 0xFF00_0000 || carry > 0 {
            self.bytes.push(self.waiting.wrapping_add(carry));
            let full = std::iter::repeat_n(0xFF_u8.wrapping_add(carry), self.waiting_full);
            self.bytes.extend(full);
            self.waiting_full = 0;
            self.waiting = (self.low >> 24) as u8;
        } else {
            self.waiting_full += 1;
        }
        self.low = (self.low & 0x00FF_FFFF) << 8;
    }
}

/// Reads bits. Behind the end it reads zeros.
#[derive(Debug)]
pub(super) struct Decoder<'a> {
    code: u32,
    range: u32,
    bytes: std::slice::Iter<'a, u8>,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let mut decoder = Self {
            code: 0,
            range: u32::MAX,
            bytes: bytes.iter(),
        };
        for _ in 0..4 {
            decoder.next_byte();
        }
        decoder
    }

    #[inline]
    pub(super) fn get(&mut self, model: &mut Model) -> bool {
        let bound = model.bound(self.range);
        let bit = self.code >= bound;
        if bit {
            self.code -= bound;
            self.range -= bound;
        } else {
            self.range = bound;
        }
        model.learn(bit);
        while self.range < LEAST_RANGE {
            self.range <<= 8;
            self.next_byte();
        }
        bit
    }

    fn next_byte(&mut self) {
        let byte = self.bytes.next().copied().unwrap_or(0);
        self.code = (self.code << 8) | u32::from(byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn bits_read_back_as_they_were_written_and_likely_ones_are_cheap() {
        let mut random = Random::new(5);
        let bits: Vec<(usize, bool)> = (0..40_000)
            .map(|_| {
                let model = random.below(3) as usize;
                (model, random.below(100) < [2, 50, 99][model])
            })
            .collect();
        let mut encoder = Encoder::new();
        let mut models = [Model::NEW; 3];
        for &(model, bit) in &bits {
            encoder.put(&mut models[model], bit);
        }
        let bytes = encoder.finish();
        // A third costs a bit each, the others about an eighth of one.
        assert!((1_600..2_600).contains(&bytes.len()), "{}", bytes.len());
        let mut decoder = Decoder::new(&bytes);
        let mut models = [Model::NEW; 3];
        for &(model, bit) in &bits {
            assert_eq!(decoder.get(&mut models[model]), bit);
        }
    }

    #[test]
    fn what_ends_too_soon_is_read_to_an_end() {
        let mut decoder = Decoder::new(&[0xFF]);
        let mut model = Model::NEW;
        for _ in 0..1000 {
            decoder.get(&mut model);
        }
    }
}
