//! The free start: the first four discs, which turn nothing.
//!
//! Their tree has few leaves and, but for symmetry, only two: the discs of a colour lie on a
//! diagonal or side by side. So the placements are always looked through to the end, whatever the
//! depth of the search behind them.

use crate::bitboard::symmetry::Symmetry;
use crate::board::Board;
use crate::moves::Move;
use crate::position::{Phase, Position};

use super::budget::Stopped;
use super::searcher::Found;

/// The best placement, given how to search the boards on which the placements end.
pub(super) fn search(
    position: &Position,
    search: &mut dyn FnMut(Board) -> Result<Found, Stopped>,
) -> Result<Found, Stopped> {
    let mut seen: Vec<(Board, Found)> = Vec::new();
    best(position, &mut |board| {
        let (symmetry, canonical) = to_canonical(board);
        let found = if let Some((_, found)) = seen.iter().find(|(board, _)| *board == canonical) {
            found.clone()
        } else {
            let found = search(canonical)?;
            seen.push((canonical, found.clone()));
            found
        };
        Ok(Found {
            value: found.value,
            line: turn(&found.line, symmetry.inverse()),
        })
    })
}

fn best(
    position: &Position,
    leaf: &mut dyn FnMut(Board) -> Result<Found, Stopped>,
) -> Result<Found, Stopped> {
    match position.phase() {
        Phase::Play => return leaf(position.board()),
        Phase::Placement => {}
    }
    let mut best_found: Option<Found> = None;
    for square in position.legal_moves() {
        let mv = Move::Place(square);
        let reply = best(&position.play_unchecked(mv), leaf)?;
        let value = -reply.value;
        if best_found.as_ref().is_none_or(|found| value > found.value) {
            let mut line = vec![mv];
            line.extend(reply.line);
            best_found = Some(Found { value, line });
        }
    }
    Ok(best_found.expect("invariant: a centre square is free while fewer than four discs lie"))
}

/// The board's canonical form and the symmetry that leads there.
fn to_canonical(board: Board) -> (Symmetry, Board) {
    let canonical = board.canonical();
    let symmetry = Symmetry::ALL
        .into_iter()
        .find(|&symmetry| board.transform(symmetry) == canonical)
        .unwrap_or_default();
    (symmetry, canonical)
}

/// The line on the board after a symmetry.
fn turn(line: &[Move], symmetry: Symmetry) -> Vec<Move> {
    line.iter()
        .map(|mv| match *mv {
            Move::Place(square) => Move::Place(symmetry.apply_square(square)),
            Move::Pass => Move::Pass,
        })
        .collect()
}
