//! The two operations that everything else is made of: which squares a side may play, and which
//! discs a move turns. Works on bare words (bit 0 = a1) from the mover's view, and knows nothing of
//! colours, passes or the end of a game.
//!
//! The functions here choose the implementation; each lives in a file of its own.

use crate::square::Square;

pub(crate) mod portable;

/// The name of the implementation in use on this machine.
#[must_use]
pub const fn name() -> &'static str {
    "portable"
}

/// The empty squares where `player` would turn at least one disc of `opponent`.
///
/// The two sets must not overlap; if they do, the answer means nothing.
///
/// ```
/// use reversi_engine::kernel;
///
/// let (black, white) = (0x0000_0008_1000_0000, 0x0000_0010_0800_0000);
/// assert_eq!(kernel::legal_moves(black, white), 0x0000_1020_0408_0000);
/// ```
#[inline]
#[must_use]
pub fn legal_moves(player: u64, opponent: u64) -> u64 {
    portable::legal_moves(player, opponent)
}

/// The discs of `opponent` that `player` turns by playing on `square`; 0 if it turns none.
///
/// The two sets must not overlap and the square must be empty; otherwise the answer means nothing.
///
/// ```
/// use reversi_engine::{Square, kernel};
///
/// let (black, white) = (0x0000_0008_1000_0000, 0x0000_0010_0800_0000);
/// assert_eq!(kernel::flips(black, white, Square::D3), Square::D4.bit());
/// assert_eq!(kernel::flips(black, white, Square::A1), 0);
/// ```
#[inline]
#[must_use]
pub fn flips(player: u64, opponent: u64, square: Square) -> u64 {
    portable::flips(player, opponent, square)
}
