//! Weights as few bytes.
//!
//! Weights that have to be equal are written once, in steps of a few hundredths of a disc, as the
//! difference to the phase before, which is mostly 0 or small. How small is guessed from the
//! weight in the phase before and from its own last difference.

#![allow(clippy::cast_possible_truncation, reason = "clamped before it is cast")]

use super::phase::PHASES;
use super::range_coder::{Decoder, Encoder, Model};
use super::weights::{WEIGHTS_PER_PHASE, Weights};

/// Sizes of a weight that are told apart.
const SIZES: usize = 7;
/// Sizes of its last difference.
const CHANGES: usize = 4;
/// Differences from this on are written as a number of bits and these bits.
const LARGE: usize = 16;
/// A difference is below 2^16 in any step.
const MOST_BITS: usize = 17;

/// What differences are expected.
struct Models {
    /// By size and change: whether the difference is larger than 0, 1, 2 …
    larger: [[[Model; LARGE]; CHANGES]; SIZES],
    /// By size and sign of the weight: whether the difference is below 0.
    below: [[Model; 2]; SIZES],
    bits: [Model; MOST_BITS],
    bit: Model,
}

impl Models {
    const fn new() -> Self {
        Self {
            larger: [[[Model::NEW; LARGE]; CHANGES]; SIZES],
            below: [[Model::NEW; 2]; SIZES],
            bits: [Model::NEW; MOST_BITS],
            bit: Model::NEW,
        }
    }
}

/// The context of a difference: the weight in the phase before and what it had changed by.
fn context(before: i32, change: i32) -> (usize, usize) {
    let size = (32 - before.unsigned_abs().leading_zeros()) as usize;
    let change = (32 - change.unsigned_abs().leading_zeros()) as usize;
    (size.min(SIZES - 1), change.min(CHANGES - 1))
}

/// The places of the weights that are written: the first of those that have to be equal.
fn written() -> impl Iterator<Item = usize> {
    let twins = Weights::twins();
    (0..WEIGHTS_PER_PHASE).filter(move |&place| twins[place] as usize == place)
}

/// Packs weights in steps of so many hundredths of a disc.
pub(super) fn pack(phases: &[Box<[i16]>], step: u8) -> Vec<u8> {
    let step = i32::from(step);
    let mut encoder = Encoder::new();
    let mut models = Models::new();
    let places: Vec<usize> = written().collect();
    let mut before = vec![(0, 0); places.len()];
    for phase in phases {
        for (&place, (weight, change)) in places.iter().zip(&mut before) {
            let exact = i32::from(phase[place]);
            let new = (exact + exact.signum() * step / 2) / step;
            let (size, changed) = context(*weight, *change);
            *change = new - *weight;
            put(
                &mut encoder,
                &mut models,
                (size, changed),
                *weight < 0,
                *change,
            );
            *weight = new;
        }
    }
    encoder.finish()
}

/// Unpacks weights. Bytes that were not packed give weights without meaning.
pub(super) fn unpack(bytes: &[u8], step: u8) -> Vec<Box<[i16]>> {
    let step = i32::from(step);
    let twins = Weights::twins();
    let mut decoder = Decoder::new(bytes);
    let mut models = Models::new();
    let mut before = vec![(0_i32, 0_i32); WEIGHTS_PER_PHASE];
    let mut phases = Vec::with_capacity(PHASES);
    for _ in 0..PHASES {
        let mut phase = vec![0; WEIGHTS_PER_PHASE].into_boxed_slice();
        for (place, (&twin, (weight, change))) in twins.iter().zip(&mut before).enumerate() {
            let twin = twin as usize;
            if twin < place {
                phase[place] = phase[twin];
                continue;
            }
            let (size, changed) = context(*weight, *change);
            *change = get(&mut decoder, &mut models, (size, changed), *weight < 0);
            *weight = weight.saturating_add(*change);
            let exact = weight.saturating_mul(step);
            phase[place] = exact.clamp(i32::from(i16::MIN), i32::from(i16::MAX)) as i16;
        }
        phases.push(phase);
    }
    phases
}

fn put(
    encoder: &mut Encoder,
    models: &mut Models,
    (size, changed): (usize, usize),
    negative: bool,
    difference: i32,
) {
    let magnitude = difference.unsigned_abs() as usize;
    for (larger, model) in models.larger[size][changed].iter_mut().enumerate() {
        encoder.put(model, magnitude > larger);
        if magnitude <= larger {
            break;
        }
    }
    if magnitude > LARGE - 1 {
        let rest = magnitude - LARGE;
        let bits = (usize::BITS - rest.leading_zeros()) as usize;
        for (number, model) in models.bits.iter_mut().enumerate() {
            encoder.put(model, bits > number);
            if bits <= number {
                break;
            }
        }
        for bit in (0..bits).rev() {
            encoder.put(&mut models.bit, rest >> bit & 1 == 1);
        }
    }
    if difference != 0 {
        encoder.put(
            &mut models.below[size][usize::from(negative)],
            difference < 0,
        );
    }
}

fn get(
    decoder: &mut Decoder<'_>,
    models: &mut Models,
    (size, changed): (usize, usize),
    negative: bool,
) -> i32 {
    let mut magnitude = 0;
    for model in &mut models.larger[size][changed] {
        if !decoder.get(model) {
            break;
        }
        magnitude += 1;
    }
    if magnitude == LARGE {
        let mut bits = 0;
        for model in &mut models.bits {
            if !decoder.get(model) {
                break;
            }
            bits += 1;
        }
        let mut rest = 0;
        for _ in 0..bits {
            rest = rest << 1 | usize::from(decoder.get(&mut models.bit));
        }
        magnitude += rest;
    }
    let difference = i32::try_from(magnitude).unwrap_or(i32::MAX);
    if difference != 0 && decoder.get(&mut models.below[size][usize::from(negative)]) {
        -difference
    } else {
        difference
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn weights_read_back_to_within_half_a_step() {
        let mut random = Random::new(3);
        let twins = Weights::twins();
        let mut phase: Vec<i16> = vec![0; WEIGHTS_PER_PHASE];
        let phases: Vec<Box<[i16]>> = (0..PHASES)
            .map(|_| {
                for (place, &twin) in twins.iter().enumerate() {
                    let twin = twin as usize;
                    if twin < place {
                        phase[place] = phase[twin];
                    } else if random.below(50) == 0 {
                        let limit = 1 << random.below(12);
                        phase[place] = random.below(limit) as i16 - (limit / 2) as i16;
                    }
                }
                phase.clone().into_boxed_slice()
            })
            .collect();
        let bytes = pack(&phases, 4);
        let read = unpack(&bytes, 4);
        for (phase, read) in phases.iter().zip(&read) {
            for (weight, read) in phase.iter().zip(read) {
                assert!((weight - read).abs() <= 2, "{weight} {read}");
            }
        }
        // In whole steps they are the same again.
        assert_eq!(unpack(&pack(&read, 4), 4), read);
    }

    #[test]
    fn any_bytes_are_read_to_an_end() {
        let mut random = Random::new(4);
        let bytes: Vec<u8> = (0..100_000).map(|_| random.bits() as u8).collect();
        assert_eq!(unpack(&bytes, 255).len(), PHASES);
        assert_eq!(unpack(&[], 1).len(), PHASES);
    }
}
