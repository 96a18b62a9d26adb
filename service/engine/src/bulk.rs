//! Many positions at a time: what a server, a data pipeline or a search over many boards needs.
//!
//! A batch is a structure of arrays: all the mover's discs, then all the other side's, a word each
//! (bit 0 = a1). The functions use the best [`Kernel`] of this machine; those that end in `_with`
//! take one. None allocates unless it finds something to report.
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

use crate::kernel::Kernel;

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
