//! The boards one and two plies below others, for counting trees.
#![allow(
    unsafe_code,
    reason = "calls what is compiled for more than every processor of the family has"
)]

use std::ops::Range;

use super::{Backend, Kernel, dispatch, portable};
use crate::bitboard::symmetry::images;
use crate::square::Square;

/// Boards of one ply, as the mover sees them: two arrays of equal length.
#[derive(Debug, Default)]
pub(crate) struct Boards {
    /// The discs of the side to move.
    pub(super) player: Vec<u64>,
    /// The discs of the other side.
    pub(super) opponent: Vec<u64>,
}

impl Boards {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.player.len()
    }

    /// The player's and the opponent's discs of a board.
    ///
    /// # Panics
    ///
    /// If there is no such board.
    pub(crate) fn get(&self, index: u32) -> (u64, u64) {
        (self.player[index as usize], self.opponent[index as usize])
    }

    /// Adds a board.
    pub(crate) fn push(&mut self, player: u64, opponent: u64) {
        self.player.push(player);
        self.opponent.push(opponent);
    }

    /// The player's and the opponent's discs of some boards.
    ///
    /// # Panics
    ///
    /// If there are not as many.
    pub(crate) fn iter(&self, range: Range<usize>) -> impl Iterator<Item = (u64, u64)> + Clone {
        let opponents = self.opponent[range.clone()].iter().copied();
        self.player[range].iter().copied().zip(opponents)
    }

    /// Adds some boards of another list.
    ///
    /// # Panics
    ///
    /// If there are not as many.
    pub(crate) fn extend_from(&mut self, from: &Self, range: Range<usize>) {
        self.player.extend_from_slice(&from.player[range.clone()]);
        self.opponent.extend_from_slice(&from.opponent[range]);
    }

    /// Forgets all boards, and keeps the room.
    pub(crate) fn clear(&mut self) {
        self.player.clear();
        self.opponent.clear();
    }
}

impl Kernel {
    /// Adds the boards after all moves to `children`, in no order, and the index of the board that
    /// each comes from to `parents`. Hands on the indices of the boards without moves.
    pub(crate) fn expand(
        self,
        boards: &Boards,
        children: &mut Boards,
        parents: &mut Vec<u32>,
        blocked: &mut dyn FnMut(u32),
    ) {
        dispatch!(
            self,
            expand(boards, children, parents, blocked),
            each_child(boards, blocked, |player, opponent, parent| {
                children.push(player, opponent);
                parents.push(parent);
            })
        );
    }

    /// Puts the smallest of its eight symmetric boards in the place of each board: the one that
    /// [`Board::canonical`](crate::Board::canonical) answers.
    pub(crate) fn make_canonical(self, boards: &mut Boards) {
        dispatch!(self, make_canonical(boards), make_canonical(boards));
    }

    /// Adds to the leaves of each board the numbers of moves of the boards after all its moves: its
    /// leaves two plies down. Hands on the indices of the boards without moves, and the boards after
    /// moves that have none, with the index of the board before.
    ///
    /// # Panics
    ///
    /// Unless there are as many `leaves` as boards.
    pub(crate) fn count_two_plies(
        self,
        boards: &Boards,
        leaves: &mut [u32],
        blocked: &mut dyn FnMut(u32),
        blocked_after: &mut dyn FnMut(u64, u64, u32),
    ) {
        assert!(leaves.len() == boards.len());
        dispatch!(
            self,
            count_two_plies(boards, leaves, blocked, blocked_after),
            each_child(boards, blocked, |player, opponent, parent| {
                let moves = portable::legal_moves(player, opponent);
                leaves[parent as usize] += moves.count_ones();
                if moves == 0 {
                    blocked_after(player, opponent, parent);
                }
            })
        );
    }
}

/// Puts the smallest of its eight symmetric boards in the place of each board.
///
/// A plain loop, about 100 operations a board: compilers take as many boards at a time as the
/// vectors that they may use have words.
#[inline(always)]
pub(super) fn make_canonical(boards: &mut Boards) {
    for (player, opponent) in boards.player.iter_mut().zip(&mut boards.opponent) {
        let (players, opponents) = (images(*player), images(*opponent));
        let (mut least_player, mut least_opponent) = (*player, *opponent);
        for image in 1..8 {
            let less = players[image] < least_player
                || players[image] == least_player && opponents[image] < least_opponent;
            least_player = if less { players[image] } else { least_player };
            least_opponent = if less {
                opponents[image]
            } else {
                least_opponent
            };
        }
        (*player, *opponent) = (least_player, least_opponent);
    }
}

/// Plays all moves of all boards. Hands on the indices of the boards without moves.
fn each_child(boards: &Boards, blocked: &mut dyn FnMut(u32), mut child: impl FnMut(u64, u64, u32)) {
    for (index, (&player, &opponent)) in (0..).zip(boards.player.iter().zip(&boards.opponent)) {
        let mut moves = portable::legal_moves(player, opponent);
        if moves == 0 {
            blocked(index);
        }
        while moves != 0 {
            let turned = portable::flips(player, opponent, Square::lowest_of(moves));
            let square = moves & moves.wrapping_neg();
            moves ^= square;
            child(opponent ^ turned, player ^ turned ^ square, index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitboard::Bitboard;
    use crate::board::Board;

    /// Boards of all densities.
    fn random_boards(count: usize, state: &mut u64) -> Boards {
        let mut word = || {
            *state ^= *state << 13;
            *state ^= *state >> 7;
            *state ^= *state << 17;
            *state
        };
        let mut boards = Boards::default();
        for _ in 0..count {
            let occupied = match word() % 4 {
                0 => word() & word(),
                1 => word(),
                2 => word() | word(),
                _ => word() | word() | word() | word(),
            };
            let player = occupied & word();
            boards.push(player, occupied & !player);
        }
        boards
    }

    /// All that the functions find, in an order that does not depend on the kernel.
    #[derive(Debug, PartialEq, Eq)]
    struct Below {
        children: Vec<(u64, u64, u32)>,
        blocked: Vec<u32>,
        leaves: Vec<u32>,
        blocked_after: Vec<(u64, u64, u32)>,
    }

    fn below(kernel: Kernel, boards: &Boards) -> Below {
        let (mut children, mut parents) = (Boards::default(), Vec::new());
        let [mut blocked, mut again] = [const { Vec::new() }; 2];
        kernel.expand(boards, &mut children, &mut parents, &mut |index| {
            blocked.push(index);
        });
        let mut leaves = vec![0; boards.len()];
        let mut blocked_after = Vec::new();
        kernel.count_two_plies(
            boards,
            &mut leaves,
            &mut |index| again.push(index),
            &mut |player, opponent, parent| blocked_after.push((player, opponent, parent)),
        );
        for list in [&mut blocked, &mut again] {
            list.sort_unstable();
        }
        assert_eq!(blocked, again, "{kernel:?}");
        blocked_after.sort_unstable();
        let boards = children.player.iter().zip(&children.opponent).zip(parents);
        let mut children: Vec<_> = boards.map(|((&p, &o), parent)| (p, o, parent)).collect();
        children.sort_unstable();
        Below {
            children,
            blocked,
            leaves,
            blocked_after,
        }
    }

    #[test]
    fn all_kernels_find_the_same_boards_and_leaves() {
        let mut state = 0x9E37_79B9_7F4A_7C15;
        let counts = if cfg!(miri) {
            vec![0, 1, 66]
        } else {
            (0..100).chain([128, 500, 2000]).collect()
        };
        for count in counts {
            let boards = random_boards(count, &mut state);
            let expected = below(Kernel::PORTABLE, &boards);
            for kernel in Kernel::available() {
                assert_eq!(
                    below(kernel, &boards),
                    expected,
                    "{kernel:?}, {count} boards"
                );
            }
        }
    }

    #[test]
    fn canonical_boards_are_the_smallest_of_eight() {
        let mut state = 0x1234_5678_9ABC_DEF1;
        for kernel in Kernel::available() {
            let count = if cfg!(miri) { 11 } else { 1001 };
            let mut boards = random_boards(count as usize, &mut state);
            let expected: Vec<_> = (0..count)
                .map(|index| {
                    let (player, opponent) = boards.get(index);
                    let board = Board {
                        player: Bitboard(player),
                        opponent: Bitboard(opponent),
                    };
                    let least = board.canonical();
                    (least.player.0, least.opponent.0)
                })
                .collect();
            kernel.make_canonical(&mut boards);
            let found: Vec<_> = (0..count).map(|index| boards.get(index)).collect();
            assert_eq!(found, expected, "{kernel:?}");
        }
    }
}
