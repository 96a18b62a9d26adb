//! For x86-64 processors with AVX2.
#![allow(
    unsafe_code,
    reason = "vector instructions, and the unaligned reads and writes that feed them"
)]

use std::arch::x86_64::{
    __m256i, _mm_setr_epi8, _mm_unpackhi_epi16, _mm_unpacklo_epi16, _mm256_add_epi8,
    _mm256_and_si256, _mm256_andnot_si256, _mm256_broadcastsi128_si256, _mm256_castsi256_si128,
    _mm256_cmpeq_epi8, _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_movemask_epi8,
    _mm256_or_si256, _mm256_set_m128i, _mm256_set1_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8,
    _mm256_srli_epi16, _mm256_storeu_si256, _mm256_sub_epi64, _mm256_testz_si256,
    _mm256_unpackhi_epi8, _mm256_unpacklo_epi8, _mm256_xor_si256,
};

use super::bytes::Bytes;
use super::entry::entry_points;

pub(super) mod lines;

pub(super) use lines::{flips as flips_of_one, flips_of_two, legal_moves as legal_moves_of_one};

entry_points!(Bytes32, "avx2,bmi1,bmi2,lzcnt,popcnt");

/// 32 bytes.
#[derive(Clone, Copy)]
pub(super) struct Bytes32(__m256i);

// Each value shows that AVX2 is there: see `Bytes`.
impl Bytes for Bytes32 {
    const LEN: usize = 32;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { _mm256_loadu_si256(from.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller's promise; AVX2 is there.
        unsafe { _mm256_storeu_si256(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn splat(byte: u8) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { _mm256_set1_epi8(byte.cast_signed()) })
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: AVX2 is there.
        Self(unsafe { _mm256_and_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: AVX2 is there.
        Self(unsafe { _mm256_or_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: AVX2 is there.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn zeros(self) -> Self {
        // SAFETY: AVX2 is there.
        Self(unsafe { _mm256_cmpeq_epi8(self.0, _mm256_setzero_si256()) })
    }

    #[inline(always)]
    fn without(self, other: Self) -> Self {
        // SAFETY: AVX2 is there.
        Self(unsafe { _mm256_andnot_si256(other.0, self.0) })
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        // SAFETY: AVX2 is there.
        Self(unsafe { _mm256_add_epi8(self.0, other.0) })
    }

    #[inline(always)]
    fn halve(self) -> Self {
        // SAFETY: AVX2 is there.
        Self(unsafe { _mm256_srli_epi16::<1>(self.0) })
    }

    #[inline(always)]
    fn quarter(self) -> Self {
        // SAFETY: AVX2 is there.
        Self(unsafe { _mm256_srli_epi16::<2>(self.0) })
    }

    #[inline(always)]
    fn zip(self, other: Self) -> (Self, Self) {
        // SAFETY: AVX2 is there.
        unsafe {
            (
                Self(_mm256_unpacklo_epi8(self.0, other.0)),
                Self(_mm256_unpackhi_epi8(self.0, other.0)),
            )
        }
    }

    #[inline(always)]
    fn count_bits(self) -> Self {
        // SAFETY: AVX2 is there.
        unsafe {
            let of_half_byte = _mm256_broadcastsi128_si256(_mm_setr_epi8(
                0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
            ));
            let low = _mm256_set1_epi8(0x0F);
            let high = _mm256_and_si256(_mm256_srli_epi16::<4>(self.0), low);
            Self(_mm256_add_epi8(
                _mm256_shuffle_epi8(of_half_byte, _mm256_and_si256(self.0, low)),
                _mm256_shuffle_epi8(of_half_byte, high),
            ))
        }
    }

    #[inline(always)]
    fn turn_back(self) -> Self {
        // SAFETY: AVX2 is there.
        unsafe {
            let (first, second) = (
                _mm256_castsi256_si128(self.0),
                _mm256_extracti128_si256::<1>(self.0),
            );
            Self(_mm256_set_m128i(
                _mm_unpackhi_epi16(first, second),
                _mm_unpacklo_epi16(first, second),
            ))
        }
    }

    #[inline(always)]
    fn lowest_bits(self) -> Self {
        // SAFETY: AVX2 is there.
        Self(unsafe { _mm256_and_si256(self.0, _mm256_sub_epi64(_mm256_setzero_si256(), self.0)) })
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        // SAFETY: AVX2 is there.
        unsafe { _mm256_testz_si256(self.0, self.0) == 1 }
    }

    #[inline(always)]
    fn zero_bytes(self) -> u64 {
        // SAFETY: AVX2 is there.
        let mask =
            unsafe { _mm256_movemask_epi8(_mm256_cmpeq_epi8(self.0, _mm256_setzero_si256())) };
        u64::from(mask.cast_unsigned())
    }
}
