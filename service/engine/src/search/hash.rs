//! What searches have found about boards, shared by all threads of a search without locks.
//!
//! A slot is two words: what is known, and the board's hash combined with it by exclusive or, so
//! that a slot that two threads have written at once fits no board (Hyatt and Mann, 2002). A hash
//! has 64 bits, of which all are compared: of a thousand million boards looked up, one is mistaken
//! for another with a chance below one in a thousand million.

#![allow(
    clippy::cast_possible_truncation,
    reason = "halves of products, fields of a few bits, indices of a table in memory"
)]

use std::sync::atomic::Ordering::Relaxed;

use crate::board::Board;
use crate::eval::DISC;
use crate::kernel::{self, CacheLine};
use crate::square::Square;

use super::selectivity::Selectivity;

/// A table of bounded size. Takes memory as it fills.
#[derive(Debug)]
pub(super) struct Table {
    // Slots of a line are pairs: the board's hash ^ data, and data. A board goes to one of the
    // slots of a line.
    buckets: Box<[CacheLine]>,
    // Of the search that is going on.
    generation: u64,
    // Slots of older generations are as good as empty.
    oldest: u64,
}

/// The largest generation; then the table is really emptied.
const GENERATIONS: u64 = (1 << 8) - 1;

/// More than a result can be worth.
const MOST_WORTH: u32 = 64 * 8;

/// The hash of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hash(u64);

/// What is known about a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// How many discs ahead the bounds look; the number of empty squares or more if they reach the
    /// end of the game.
    pub(super) depth: u32,
    /// How much was cut off by probability on the way.
    pub(super) selectivity: Selectivity,
    /// The value is at least this, in hundredths of a disc.
    pub(super) lower: i32,
    /// The value is at most this, in hundredths of a disc.
    pub(super) upper: i32,
    /// The best moves found, the latest first.
    pub(super) best: [Option<Square>; 2],
}

/// The widest bounds: no game is worth more than 64 discs.
pub(super) const WIDEST: i32 = 64 * DISC;

impl Table {
    /// A table of about this many bytes: a power of two, at least 64 bytes.
    pub(super) fn new(bytes: usize) -> Self {
        let buckets = (bytes / size_of::<CacheLine>()).max(1);
        Self {
            buckets: kernel::zeroed(1 << buckets.ilog2()),
            // Of generation 0 are the slots that nobody has written to.
            generation: 1,
            oldest: 1,
        }
    }

    /// The memory that the table takes, in bytes.
    #[cfg(test)]
    fn bytes(&self) -> usize {
        size_of_val(&*self.buckets)
    }

    /// Forgets everything, at next to no cost.
    pub(super) fn clear(&mut self) {
        self.age();
        self.oldest = self.generation;
    }

    /// Begins another search with what is known. What it does not meet again is the first to be
    /// replaced.
    pub(super) fn age(&mut self) {
        if self.generation < GENERATIONS {
            self.generation += 1;
            return;
        }
        (self.generation, self.oldest) = (1, 1);
        for bucket in &mut self.buckets {
            *bucket = CacheLine::default();
        }
    }

    /// Starts to bring what is known about a board into the caches.
    #[inline(always)]
    pub(super) fn prefetch(&self, hash: Hash) {
        kernel::prefetch(&self.buckets, self.home(hash));
    }

    /// What is known about a board.
    #[inline(always)]
    pub(super) fn get(&self, hash: Hash) -> Option<Known> {
        let bucket = &self.buckets[self.home(hash)];
        for [check, data] in &bucket.pairs {
            let data = data.load(Relaxed);
            if check.load(Relaxed) ^ data == hash.0 && data >> 56 >= self.oldest {
                return Some(Known::unpack(data));
            }
        }
        None
    }

    /// Keeps a search's result: `value` came out of a window from `alpha` to `beta`, so it is exact
    /// inside, an upper bound at or below `alpha` and a lower bound at or above `beta`.
    #[inline(always)]
    pub(super) fn put(&self, hash: Hash, result: &Result) {
        let bucket = &self.buckets[self.home(hash)];
        let mut known = Known {
            depth: result.depth,
            selectivity: result.selectivity,
            lower: if result.value > result.alpha {
                result.value
            } else {
                -WIDEST
            },
            upper: if result.value < result.beta {
                result.value
            } else {
                WIDEST
            },
            best: [result.best, None],
        };
        // Goes where the board is already, else where the least is lost.
        let mut place = &bucket.pairs[0];
        let mut least = u32::MAX;
        for slot in &bucket.pairs {
            let [check, data] = slot;
            let data = data.load(Relaxed);
            let generation = data >> 56;
            let alive = generation >= self.oldest;
            if alive && check.load(Relaxed) ^ data == hash.0 {
                known.merge(&Known::unpack(data), generation == self.generation);
                place = slot;
                break;
            }
            let worth = if alive {
                let current = generation == self.generation;
                1 + Known::unpack(data).worth() + if current { MOST_WORTH } else { 0 }
            } else {
                0
            };
            if worth < least {
                least = worth;
                place = slot;
            }
        }
        let data = known.pack() | (self.generation << 56);
        let [check, place] = place;
        check.store(hash.0 ^ data, Relaxed);
        place.store(data, Relaxed);
    }

    #[inline(always)]
    const fn home(&self, hash: Hash) -> usize {
        hash.0 as usize & (self.buckets.len() - 1)
    }
}

/// What a search has found out about a board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Result {
    pub(super) depth: u32,
    pub(super) selectivity: Selectivity,
    /// Values up to this were not told apart, in hundredths of a disc.
    pub(super) alpha: i32,
    /// Values from this on were not told apart.
    pub(super) beta: i32,
    pub(super) value: i32,
    pub(super) best: Option<Square>,
}

impl Hash {
    /// The hash of a board: two folded multiplications by the fractional parts of the golden ratio
    /// and of the square root of three.
    #[inline(always)]
    pub(super) const fn of(board: Board) -> Self {
        const fn fold(a: u64, b: u64) -> u64 {
            let product = a as u128 * b as u128;
            product as u64 ^ (product >> 64) as u64
        }
        let player = fold(
            board.player.0 ^ 0xBB67_AE85_84CA_A73B,
            0x9E37_79B9_7F4A_7C15,
        );
        Self(fold(
            player ^ board.opponent.0.rotate_left(23),
            0xBB67_AE85_84CA_A73B,
        ))
    }

    /// Some of its bits, to find a place in a smaller table.
    #[inline(always)]
    pub(super) const fn bits(self) -> u64 {
        self.0
    }
}

impl Known {
    /// Takes over what has been found before: by the search that is going on, or by one before it,
    /// which may have looked deeper.
    #[inline(always)]
    fn merge(&mut self, old: &Self, same_search: bool) {
        if !same_search && old.worth() > self.worth() {
            (self.depth, self.selectivity) = (old.depth, old.selectivity);
            (self.lower, self.upper) = (old.lower, old.upper);
        } else if old.depth == self.depth && old.selectivity == self.selectivity {
            let (lower, upper) = (self.lower.max(old.lower), self.upper.min(old.upper));
            if lower <= upper {
                (self.lower, self.upper) = (lower, upper);
            }
        }
        match self.best[0] {
            None => self.best = old.best,
            Some(best) if old.best[0] != Some(best) => self.best[1] = old.best[0],
            Some(_) => self.best[1] = old.best[1],
        }
    }

    /// How much would be lost with it, less than [`MOST_WORTH`].
    #[inline(always)]
    const fn worth(&self) -> u32 {
        self.depth * 8 + self.selectivity.index() as u32
    }

    /// From the low bits: lower and upper bound (16 each), depth (6), selectivity (3), best
    /// squares plus one (7 each). The upper eight bits are left free.
    #[inline(always)]
    fn pack(&self) -> u64 {
        let bits = |value: i32| u64::from(value.cast_unsigned() & 0xFFFF);
        let square = |best: Option<Square>| best.map_or(0, |square| u64::from(square.index()) + 1);
        bits(self.lower)
            | (bits(self.upper) << 16)
            | (u64::from(self.depth & 63) << 32)
            | ((self.selectivity.index() as u64) << 38)
            | (square(self.best[0]) << 41)
            | (square(self.best[1]) << 48)
    }

    #[inline(always)]
    fn unpack(data: u64) -> Self {
        let value = |bits: u64| i32::from(((bits & 0xFFFF) as u16).cast_signed());
        let square = |bits: u64| ((bits & 0x7F) as u8).checked_sub(1).and_then(Square::new);
        Self {
            depth: ((data >> 32) & 63) as u32,
            selectivity: Selectivity::from_index((data >> 38) as usize & 7),
            lower: value(data),
            upper: value(data >> 16),
            best: [square(data >> 41), square(data >> 48)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: Board = Board::STANDARD;

    fn result(depth: u32, value: i32, best: Option<Square>) -> Result {
        Result {
            depth,
            selectivity: Selectivity::NONE,
            alpha: -100,
            beta: 100,
            value,
            best,
        }
    }

    #[test]
    fn results_read_back_as_the_bounds_that_they_are() {
        let table = Table::new(1 << 10);
        let hash = Hash::of(BOARD);
        assert_eq!(table.get(hash), None);
        table.put(hash, &result(3, -250, Some(Square::D3)));
        let known = table.get(hash).unwrap();
        assert_eq!((known.lower, known.upper), (-WIDEST, -250));
        table.put(
            hash,
            &Result {
                alpha: -600,
                beta: -500,
                ..result(3, -450, None)
            },
        );
        let known = table.get(hash).unwrap();
        assert_eq!((known.lower, known.upper), (-450, -250));
        assert_eq!(known.best, [Some(Square::D3), None]);
        assert_eq!(table.get(Hash::of(BOARD.pass())), None);
    }

    #[test]
    fn a_deeper_result_replaces_the_bounds_and_keeps_the_older_move() {
        let table = Table::new(1 << 10);
        let hash = Hash::of(BOARD);
        table.put(hash, &result(3, 50, Some(Square::D3)));
        table.put(hash, &result(4, 6400, Some(Square::C4)));
        let known = table.get(hash).unwrap();
        assert_eq!((known.depth, known.lower, known.upper), (4, 6400, WIDEST));
        assert_eq!(known.best, [Some(Square::C4), Some(Square::D3)]);
    }

    #[test]
    fn a_cleared_table_knows_nothing() {
        let mut table = Table::new(1 << 10);
        let hash = Hash::of(BOARD);
        for _ in 0..600 {
            table.put(hash, &result(3, 50, None));
            assert!(table.get(hash).is_some());
            table.clear();
            assert_eq!(table.get(hash), None);
        }
    }

    #[test]
    fn what_the_last_search_knows_is_there_and_the_first_to_go() {
        let mut table = Table::new(64);
        let boards = (1..=6).map(|bits| Board {
            player: crate::Bitboard(bits << 40),
            opponent: crate::Bitboard(1),
        });
        let hashes: Vec<_> = boards.map(Hash::of).collect();
        let depth = |table: &Table, at: usize| table.get(hashes[at]).map(|known| known.depth);
        for (&hash, depth) in hashes.iter().zip([9, 20, 8, 7]) {
            table.put(hash, &result(depth, 0, None));
        }
        table.age();
        assert_eq!(depth(&table, 1), Some(20));
        // Less deep, so the bounds stay, and the board counts as one of this search.
        table.put(hashes[2], &result(1, 30, Some(Square::D3)));
        let known = table.get(hashes[2]).unwrap();
        assert_eq!((known.depth, known.best[0]), (8, Some(Square::D3)));
        table.put(hashes[4], &result(1, 0, None));
        table.put(hashes[5], &result(2, 0, None));
        let depths: Vec<_> = (0..6).map(|at| depth(&table, at)).collect();
        assert_eq!(depths, [None, Some(20), Some(8), None, Some(1), Some(2)]);
    }

    #[test]
    fn a_full_bucket_keeps_its_deepest_boards() {
        let table = Table::new(64);
        let boards = (1..=5).map(|bits| Board {
            player: crate::Bitboard(bits << 40),
            opponent: crate::Bitboard(1),
        });
        for (board, depth) in boards.clone().zip([9, 3, 8, 7, 2]) {
            table.put(Hash::of(board), &result(depth, 0, None));
        }
        let depths: Vec<_> = boards
            .map(|board| table.get(Hash::of(board)).map(|known| known.depth))
            .collect();
        assert_eq!(depths, [Some(9), None, Some(8), Some(7), Some(2)]);
    }

    #[test]
    fn the_size_is_bounded() {
        assert_eq!(Table::new(0).bytes(), 64);
        assert_eq!(Table::new(100_000).bytes(), 65_536);
    }
}
