//! Perft: the number of move sequences of a given length, the usual check of a move generator.
//!
//! Programs disagree on how passes and finished games count, so a number means something only
//! with its [`PerftConvention`]. Knows the rules, nothing of evaluation or search.

mod convention;
mod count;
mod ply;
mod poll;
mod run;
mod weighted;

use crate::kernel::Kernel;
use crate::position::{Phase, Position};
use convention::{DropFinished, PassIsFree, PassIsPly};
pub use convention::{ParsePerftConventionError, PerftConvention};
use count::Count;
pub use run::{PerftOptions, PerftProgress};
use weighted::Weighted;

/// The number of leaves `depth` plies below the position.
///
/// Takes a position of any kind. The placements of a free start are plies like others. A count
/// beyond `u64::MAX` is given as `u64::MAX`; no machine lives to see one.
///
/// ```
/// use reversi_engine::{PerftConvention, Position, perft};
///
/// assert_eq!(perft(&Position::standard(), 5, PerftConvention::PassIsPly), 1396);
/// ```
#[must_use]
pub fn perft(position: &Position, depth: u32, convention: PerftConvention) -> u64 {
    perft_with(position, depth, convention, &|| false)
        .expect("invariant: only the stop that was never asked for gives none")
}

/// As [`perft`], given up when `stop` says so: then the answer is `None`.
///
/// `stop` is asked once at the beginning, and then about every 0.2 ms: after every 4,096 boards with
/// two or more plies to go. A tree with fewer is counted to its end.
///
/// ```
/// use reversi_engine::{PerftConvention, Position, perft_with};
///
/// let start = Position::standard();
/// assert_eq!(perft_with(&start, 60, PerftConvention::PassIsPly, &|| true), None);
/// ```
#[must_use]
pub fn perft_with(
    position: &Position,
    depth: u32,
    convention: PerftConvention,
    stop: &dyn Fn() -> bool,
) -> Option<u64> {
    if stop() {
        return None;
    }
    let Starts {
        leaves,
        boards,
        depth,
    } = Starts::of(position, depth);
    let mut count = Count::new(Kernel::best(), stop);
    let below = match convention {
        PerftConvention::PassIsPly => count.leaves::<PassIsPly>(&boards, depth),
        PerftConvention::DropFinished => count.leaves::<DropFinished>(&boards, depth),
        PerftConvention::PassIsFree => count.leaves::<PassIsFree>(&boards, depth),
    };
    Some(leaves.saturating_add(below?))
}

/// As [`perft_with`], on several threads, merging boards that are reached in several ways, and
/// telling how far it has come.
///
/// `progress` is called at the beginning and after each subtree, by one thread at a time. Every
/// thread asks `stop` about as often as [`perft_with`] does, and all end when one is told to.
///
/// The upper plies are the work of one thread. With merging that is as long as a ply fits half of
/// the memory, some tenth of the whole.
///
/// ```
/// use reversi_engine::{PerftConvention, PerftOptions, Position, perft_run};
///
/// let options = PerftOptions {
///     threads: std::num::NonZero::new(2).expect("2 is not 0"),
///     table_bytes: 16 << 20,
///     ..PerftOptions::default()
/// };
/// let mut last = None;
/// let count = perft_run(
///     &Position::standard(),
///     9,
///     PerftConvention::PassIsPly,
///     &options,
///     &mut |progress| last = Some(progress),
///     &|| false,
/// );
/// assert_eq!(count, Some(3_005_288));
/// let last = last.expect("there is progress");
/// assert_eq!((last.leaves, last.subtrees_done), (3_005_288, last.subtrees));
/// ```
#[must_use]
pub fn perft_run(
    position: &Position,
    depth: u32,
    convention: PerftConvention,
    options: &PerftOptions,
    progress: &mut (dyn FnMut(PerftProgress) + Send),
    stop: &(dyn Fn() -> bool + Sync),
) -> Option<u64> {
    if stop() {
        return None;
    }
    let leaves = match convention {
        PerftConvention::PassIsPly => run::leaves::<PassIsPly>,
        PerftConvention::DropFinished => run::leaves::<DropFinished>,
        PerftConvention::PassIsFree => run::leaves::<PassIsFree>,
    };
    leaves(Starts::of(position, depth), options, progress, stop)
}

/// What is left to count once all discs of a free start are placed.
struct Starts {
    /// The leaves among the placements.
    leaves: u64,
    /// The boards after the placements, or the board if there are none; each counts once.
    boards: Weighted,
    /// How many plies these have to go.
    depth: u32,
}

impl Starts {
    fn of(position: &Position, depth: u32) -> Self {
        let mut starts = Self {
            leaves: 0,
            boards: Weighted::default(),
            depth: 0,
        };
        starts.add(position, depth);
        starts
    }

    fn add(&mut self, position: &Position, depth: u32) {
        match position.phase() {
            Phase::Play => {
                let board = position.board();
                self.boards.push(board.player.0, board.opponent.0, 1);
                self.depth = depth;
            }
            Phase::Placement if depth == 0 => self.leaves += 1,
            Phase::Placement => {
                for square in position.legal_moves() {
                    self.add(&position.play_unchecked(square.into()), depth - 1);
                }
            }
        }
    }
}
