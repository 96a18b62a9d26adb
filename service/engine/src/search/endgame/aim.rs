//! What a side plays for, as a type, so that each search is compiled for one objective.

use crate::board::Board;
/// An [`Objective`] as a type.
pub(crate) trait Aim: Copy + Send + Sync + 'static {
    /// How moves are compared.
    const WEIGHTS: Weights;

    /// What a final disc difference is worth.
    fn value(difference: i32) -> i32;

    /// Which side's stable discs bound the value from above.
    fn bounding(board: Board) -> (u64, u64);
}

/// [`Objective::MostDiscs`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct MostDiscs;

/// [`Objective::FewestDiscs`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct FewestDiscs;

impl Aim for MostDiscs {
    const WEIGHTS: Weights = Weights {
        reply: 62,
        corner_reply: 66,
        odd: [16, 12, 8],
        potential: 9,
        own: 6,
        squares: squares([50, 8, 4, 4, -8, 1, 0, 8, 0, 0]),
    };

    #[inline(always)]
    fn bounding(board: Board) -> (u64, u64) {
        (board.opponent.0, board.player.0)
    }

    #[inline(always)]
    fn value(difference: i32) -> i32 {
        difference
    }
}

impl Aim for FewestDiscs {
    const WEIGHTS: Weights = Weights {
        reply: 68,
        corner_reply: -7,
        odd: [-6, 0, 3],
        potential: 4,
        own: 5,
        squares: squares([-12, -1, 0, -1, 1, 4, 4, 5, 6, 0]),
    };

    #[inline(always)]
    fn bounding(board: Board) -> (u64, u64) {
        (board.player.0, board.opponent.0)
    }

    #[inline(always)]
    fn value(difference: i32) -> i32 {
        -difference
    }
}

/// What moves are compared by.
#[derive(Debug)]
pub(crate) struct Weights {
    /// a reply
    pub(crate) reply: i32,
    /// a reply corner
    pub(crate) corner_reply: i32,
    /// odd
    pub(crate) odd: [i32; 3],
    /// potential
    pub(crate) potential: i32,
    /// own mobility
    pub(crate) own: i32,
    /// squares
    pub(crate) squares: [i8; 64],
}

const fn squares(classes: [i8; 10]) -> [i8; 64] {
    let q = [[0, 1, 2, 3], [1, 4, 5, 6], [2, 5, 7, 8], [3, 6, 8, 9]];
    let mut t = [0; 64];
    let mut i = 0;
    while i < 64 {
        let (f, r) = (i % 8, i / 8);
        let f = if f > 3 { 7 - f } else { f };
        let r = if r > 3 { 7 - r } else { r };
        t[i] = classes[q[f][r]];
        i += 1;
    }
    t
}
