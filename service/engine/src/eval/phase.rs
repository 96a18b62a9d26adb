//! The stages of a game. Each has weights of its own, since what a pattern is worth changes.

/// The number of phases.
pub const PHASES: usize = 30;

/// The phase of a board with this many empty squares: two numbers share one, 0 is the last phase
/// of a game.
#[inline]
#[must_use]
pub const fn phase(empties: u32) -> usize {
    let phase = (empties.saturating_sub(1) / 2) as usize;
    if phase < PHASES { phase } else { PHASES - 1 }
}
