//! Openings that are worth about as much for both sides.

#![allow(clippy::cast_possible_truncation, reason = "casts of floats saturate")]

use std::sync::LazyLock;

use crate::random::Random;
use crate::rules::BalancedStart;
use crate::square::Square;

use super::tree::{PLIES, position_after};

/// How near to a draw an opening is by the engine's search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Balance {
    /// At most one disc from it.
    #[default]
    WithinOneDisc,
    /// At most two discs from it.
    WithinTwoDiscs,
}

/// An opening of eight moves from the standard start; Black is to move after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opening {
    /// The moves; the first is always f5.
    pub moves: [Square; PLIES],
    /// What it is worth for Black, in discs.
    pub value: f32,
    /// How many discs ahead that was found.
    pub depth: u32,
}

/// A list of balanced openings. They are in the order of the tree, so the index of an opening
/// changes only with the version of the list.
///
/// ```
/// use reversi_engine::opening::{Balance, Balanced};
///
/// let list = Balanced::of(Balance::WithinOneDisc);
/// let (index, opening) = list.draw(2026).expect("the list is not empty");
/// assert_eq!(list.get(index), Some(opening));
/// assert!(opening.value.abs() <= 1.0);
/// ```
#[derive(Debug)]
pub struct Balanced {
    openings: Vec<Opening>,
    version: u32,
}

static WITHIN_TWO: LazyLock<Balanced> =
    LazyLock::new(|| Balanced::from_bytes(include_bytes!("../../openings/balanced.rvo")));
static WITHIN_ONE: LazyLock<Balanced> = LazyLock::new(|| WITHIN_TWO.within(1.0));

/// The version of the list, 4 bytes; then for each opening its squares, its value in hundredths of
/// a disc (2 bytes) and the depth (1 byte). All little-endian.
const HEADER: usize = 4;
const ENTRY: usize = PLIES + 2 + 1;

impl Balanced {
    /// The list that comes with the engine.
    #[must_use]
    pub fn of(balance: Balance) -> &'static Self {
        match balance {
            Balance::WithinOneDisc => &WITHIN_ONE,
            Balance::WithinTwoDiscs => &WITHIN_TWO,
        }
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        let (version, entries) = bytes
            .split_first_chunk::<HEADER>()
            .expect("invariant: the list that is built in has a version");
        let (entries, _) = entries.as_chunks::<ENTRY>();
        let openings = entries.iter().filter_map(|entry| {
            let moves = std::array::from_fn(|ply| Square::new(entry[ply]).unwrap_or(Square::A1));
            position_after(&moves)?;
            Some(Opening {
                moves,
                value: f32::from(i16::from_le_bytes([entry[PLIES], entry[PLIES + 1]])) / 100.0,
                depth: u32::from(entry[ENTRY - 1]),
            })
        });
        Self {
            openings: openings.collect(),
            version: u32::from_le_bytes(*version),
        }
    }

    /// The openings that are at most so many discs from a draw.
    fn within(&self, discs: f32) -> Self {
        let near = |opening: &&Opening| opening.value.abs() <= discs;
        Self {
            openings: self.openings.iter().filter(near).copied().collect(),
            version: self.version,
        }
    }

    /// The file of a list, for [`Balanced::of`] to be built with.
    #[must_use]
    pub fn to_bytes(version: u32, openings: &[Opening]) -> Vec<u8> {
        let mut bytes = version.to_le_bytes().to_vec();
        for opening in openings {
            bytes.extend(opening.moves.map(Square::index));
            let hundredths = (opening.value * 100.0).round() as i16;
            bytes.extend(hundredths.to_le_bytes());
            bytes.push(u8::try_from(opening.depth).unwrap_or(u8::MAX));
        }
        bytes
    }

    /// Which search the list is from. With another version the same index is another opening.
    #[must_use]
    pub const fn version(&self) -> u32 {
        self.version
    }

    /// All of them.
    #[must_use]
    pub fn openings(&self) -> &[Opening] {
        &self.openings
    }

    /// The opening with this index.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&Opening> {
        self.openings.get(index)
    }

    /// The start of games that begin with an opening of this list.
    #[must_use]
    pub const fn start(&self, opening: &Opening) -> BalancedStart {
        BalancedStart {
            moves: opening.moves,
            list_version: self.version,
        }
    }

    /// An opening and its index by lot: the same for the same seed and version. `None` if the list
    /// is empty.
    #[must_use]
    pub fn draw(&self, seed: u64) -> Option<(usize, &Opening)> {
        let count = u32::try_from(self.openings.len()).unwrap_or(u32::MAX);
        let index = Random::new(seed).below(count) as usize;
        Some((index, self.openings.get(index)?))
    }
}

impl BalancedStart {
    /// A start with these moves, said to be from a list; `None` if a move is illegal.
    #[must_use]
    pub fn new(moves: [Square; PLIES], list_version: u32) -> Option<Self> {
        // Nobody can be blocked within eight moves, so that all of them are discs.
        position_after(&moves)?;
        Some(Self {
            moves,
            list_version,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opening::position_after;
    use std::collections::HashSet;

    #[test]
    fn openings_are_legal_distinct_and_as_balanced_as_they_say() {
        for (balance, most) in [
            (Balance::WithinOneDisc, 1.0),
            (Balance::WithinTwoDiscs, 2.0),
        ] {
            let list = Balanced::of(balance);
            assert!(list.openings().len() > 1000, "{}", list.openings().len());
            let mut seen = HashSet::new();
            for opening in list.openings() {
                let position = position_after(&opening.moves).unwrap();
                assert_eq!(position.empties().count(), 52);
                assert!(seen.insert(position.board().canonical()));
                assert!(opening.value.abs() <= most);
            }
        }
    }

    #[test]
    fn a_seed_draws_the_same_opening_and_other_seeds_draw_others() {
        let list = Balanced::of(Balance::WithinTwoDiscs);
        let drawn: HashSet<usize> = (0..100).map(|seed| list.draw(seed).unwrap().0).collect();
        assert!(drawn.len() > 90);
        assert_eq!(list.draw(5), list.draw(5));
    }
}
