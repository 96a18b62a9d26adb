//! Many positions at a time: what a server, a data pipeline or a search over many boards needs.
//!
//! A batch is a structure of arrays: all the mover's discs, then all the other side's, a word each
//! (bit 0 = a1). The functions use the best [`Kernel`] of this machine; those that end in `_with`
//! take one. Only those that return a list allocate, and then only if it is not empty.
//!
//! ```
//! use reversi_engine::bulk;
//!
//! let (player, opponent) = ([0x0000_0008_1000_0000], [0x0000_0010_0800_0000]);
//! let mut moves = [0];
//! bulk::legal_moves(&player, &opponent, &mut moves)?;
//! assert_eq!(moves, [0x0000_1020_0408_0000]);
//! # Ok::<(), bulk::ShapeError>(())
//! ```

use crate::kernel::{Kernel, Marked};
use crate::square::Square;

/// How many positions are expanded at a time: what they take fits the first-level cache.
const PARENTS: usize = 64;

/// The arrays of a batch do not fit together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// The arrays have different lengths.
    #[error("{player} words for the player, {opponent} for the opponent, room for {out}")]
    Lengths {
        /// The number of words for the player.
        player: usize,
        /// The number of words for the opponent.
        opponent: usize,
        /// The number of results that there is room for.
        out: usize,
    },
    /// A number of bytes is not a multiple of 8.
    #[error("{bytes} bytes are not a whole number of 8-byte words")]
    PartOfAWord {
        /// The length of the first such array.
        bytes: usize,
    },
}

/// Writes the squares where each position's mover turns a disc.
///
/// A position whose sides overlap gets some mask that means nothing.
///
/// # Errors
///
/// [`ShapeError::Lengths`] unless the three arrays are equally long.
pub fn legal_moves(player: &[u64], opponent: &[u64], moves: &mut [u64]) -> Result<(), ShapeError> {
    legal_moves_with(Kernel::best(), player, opponent, moves)
}

/// As [`legal_moves`], with a given kernel.
///
/// # Errors
///
/// As there.
pub fn legal_moves_with(
    kernel: Kernel,
    player: &[u64],
    opponent: &[u64],
    moves: &mut [u64],
) -> Result<(), ShapeError> {
    check_lengths(player.len(), opponent.len(), moves.len())?;
    kernel.legal_moves_of_batch(player, opponent, moves, None);
    Ok(())
}

/// As [`legal_moves`], on words in little-endian order at any alignment: the form in which they
/// travel in a message, so that nothing is copied.
///
/// Returns the indices of the positions whose sides overlap, in order; their masks are 0.
///
/// ```
/// use reversi_engine::bulk;
///
/// let player = [0x0000_0008_1000_0000_u64, 1].map(u64::to_le_bytes).concat();
/// let opponent = [0x0000_0010_0800_0000_u64, 1].map(u64::to_le_bytes).concat();
/// let mut moves = [0; 16];
/// let overlapping = bulk::legal_moves_le(&player, &opponent, &mut moves)?;
/// assert_eq!(moves, *[0x0000_1020_0408_0000_u64, 0].map(u64::to_le_bytes).as_flattened());
/// assert_eq!(overlapping, [1]);
/// # Ok::<(), bulk::ShapeError>(())
/// ```
///
/// # Errors
///
/// [`ShapeError::PartOfAWord`] unless all lengths are multiples of 8, [`ShapeError::Lengths`]
/// unless they are equal.
pub fn legal_moves_le(
    player: &[u8],
    opponent: &[u8],
    moves: &mut [u8],
) -> Result<Vec<usize>, ShapeError> {
    legal_moves_le_with(Kernel::best(), player, opponent, moves)
}

/// As [`legal_moves_le`], with a given kernel.
///
/// # Errors
///
/// As there.
pub fn legal_moves_le_with(
    kernel: Kernel,
    player: &[u8],
    opponent: &[u8],
    moves: &mut [u8],
) -> Result<Vec<usize>, ShapeError> {
    let (player, opponent) = (words(player)?, words(opponent)?);
    let bytes = moves.len();
    let (moves, []) = moves.as_chunks_mut() else {
        return Err(ShapeError::PartOfAWord { bytes });
    };
    check_lengths(player.len(), opponent.len(), moves.len())?;
    let mut overlapping = Vec::new();
    kernel.legal_moves_of_batch(player, opponent, moves, Some(&mut overlapping));
    Ok(overlapping)
}

/// Writes the number of legal moves of each position, 0 to 60.
///
/// ```
/// use reversi_engine::bulk;
///
/// let (player, opponent) = ([0x0000_0008_1000_0000], [0x0000_0010_0800_0000]);
/// let mut counts = [0];
/// bulk::mobility(&player, &opponent, &mut counts)?;
/// assert_eq!(counts, [4]);
/// # Ok::<(), bulk::ShapeError>(())
/// ```
///
/// # Errors
///
/// [`ShapeError::Lengths`] unless the three arrays are equally long.
pub fn mobility(player: &[u64], opponent: &[u64], counts: &mut [u8]) -> Result<(), ShapeError> {
    mobility_with(Kernel::best(), player, opponent, counts)
}

/// As [`mobility`], with a given kernel.
///
/// # Errors
///
/// As there.
pub fn mobility_with(
    kernel: Kernel,
    player: &[u64],
    opponent: &[u64],
    counts: &mut [u8],
) -> Result<(), ShapeError> {
    check_lengths(player.len(), opponent.len(), counts.len())?;
    kernel.mobility_of_batch(player, opponent, counts);
    Ok(())
}

/// Writes the discs that each position's mover turns by playing on the square of the same index; 0
/// if it turns none or the square is occupied.
///
/// A position whose sides overlap gets some mask that means nothing.
///
/// ```
/// use reversi_engine::{Square, bulk};
///
/// let (player, opponent) = ([0x0000_0008_1000_0000; 2], [0x0000_0010_0800_0000; 2]);
/// let mut flips = [0; 2];
/// bulk::flips(&player, &opponent, &[Square::D3, Square::A1], &mut flips)?;
/// assert_eq!(flips, [Square::D4.bit(), 0]);
/// # Ok::<(), bulk::ShapeError>(())
/// ```
///
/// # Errors
///
/// [`ShapeError::Lengths`] unless the four arrays are equally long.
pub fn flips(
    player: &[u64],
    opponent: &[u64],
    squares: &[Square],
    flips: &mut [u64],
) -> Result<(), ShapeError> {
    flips_with(Kernel::best(), player, opponent, squares, flips)
}

/// As [`flips`], with a given kernel.
///
/// # Errors
///
/// As there.
pub fn flips_with(
    kernel: Kernel,
    player: &[u64],
    opponent: &[u64],
    squares: &[Square],
    flips: &mut [u64],
) -> Result<(), ShapeError> {
    check_lengths(player.len(), opponent.len(), squares.len())?;
    check_lengths(player.len(), opponent.len(), flips.len())?;
    kernel.flips_of_batch(player, opponent, squares, flips);
    Ok(())
}

/// The boards after all moves of a batch of positions: a structure of arrays.
///
/// Those of one position lie together, in the order of the squares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Children {
    /// The discs of the next mover.
    pub player: Vec<u64>,
    /// The discs of the side that has moved.
    pub opponent: Vec<u64>,
    /// Where it has moved.
    pub squares: Vec<Square>,
    /// For each position of the batch the index behind its last child.
    pub ends: Vec<usize>,
}

/// Plays all moves of all positions. What `children` held before is gone; its room is kept.
///
/// A position without moves gets no children: whether it passes or is over is not looked at. One
/// whose sides overlap gets children that mean nothing.
///
/// ```
/// use reversi_engine::{Square, bulk};
///
/// let mut children = bulk::Children::default();
/// bulk::children(&[0x0000_0008_1000_0000], &[0x0000_0010_0800_0000], &mut children)?;
/// assert_eq!(children.squares, [Square::D3, Square::C4, Square::F5, Square::E6]);
/// assert_eq!(children.player[0], 0x0000_0010_0000_0000);
/// assert_eq!(children.ends, [4]);
/// # Ok::<(), bulk::ShapeError>(())
/// ```
///
/// # Errors
///
/// [`ShapeError::Lengths`] unless the two arrays are equally long.
pub fn children(
    player: &[u64],
    opponent: &[u64],
    children: &mut Children,
) -> Result<(), ShapeError> {
    children_with(Kernel::best(), player, opponent, children)
}

/// As [`children`], with a given kernel.
///
/// # Errors
///
/// As there.
pub fn children_with(
    kernel: Kernel,
    player: &[u64],
    opponent: &[u64],
    children: &mut Children,
) -> Result<(), ShapeError> {
    check_lengths(player.len(), opponent.len(), player.len())?;
    let Children {
        player: next_player,
        opponent: next_opponent,
        squares,
        ends,
    } = children;
    ends.clear();
    let [mut moves, mut marked_player, mut marked_opponent] = [const { Vec::new() }; 3];
    let mut first = 0;
    for (player, opponent) in player.chunks(PARENTS).zip(opponent.chunks(PARENTS)) {
        moves.resize(player.len(), 0);
        kernel.legal_moves_of_batch(player, opponent, &mut moves, None);
        let end = kernel.put_ends(&moves, first, ends);
        // What was there before is written over, so that only what is added has to be made.
        grow(squares, end, Square::A1);
        grow(next_player, end, 0);
        grow(next_opponent, end, 0);
        grow(&mut marked_player, end - first, 0);
        grow(&mut marked_opponent, end - first, 0);
        let marked = Marked {
            squares: &mut squares[first..end],
            player: &mut marked_player[..end - first],
            opponent: &mut marked_opponent[..end - first],
        };
        kernel.mark_moves(player, opponent, &moves, marked);
        kernel.boards_after_marked(
            &marked_player[..end - first],
            &marked_opponent[..end - first],
            &mut next_player[first..end],
            &mut next_opponent[first..end],
        );
        first = end;
    }
    squares.truncate(first);
    next_player.truncate(first);
    next_opponent.truncate(first);
    Ok(())
}

/// Makes a list at least so long.
fn grow<T: Copy>(list: &mut Vec<T>, len: usize, filler: T) {
    if list.len() < len {
        list.resize(len, filler);
    }
}

fn words(bytes: &[u8]) -> Result<&[[u8; 8]], ShapeError> {
    match bytes.as_chunks() {
        (words, []) => Ok(words),
        _ => Err(ShapeError::PartOfAWord { bytes: bytes.len() }),
    }
}

fn check_lengths(player: usize, opponent: usize, out: usize) -> Result<(), ShapeError> {
    if player == opponent && player == out {
        Ok(())
    } else {
        Err(ShapeError::Lengths {
            player,
            opponent,
            out,
        })
    }
}
