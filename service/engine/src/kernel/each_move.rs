//! All moves of one position with what they turn, in code that is compiled for the kernel's
//! instructions as a whole: a call of [`Kernel::flips`] for each move crosses into such code each
//! time, which costs as much as the flips.

use super::Kernel;
use super::isa::{Isa, IsaVisitor};
use crate::bitboard::Bitboard;
use crate::square::Square;

impl Kernel {
    /// Calls `visit` with each legal move, in the order of the squares, and the discs that it
    /// turns.
    ///
    /// The two sets must not overlap; if they do, what is visited means nothing.
    ///
    /// ```
    /// use reversi_engine::{Square, kernel::Kernel};
    ///
    /// let (black, white) = (0x0000_0008_1000_0000, 0x0000_0010_0800_0000);
    /// let mut seen = Vec::new();
    /// Kernel::best().for_each_move(black, white, |square, flips| seen.push((square, flips)));
    /// assert_eq!(seen.len(), 4);
    /// assert_eq!(seen[0], (Square::D3, Square::D4.bit()));
    /// ```
    #[inline]
    pub fn for_each_move(self, player: u64, opponent: u64, visit: impl FnMut(Square, u64)) {
        self.with_isa(EachMove {
            player,
            opponent,
            visit,
        });
    }
}

/// The moves of a position to visit.
struct EachMove<F> {
    player: u64,
    opponent: u64,
    visit: F,
}

impl<F: FnMut(Square, u64)> IsaVisitor for EachMove<F> {
    type Output = ();

    #[inline(always)]
    fn visit<I: Isa>(self, isa: I) {
        isa.call3(
            #[inline(always)]
            |isa, player, opponent, mut visit: F| {
                let mut moves = Bitboard(isa.legal_moves(player, opponent)).iter();
                while let Some(first) = moves.next() {
                    let Some(second) = moves.next() else {
                        visit(first, isa.flips(player, opponent, first));
                        return;
                    };
                    let [of_first, of_second] = isa.flips_of_two(player, opponent, [first, second]);
                    visit(first, of_first);
                    visit(second, of_second);
                }
            },
            self.player,
            self.opponent,
            self.visit,
        );
    }
}
