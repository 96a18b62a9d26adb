//! For AArch64 processors, all of which have NEON. One position at a time is left to the portable
//! kernel.
#![allow(
    unsafe_code,
    reason = "vector instructions, and the unaligned reads and writes that feed them"
)]

use std::arch::aarch64::{
    uint8x16_t, vaddq_u8, vandq_u8, vandq_u64, vbicq_u8, vceqzq_u8, vcntq_u8, vdupq_n_u8,
    vdupq_n_u64, veorq_u8, vld1q_u8, vmaxvq_u8, vorrq_u8, vreinterpretq_u8_u64,
    vreinterpretq_u64_u8, vshrq_n_u8, vst1q_u8, vsubq_u64, vzip1q_u8, vzip2q_u8,
};

use super::bytes::Bytes;
use super::entry::entry_points;
use super::portable;
use crate::square::Square;

entry_points!(Bytes16, "neon");

/// As [`portable::legal_moves`].
///
/// # Safety
///
/// Always safe; other kernels are not.
#[inline]
pub(super) unsafe fn legal_moves_of_one(player: u64, opponent: u64) -> u64 {
    portable::legal_moves(player, opponent)
}

/// As [`portable::flips`].
///
/// # Safety
///
/// Always safe; other kernels are not.
#[inline]
pub(super) unsafe fn flips_of_one(player: u64, opponent: u64, square: Square) -> u64 {
    portable::flips(player, opponent, square)
}

/// 16 bytes.
#[derive(Clone, Copy)]
pub(super) struct Bytes16(uint8x16_t);

// Each value shows that NEON is there: see `Bytes`.
impl Bytes for Bytes16 {
    const LEN: usize = 16;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { vld1q_u8(from) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller's promise; NEON is there.
        unsafe { vst1q_u8(to, self.0) }
    }

    #[inline(always)]
    unsafe fn splat(byte: u8) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { vdupq_n_u8(byte) })
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: NEON is there.
        Self(unsafe { vandq_u8(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: NEON is there.
        Self(unsafe { vorrq_u8(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: NEON is there.
        Self(unsafe { veorq_u8(self.0, other.0) })
    }

    #[inline(always)]
    fn without(self, other: Self) -> Self {
        // SAFETY: NEON is there.
        Self(unsafe { vbicq_u8(self.0, other.0) })
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        // SAFETY: NEON is there.
        Self(unsafe { vaddq_u8(self.0, other.0) })
    }

    #[inline(always)]
    fn halve(self) -> Self {
        // SAFETY: NEON is there.
        Self(unsafe { vshrq_n_u8::<1>(self.0) })
    }

    #[inline(always)]
    fn quarter(self) -> Self {
        // SAFETY: NEON is there.
        Self(unsafe { vshrq_n_u8::<2>(self.0) })
    }

    #[inline(always)]
    fn zip(self, other: Self) -> (Self, Self) {
        // SAFETY: NEON is there.
        unsafe {
            (
                Self(vzip1q_u8(self.0, other.0)),
                Self(vzip2q_u8(self.0, other.0)),
            )
        }
    }

    #[inline(always)]
    fn count_bits(self) -> Self {
        // SAFETY: NEON is there.
        Self(unsafe { vcntq_u8(self.0) })
    }

    #[inline(always)]
    fn turn_back(self) -> Self {
        self
    }

    #[inline(always)]
    fn zeros(self) -> Self {
        // SAFETY: NEON is there.
        Self(unsafe { vceqzq_u8(self.0) })
    }

    #[inline(always)]
    fn lowest_bits(self) -> Self {
        // SAFETY: NEON is there.
        unsafe {
            let words = vreinterpretq_u64_u8(self.0);
            let negative = vsubq_u64(vdupq_n_u64(0), words);
            Self(vreinterpretq_u8_u64(vandq_u64(words, negative)))
        }
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        // SAFETY: NEON is there.
        unsafe { vmaxvq_u8(self.0) == 0 }
    }

    #[inline(always)]
    fn zero_bytes(self) -> u64 {
        // Only for boards without moves, which are rare.
        let mut bytes = [0_u8; 16];
        // SAFETY: there is room for a vector.
        unsafe { self.store(bytes.as_mut_ptr()) };
        (0..16)
            .zip(bytes)
            .filter(|(_, byte)| *byte == 0)
            .fold(0, |bits, (number, _)| bits | 1 << number)
    }
}
