//! One position at a time: four lines in the four lanes of a vector, with a shift for each.

use std::arch::x86_64::{
    __m256i, _mm_cvtsi128_si64, _mm_or_si128, _mm_unpackhi_epi64, _mm256_add_epi64,
    _mm256_and_si256, _mm256_andnot_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi64,
    _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_or_si256, _mm256_set1_epi64x,
    _mm256_setzero_si256, _mm256_sllv_epi64, _mm256_srlv_epi64, _mm256_sub_epi64,
};

use crate::kernel::portable::ray;
use crate::square::Square;

/// The distance of neighbours on a line: along the rank, the two diagonals, the file.
const STEPS: [u64; 4] = [1, 7, 9, 8];

/// The discs that a line can turn. A disc on an edge file has no square behind it along a rank or a
/// diagonal, and leaving it out keeps the shifts from wrapping into the next rank.
const TURNABLE: [u64; 4] = [INNER_FILES, INNER_FILES, INNER_FILES, u64::MAX];
const INNER_FILES: u64 = 0x7E7E_7E7E_7E7E_7E7E;

/// As [`portable::legal_moves`](crate::kernel::portable::legal_moves).
///
/// Parallel-prefix fill (Kogge and Stone, 1973) of the four lines at once, each way: 38 operations.
///
/// # Safety
///
/// The processor must have AVX2.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(in crate::kernel) unsafe fn legal_moves(player: u64, opponent: u64) -> u64 {
    let own = _mm256_set1_epi64x(player.cast_signed());
    let other = _mm256_set1_epi64x(opponent.cast_signed());
    let (step, turnable) = (vector(&STEPS), _mm256_and_si256(other, vector(&TURNABLE)));
    let two_steps = _mm256_add_epi64(step, step);
    let mut up = _mm256_and_si256(turnable, _mm256_sllv_epi64(own, step));
    let mut down = _mm256_and_si256(turnable, _mm256_srlv_epi64(own, step));
    up = grow(up, turnable, _mm256_sllv_epi64(up, step));
    down = grow(down, turnable, _mm256_srlv_epi64(down, step));
    let pairs_up = _mm256_and_si256(turnable, _mm256_sllv_epi64(turnable, step));
    let pairs_down = _mm256_srlv_epi64(pairs_up, step);
    up = grow(up, pairs_up, _mm256_sllv_epi64(up, two_steps));
    down = grow(down, pairs_down, _mm256_srlv_epi64(down, two_steps));
    up = grow(up, pairs_up, _mm256_sllv_epi64(up, two_steps));
    down = grow(down, pairs_down, _mm256_srlv_epi64(down, two_steps));
    let behind = _mm256_or_si256(_mm256_sllv_epi64(up, step), _mm256_srlv_epi64(down, step));
    or_of_lanes(behind) & !(player | opponent)
}

/// What can be seen from a square along the four lines, without the square itself.
#[repr(C, align(64))]
pub(in crate::kernel) struct Lines {
    /// Towards h8.
    pub(in crate::kernel) up: [u64; 4],
    /// Towards a1.
    pub(in crate::kernel) down: [u64; 4],
}

/// The lines of every square: 4 KiB, computed by the compiler.
pub(in crate::kernel) static LINES: [Lines; 64] = all_lines();

/// As [`portable::flips`](crate::kernel::portable::flips).
///
/// Up: taking one from the first square that is not the opponent's sets all before it. Down: the
/// first such square is found by smearing all of them downwards. 26 operations.
///
/// # Safety
///
/// The processor must have AVX2.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(in crate::kernel) unsafe fn flips(player: u64, opponent: u64, square: Square) -> u64 {
    let lines = &LINES[usize::from(square.index() & 63)];
    let (up, down) = (vector(&lines.up), vector(&lines.down));
    let own = _mm256_set1_epi64x(player.cast_signed());
    let other = _mm256_set1_epi64x(opponent.cast_signed());
    let zero = _mm256_setzero_si256();

    let ends = _mm256_andnot_si256(other, up);
    let end = _mm256_and_si256(ends, _mm256_sub_epi64(zero, ends));
    let end = _mm256_and_si256(end, own);
    // Minus one where there is an end, minus nothing where there is none.
    let before = _mm256_add_epi64(end, not_zero(end));
    let turned_up = _mm256_and_si256(before, up);

    let step = vector(&STEPS);
    let two_steps = _mm256_add_epi64(step, step);
    let ends = _mm256_andnot_si256(other, down);
    let mut behind = _mm256_srlv_epi64(ends, step);
    behind = _mm256_or_si256(behind, _mm256_srlv_epi64(behind, step));
    behind = _mm256_or_si256(behind, _mm256_srlv_epi64(behind, two_steps));
    behind = _mm256_or_si256(
        behind,
        _mm256_srlv_epi64(behind, _mm256_add_epi64(two_steps, two_steps)),
    );
    let end = _mm256_and_si256(_mm256_andnot_si256(behind, ends), own);
    let before = _mm256_andnot_si256(_mm256_or_si256(behind, ends), down);
    let turned_down = _mm256_and_si256(before, not_zero(end));
    or_of_lanes(_mm256_or_si256(turned_up, turned_down))
}

/// The flips of two moves.
///
/// # Safety
///
/// The processor must have AVX2.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(in crate::kernel) unsafe fn flips_of_two(
    player: u64,
    opponent: u64,
    squares: [Square; 2],
) -> [u64; 2] {
    let [one, other] = squares;
    // SAFETY: the caller's promise.
    unsafe { [flips(player, opponent, one), flips(player, opponent, other)] }
}

/// All bits of the lanes that are not 0.
#[inline]
#[target_feature(enable = "avx2")]
fn not_zero(lanes: __m256i) -> __m256i {
    let zeros = _mm256_cmpeq_epi64(lanes, _mm256_setzero_si256());
    _mm256_andnot_si256(zeros, _mm256_set1_epi64x(-1))
}

/// A run with the discs that it moves onto.
#[inline]
#[target_feature(enable = "avx2")]
fn grow(run: __m256i, discs: __m256i, moved: __m256i) -> __m256i {
    _mm256_or_si256(run, _mm256_and_si256(discs, moved))
}

#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::kernel) fn or_of_lanes(lanes: __m256i) -> u64 {
    let halves = _mm_or_si128(
        _mm256_castsi256_si128(lanes),
        _mm256_extracti128_si256::<1>(lanes),
    );
    let all = _mm_or_si128(halves, _mm_unpackhi_epi64(halves, halves));
    _mm_cvtsi128_si64(all).cast_unsigned()
}

#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::kernel) fn vector(words: &[u64; 4]) -> __m256i {
    // SAFETY: reads the four words.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

const fn all_lines() -> [Lines; 64] {
    const DIRECTIONS: [(i8, i8); 4] = [(1, 0), (-1, 1), (1, 1), (0, 1)];
    let mut lines = [const {
        Lines {
            up: [0; 4],
            down: [0; 4],
        }
    }; 64];
    let mut square = 0;
    while square < 64 {
        let mut lane = 0;
        while lane < 4 {
            let (file_step, rank_step) = DIRECTIONS[lane];
            let of_square = &mut lines[square as usize];
            of_square.up[lane] = ray(square, file_step, rank_step);
            of_square.down[lane] = ray(square, -file_step, -rank_step);
            lane += 1;
        }
        square += 1;
    }
    lines
}
