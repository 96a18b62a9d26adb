//! For x86-64 processors with AVX-512.
#![allow(
    unsafe_code,
    reason = "vector instructions, and the unaligned reads and writes that feed them"
)]

use std::arch::x86_64::{
    __m512i, _mm_setr_epi8, _mm512_add_epi8, _mm512_and_si512, _mm512_andnot_si512,
    _mm512_broadcast_i32x4, _mm512_loadu_si512, _mm512_movm_epi8, _mm512_or_si512,
    _mm512_set1_epi8, _mm512_setzero_si512, _mm512_shuffle_epi8, _mm512_srli_epi16,
    _mm512_storeu_si512, _mm512_sub_epi64, _mm512_test_epi8_mask, _mm512_testn_epi8_mask,
    _mm512_unpackhi_epi8, _mm512_unpacklo_epi8, _mm512_xor_si512,
};

use super::bytes::Bytes;
use super::entry::entry_points;

#[cfg(not(miri))]
mod lines;

// The interpreter does not know the instructions.
#[cfg(miri)]
pub(super) use super::avx2::{flips_of_one, flips_of_two, legal_moves_of_one};
#[cfg(not(miri))]
pub(super) use lines::{flips as flips_of_one, flips_of_two, legal_moves as legal_moves_of_one};

entry_points!(
    Bytes64,
    "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt"
);

/// 64 bytes.
#[derive(Clone, Copy)]
pub(super) struct Bytes64(__m512i);

// Each value shows that AVX-512 is there: see `Bytes`.
impl Bytes for Bytes64 {
    const LEN: usize = 64;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { _mm512_loadu_si512(from.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller's promise; AVX-512 is there.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn splat(byte: u8) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { _mm512_set1_epi8(byte.cast_signed()) })
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: AVX-512 is there.
        Self(unsafe { _mm512_and_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: AVX-512 is there.
        Self(unsafe { _mm512_or_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: AVX-512 is there.
        Self(unsafe { _mm512_xor_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn without(self, other: Self) -> Self {
        // SAFETY: AVX-512 is there.
        Self(unsafe { _mm512_andnot_si512(other.0, self.0) })
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        // SAFETY: AVX-512 is there.
        Self(unsafe { _mm512_add_epi8(self.0, other.0) })
    }

    #[inline(always)]
    fn halve(self) -> Self {
        // SAFETY: AVX-512 is there.
        Self(unsafe { _mm512_srli_epi16::<1>(self.0) })
    }

    #[inline(always)]
    fn quarter(self) -> Self {
        // SAFETY: AVX-512 is there.
        Self(unsafe { _mm512_srli_epi16::<2>(self.0) })
    }

    #[inline(always)]
    fn zip(self, other: Self) -> (Self, Self) {
        // SAFETY: AVX-512 is there.
        unsafe {
            (
                Self(_mm512_unpacklo_epi8(self.0, other.0)),
                Self(_mm512_unpackhi_epi8(self.0, other.0)),
            )
        }
    }

    #[inline(always)]
    fn count_bits(self) -> Self {
        // SAFETY: AVX-512 is there.
        unsafe {
            let of_half_byte = _mm512_broadcast_i32x4(_mm_setr_epi8(
                0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
            ));
            let low = _mm512_set1_epi8(0x0F);
            let high = _mm512_and_si512(_mm512_srli_epi16::<4>(self.0), low);
            Self(_mm512_add_epi8(
                _mm512_shuffle_epi8(of_half_byte, _mm512_and_si512(self.0, low)),
                _mm512_shuffle_epi8(of_half_byte, high),
            ))
        }
    }

    #[inline(always)]
    #[cfg(not(miri))]
    fn turn_back(self) -> Self {
        // SAFETY: AVX-512 is there.
        unsafe {
            let from = _mm512_loadu_si512(PAIRS_IN_TURN.as_ptr().cast());
            Self(std::arch::x86_64::_mm512_permutexvar_epi16(from, self.0))
        }
    }

    /// The same one by one, for the interpreter does not know the instruction.
    #[cfg(miri)]
    fn turn_back(self) -> Self {
        let mut pairs = [0_u16; 32];
        // SAFETY: there is room for a vector.
        unsafe { self.store(pairs.as_mut_ptr().cast()) };
        let turned = PAIRS_IN_TURN.map(|from| pairs[usize::from(from)]);
        // SAFETY: there is a vector; AVX-512 is there.
        unsafe { Self::load(turned.as_ptr().cast()) }
    }

    #[inline(always)]
    fn zeros(self) -> Self {
        // SAFETY: AVX-512 is there.
        Self(unsafe { _mm512_movm_epi8(_mm512_testn_epi8_mask(self.0, self.0)) })
    }

    #[inline(always)]
    fn lowest_bits(self) -> Self {
        // SAFETY: AVX-512 is there.
        unsafe {
            let negative = _mm512_sub_epi64(_mm512_setzero_si512(), self.0);
            Self(_mm512_and_si512(self.0, negative))
        }
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        // SAFETY: AVX-512 is there.
        unsafe { _mm512_test_epi8_mask(self.0, self.0) == 0 }
    }

    #[inline(always)]
    fn zero_bytes(self) -> u64 {
        // SAFETY: AVX-512 is there.
        unsafe { _mm512_testn_epi8_mask(self.0, self.0) }
    }
}

/// For each pair of bytes the number of the one that comes there: the first of each group of 16
/// bytes, the second of each group, and so on.
static PAIRS_IN_TURN: [u16; 32] = {
    let mut from = [0; 32];
    let (mut group, mut pair) = (0, 0);
    while pair < 8 {
        from[(4 * pair + group) as usize] = 8 * group + pair;
        group += 1;
        if group == 4 {
            (group, pair) = (0, pair + 1);
        }
    }
    from
};
