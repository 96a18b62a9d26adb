//! How boards lie in memory, and how a block of them is turned round: from a board after the other
//! to a rank of every board after the other.
//!
//! A byte of a block has an address of seven bits: which vector (three), which board in its half of
//! 16 bytes (one), which rank (three). Zipping each of the first four vectors with the one four
//! further rotates all addresses by a bit. After four rounds the rank numbers the vectors; three
//! more are all the way round.

use super::super::bytes::Bytes;
use super::{MAX_LEN, Ranks, Sides};

/// Space for a block that a batch does not fill.
pub(super) type Padding = [[u64; MAX_LEN]; 2];

/// What fills a block up: the player on b1, the opponent on a1, and h8 for both. As a board it has
/// no moves; as a marked one, the player moves to h8 and c1 is the one reply.
const FILLER: [u64; 2] = [1 << 63 | 0b10, 1 << 63 | 0b01];

/// Where positions lie: an array for each side, 8 little-endian bytes for each position, at any
/// alignment.
#[derive(Clone, Copy)]
pub(in crate::kernel) struct Positions {
    pub(in crate::kernel) player: *const u8,
    pub(in crate::kernel) opponent: *const u8,
}

impl Positions {
    /// The positions from number `first` on.
    ///
    /// # Safety
    ///
    /// There must be as many.
    #[inline(always)]
    pub(super) unsafe fn skip(self, first: usize) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            Self {
                player: self.player.add(8 * first),
                opponent: self.opponent.add(8 * first),
            }
        }
    }

    /// Copies `count` positions to `padding`, and fills it up.
    ///
    /// # Safety
    ///
    /// There must be as many, and at most [`MAX_LEN`].
    #[inline(always)]
    pub(super) unsafe fn pad(self, count: usize, padding: &mut Padding) -> Self {
        *padding = [[FILLER[0]; MAX_LEN], [FILLER[1]; MAX_LEN]];
        let [player, opponent] = padding;
        let (player, opponent) = (player.as_mut_ptr().cast(), opponent.as_mut_ptr().cast());
        // SAFETY: the caller's promise; there is room for as many.
        unsafe {
            self.player.copy_to_nonoverlapping(player, 8 * count);
            self.opponent.copy_to_nonoverlapping(opponent, 8 * count);
        }
        Self { player, opponent }
    }

    /// The first position: the player's and the opponent's discs.
    ///
    /// # Safety
    ///
    /// There must be one.
    #[inline(always)]
    pub(super) unsafe fn read(self) -> (u64, u64) {
        // SAFETY: the caller's promise; words lie at any alignment.
        unsafe {
            (
                self.player.cast::<u64>().read_unaligned(),
                self.opponent.cast::<u64>().read_unaligned(),
            )
        }
    }
}

/// Which position of a turned block a byte belongs to.
pub(super) const fn position_of_byte<V: Bytes>(byte: usize) -> usize {
    let (group, vector, board) = (byte / 16, byte % 16 / 2, byte % 2);
    vector * (V::LEN / 8) + group * 2 + board
}

/// Turns a block of words round: the player's or the opponent's.
///
/// # Safety
///
/// Eight vectors must be readable, and the machine must have the instructions of `V`.
#[inline(always)]
pub(super) unsafe fn turn<V: Bytes>(words: *const u8) -> Ranks<V> {
    // SAFETY: the caller's promise.
    let vectors = unsafe {
        [
            V::load(words),
            V::load(words.add(V::LEN)),
            V::load(words.add(2 * V::LEN)),
            V::load(words.add(3 * V::LEN)),
            V::load(words.add(4 * V::LEN)),
            V::load(words.add(5 * V::LEN)),
            V::load(words.add(6 * V::LEN)),
            V::load(words.add(7 * V::LEN)),
        ]
    };
    zip(zip(zip(zip(vectors))))
}

/// Turns ranks back and writes the words of the first `count` positions.
///
/// # Safety
///
/// As many words must be writable.
#[inline(always)]
pub(super) unsafe fn turn_back<V: Bytes>(ranks: &Ranks<V>, count: usize, words: *mut u8) {
    let vectors = zip(zip(zip(*ranks)));
    if count == V::LEN {
        // SAFETY: eight vectors are a block of words.
        unsafe { write(vectors, words) };
    } else {
        let mut block = [0_u64; MAX_LEN];
        // SAFETY: there is room for a block; the rest is the caller's promise.
        unsafe {
            write(vectors, block.as_mut_ptr().cast());
            words.copy_from_nonoverlapping(block.as_ptr().cast(), 8 * count);
        }
    }
}

/// Writes eight vectors.
///
/// # Safety
///
/// As many must be writable.
#[inline(always)]
unsafe fn write<V: Bytes>(vectors: [V; 8], words: *mut u8) {
    for (index, vector) in vectors.into_iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { vector.store(words.add(index * V::LEN)) };
    }
}

#[inline(always)]
fn zip<V: Bytes>(v: [V; 8]) -> [V; 8] {
    let (a, b) = v[0].zip(v[4]);
    let (c, d) = v[1].zip(v[5]);
    let (e, f) = v[2].zip(v[6]);
    let (g, h) = v[3].zip(v[7]);
    [a, b, c, d, e, f, g, h]
}

/// The two sides as ranks.
#[inline(always)]
pub(super) fn split<V>(sides: &Sides<V>) -> (&Ranks<V>, &Ranks<V>) {
    let (ranks, _) = sides.as_chunks();
    (&ranks[0], &ranks[1])
}
