//! The countable properties of a board that its evaluation is made of.
//!
//! Each is a difference, the mover's count minus the other side's. The terms are those of the
//! players' literature, as in Brian Rose's "Othello: A Minute to Learn… A Lifetime to Master"
//! (2005): mobility, frontier, corners, X- and C-squares, stable discs, parity.

use crate::bitboard::Bitboard;
use crate::board::Board;
use crate::kernel;

/// b2, g2, b7, g7: diagonally next to a corner.
const X_SQUARES: u64 = 0x0042_0000_0000_4200;
/// The squares of the border.
const EDGES: u64 = 0xFF81_8181_8181_81FF;
const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;
const RANK_1: u64 = 0xFF;
const RANK_8: u64 = RANK_1 << 56;

/// The number of linear terms.
pub(super) const TERMS: usize = 8;

/// The properties of one board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Features {
    /// The terms, in the order of `Features::NAMES`.
    pub(super) terms: [i32; TERMS],
    /// The empty squares, 0 to 64.
    pub(super) empties: u32,
    over: bool,
}

impl Features {
    /// What the terms count.
    #[cfg(test)]
    pub(super) const NAMES: [&'static str; TERMS] = [
        "legal moves",
        "empty squares next to discs of the other side",
        "corners",
        "discs on X-squares of empty corners",
        "discs on C-squares of empty corners",
        "discs on the edge that are joined to a corner of the same side",
        "discs",
        "1 if the number of empty squares is odd, -1 if it is even",
    ];

    /// Looks at a board.
    pub(super) fn of(board: Board) -> Self {
        let (player, opponent) = (board.player.0, board.opponent.0);
        let empty = !(player | opponent);
        let own_moves = kernel::legal_moves(player, opponent);
        let other_moves = kernel::legal_moves(opponent, player);
        let beside_corner = BesideEmptyCorner::of(empty);
        let corners = Bitboard::CORNERS.0;
        let empties = empty.count_ones();
        let terms = [
            difference(own_moves, other_moves),
            difference(around(opponent) & empty, around(player) & empty),
            difference(player & corners, opponent & corners),
            difference(player & beside_corner.x, opponent & beside_corner.x),
            difference(player & beside_corner.c, opponent & beside_corner.c),
            difference(joined_to_corner(player), joined_to_corner(opponent)),
            difference(player, opponent),
            if empties.is_multiple_of(2) { -1 } else { 1 },
        ];
        Self {
            terms,
            empties,
            over: own_moves | other_moves == 0,
        }
    }

    /// Whether neither side can move.
    pub(super) const fn is_over(&self) -> bool {
        self.over
    }
}

const fn difference(own: u64, other: u64) -> i32 {
    own.count_ones().cast_signed() - other.count_ones().cast_signed()
}

/// The squares next to the set in any direction, and most of the set itself.
const fn around(set: u64) -> u64 {
    let rows = ((set & !FILE_H) << 1) | ((set & !FILE_A) >> 1) | set;
    rows | (rows << 8) | (rows >> 8)
}

/// The squares next to corners that nobody holds.
struct BesideEmptyCorner {
    x: u64,
    c: u64,
}

impl BesideEmptyCorner {
    const fn of(empty: u64) -> Self {
        let corners = empty & Bitboard::CORNERS.0;
        // A shift off the board lands on a square that is not an X-square.
        let x = ((corners << 9) | (corners >> 9) | (corners << 7) | (corners >> 7)) & X_SQUARES;
        let c = ((corners & FILE_A) << 1)
            | ((corners & FILE_H) >> 1)
            | ((corners & RANK_1) << 8)
            | ((corners & RANK_8) >> 8);
        Self { x, c }
    }
}

/// The discs on the edge that are joined to a corner by discs of the same side: they can never be
/// turned.
const fn joined_to_corner(discs: u64) -> u64 {
    let edge = discs & EDGES;
    let mut joined = discs & Bitboard::CORNERS.0;
    if joined == 0 {
        return 0;
    }
    loop {
        // Two edges meet only in corners, so a step to a neighbour on the edge stays on its edge.
        let grown = joined
            | (edge
                & (((joined & !FILE_H) << 1)
                    | ((joined & !FILE_A) >> 1)
                    | (joined << 8)
                    | (joined >> 8)));
        if grown == joined {
            return joined;
        }
        joined = grown;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &str) -> u64 {
        names
            .split_whitespace()
            .map(|name| name.parse::<crate::Square>().unwrap().bit())
            .sum()
    }

    #[test]
    fn neighbours_do_not_wrap_over_the_edge() {
        assert_eq!(around(set("a1")), set("a1 b1 a2 b2"));
        assert_eq!(around(set("h4")), set("g3 h3 g4 h4 g5 h5"));
        assert_eq!(around(set("h8")), set("g7 h7 g8 h8"));
    }

    #[test]
    fn only_empty_corners_have_dangerous_neighbours() {
        let all = BesideEmptyCorner::of(u64::MAX);
        assert_eq!(all.x, set("b2 g2 b7 g7"));
        assert_eq!(all.c, set("b1 a2 g1 h2 a7 b8 g8 h7"));
        let one = BesideEmptyCorner::of(set("h1"));
        assert_eq!(one.x, set("g2"));
        assert_eq!(one.c, set("g1 h2"));
    }

    #[test]
    fn discs_are_joined_to_a_corner_along_the_edge_alone() {
        let discs = set("a1 b1 c1 e1 a2 b2 a8 c8 d5");
        assert_eq!(joined_to_corner(discs), set("a1 b1 c1 a2 a8"));
        assert_eq!(joined_to_corner(EDGES), EDGES);
        assert_eq!(joined_to_corner(EDGES & !Bitboard::CORNERS.0), 0);
    }

    #[test]
    fn terms_change_sign_with_the_side() {
        let board = Board::STANDARD.play(crate::Square::D3).unwrap();
        let (own, other) = (Features::of(board), Features::of(board.pass()));
        for (index, name) in Features::NAMES.iter().enumerate().take(TERMS - 1) {
            assert_eq!(own.terms[index], -other.terms[index], "{name}");
        }
    }
}
