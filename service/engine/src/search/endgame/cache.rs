//! A small table of boards near the end of the game, for one thread and in its own caches.

use crate::bitboard::Bitboard;
use crate::board::Board;
use crate::square::Square;

/// The number of entries, a power of two: 256 KiB. Twice as many save 1 % of the nodes and half as
/// many cost 1 %, and either takes more time where the second-level cache has 1 MiB.
const ENTRIES: usize = 1 << ENTRIES_LOG2;
const ENTRIES_LOG2: u32 = 13;

/// What is known about the value of a board, in discs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// It is at least this.
    pub(super) lower: i32,
    /// It is at most this.
    pub(super) upper: i32,
    /// The best move found.
    pub(super) best: Option<Square>,
}

/// Aligned, so that none lies in two lines of the cache: 3 % of the time.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Entry {
    board: Board,
    known: Known,
}

impl Known {
    /// What is known of every board.
    pub(super) const NOTHING: Self = Self {
        lower: -64,
        upper: 64,
        best: None,
    };

    /// The bound to answer, if what is known settles whether the value is above `alpha`.
    #[inline(always)]
    pub(super) const fn settles(&self, alpha: i32) -> Option<i32> {
        if self.lower > alpha {
            Some(self.lower)
        } else if self.upper <= alpha {
            Some(self.upper)
        } else {
            None
        }
    }

    /// The same and what a search has found: `value` is a lower bound above `alpha` and an upper
    /// bound otherwise.
    #[inline(always)]
    pub(super) const fn and(self, value: i32, alpha: i32, best: Option<Square>) -> Self {
        if value > alpha {
            Self {
                lower: value,
                best,
                ..self
            }
        } else {
            Self {
                upper: value,
                best,
                ..self
            }
        }
    }
}

/// The table; it takes memory when something is first kept in it.
#[derive(Debug, Default)]
pub(in crate::search) struct Cache {
    entries: Vec<Entry>,
}

/// Where a board is kept, if it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot(usize);

impl Slot {
    /// The slot of a board: a sum of multiplicative hashes (Knuth, volume 3, section 6.4), by the
    /// fractional parts of the golden ratio and of the square root of three.
    #[inline(always)]
    pub(super) const fn of(board: Board) -> Self {
        let mixed = board.player.0.wrapping_mul(0x9E37_79B9_7F4A_7C15)
            ^ board.opponent.0.wrapping_mul(0xBB67_AE85_84CA_A73B);
        Self((mixed >> (u64::BITS - ENTRIES_LOG2)) as usize)
    }
}

impl Cache {
    /// What is known about a board.
    #[inline(always)]
    pub(super) fn get(&self, slot: Slot, board: Board) -> Option<Known> {
        let entry = self.entries.get(slot.0)?;
        (entry.board == board).then_some(entry.known)
    }

    /// Keeps what is known about a board in place of whatever was there.
    #[inline(always)]
    pub(super) fn put(&mut self, slot: Slot, board: Board, known: Known) {
        if self.entries.is_empty() {
            self.allocate();
        }
        if let Some(entry) = self.entries.get_mut(slot.0) {
            *entry = Entry { board, known };
        }
    }

    #[cold]
    fn allocate(&mut self) {
        // No board has discs of both sides on a square.
        let nowhere = Entry {
            board: Board {
                player: Bitboard::FULL,
                opponent: Bitboard::FULL,
            },
            known: Known::NOTHING,
        };
        self.entries = vec![nowhere; ENTRIES];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_is_found_and_nothing_else() {
        const BOARD: Board = Board::STANDARD;
        let slot = Slot::of(BOARD);
        let mut cache = Cache::default();
        assert!(cache.get(slot, BOARD).is_none());
        let known = Known::NOTHING
            .and(10, 5, Some(Square::D3))
            .and(20, 25, Some(Square::C4));
        cache.put(slot, BOARD, known);
        let found = cache.get(slot, BOARD).unwrap();
        assert_eq!((found.lower, found.upper), (10, 20));
        assert_eq!(found.best, Some(Square::C4));
        assert!(cache.get(slot, BOARD.pass()).is_none());
    }

    #[test]
    fn bounds_settle_what_lies_beyond_them() {
        let known = Known {
            lower: 4,
            upper: 10,
            best: None,
        };
        let settled = [3, 4, 9, 10].map(|alpha| known.settles(alpha));
        assert_eq!(settled, [Some(4), None, None, Some(10)]);
    }
}
