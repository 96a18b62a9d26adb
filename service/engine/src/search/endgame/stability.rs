//! Discs that no play can turn any more.

#![allow(clippy::cast_possible_truncation, reason = "bits of lines of eight")]

/// The squares from which so many steps in a direction lead off the board.
const fn rim(shift: i32, steps: i32) -> u64 {
    let (file_step, rank_step) = match shift {
        1 => (1, 0),
        7 => (-1, 1),
        8 => (0, 1),
        9 => (1, 1),
        -1 => (-1, 0),
        -7 => (1, -1),
        -8 => (0, -1),
        _ => (-1, -1),
    };
    let mut set = 0;
    let mut square = 0;
    while square < 64 {
        let (file, rank) = (
            square % 8 + steps * file_step,
            square / 8 + steps * rank_step,
        );
        if file < 0 || file > 7 || rank < 0 || rank > 7 {
            set |= 1 << square;
        }
        square += 1;
    }
    set
}

/// The squares from which all squares in a direction are taken, themselves included.
macro_rules! taken {
    ($occupied:expr, $step:literal) => {{
        const RIMS: [(u64, u64); 3] = [
            (rim($step, 1), rim(-$step, 1)),
            (rim($step, 2), rim(-$step, 2)),
            (rim($step, 4), rim(-$step, 4)),
        ];
        let (mut up, mut down) = ($occupied, $occupied);
        up &= RIMS[0].0 | up >> $step;
        down &= RIMS[0].1 | down << $step;
        up &= RIMS[1].0 | up >> (2 * $step);
        down &= RIMS[1].1 | down << (2 * $step);
        up &= RIMS[2].0 | up >> (4 * $step);
        down &= RIMS[2].1 | down << (4 * $step);
        up & down
    }};
}

const FILE_A: u64 = 0x0101_0101_0101_0101;
const INNER: u64 = 0x007E_7E7E_7E7E_7E00;

/// The discs of `own` that are safe.
pub(super) fn stable(own: u64, other: u64) -> u64 {
    let occupied = own | other;
    let rank = taken!(occupied, 1);
    let file = taken!(occupied, 8);
    let up = taken!(occupied, 9);
    let down = taken!(occupied, 7);
    let mut safe = edges(own, other) | own & rank & file & up & down;
    let inner = own & INNER;
    loop {
        let by_rank = rank | safe << 1 | safe >> 1;
        let by_file = file | safe << 8 | safe >> 8;
        let by_up = up | safe << 9 | safe >> 9;
        let by_down = down | safe << 7 | safe >> 7;
        let found = inner & by_rank & by_file & by_up & by_down & !safe;
        if found == 0 {
            return safe;
        }
        safe |= found;
    }
}

fn edges(own: u64, other: u64) -> u64 {
    let safe = |own: u64, other: u64| {
        u64::from(
            EDGES[usize::from(TERNARY[own as usize & 255])
                + 2 * usize::from(TERNARY[other as usize & 255])],
        )
    };
    let gather = |set: u64| (set & FILE_A).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    let spread = |bits: u64| (bits.wrapping_mul(0x0002_0408_1020_4081)) & FILE_A;
    safe(own & 255, other & 255)
        | safe(own >> 56, other >> 56) << 56
        | spread(safe(gather(own), gather(other)))
        | spread(safe(gather(own >> 7), gather(other >> 7))) << 7
}

static TERNARY: [u16; 256] = ternary();
const fn ternary() -> [u16; 256] {
    let mut table = [0; 256];
    let mut bits = 1;
    while bits < 256_usize {
        table[bits] = 3 * table[bits >> 1] + (bits & 1) as u16;
        bits += 1;
    }
    table
}

static EDGES: [u8; 6561] = all_edges();

const fn all_edges() -> [u8; 6561] {
    let ternary = ternary();
    let mut table = [0_u8; 6561];
    let mut empties = 0;
    while empties <= 8 {
        let mut own = 0;
        while own < 256_u32 {
            let rest = !own & 255;
            // All subsets of the rest.
            let mut other = rest;
            loop {
                if (own | other).count_ones() == 8 - empties {
                    let mut safe = own;
                    let mut place = 0;
                    while place < 8 {
                        let bit = 1 << place;
                        if (own | other) & bit == 0 {
                            let turned = line_flips(own, other, place);
                            safe &= table[(ternary[(own | bit | turned) as usize]
                                + 2 * ternary[(other & !turned) as usize])
                                as usize] as u32;
                            let turned = line_flips(other, own, place);
                            safe &= table[(ternary[(own & !turned) as usize]
                                + 2 * ternary[(other | bit | turned) as usize])
                                as usize] as u32;
                        }
                        place += 1;
                    }
                    table[(ternary[own as usize] + 2 * ternary[other as usize]) as usize] =
                        safe as u8;
                }
                if other == 0 {
                    break;
                }
                other = (other - 1) & rest;
            }
            own += 1;
        }
        empties += 1;
    }
    table
}

/// What a move turns on a line of eight.
const fn line_flips(own: u32, other: u32, place: u32) -> u32 {
    let mut all = 0;
    let mut run = 0;
    let mut at = place + 1;
    while at < 8 && other >> at & 1 == 1 {
        run |= 1 << at;
        at += 1;
    }
    if at < 8 && own >> at & 1 == 1 {
        all |= run;
    }
    run = 0;
    at = place;
    while at > 0 && other >> (at - 1) & 1 == 1 {
        at -= 1;
        run |= 1 << at;
    }
    if at > 0 && own >> (at - 1) & 1 == 1 {
        all |= run;
    }
    all
}
