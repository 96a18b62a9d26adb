//! The free start: the first four discs, which turn nothing.
//!
//! Their tree has few leaves and, but for symmetry, only two: the discs of a colour lie on a
//! diagonal or side by side. So the placements are always looked through to the end, whatever the
//! depth of the search behind them.

use crate::board::Board;
use crate::moves::Move;
use crate::position::{Phase, Position};

use super::root::Found;

/// How the boards are searched on which the placements end: a line, unless the search was stopped.
type Behind<'a> = dyn FnMut(Board) -> (Vec<Found>, Option<Option<Found>>) + 'a;

/// The best placements, best first; nothing if the search behind one of them was stopped.
pub(super) fn lines(
    position: &Position,
    most_lines: usize,
    behind: &mut Behind<'_>,
) -> Option<Vec<Found>> {
    let mut seen: Vec<(Board, Found)> = Vec::new();
    let mut lines = replies(position, &mut |board| {
        let (symmetry, canonical) = board.to_canonical();
        if let Some((_, found)) = seen.iter().find(|(board, _)| *board == canonical) {
            return Some(found.turn(symmetry.inverse()));
        }
        let (mut found, stopped) = behind(canonical);
        let found = if stopped.is_none() { found.pop() } else { None }?;
        seen.push((canonical, found.clone()));
        Some(found.turn(symmetry.inverse()))
    })?;
    // Stable, so that among equals the first square comes first.
    lines.sort_by_key(|found| -found.value);
    lines.truncate(most_lines.max(1));
    Some(lines)
}

/// The best line after each placement.
fn replies(
    position: &Position,
    leaf: &mut dyn FnMut(Board) -> Option<Found>,
) -> Option<Vec<Found>> {
    let placements = position.legal_moves().iter().map(|square| {
        let mv = Move::Place(square);
        let next = position.play_unchecked(mv);
        let reply = match next.phase() {
            Phase::Play => leaf(next.board())?,
            Phase::Placement => replies(&next, leaf)?.into_iter().reduce(|best, found| {
                if found.value > best.value {
                    found
                } else {
                    best
                }
            })?,
        };
        let mut line = vec![mv];
        line.extend(reply.line);
        Some(Found {
            value: -reply.value,
            line,
        })
    });
    placements.collect()
}
