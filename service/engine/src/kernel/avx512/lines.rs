//! One position at a time: a direction or a line in each lane of a vector.

use std::arch::x86_64::{
    __m512i, _mm_cvtsi128_si64, _mm256_add_epi64, _mm256_castsi256_si128, _mm256_lzcnt_epi64,
    _mm256_maskz_ternarylogic_epi64, _mm256_or_si256, _mm256_set1_epi64x, _mm256_setzero_si256,
    _mm256_srlv_epi64, _mm256_sub_epi64, _mm256_ternarylogic_epi64, _mm256_test_epi64_mask,
    _mm512_add_epi64, _mm512_and_si512, _mm512_castsi256_si512, _mm512_castsi512_si128,
    _mm512_castsi512_si256, _mm512_extracti64x4_epi64, _mm512_inserti64x4, _mm512_loadu_si512,
    _mm512_lzcnt_epi64, _mm512_maskz_ternarylogic_epi64, _mm512_or_si512, _mm512_rolv_epi64,
    _mm512_set1_epi64, _mm512_setzero_si512, _mm512_shuffle_i64x2, _mm512_srlv_epi64,
    _mm512_sub_epi64, _mm512_ternarylogic_epi64, _mm512_test_epi64_mask, _mm512_unpackhi_epi64,
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

/// Ternary logic: in all three; in the first or both others; in the first or in the second but not
/// the third; in the first or not in the second; in one of the first two and in the third.
const ALL_THREE: i32 = 0x80;
const OR_BOTH: i32 = 0xF8;
const OR_WITHOUT: i32 = 0xF4;
const OR_NOT: i32 = 0xF3;
const EITHER_WITHIN: i32 = 0x28;

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
/// In either direction the first square that is not the opponent's is found, with a carry that runs
/// through all before it or by counting leading zeros; what lies before it is turned if it is the
/// player's. 19 operations.
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
    let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi64x(1));

    let run = _mm256_ternarylogic_epi64::<OR_NOT>(other, up, up);
    let carried = _mm256_add_epi64(run, one);
    let end = _mm256_ternarylogic_epi64::<ALL_THREE>(carried, own, up);
    let has_end = _mm256_test_epi64_mask(end, end);
    let turned_up = _mm256_maskz_ternarylogic_epi64::<EITHER_WITHIN>(has_end, carried, run, up);

    // With a1 in it the shift has no special case; found there, it is no end unless on the line.
    let ends = _mm256_ternarylogic_epi64::<OR_WITHOUT>(one, down, other);
    let first = _mm256_srlv_epi64(_mm256_set1_epi64x(i64::MIN), _mm256_lzcnt_epi64(ends));
    let end = _mm256_ternarylogic_epi64::<ALL_THREE>(first, own, down);
    let behind = _mm256_sub_epi64(zero, end);
    let turned = _mm256_ternarylogic_epi64::<OR_BOTH>(turned_up, behind, down);
    // The ends themselves are the player's.
    or_of_lanes(turned) & opponent
}

/// The flips of two moves: [`flips`] in the two halves of a longer vector.
///
/// # Safety
///
/// The processor must have AVX-512.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
pub(in crate::kernel) unsafe fn flips_of_two(
    player: u64,
    opponent: u64,
    squares: [Square; 2],
) -> [u64; 2] {
    let [first, second] = squares;
    let first = &LINES[usize::from(first.index() & 63)];
    let second = &LINES[usize::from(second.index() & 63)];
    let (up, down) = (
        _mm512_inserti64x4::<1>(
            _mm512_castsi256_si512(vector(&first.up)),
            vector(&second.up),
        ),
        _mm512_inserti64x4::<1>(
            _mm512_castsi256_si512(vector(&first.down)),
            vector(&second.down),
        ),
    );
    let own = _mm512_set1_epi64(player.cast_signed());
    let other = _mm512_set1_epi64(opponent.cast_signed());
    let (zero, one) = (_mm512_setzero_si512(), _mm512_set1_epi64(1));

    let run = _mm512_ternarylogic_epi64::<OR_NOT>(other, up, up);
    let carried = _mm512_add_epi64(run, one);
    let end = _mm512_ternarylogic_epi64::<ALL_THREE>(carried, own, up);
    let has_end = _mm512_test_epi64_mask(end, end);
    let turned_up = _mm512_maskz_ternarylogic_epi64::<EITHER_WITHIN>(has_end, carried, run, up);

    let ends = _mm512_ternarylogic_epi64::<OR_WITHOUT>(one, down, other);
    let first = _mm512_srlv_epi64(_mm512_set1_epi64(i64::MIN), _mm512_lzcnt_epi64(ends));
    let end = _mm512_ternarylogic_epi64::<ALL_THREE>(first, own, down);
    let behind = _mm512_sub_epi64(zero, end);
    let turned = _mm512_ternarylogic_epi64::<OR_BOTH>(turned_up, behind, down);

    // Neighbouring quarters change places, then neighbouring words.
    let quarters = _mm512_shuffle_i64x2::<0b10_11_00_01>(turned, turned);
    let turned = _mm512_or_si512(turned, quarters);
    let turned = _mm512_or_si512(turned, _mm512_unpackhi_epi64(turned, turned));
    let first = _mm512_castsi512_si128(turned);
    let second = _mm256_castsi256_si128(_mm512_extracti64x4_epi64::<1>(turned));
    [
        _mm_cvtsi128_si64(first).cast_unsigned() & opponent,
        _mm_cvtsi128_si64(second).cast_unsigned() & opponent,
    ]
}

#[inline]
#[target_feature(enable = "avx512f")]
fn vector_of_8(words: &[u64; 8]) -> __m512i {
    // SAFETY: reads the eight words.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}
