//! The boards one and two plies below others, for counting trees.
#![allow(
    unsafe_code,
    reason = "calls what is compiled for more than every processor of the family has"
)]

use super::{Backend, Kernel, dispatch, portable};
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

    /// Adds a board.
    pub(crate) fn push(&mut self, player: u64, opponent: u64) {
        self.player.push(player);
        self.opponent.push(opponent);
    }

    /// Forgets all boards, and keeps the room.
    pub(crate) fn clear(&mut self) {
        self.player.clear();
        self.opponent.clear();
    }

    /// Moves up to `count` boards from the end of `from` here.
    pub(crate) fn take_last(&mut self, count: usize, from: &mut Self) {
        let first = from.len().saturating_sub(count);
        self.player.extend(from.player.drain(first..));
        self.opponent.extend(from.opponent.drain(first..));
    }
}

impl Kernel {
    /// Adds the boards after all moves to `children`, in no order. Hands on the boards without
    /// moves.
    pub(crate) fn expand(
        self,
        boards: &Boards,
        children: &mut Boards,
        blocked: &mut dyn FnMut(u64, u64),
    ) {
        dispatch!(
            self,
            expand(boards, children, blocked),
            each_child(boards, blocked, |player, opponent| {
                children.push(player, opponent);
            })
        );
    }

    /// The sum of the numbers of moves of the boards after all moves: the leaves two plies down.
    /// Hands on the boards without moves, and those after moves that have none.
    pub(crate) fn count_two_plies(
        self,
        boards: &Boards,
        blocked: &mut dyn FnMut(u64, u64),
        blocked_after: &mut dyn FnMut(u64, u64),
    ) -> u64 {
        dispatch!(self, count_two_plies(boards, blocked, blocked_after), {
            let mut sum = 0;
            each_child(boards, blocked, |player, opponent| {
                let moves = portable::legal_moves(player, opponent);
                sum += u64::from(moves.count_ones());
                if moves == 0 {
                    blocked_after(player, opponent);
                }
            });
            sum
        })
    }
}

/// Plays all moves of all boards. Hands on the boards without moves.
fn each_child(boards: &Boards, blocked: &mut dyn FnMut(u64, u64), mut child: impl FnMut(u64, u64)) {
    for (&player, &opponent) in boards.player.iter().zip(&boards.opponent) {
        let mut moves = portable::legal_moves(player, opponent);
        if moves == 0 {
            blocked(player, opponent);
        }
        while moves != 0 {
            let turned = portable::flips(player, opponent, Square::lowest_of(moves));
            let square = moves & moves.wrapping_neg();
            moves ^= square;
            child(opponent ^ turned, player ^ turned ^ square);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    fn sorted(boards: &Boards) -> Vec<(u64, u64)> {
        let players = boards.player.iter().copied();
        let mut pairs: Vec<_> = players.zip(boards.opponent.iter().copied()).collect();
        pairs.sort_unstable();
        pairs
    }

    /// The children, the boards without moves, the leaves two plies down, and the boards that have
    /// none there.
    #[derive(Debug, PartialEq, Eq)]
    struct Below {
        children: Vec<(u64, u64)>,
        blocked: Vec<(u64, u64)>,
        leaves: u64,
        blocked_after: Vec<(u64, u64)>,
    }

    fn below(kernel: Kernel, boards: &Boards) -> Below {
        let [mut children, mut blocked, mut again, mut blocked_after] = [const {
            Boards {
                player: Vec::new(),
                opponent: Vec::new(),
            }
        }; 4];
        kernel.expand(boards, &mut children, &mut |player, opponent| {
            blocked.push(player, opponent);
        });
        let leaves = kernel.count_two_plies(
            boards,
            &mut |player, opponent| again.push(player, opponent),
            &mut |player, opponent| blocked_after.push(player, opponent),
        );
        assert_eq!(sorted(&blocked), sorted(&again), "{kernel:?}");
        Below {
            children: sorted(&children),
            blocked: sorted(&blocked),
            leaves,
            blocked_after: sorted(&blocked_after),
        }
    }

    #[test]
    fn all_kernels_find_the_same_boards_and_leaves() {
        let mut state = 0x9E37_79B9_7F4A_7C15;
        for count in (0..100).chain([128, 500, 2000]) {
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
    fn boards_are_taken_from_the_end() {
        let mut from = Boards::default();
        (0..5).for_each(|player| from.push(player, 9));
        let mut to = Boards::default();
        to.take_last(3, &mut from);
        assert_eq!((to.player, from.player), (vec![2, 3, 4], vec![0, 1]));
    }
}
