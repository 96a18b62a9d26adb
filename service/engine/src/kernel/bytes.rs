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

    /// Each byte shifted down by `BITS`. What enters at the top may be anything: backends without
    /// a shift of bytes let in bits of the next one.
    fn down<const BITS: i32>(self) -> Self;

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
