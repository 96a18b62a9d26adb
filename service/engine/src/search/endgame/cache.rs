//! A small table of boards near the end of the game, for one thread and in its nearest caches.

#![allow(clippy::cast_possible_truncation, reason = "values of at most 64")]

use crate::board::Board;
use crate::square::Square;

/// The number of entries, a power of two.
pub(super) const ENTRIES: usize = 1 << 13;

/// What is known about the value of a board, in discs, and the best move so far.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Entry {
    board: Board,
    pub(super) lower: i8,
    pub(super) upper: i8,
    /// The best move.
    pub(super) best: u8,
}

const EMPTY: Entry = Entry {
    board: Board {
        player: crate::Bitboard(u64::MAX),
        opponent: crate::Bitboard(u64::MAX),
    },
    lower: -64,
    upper: 64,
    best: 64,
};

/// The table; it takes memory when something is first kept in it.
#[derive(Debug, Default)]
pub(in crate::search) struct Cache {
    entries: Vec<Entry>,
}

impl Cache {
    /// The slot of a board.
    #[inline(always)]
    pub(super) fn slot(board: Board) -> usize {
        let mixed = board.player.0.wrapping_mul(0x9E37_79B9_7F4A_7C15)
            ^ board.opponent.0.wrapping_mul(0xBB67_AE85_84CA_A73B);
        (mixed >> 51) as usize & (ENTRIES - 1)
    }

    #[inline(always)]
    pub(super) fn get(&self, slot: usize, board: Board) -> Option<Entry> {
        let entry = self.entries.get(slot)?;
        (entry.board == board).then_some(*entry)
    }

    #[inline(always)]
    pub(super) fn put(&mut self, slot: usize, board: Board, lower: i32, upper: i32, best: Square) {
        if self.entries.is_empty() {
            self.allocate();
        }
        if let Some(entry) = self.entries.get_mut(slot) {
            *entry = Entry {
                board,
                lower: lower as i8,
                upper: upper as i8,
                best: best.index(),
            };
        }
    }

    #[cold]
    fn allocate(&mut self) {
        self.entries = vec![EMPTY; ENTRIES];
    }
}
