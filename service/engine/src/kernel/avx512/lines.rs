//! One position at a time: a direction or a line in each lane of a vector.

use std::arch::x86_64::{
    __m512i, _mm256_and_si256, _mm256_andnot_si256, _mm256_lzcnt_epi64, _mm256_or_si256,
    _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_srlv_epi64, _mm256_sub_epi64,
    _mm256_ternarylogic_epi64, _mm512_and_si512, _mm512_castsi512_si256, _mm512_extracti64x4_epi64,
    _mm512_loadu_si512, _mm512_rolv_epi64, _mm512_set1_epi64, _mm512_ternarylogic_epi64,
};

use crate::kernel::avx2::lines::{LINES, or_of_lanes, vector};
use crate::square::Square;

/// How far a word is rotated for a step in each direction.
const STEPS: [u64; 8] = [1, 7, 9, 8, 63, 57, 55, 56];
/// The same for two steps.
const TWO_STEPS: [u64; 8] = [2, 14, 18, 16, 62, 50, 46, 48];

/// The discs that can be turned in each direction: not those at its ends, which have nothing behind
/// them. Leaving them out keeps the rotations from going around the board.
const TURNABLE: [u64; 8] = [
    INNER_FILES,
    INNER_FILES & INNER_RANKS,
    INNER_FILES & INNER_RANKS,
    INNER_RANKS,
    INNER_FILES,
    INNER_FILES & INNER_RANKS,
    INNER_FILES & INNER_RANKS,
    INNER_RANKS,
];
const INNER_FILES: u64 = 0x7E7E_7E7E_7E7E_7E7E;
const INNER_RANKS: u64 = 0x00FF_FFFF_FFFF_FF00;

/// Ternary logic: in all three; in the first or both others.
const ALL_THREE: i32 = 0x80;
const OR_BOTH: i32 = 0xF8;

/// As [`portable::legal_moves`](crate::kernel::portable::legal_moves).
///
/// Parallel-prefix fill (Kogge and Stone, 1973) of the eight directions at once: 21 operations.
///
/// # Safety
///
/// The processor must have AVX-512.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
pub(in crate::kernel) unsafe fn legal_moves(player: u64, opponent: u64) -> u64 {
    let own = _mm512_set1_epi64(player.cast_signed());
    let other = _mm512_set1_epi64(opponent.cast_signed());
    let (step, two_steps) = (vector_of_8(&STEPS), vector_of_8(&TWO_STEPS));
    let turnable = _mm512_and_si512(other, vector_of_8(&TURNABLE));
    let run = _mm512_and_si512(turnable, _mm512_rolv_epi64(own, step));
    let pairs = _mm512_and_si512(turnable, _mm512_rolv_epi64(turnable, step));
    let run = _mm512_ternarylogic_epi64::<OR_BOTH>(run, turnable, _mm512_rolv_epi64(run, step));
    let run = _mm512_ternarylogic_epi64::<OR_BOTH>(run, pairs, _mm512_rolv_epi64(run, two_steps));
    let run = _mm512_ternarylogic_epi64::<OR_BOTH>(run, pairs, _mm512_rolv_epi64(run, two_steps));
    let behind = _mm512_rolv_epi64(run, step);
    let behind = _mm256_or_si256(
        _mm512_castsi512_si256(behind),
        _mm512_extracti64x4_epi64::<1>(behind),
    );
    or_of_lanes(behind) & !(player | opponent)
}

/// As [`portable::flips`](crate::kernel::portable::flips).
///
/// In either direction the first square that is not the opponent's is found, with the subtraction
/// that clears lower bits or by counting leading zeros; what lies before it is turned if it is the
/// player's. 20 operations.
///
/// # Safety
///
/// The processor must have AVX-512.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
pub(in crate::kernel) unsafe fn flips(player: u64, opponent: u64, square: Square) -> u64 {
    let lines = &LINES[usize::from(square.index() & 63)];
    let (up, down) = (vector(&lines.up), vector(&lines.down));
    let own = _mm256_set1_epi64x(player.cast_signed());
    let other = _mm256_set1_epi64x(opponent.cast_signed());
    let zero = _mm256_setzero_si256();

    let ends = _mm256_andnot_si256(other, up);
    let end = _mm256_ternarylogic_epi64::<ALL_THREE>(ends, _mm256_sub_epi64(zero, ends), own);
    let before = _mm256_srlv_epi64(_mm256_set1_epi64x(-1), _mm256_lzcnt_epi64(end));
    let turned_up = _mm256_and_si256(before, up);

    let ends = _mm256_andnot_si256(other, down);
    let first = _mm256_srlv_epi64(_mm256_set1_epi64x(i64::MIN), _mm256_lzcnt_epi64(ends));
    let end = _mm256_and_si256(first, own);
    let before = _mm256_sub_epi64(zero, end);
    let turned = _mm256_ternarylogic_epi64::<OR_BOTH>(turned_up, before, down);
    or_of_lanes(turned) & opponent
}

#[inline]
#[target_feature(enable = "avx512f")]
fn vector_of_8(words: &[u64; 8]) -> __m512i {
    // SAFETY: reads the eight words.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

/// two
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
pub(in crate::kernel) unsafe fn flips2(
    player: u64,
    opponent: u64,
    a: Square,
    b: Square,
) -> (u64, u64) {
    use std::arch::x86_64::*;
    let la = &LINES[usize::from(a.index() & 63)];
    let lb = &LINES[usize::from(b.index() & 63)];
    let up = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(vector(&la.up)), vector(&lb.up));
    let down = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(vector(&la.down)), vector(&lb.down));
    let own = _mm512_set1_epi64(player.cast_signed());
    let other = _mm512_set1_epi64(opponent.cast_signed());
    let zero = _mm512_setzero_si512();

    let ends = _mm512_andnot_si512(other, up);
    let end = _mm512_ternarylogic_epi64::<ALL_THREE>(ends, _mm512_sub_epi64(zero, ends), own);
    let before = _mm512_srlv_epi64(_mm512_set1_epi64(-1), _mm512_lzcnt_epi64(end));
    let turned_up = _mm512_and_si512(before, up);

    let ends = _mm512_andnot_si512(other, down);
    let first = _mm512_srlv_epi64(_mm512_set1_epi64(i64::MIN), _mm512_lzcnt_epi64(ends));
    let end = _mm512_and_si512(first, own);
    let before = _mm512_sub_epi64(zero, end);
    let turned = _mm512_ternarylogic_epi64::<OR_BOTH>(turned_up, before, down);
    let t = _mm512_or_si512(
        turned,
        _mm512_shuffle_i64x2::<0b10_11_00_01>(turned, turned),
    );
    let t = _mm512_or_si512(t, _mm512_unpackhi_epi64(t, t));
    let x = _mm_cvtsi128_si64(_mm512_castsi512_si128(t)).cast_unsigned();
    let y = _mm_cvtsi128_si64(_mm256_castsi256_si128(_mm512_extracti64x4_epi64::<1>(t)))
        .cast_unsigned();
    (x & opponent, y & opponent)
}
