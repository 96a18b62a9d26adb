//! Marks boards with their moves: what the kernels that play many moves at a time begin with. A
//! board is marked with a move by setting the square on both sides.

use super::Kernel;
use super::isa::{Isa, IsaVisitor};
use crate::bitboard::Bitboard;
use crate::square::Square;

/// Room for all moves of some boards and for the boards marked with them.
pub(crate) struct Marked<'a> {
    /// The squares that are played.
    pub(crate) squares: &'a mut [Square],
    /// The marked discs of the mover.
    pub(crate) player: &'a mut [u64],
    /// The marked discs of the other side.
    pub(crate) opponent: &'a mut [u64],
}

impl Kernel {
    /// Adds for each set of moves where they end if those of all sets are put side by side from
    /// `first` on. Returns where the last ones end.
    pub(crate) fn put_ends(self, moves: &[u64], first: usize, ends: &mut Vec<usize>) -> usize {
        self.with_isa(Ends { moves, first, ends })
    }

    /// Marks each board with each of its moves, in the order of the squares, as far as there is
    /// room.
    pub(crate) fn mark_moves(
        self,
        player: &[u64],
        opponent: &[u64],
        moves: &[u64],
        marked: Marked<'_>,
    ) {
        self.with_isa(Mark {
            player,
            opponent,
            moves,
            marked,
        });
    }
}

struct Ends<'a> {
    moves: &'a [u64],
    first: usize,
    ends: &'a mut Vec<usize>,
}

impl IsaVisitor for Ends<'_> {
    type Output = usize;

    fn visit<I: Isa>(self, isa: I) -> usize {
        isa.call1(
            #[inline(always)]
            |_, work: Ends<'_>| {
                let mut end = work.first;
                work.ends.extend(work.moves.iter().map(|moves| {
                    end += moves.count_ones() as usize;
                    end
                }));
                end
            },
            self,
        )
    }
}

struct Mark<'a> {
    player: &'a [u64],
    opponent: &'a [u64],
    moves: &'a [u64],
    marked: Marked<'a>,
}

impl IsaVisitor for Mark<'_> {
    type Output = ();

    fn visit<I: Isa>(self, isa: I) {
        isa.call1(
            #[inline(always)]
            |_, work: Mark<'_>| {
                let Marked {
                    squares,
                    player,
                    opponent,
                } = work.marked;
                let mut slots = squares.iter_mut().zip(player).zip(opponent);
                let boards = work.player.iter().zip(work.opponent);
                for ((&player, &opponent), &moves) in boards.zip(work.moves) {
                    // The moves are asked for first: else a slot would be lost at each end.
                    for (square, slot) in Bitboard(moves).iter().zip(&mut slots) {
                        let ((to_square, to_player), to_opponent) = slot;
                        *to_square = square;
                        *to_player = player | square.bit();
                        *to_opponent = opponent | square.bit();
                    }
                }
            },
            self,
        );
    }
}
