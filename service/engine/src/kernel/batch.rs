//! Many positions at a time: hands batches to the kernel.
#![allow(
    unsafe_code,
    reason = "calls what is compiled for more than every processor of the family has"
)]

use super::word::Word;
use super::{Backend, Kernel, dispatch, portable};
use crate::square::Square;

#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little")
))]
use super::ranks::Positions;

/// Below this many positions, one after the other is faster than a block that is filled up: on Zen 3
/// 16 take 88 ns instead of 93, 20 take 109 instead of 97.
const FEW: usize = 17;

/// How many marked boards are made at a time.
const MARKED: usize = 256;

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
        dispatch!(
            self.for_batch(player.len()),
            legal_moves(
                positions(player, opponent),
                player.len(),
                moves.as_mut_ptr().cast(),
                overlapping,
            ),
            one_by_one(player, opponent, moves, overlapping)
        );
    }

    /// Writes the number of legal moves of each position.
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    pub(crate) fn mobility_of_batch(self, player: &[u64], opponent: &[u64], counts: &mut [u8]) {
        assert!(player.len() == opponent.len() && player.len() == counts.len());
        dispatch!(
            self.for_batch(player.len()),
            mobility(
                positions(player, opponent),
                player.len(),
                counts.as_mut_ptr(),
            ),
            for ((&player, &opponent), count) in player.iter().zip(opponent).zip(counts) {
                *count = mobility(portable::legal_moves(player, opponent));
            }
        );
    }

    /// Writes the discs that each move turns; none where the square is occupied.
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    pub(crate) fn flips_of_batch(
        self,
        player: &[u64],
        opponent: &[u64],
        squares: &[Square],
        flips: &mut [u64],
    ) {
        let count = player.len();
        assert!(count == opponent.len() && count == squares.len() && count == flips.len());
        let mut marked = [[0; MARKED]; 2];
        for first in (0..count).step_by(MARKED) {
            let here = first..count.min(first + MARKED);
            let [marked_player, marked_opponent] = &mut marked;
            let len = here.len();
            for (index, from) in here.clone().enumerate() {
                let (player, opponent) = (player[from], opponent[from]);
                let square = squares[from].bit() & !(player | opponent);
                marked_player[index] = player | square;
                marked_opponent[index] = opponent | square;
            }
            self.flips_of_marked(
                &marked_player[..len],
                &marked_opponent[..len],
                &mut flips[here],
            );
        }
    }

    /// Writes the discs that the moves of marked boards turn. A board is marked with a move by
    /// setting the square on both sides.
    fn flips_of_marked(self, player: &[u64], opponent: &[u64], flips: &mut [u64]) {
        dispatch!(
            self.for_batch(player.len()),
            flips(
                positions(player, opponent),
                player.len(),
                flips.as_mut_ptr().cast(),
            ),
            for ((&player, &opponent), flips) in player.iter().zip(opponent).zip(flips) {
                *flips = match player & opponent {
                    0 => 0,
                    square => flips_of_move(player, opponent, square),
                };
            }
        );
    }

    /// Writes the boards after the moves of marked boards, as the next mover sees them. All arrays
    /// are equally long.
    pub(crate) fn boards_after_marked(
        self,
        player: &[u64],
        opponent: &[u64],
        next_player: &mut [u64],
        next_opponent: &mut [u64],
    ) {
        let count = player.len();
        assert!(count == opponent.len());
        assert!(count == next_player.len() && count == next_opponent.len());
        dispatch!(
            self.for_batch(count),
            boards_after(
                positions(player, opponent),
                count,
                next_player.as_mut_ptr().cast(),
                next_opponent.as_mut_ptr().cast(),
            ),
            for index in 0..count {
                let (player, opponent) = (player[index], opponent[index]);
                let flips = flips_of_move(player, opponent, player & opponent);
                next_player[index] = opponent ^ (flips | player & opponent);
                next_opponent[index] = player ^ flips;
            }
        );
    }

    /// The kernel for a batch of this size.
    fn for_batch(self, positions: usize) -> Self {
        if positions < FEW {
            Self::PORTABLE
        } else {
            self
        }
    }
}

#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little")
))]
fn positions<W: Word>(player: &[W], opponent: &[W]) -> Positions {
    Positions {
        player: player.as_ptr().cast(),
        opponent: opponent.as_ptr().cast(),
    }
}

/// How many squares a set of moves has.
#[inline(always)]
pub(super) fn mobility(moves: u64) -> u8 {
    u8::try_from(moves.count_ones()).unwrap_or(u8::MAX)
}

/// The discs that a marked move turns.
fn flips_of_move(player: u64, opponent: u64, square: u64) -> u64 {
    portable::flips(
        player ^ square,
        opponent ^ square,
        Square::lowest_of(square),
    )
}

/// The loop that every kernel must agree with.
fn one_by_one<W: Word>(
    player: &[W],
    opponent: &[W],
    moves: &mut [W],
    overlapping: Option<&mut Vec<usize>>,
) {
    for ((player, opponent), moves) in player.iter().zip(opponent).zip(&mut *moves) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// All that a kernel answers for a batch.
    #[derive(Debug, PartialEq, Eq)]
    struct Answers {
        moves: Vec<u64>,
        overlapping: Vec<usize>,
        mobility: Vec<u8>,
        flips: Vec<u64>,
        player_after: Vec<u64>,
        opponent_after: Vec<u64>,
    }

    fn answers(kernel: Kernel, player: &[u64], opponent: &[u64]) -> Answers {
        let count = player.len();
        let mut found = Answers {
            moves: vec![u64::MAX; count],
            overlapping: Vec::new(),
            mobility: vec![u8::MAX; count],
            flips: vec![u64::MAX; count],
            player_after: vec![u64::MAX; count],
            opponent_after: vec![u64::MAX; count],
        };
        let overlapping = Some(&mut found.overlapping);
        kernel.legal_moves_of_batch(player, opponent, &mut found.moves, overlapping);
        kernel.mobility_of_batch(player, opponent, &mut found.mobility);
        // The lowest empty square, and another one: each position has some.
        let empties = player
            .iter()
            .zip(opponent)
            .map(|(player, opponent)| !(player | opponent));
        let lowest: Vec<Square> = empties.map(Square::lowest_of).collect();
        kernel.flips_of_batch(player, opponent, &lowest, &mut found.flips);
        let mark = |side: &[u64]| -> Vec<u64> {
            let marked = side.iter().zip(&lowest);
            marked.map(|(discs, square)| discs | square.bit()).collect()
        };
        kernel.boards_after_marked(
            &mark(player),
            &mark(opponent),
            &mut found.player_after,
            &mut found.opponent_after,
        );
        found
    }

    #[test]
    fn all_kernels_give_the_same_answers_at_every_length() {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut word = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let counts: Vec<usize> = if cfg!(miri) {
            vec![13, 70]
        } else {
            (0..200).collect()
        };
        for count in counts {
            let (mut player, mut opponent) = (Vec::new(), Vec::new());
            for index in 0..count {
                let occupied = (word() | word()) & !(1 << (word() % 64));
                player.push(occupied & word());
                // One in 16 overlaps, most likely.
                let overlap = if index % 16 == 5 { word() & word() } else { 0 };
                opponent.push(occupied & (!player[index] | overlap));
            }
            let expected = answers(Kernel::PORTABLE, &player, &opponent);
            for kernel in Kernel::available() {
                let mut found = answers(kernel, &player, &opponent);
                for &index in &expected.overlapping {
                    // Without a promise, they mean nothing.
                    found.mobility[index] = expected.mobility[index];
                    found.flips[index] = expected.flips[index];
                    found.player_after[index] = expected.player_after[index];
                    found.opponent_after[index] = expected.opponent_after[index];
                }
                assert_eq!(found, expected, "{kernel:?}, {count} positions");
            }
        }
    }
}
