//! The last empty square of a board: how many discs each side would turn there.
//!
//! With every other square taken, the discs of one side tell those of the other, so that the discs
//! of one side on a line through the square are all that a table has to be asked for.

#![allow(
    clippy::cast_possible_truncation,
    reason = "counts, places on a line and indices of a small table"
)]

use super::portable::ray;
use crate::square::Square;

/// What the two sides would turn on the last empty square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LastFlips {
    /// The number of discs that the player would turn.
    pub(crate) player: i32,
    /// The number of discs that the opponent would turn.
    pub(crate) opponent: i32,
}

impl LastFlips {
    #[inline(always)]
    const fn of_sum(sum: u16) -> Self {
        Self {
            player: (sum & 0xFF) as i32,
            opponent: (sum >> 8) as i32,
        }
    }
}

/// A square and the four lines through it: the rank, the file and the two diagonals.
#[repr(C, align(64))]
pub(super) struct Crossing {
    /// The squares of each line without the square itself.
    pub(super) lines: [u64; 4],
    /// Where the counts of each line begin in [`COUNTS`].
    pub(super) counts: [u16; 4],
    /// The first file that each diagonal touches.
    first_files: [u8; 2],
}

/// The crossing of each square.
pub(super) static CROSSINGS: [Crossing; 64] = all_crossings();

/// For each length of a line and each place of the empty square on it, what is turned for each set
/// of the player's discs: the player's count plus 256 times the opponent's.
pub(super) static COUNTS: [u16; COUNTS_LEN] = all_counts();
const COUNTS_LEN: usize = first_count(8, 8);

/// What the two sides would turn on the only square that is left empty.
#[inline(always)]
pub(super) fn last_flips(player: u64, square: Square) -> LastFlips {
    let index = usize::from(square.index() & 63);
    let crossing = &CROSSINGS[index];
    let (file, rank) = (square.index() & 7, square.index() & 56);
    let on_rank = player >> rank & 0xFF;
    // Each product moves the bits of a line side by side into the highest byte.
    let on_file = (player >> file & FILE_A).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    let on_diagonal = |line: usize| {
        let gathered = (player & crossing.lines[2 + line]).wrapping_mul(FILE_A);
        gathered >> (56 + (crossing.first_files[line] & 7))
    };
    last_flips_of_lines(crossing, [on_rank, on_file, on_diagonal(0), on_diagonal(1)])
}

const FILE_A: u64 = 0x0101_0101_0101_0101;

/// pext
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "bmi2")]
pub(super) fn last_flips_pext(player: u64, square: Square) -> LastFlips {
    let crossing = &PCROSSINGS[usize::from(square.index() & 63)];
    let count = |line: usize| {
        let index = usize::from(crossing.counts[line])
            + std::arch::x86_64::_pext_u64(player, crossing.lines[line]) as usize;
        PCOUNTS[index & 2047]
    };
    LastFlips::of_sum(count(0) + count(1) + count(2) + count(3))
}

#[repr(C, align(64))]
pub(super) struct PCrossing {
    pub(super) lines: [u64; 4],
    pub(super) counts: [u16; 4],
}
static PCROSSINGS: [PCrossing; 64] = p_crossings();
static PCOUNTS: [u16; 2048] = p_counts();

const fn p_first(length: usize, place: usize) -> usize {
    let mut first = 4;
    let mut shorter = 3;
    while shorter < length {
        first += shorter << (shorter - 1);
        shorter += 1;
    }
    first + (place << (length - 1))
}
const fn p_counts() -> [u16; 2048] {
    let mut counts = [0; 2048];
    let mut length = 3;
    while length <= 8 {
        let mut place = 0;
        while place < length {
            let mut discs = 0;
            while discs < 1 << length {
                let others = !discs & !(1 << place);
                let low = discs & ((1 << place) - 1);
                let high = discs >> (place + 1) << place;
                if discs >> place & 1 == 0 {
                    counts[p_first(length, place) + low + high] =
                        turned(discs, place, length) + 256 * turned(others, place, length);
                }
                discs += 1;
            }
            place += 1;
        }
        length += 1;
    }
    counts
}
const fn p_crossings() -> [PCrossing; 64] {
    let mut crossings = [const {
        PCrossing {
            lines: [0; 4],
            counts: [0; 4],
        }
    }; 64];
    let mut square = 0;
    while square < 64 {
        let mut line = 0;
        while line < 4 {
            let mask = CROSSINGS[square].lines[line];
            crossings[square].lines[line] = mask;
            let place = (mask & ((1 << square) - 1)).count_ones() as usize;
            let length = 1 + mask.count_ones() as usize;
            crossings[square].counts[line] = if length < 3 {
                0
            } else {
                p_first(length, place) as u16
            };
            line += 1;
        }
        square += 1;
    }
    crossings
}

/// The same, given the player's discs on each line, side by side from bit 0 on.
#[inline(always)]
pub(super) fn last_flips_of_lines(crossing: &Crossing, discs: [u64; 4]) -> LastFlips {
    let count = |line: usize| {
        let index = usize::from(crossing.counts[line]) + (discs[line] & 0xFF) as usize;
        COUNTS.get(index).copied().unwrap_or_default()
    };
    LastFlips::of_sum(count(0) + count(1) + count(2) + count(3))
}

/// Where the counts begin for the empty square at a place of a line of a length. Lines of less than
/// three squares turn nothing and share the counts of length 2.
const fn first_count(length: usize, place: usize) -> usize {
    let mut first = 0;
    let mut shorter = 2;
    while shorter < length {
        first += shorter << shorter;
        shorter += 1;
    }
    first + (place << length)
}

const fn all_counts() -> [u16; COUNTS_LEN] {
    let mut counts = [0; COUNTS_LEN];
    let mut length = 3;
    while length <= 8 {
        let mut place = 0;
        while place < length {
            let mut discs = 0;
            while discs < 1 << length {
                let others = !discs & !(1 << place);
                counts[first_count(length, place) + discs] =
                    turned(discs, place, length) + 256 * turned(others, place, length);
                discs += 1;
            }
            place += 1;
        }
        length += 1;
    }
    counts
}

/// The number of discs that the owner of `discs` turns at the place, all else being the other's.
const fn turned(discs: usize, place: usize, length: usize) -> u16 {
    let mut total = 0;
    let mut up = place + 1;
    while up < length {
        if discs >> up & 1 == 1 {
            total += up - place - 1;
            break;
        }
        up += 1;
    }
    let mut down = place;
    while down > 0 {
        down -= 1;
        if discs >> down & 1 == 1 {
            total += place - down - 1;
            break;
        }
    }
    total as u16
}

const fn all_crossings() -> [Crossing; 64] {
    const DIRECTIONS: [(i8, i8); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];
    let mut crossings = [const {
        Crossing {
            lines: [0; 4],
            counts: [0; 4],
            first_files: [0; 2],
        }
    }; 64];
    let mut square = 0;
    while square < 64 {
        let mut line = 0;
        while line < 4 {
            let (file_step, rank_step) = DIRECTIONS[line];
            let up = ray(square, file_step, rank_step);
            let down = ray(square, -file_step, -rank_step);
            let crossing = &mut crossings[square as usize];
            crossing.lines[line] = up | down;
            let place = down.count_ones() as usize;
            let length = place + 1 + up.count_ones() as usize;
            crossing.counts[line] = if length < 3 {
                0
            } else {
                first_count(length, place) as u16
            };
            if line >= 2 {
                crossing.first_files[line - 2] = square % 8 - place as u8;
            }
            line += 1;
        }
        square += 1;
    }
    crossings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::portable;

    #[test]
    fn both_sides_turn_on_the_last_square_what_their_moves_would() {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        for square in Square::all().cycle().take(6400) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let player = state & !square.bit();
            let opponent = !state & !square.bit();
            let count = |own, other| portable::flips(own, other, square).count_ones();
            let LastFlips {
                player: own,
                opponent: other,
            } = last_flips(player, square);
            assert_eq!(
                own.cast_unsigned(),
                count(player, opponent),
                "{square} {player:#x}"
            );
            assert_eq!(
                other.cast_unsigned(),
                count(opponent, player),
                "{square} {player:#x}"
            );
        }
    }
}
