//! Hands batches of positions to the kernels that take many at a time.
#![allow(
    unsafe_code,
    reason = "calls what is compiled for more than every processor of the family has"
)]

use super::word::Word;
use super::{Backend, Kernel, portable};
#[cfg(target_arch = "x86_64")]
use super::{avx2, ranks::Positions};

/// Below this, one position after the other is faster than a block padded to 32. Chosen by the
/// bench `kernels`.
const FEW: usize = 12;

impl Kernel {
    /// Writes the legal moves of each position to `moves`. With a list given, adds the indices of
    /// positions where the sides overlap to it, and gives those no moves.
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    pub(crate) fn legal_moves_of_batch<W: Word>(
        self,
        player: &[W],
        opponent: &[W],
        moves: &mut [W],
        overlapping: Option<&mut Vec<usize>>,
    ) {
        assert!(player.len() == opponent.len() && player.len() == moves.len());
        match self.0 {
            Backend::Portable => one_by_one(player, opponent, moves, overlapping),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx2 if player.len() < FEW => {
                one_by_one(player, opponent, moves, overlapping);
            }
            #[cfg(target_arch = "x86_64")]
            Backend::Avx2 => {
                let positions = Positions {
                    player: player.as_ptr().cast(),
                    opponent: opponent.as_ptr().cast(),
                    count: player.len(),
                };
                let moves = moves.as_mut_ptr().cast();
                // SAFETY: the arrays are as long as one another, a `Word` is 8 bytes in the order
                // of this machine, and a `Kernel` exists only where the processor can run it.
                unsafe { avx2::legal_moves_of_batch(positions, moves, overlapping) }
            }
        }
    }
}

/// The loop that every kernel must agree with.
fn one_by_one<W: Word>(
    player: &[W],
    opponent: &[W],
    moves: &mut [W],
    overlapping: Option<&mut Vec<usize>>,
) {
    for ((&player, &opponent), moves) in player.iter().zip(opponent).zip(&mut *moves) {
        *moves = W::of(portable::legal_moves(player.get(), opponent.get()));
    }
    let Some(overlapping) = overlapping else {
        return;
    };
    for (index, moves) in moves.iter_mut().enumerate() {
        if player[index].get() & opponent[index].get() != 0 {
            *moves = W::of(0);
            overlapping.push(index);
        }
    }
}
