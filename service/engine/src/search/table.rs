//! The transposition table: what a search has found out about boards that it may meet again.

use crate::board::Board;
use crate::eval::DISC;
use crate::square::Square;

/// The number of entries, a power of two: 2^18 of 24 bytes are 6 MiB for each running search. The
/// operating system hands out the memory as the search touches it, so short searches use little.
const ENTRIES: usize = 1 << 18;

/// One board (mover, other side) and what is known about it, packed. Plain words, so that a new
/// table costs nothing: zeroed memory is an empty table, since a board without discs is never
/// searched.
type Packed = [u64; 3];

/// A table of bounded size that lives as long as one search.
#[derive(Debug)]
pub(super) struct Table {
    entries: Vec<Packed>,
}

/// What is known about a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// How many discs ahead the bounds look; the number of empty squares or more if they are exact.
    pub(super) depth: u32,
    /// The value is at least this, in hundredths of a disc.
    pub(super) lower: i32,
    /// The value is at most this, in hundredths of a disc.
    pub(super) upper: i32,
    /// The best move found.
    pub(super) best: Option<Square>,
}

/// The widest bounds: no game is worth more than 64 discs.
const WIDEST: i32 = 64 * DISC;

impl Table {
    /// An empty table.
    pub(super) fn new() -> Self {
        Self {
            entries: vec![[0; 3]; ENTRIES],
        }
    }

    /// What is known about the board.
    #[inline]
    pub(super) fn get(&self, board: Board) -> Option<Known> {
        let first = bucket(board);
        self.entries[first..first + 2]
            .iter()
            .find(|entry| holds(entry, board))
            .map(|entry| Known::unpack(entry[2]))
    }

    /// Keeps a search's result: `value` came out of a window from `alpha` to `beta`, so it is
    /// exact inside, an upper bound at or below `alpha` and a lower bound at or above `beta`.
    ///
    /// Of the two entries that a board can go to, the first keeps the deepest board, the second the
    /// latest.
    #[inline]
    pub(super) fn put(&mut self, board: Board, depth: u32, window: Window, best: Option<Square>) {
        let Window { alpha, beta, value } = window;
        let mut known = Known {
            depth,
            lower: if value > alpha { value } else { -WIDEST },
            upper: if value < beta { value } else { WIDEST },
            best,
        };
        let first = bucket(board);
        let slot = if holds(&self.entries[first], board) {
            first
        } else if holds(&self.entries[first + 1], board) {
            first + 1
        } else {
            let deepest = Known::unpack(self.entries[first][2]).depth;
            let slot = if depth >= deepest { first } else { first + 1 };
            self.entries[slot] = [board.player.0, board.opponent.0, known.pack()];
            return;
        };
        let old = Known::unpack(self.entries[slot][2]);
        if old.depth == depth {
            known.lower = known.lower.max(old.lower);
            known.upper = known.upper.min(old.upper);
        }
        known.best = known.best.or(old.best);
        self.entries[slot][2] = known.pack();
    }
}

/// A value and the window that it was searched with, in hundredths of a disc.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// Values up to this were not told apart.
    pub(super) alpha: i32,
    /// Values from this on were not told apart.
    pub(super) beta: i32,
    /// What the search found.
    pub(super) value: i32,
}

#[inline]
fn holds(entry: &Packed, board: Board) -> bool {
    entry[0] == board.player.0 && entry[1] == board.opponent.0
}

/// The first of the two entries that a board can go to.
#[inline]
fn bucket(board: Board) -> usize {
    // Multiplicative hashing (Knuth, volume 3, section 6.4), the multipliers being the fractional
    // parts of the golden ratio and of the square root of three, made odd.
    let mixed = board.player.0.wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ board
            .opponent
            .0
            .wrapping_mul(0xBB67_AE85_84CA_A73B)
            .rotate_left(32);
    let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed >> 40) as usize & (ENTRIES - 1)) & !1
}

impl Known {
    /// From the low bits: lower and upper bound (16 each), depth (8), best square plus one (8).
    fn pack(self) -> u64 {
        let bits = |value: i32| u64::from(value.cast_unsigned() & 0xFFFF);
        let best = self.best.map_or(0, |square| u64::from(square.index()) + 1);
        bits(self.lower)
            | (bits(self.upper) << 16)
            | (u64::from(self.depth & 0xFF) << 32)
            | (best << 40)
    }

    fn unpack(data: u64) -> Self {
        let value = |bits: u64| i32::from(((bits & 0xFFFF) as u16).cast_signed());
        let best = ((data >> 40) & 0xFF) as u8;
        Self {
            depth: ((data >> 32) & 0xFF) as u32,
            lower: value(data),
            upper: value(data >> 16),
            best: best.checked_sub(1).and_then(Square::new),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: Board = Board::STANDARD;

    fn window(alpha: i32, beta: i32, value: i32) -> Window {
        Window { alpha, beta, value }
    }

    #[test]
    fn results_read_back_as_the_bounds_that_they_are() {
        let mut table = Table::new();
        assert_eq!(table.get(BOARD), None);
        table.put(BOARD, 3, window(-100, 100, -250), Some(Square::D3));
        let known = table.get(BOARD).unwrap();
        assert_eq!((known.lower, known.upper), (-WIDEST, -250));
        table.put(BOARD, 3, window(-600, -500, -450), None);
        let known = table.get(BOARD).unwrap();
        assert_eq!((known.lower, known.upper), (-450, -250));
        assert_eq!(known.best, Some(Square::D3));
        assert_eq!(table.get(BOARD.pass()), None);
    }

    #[test]
    fn a_deeper_result_replaces_the_bounds() {
        let mut table = Table::new();
        table.put(BOARD, 3, window(-100, 100, 50), Some(Square::D3));
        table.put(BOARD, 4, window(-100, 100, 6400), Some(Square::C4));
        let known = table.get(BOARD).unwrap();
        assert_eq!((known.depth, known.lower, known.upper), (4, 6400, WIDEST));
        assert_eq!(known.best, Some(Square::C4));
    }

    #[test]
    fn a_full_bucket_keeps_its_deepest_board() {
        let mut table = Table::new();
        let home = bucket(BOARD);
        table.put(BOARD, 9, window(-100, 100, 50), None);
        // Two other boards of the same bucket, found by counting.
        let mut others = (1_u64..).map(|bits| Board {
            player: crate::Bitboard(bits << 40),
            opponent: crate::Bitboard(1),
        });
        for _ in 0..2 {
            let other = others
                .by_ref()
                .find(|&other| bucket(other) == home)
                .unwrap();
            table.put(other, 2, window(-100, 100, 0), None);
            assert_eq!(table.get(other).unwrap().depth, 2);
            assert_eq!(table.get(BOARD).unwrap().depth, 9);
        }
    }
}
