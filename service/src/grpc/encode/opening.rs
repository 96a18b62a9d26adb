//! Openings.

use reversi_engine::opening::{Balance, Balanced, Opening, position_after};
use reversi_engine::{BalancedStart, Square};
use reversi_proto::v1;

use super::position;

/// The opening that a game begins with.
pub(super) fn start(start: &BalancedStart) -> v1::BalancedStart {
    v1::BalancedStart {
        choice: None,
        moves: transcript(start.moves()),
        list_version: start.list_version(),
    }
}

/// An opening of a list.
pub(in crate::grpc) fn balanced_opening(
    balance: Balance,
    index: usize,
    opening: &Opening,
) -> v1::BalancedOpening {
    let list = Balanced::of(balance);
    let balance = match balance {
        Balance::WithinOneDisc => v1::Balance::WithinOneDisc,
        Balance::WithinTwoDiscs => v1::Balance::WithinTwoDiscs,
    };
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    v1::BalancedOpening {
        balance: balance.into(),
        index: number(index),
        list_version: list.version(),
        list_size: number(list.openings().len()),
        moves: transcript(&opening.moves),
        position: position_after(&opening.moves).map(|after| position(&after)),
        value: opening.value,
        depth: opening.depth,
    }
}

fn transcript(moves: &[Square]) -> String {
    moves.iter().map(Square::to_string).collect()
}
