//! The boards of one ply, each once, with the number of ways to reach it. Knows no plies below.

use std::ops::Range;

use super::weighted::{Weighted, cuts};
use crate::kernel::{Kernel, prefetch};

/// The boards of a ply.
pub(super) struct Ply {
    /// One after the other with all that belongs to it, for they are looked up in any order.
    entries: Vec<Entry>,
    /// How many there may be.
    capacity: usize,
    index: Option<Index>,
}

/// A board and the number of move sequences that lead to it; `u64::MAX` stands for more, too.
#[derive(Clone, Copy)]
struct Entry {
    board: (u64, u64),
    weight: u64,
}

impl Ply {
    /// An empty ply in which each board stays by itself, for any number of boards.
    pub(super) fn of_all() -> Self {
        Self {
            entries: Vec::new(),
            capacity: usize::MAX,
            index: None,
        }
    }

    /// An empty ply in which equal and symmetric boards are one, the smallest of the eight. It takes
    /// up to so many bytes, also while it grows.
    ///
    /// With [`LOAD`] a slot takes 8 bytes and its part of a board 18, and again half as much of
    /// these while boards are copied.
    pub(super) fn merging(bytes: usize) -> Self {
        Self {
            entries: Vec::new(),
            capacity: boards_in(bytes / 35).min(MOST_BOARDS),
            index: Some(Index::default()),
        }
    }

    /// How many boards there may be. No more than that may be added.
    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// How many boards there are.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Some of the boards.
    pub(super) fn list(&self, range: Range<usize>) -> Weighted {
        let mut list = Weighted::default();
        for entry in &self.entries[range] {
            list.push(entry.board.0, entry.board.1, entry.weight);
        }
        list
    }

    /// Forgets all boards, and keeps the room.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        if let Some(index) = &mut self.index {
            index.slots.fill(EMPTY);
        }
    }

    /// Adds boards. Those given are changed.
    pub(super) fn add(&mut self, kernel: Kernel, added: &mut Weighted) {
        let Self { entries, index, .. } = self;
        let Some(index) = index else {
            entries.extend(
                added
                    .iter(0..added.len())
                    .map(|(board, weight)| Entry { board, weight }),
            );
            return;
        };
        kernel.make_canonical(&mut added.boards);
        let most = entries.len() + added.len();
        if most > boards_in(index.slots.len()) {
            let boards = most.next_power_of_two().min(self.capacity.max(most));
            entries.reserve_exact(boards - entries.len());
            index.grow(slots_for(boards), entries);
        }
        for range in cuts(added.len(), BATCH) {
            index.add_some(added.iter(range), entries);
        }
    }
}

/// How many boards there are at most for eight slots.
const LOAD: usize = 6;

/// How many boards so many slots hold.
const fn boards_in(slots: usize) -> usize {
    slots / 8 * LOAD
}

/// How many slots hold so many boards.
const fn slots_for(boards: usize) -> usize {
    boards.div_ceil(LOAD) * 8
}

/// The most boards of a ply, whatever the memory: slots are found by 32 bits.
const MOST_BOARDS: usize = 1 << 31;

/// How many slots are on their way from memory at a time.
const BATCH: usize = 64;

/// Finds boards: open addressing with linear probing.
#[derive(Default)]
struct Index {
    slots: Vec<Slot>,
}

/// 8 bytes.
#[derive(Clone, Copy)]
struct Slot {
    /// The number of a board plus one, or 0.
    number: u32,
    /// Part of the hash of that board: most others are told apart without a look at it.
    tag: u32,
}

const EMPTY: Slot = Slot { number: 0, tag: 0 };

/// What is known of a board at a glance.
#[derive(Clone, Copy, Default)]
struct Hash {
    home: u32,
    tag: u32,
}

impl Index {
    /// Where to look first.
    fn home(&self, hash: Hash) -> usize {
        // The upper half of the product with a number below 2^32 is below that number.
        ((u64::from(hash.home) * self.slots.len() as u64) >> 32) as usize
    }

    /// Adds up to [`BATCH`] boards: what they need from memory is asked for before it is used.
    fn add_some(
        &mut self,
        added: impl Iterator<Item = ((u64, u64), u64)> + Clone,
        entries: &mut Vec<Entry>,
    ) {
        let mut hashes = [Hash::default(); BATCH];
        for (hash, (board, _)) in hashes.iter_mut().zip(added.clone()) {
            *hash = hash_of(board);
            prefetch(&self.slots, self.home(*hash));
        }
        for (&hash, _) in hashes.iter().zip(added.clone()) {
            let slot = self.slots[self.home(hash)];
            if slot.tag == hash.tag {
                prefetch(entries, (slot.number as usize).wrapping_sub(1));
            }
        }
        for (&hash, (board, weight)) in hashes.iter().zip(added) {
            self.add(hash, Entry { board, weight }, entries);
        }
    }

    fn add(&mut self, hash: Hash, added: Entry, entries: &mut Vec<Entry>) {
        let mut place = self.home(hash);
        loop {
            let slot = self.slots[place];
            if slot.number == 0 {
                self.slots[place] = slot_of(entries.len(), hash);
                entries.push(added);
                return;
            }
            if slot.tag == hash.tag {
                let entry = &mut entries[slot.number as usize - 1];
                if entry.board == added.board {
                    entry.weight = entry.weight.saturating_add(added.weight);
                    return;
                }
            }
            place = self.after(place);
        }
    }

    /// Where to look after that.
    fn after(&self, place: usize) -> usize {
        if place + 1 < self.slots.len() {
            place + 1
        } else {
            0
        }
    }

    /// Makes more slots, and fills them anew.
    fn grow(&mut self, slots: usize, entries: &[Entry]) {
        // The old ones make room before the new ones are made.
        self.slots = Vec::new();
        self.slots = vec![EMPTY; slots];
        for (number, entry) in entries.iter().enumerate() {
            let hash = hash_of(entry.board);
            let mut place = self.home(hash);
            while self.slots[place].number != 0 {
                place = self.after(place);
            }
            self.slots[place] = slot_of(number, hash);
        }
    }
}

fn slot_of(number: usize, hash: Hash) -> Slot {
    let number = u32::try_from(number + 1).expect("invariant: no ply holds more than MOST_BOARDS");
    Slot {
        number,
        tag: hash.tag,
    }
}

/// Multiplies the sides by odd numbers, and folds the 128-bit product of their mix with a third.
/// The numbers are digits of the square roots of 2, 3 and 5.
fn hash_of((player, opponent): (u64, u64)) -> Hash {
    const FACTOR: u64 = 0x3C6E_F372_FE94_F82B;
    let mixed = player.wrapping_mul(0x6A09_E667_F3BC_C909)
        ^ opponent.wrapping_mul(0xBB67_AE85_84CA_A73B).rotate_left(32);
    let upper = ((u128::from(mixed) * u128::from(FACTOR)) >> 64) as u64;
    let folded = upper ^ mixed.wrapping_mul(FACTOR);
    Hash {
        home: (folded & 0xFFFF_FFFF) as u32,
        tag: (folded >> 32) as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Different boards, none of them symmetric to another.
    fn boards(range: Range<u64>) -> Weighted {
        let mut list = Weighted::default();
        range.for_each(|number| list.push(number << 8, 0b11, number + 1));
        list
    }

    #[test]
    fn equal_and_symmetric_boards_become_one_and_their_weights_add_up() {
        let mut ply = Ply::merging(1 << 22);
        let mut list = Weighted::default();
        list.push(0b01, 0b10, 3);
        list.push(1 << 63, 1 << 62, 4);
        list.push(0b10, 0b01, 5);
        ply.add(Kernel::best(), &mut list);
        assert_eq!(ply.list(0..ply.len()).weights, [7, 5]);
    }

    #[test]
    fn weights_saturate() {
        let mut ply = Ply::merging(1 << 22);
        let mut list = Weighted::default();
        list.push(1, 2, u64::MAX - 1);
        list.push(1, 2, 2);
        ply.add(Kernel::best(), &mut list);
        assert_eq!(ply.list(0..ply.len()).weights, [u64::MAX]);
    }

    #[test]
    fn all_boards_are_found_again_after_growth_and_none_after_clearing() {
        let mut ply = Ply::merging(1 << 22);
        for _ in 0..2 {
            for first in (0..20_000).step_by(700) {
                ply.add(Kernel::best(), &mut boards(first..first + 700));
            }
            let known = ply.len();
            ply.add(Kernel::best(), &mut boards(0..5000));
            assert_eq!(ply.len(), known);
            ply.clear();
            assert_eq!(ply.len(), 0);
        }
    }

    #[test]
    fn a_ply_that_does_not_merge_keeps_all() {
        let mut ply = Ply::of_all();
        ply.add(Kernel::best(), &mut boards(0..3));
        ply.add(Kernel::best(), &mut boards(0..3));
        assert_eq!(ply.list(0..ply.len()).weights, [1, 2, 3, 1, 2, 3]);
    }

    #[test]
    fn a_full_ply_takes_no_more_than_its_bytes() {
        for bytes in [0, 1 << 16, 1_000_000, 1 << 30] {
            let capacity = Ply::merging(bytes).capacity();
            let slots = slots_for(capacity);
            assert!(
                8 * slots + 24 * capacity + 12 * capacity <= bytes,
                "{bytes} bytes"
            );
        }
    }

    #[test]
    fn a_ply_can_be_filled() {
        let mut ply = Ply::merging(1 << 16);
        let capacity = ply.capacity() as u64;
        ply.add(Kernel::best(), &mut boards(0..capacity / 2));
        ply.add(Kernel::best(), &mut boards(capacity / 2..capacity));
        ply.add(Kernel::best(), &mut boards(capacity - 10..capacity));
        assert_eq!(ply.len() as u64, capacity);
    }
}
