//! What the rank kernel asks of a vector: a few operations on bytes. Knows nothing of boards.
#![allow(
    unsafe_code,
    reason = "declares the reads and writes, and where values may come from"
)]

/// A vector of bytes: 16, 32 or 64 of them.
///
/// Whoever holds a value has shown that the machine has the instructions: values come from
/// [`load`](Bytes::load) and [`splat`](Bytes::splat) alone, and those are `unsafe`. The methods
/// must be inlined into a function that is compiled for those instructions, or each of them is a
/// call.
pub(super) trait Bytes: Copy {
    /// The number of bytes.
    const LEN: usize;

    /// Reads [`LEN`](Self::LEN) bytes at any alignment.
    ///
    /// # Safety
    ///
    /// The bytes must be readable, and the machine must have the instructions.
    unsafe fn load(from: *const u8) -> Self;

    /// Writes [`LEN`](Self::LEN) bytes at any alignment.
    ///
    /// # Safety
    ///
    /// The bytes must be writable.
    unsafe fn store(self, to: *mut u8);

    /// The same byte everywhere.
    ///
    /// # Safety
    ///
    /// The machine must have the instructions.
    unsafe fn splat(byte: u8) -> Self;

    /// `self & other`.
    fn and(self, other: Self) -> Self;

    /// `self | other`.
    fn or(self, other: Self) -> Self;

    /// `self ^ other`.
    fn xor(self, other: Self) -> Self;

    /// `self & !other`.
    fn without(self, other: Self) -> Self;

    /// The sum of each pair of bytes, modulo 256.
    fn plus(self, other: Self) -> Self;

    /// Each byte shifted down by a bit. What enters at the top may be anything: backends without a
    /// shift of bytes let in a bit of the next one.
    fn halve(self) -> Self;

    /// Each byte shifted down by two bits, likewise.
    fn quarter(self) -> Self;

    /// The bytes of the two vectors in turn, `self` first, in each group of 16: one vector of
    /// what the lower halves of the groups give, one of the upper halves.
    fn zip(self, other: Self) -> (Self, Self);

    /// The number of bits that are set in each byte.
    fn count_bits(self) -> Self;

    /// All bits of the bytes that are 0, none of the others.
    fn zeros(self) -> Self;

    /// The lowest bit that is set in each group of 8, as little-endian words.
    fn lowest_bits(self) -> Self;

    /// The bytes in the order of the positions that a turned block has them for: where there are
    /// several groups of 16, two bytes of each group in turn.
    fn turn_back(self) -> Self;

    /// Whether all bits are clear.
    fn is_zero(self) -> bool;

    /// A bit for each byte, the first lowest: whether the byte is 0.
    fn zero_bytes(self) -> u64;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks every operation on vectors of all sorts of bytes against the bytes one by one.
    ///
    /// # Safety
    ///
    /// The machine must have the instructions of `V`. Slow, for nothing is inlined.
    unsafe fn check<V: Bytes>() {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut random = || -> Vec<u8> {
            let mut byte = |_| {
                state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
                let [.., shape, value] = state.to_be_bytes();
                // A quarter of the bytes is 0, and many are sparse.
                value & [0, u8::MAX, shape, shape.rotate_left(3)][usize::from(shape >> 6)]
            };
            (0..V::LEN).map(&mut byte).collect()
        };
        // SAFETY: as many bytes as a vector has; the caller's promise.
        let load = |bytes: &[u8]| unsafe { V::load(bytes.as_ptr()) };
        let bytes = |vector: V| {
            let mut bytes = vec![0; V::LEN];
            // SAFETY: there is room for a vector.
            unsafe { vector.store(bytes.as_mut_ptr()) };
            bytes
        };
        let each = |a: &[u8], b: &[u8], f: fn(u8, u8) -> u8| -> Vec<u8> {
            a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
        };
        for _ in 0..50 {
            let (a, b) = (random(), random());
            let (v, w) = (load(&a), load(&b));
            assert_eq!(bytes(v.and(w)), each(&a, &b, |a, b| a & b));
            assert_eq!(bytes(v.or(w)), each(&a, &b, |a, b| a | b));
            assert_eq!(bytes(v.xor(w)), each(&a, &b, |a, b| a ^ b));
            assert_eq!(bytes(v.without(w)), each(&a, &b, |a, b| a & !b));
            assert_eq!(bytes(v.plus(w)), each(&a, &b, u8::wrapping_add));
            assert_eq!(
                bytes(v.zeros()),
                each(&a, &b, |a, _| if a == 0 { 255 } else { 0 })
            );
            let ones = each(&a, &b, |a, _| (0..8).map(|bit| a >> bit & 1).sum());
            assert_eq!(bytes(v.count_bits()), ones);
            let top_clear =
                |vector: V, top: u8| each(&bytes(vector), &vec![top; V::LEN], |a, b| a & !b);
            assert_eq!(top_clear(v.halve(), 0x80), each(&a, &b, |a, _| a >> 1));
            assert_eq!(top_clear(v.quarter(), 0xC0), each(&a, &b, |a, _| a >> 2));

            let (mut low, mut high, mut in_turn) = (Vec::new(), Vec::new(), Vec::new());
            for (a, b) in a.chunks(16).zip(b.chunks(16)) {
                low.extend((0..8).flat_map(|byte| [a[byte], b[byte]]));
                high.extend((8..16).flat_map(|byte| [a[byte], b[byte]]));
            }
            assert_eq!((bytes(v.zip(w).0), bytes(v.zip(w).1)), (low, high));
            for pair in 0..8 {
                in_turn.extend(
                    a.chunks(16)
                        .flat_map(|group| &group[2 * pair..2 * pair + 2]),
                );
            }
            assert_eq!(bytes(v.turn_back()), in_turn);

            let words = a
                .as_chunks::<8>()
                .0
                .iter()
                .map(|word| u64::from_le_bytes(*word));
            let lowest: Vec<u8> = words
                .flat_map(|word| (word & word.wrapping_neg()).to_le_bytes())
                .collect();
            assert_eq!(bytes(v.lowest_bits()), lowest);
            let zeros = (0..).zip(&a).filter(|(_, byte)| **byte == 0);
            assert_eq!(
                v.zero_bytes(),
                zeros.fold(0, |bits, (byte, _)| bits | 1 << byte)
            );
            assert!(!v.or(w).or(load(&vec![1; V::LEN])).is_zero());
        }
        for last in 0..V::LEN {
            let mut one = vec![0; V::LEN];
            assert!(load(&one).is_zero());
            one[last] = 0x10;
            assert!(!load(&one).is_zero(), "byte {last}");
        }
        // SAFETY: the caller's promise.
        assert_eq!(bytes(unsafe { V::splat(0xA5) }), vec![0xA5; V::LEN]);
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn avx2_does_what_is_asked() {
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has it.
            unsafe { check::<crate::kernel::avx2::Bytes32>() };
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn avx512_does_what_is_asked() {
        if is_x86_feature_detected!("avx512bw") {
            // SAFETY: the processor has it.
            unsafe { check::<crate::kernel::avx512::Bytes64>() };
        }
    }

    #[test]
    #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
    fn neon_does_what_is_asked() {
        // SAFETY: every such processor has it.
        unsafe { check::<crate::kernel::neon::Bytes16>() };
    }
}
