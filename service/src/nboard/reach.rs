//! How far to look: the program sets the depth for the middle of the game, and leaves the end to
//! the engine.

use reversi_engine::search::Limits;

/// The limits of a search at a depth with so many empty squares.
pub(super) fn limits(depth: u32, empties: u32) -> Limits {
    Limits {
        depth: (empties > plays_out(depth)).then_some(depth),
        nodes: None,
    }
}

/// With so many empty squares the end is played out: up to depth 10 twice the depth, as is usual
/// among engines, beyond that a square more for every two of depth, so that playing out takes
/// about as long as looking that deep.
const fn plays_out(depth: u32) -> u32 {
    if depth <= 10 {
        2 * depth
    } else {
        20 + (depth - 10) / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_played_out_and_the_middle_is_not() {
        assert_eq!(limits(6, 13).depth, Some(6));
        assert_eq!(limits(6, 12).depth, None);
        assert_eq!(limits(26, 29).depth, Some(26));
        assert_eq!(limits(26, 28).depth, None);
    }
}
