//! Discs that no play can turn any more.

use crate::bitboard::Bitboard;

/// Some of the discs of `own` that are stable, whoever moves and whatever is played.
///
/// A disc on an edge can only be turned along the edge, and a table knows what can happen there.
/// Any other disc is stable if along each of its four lines all squares are taken, or a neighbour is
/// a stable disc of the same side: what turned the disc would have to turn the neighbour, too.
pub(super) fn stable(own: Bitboard, other: Bitboard) -> Bitboard {
    let taken = own.0 | other.0;
    let rank = full::<1>(taken);
    let file = full::<8>(taken);
    let rising = full::<9>(taken);
    let falling = full::<7>(taken);
    let mut stable = on_edges(own.0, other.0) | own.0 & rank & file & rising & falling;
    let inner = own.0 & INNER;
    loop {
        // Inner squares have all their neighbours, so that the shifts wrap nothing onto them.
        let held = (rank | stable << 1 | stable >> 1)
            & (file | stable << 8 | stable >> 8)
            & (rising | stable << 9 | stable >> 9)
            & (falling | stable << 7 | stable >> 7);
        let found = inner & held & !stable;
        if found == 0 {
            return Bitboard(stable);
        }
        stable |= found;
    }
}

/// The squares that are not on an edge.
const INNER: u64 = 0x007E_7E7E_7E7E_7E00;
const FILE_A: u64 = 0x0101_0101_0101_0101;

/// The taken squares whose whole line with this step is taken: each way runs of 1, 2, 4 and 8
/// squares, or up to the edge, are taken if both halves are.
#[inline(always)]
const fn full<const STEP: i32>(taken: u64) -> u64 {
    let (mut up, mut down) = (taken, taken);
    up &= const { last_squares(STEP, 1) } | up >> STEP;
    down &= const { last_squares(-STEP, 1) } | down << STEP;
    up &= const { last_squares(STEP, 2) } | up >> (2 * STEP);
    down &= const { last_squares(-STEP, 2) } | down << (2 * STEP);
    up &= const { last_squares(STEP, 4) } | up >> (4 * STEP);
    down &= const { last_squares(-STEP, 4) } | down << (4 * STEP);
    up & down
}

/// The squares from which so many steps of this kind lead off the board.
const fn last_squares(step: i32, steps: i32) -> u64 {
    let sign = step.signum();
    let (file_step, rank_step) = match step.abs() {
        1 => (sign, 0),
        7 => (-sign, sign),
        8 => (0, sign),
        _ => (sign, sign),
    };
    let mut squares = 0;
    let mut square = 0;
    while square < 64 {
        let file = square % 8 + steps * file_step;
        let rank = square / 8 + steps * rank_step;
        if file < 0 || file > 7 || rank < 0 || rank > 7 {
            squares |= 1 << square;
        }
        square += 1;
    }
    squares
}

/// The stable discs on the four edges.
fn on_edges(own: u64, other: u64) -> u64 {
    // Products move a file into the highest byte and a byte into the first file; there the last
    // square goes by itself, for its products would meet those of the first.
    let gather = |set: u64| (set & FILE_A).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    let spread = |edge: u64| {
        (edge & 0x7F).wrapping_mul(0x0002_0408_1020_4081) & FILE_A | (edge & 0x80) << 49
    };
    let stable = |own: u64, other: u64| {
        let place = |edge: u64| TERNARY[(edge & 0xFF) as usize] as usize;
        u64::from(EDGES[place(own) + 2 * place(other)])
    };
    stable(own, other)
        | stable(own >> 56, other >> 56) << 56
        | spread(stable(gather(own), gather(other)))
        | spread(stable(gather(own >> 7), gather(other >> 7))) << 7
}

/// The states of an edge: a digit to the base of 3 for each square, 1 for an own disc and 2 for
/// another.
const STATES: usize = 6561;

/// The digits of one side's discs.
static TERNARY: [u16; 256] = ternary();

/// The own discs on an edge that cannot be turned along it.
static EDGES: [u8; STATES] = all_edges();

const fn ternary() -> [u16; 256] {
    let mut table = [0; 256];
    let mut edge = 1;
    while edge < table.len() {
        let digit = if edge % 2 == 1 { 1 } else { 0 };
        table[edge] = 3 * table[edge / 2] + digit;
        edge += 1;
    }
    table
}

/// From full edges to empty ones: a disc is stable if it is after each placement by either side. A
/// placement need not turn anything along the edge, for it may turn discs elsewhere.
const fn all_edges() -> [u8; STATES] {
    let ternary = ternary();
    let mut table = [0; STATES];
    let mut discs = 9;
    while discs > 0 {
        discs -= 1;
        let mut own = 0_u8;
        loop {
            // All sets that do not overlap.
            let mut other = !own;
            loop {
                if (own | other).count_ones() == discs {
                    table[state(&ternary, own, other)] =
                        stable_on_edge(&table, &ternary, own, other);
                }
                if other == 0 {
                    break;
                }
                other = (other - 1) & !own;
            }
            if own == u8::MAX {
                break;
            }
            own += 1;
        }
    }
    table
}

const fn state(ternary: &[u16; 256], own: u8, other: u8) -> usize {
    ternary[own as usize] as usize + 2 * ternary[other as usize] as usize
}

const fn stable_on_edge(table: &[u8; STATES], ternary: &[u16; 256], own: u8, other: u8) -> u8 {
    let mut stable = own;
    let mut free = !(own | other);
    while free != 0 {
        let square = free & free.wrapping_neg();
        free ^= square;
        let flips = line_flips(own, other, square);
        stable &= table[state(ternary, own | square | flips, other & !flips)];
        let flips = line_flips(other, own, square);
        stable &= table[state(ternary, own & !flips, other | square | flips)];
    }
    stable
}

/// What a disc of `own` on a square of an edge turns along it.
const fn line_flips(own: u8, other: u8, square: u8) -> u8 {
    let (mut up, mut down) = (0, 0);
    let mut at = square << 1;
    while at & other != 0 {
        up |= at;
        at <<= 1;
    }
    if at & own == 0 {
        up = 0;
    }
    at = square >> 1;
    while at & other != 0 {
        down |= at;
        at >>= 1;
    }
    if at & own == 0 {
        down = 0;
    }
    up | down
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::square::Square;

    fn set(names: &str) -> Bitboard {
        let squares = names.split(' ').map(str::parse::<Square>);
        squares.map(Result::unwrap).collect()
    }

    /// Boards with a number of empty squares, out of random games.
    fn late_boards(empties: u32, count: usize) -> Vec<Board> {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut boards = Vec::new();
        let mut board = Board::STANDARD;
        while boards.len() < count {
            if board.empties_count() == empties {
                boards.push(board);
            }
            let moves: Vec<Square> = board.legal_moves().iter().collect();
            if board.empties_count() <= empties || board.is_over() {
                board = Board::STANDARD;
            } else if moves.is_empty() {
                board = board.pass();
            } else {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let chosen = usize::try_from(state >> 33).unwrap() % moves.len();
                board = board.play(moves[chosen]).unwrap();
            }
        }
        boards
    }

    /// The discs of the mover and of the other side that stay in all play from here on.
    fn lasting(board: Board) -> (Bitboard, Bitboard) {
        let mut lasting = (board.player, board.opponent);
        let next: Vec<Board> = if board.is_over() {
            vec![]
        } else if board.has_legal_move() {
            let moves = board.legal_moves().iter();
            moves.filter_map(|square| board.play(square)).collect()
        } else {
            vec![board.pass()]
        };
        for board in next {
            let (player, opponent) = self::lasting(board);
            lasting.0 &= opponent;
            lasting.1 &= player;
        }
        lasting
    }

    #[test]
    fn stable_discs_are_turned_in_no_play() {
        let mut found = 0;
        for empties in 1..=7 {
            for board in late_boards(empties, 60) {
                let (player, opponent) = lasting(board);
                let own = stable(board.player, board.opponent);
                let other = stable(board.opponent, board.player);
                assert_eq!(
                    (own - player, other - opponent),
                    Default::default(),
                    "{board}"
                );
                found += own.count() + other.count();
            }
        }
        // Most discs of these boards, so that the test does not pass for want of claims.
        assert!(found > 7 * 60 * 30, "{found}");
    }

    #[test]
    fn corners_hold_what_leads_up_to_them() {
        let own = set("a1 b1 c1 a2 b2 a3 e5");
        assert_eq!(stable(own, Bitboard::EMPTY), set("a1 b1 c1 a2 b2 a3"));
        // c1 can be taken from both sides.
        assert_eq!(stable(set("c1"), set("d1")), Bitboard::EMPTY);
        // Without a corner, but with no square left to move on.
        assert_eq!(stable(set("b1 c1"), set("a1 d1 e1 f1 g1 h1")), set("b1 c1"));
    }

    #[test]
    fn only_own_discs_are_stable() {
        let own = set("a1 a8 h1 h8");
        assert_eq!(stable(own, set("a2 h2")), own);
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        for _ in 0..10_000 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let own = Bitboard(state);
            let other = Bitboard(state.rotate_left(32)) - own;
            assert_eq!(
                stable(own, other) - own,
                Bitboard::EMPTY,
                "{own:?} {other:?}"
            );
            assert_eq!(
                stable(other, own) - other,
                Bitboard::EMPTY,
                "{own:?} {other:?}"
            );
        }
    }

    #[test]
    fn a_full_board_is_stable() {
        let own = Bitboard(0x1234_5678_9ABC_DEF0);
        assert_eq!(stable(own, !own), own);
    }
}
