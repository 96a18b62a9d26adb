//! Positions with what they are worth, and the files that they are kept in.
//!
//! A file is the magic `RVS1`, then records of 24 bytes, little-endian: the mover's discs (8), the
//! other side's (8), the value for the mover in hundredths of a disc (2), the result of the game
//! that the position comes from in discs for the mover (1), how the value was found (1), and the
//! number of plies played at random before it (1), three bytes 0.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use reversi_engine::{Bitboard, Board};

const MAGIC: [u8; 4] = *b"RVS1";
const RECORD: usize = 24;

/// How a value was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    /// It was not: the value means nothing.
    None,
    /// By looking ahead.
    Search,
    /// By playing to the end.
    Exact,
}

/// A position and what it is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    /// The position, from the mover's view.
    pub(crate) board: Board,
    /// In hundredths of a disc, for the mover.
    pub(crate) value: i16,
    /// The final disc difference of its game, for the mover.
    pub(crate) result: i8,
    pub(crate) label: Label,
}

/// Why a file of samples could not be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SampleError {
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{path}: not a file of samples")]
    Foreign { path: PathBuf },
}

fn to_io(path: &Path) -> impl Fn(io::Error) -> SampleError {
    let path = path.to_owned();
    move |source| SampleError::Io {
        path: path.clone(),
        source,
    }
}

/// Writes a file whole: under another name first, so that what bears the name is complete.
pub(crate) fn write(path: &Path, samples: &[Sample]) -> Result<(), SampleError> {
    let unfinished = path.with_extension("part");
    let io = to_io(path);
    let mut file = BufWriter::new(File::create(&unfinished).map_err(&io)?);
    file.write_all(&MAGIC).map_err(&io)?;
    for sample in samples {
        file.write_all(&sample.pack()).map_err(&io)?;
    }
    file.into_inner()
        .map_err(|error| io(error.into_error()))?
        .sync_all()
        .map_err(&io)?;
    std::fs::rename(&unfinished, path).map_err(&io)
}

/// Reads a file whole.
pub(crate) fn read(path: &Path) -> Result<Vec<Sample>, SampleError> {
    let io = to_io(path);
    let foreign = || SampleError::Foreign {
        path: path.to_owned(),
    };
    let mut bytes = Vec::new();
    BufReader::new(File::open(path).map_err(&io)?)
        .read_to_end(&mut bytes)
        .map_err(&io)?;
    let records = bytes.strip_prefix(&MAGIC).ok_or_else(foreign)?;
    let (records, rest) = records.as_chunks::<RECORD>();
    if !rest.is_empty() {
        return Err(foreign());
    }
    records
        .iter()
        .map(|record| Sample::unpack(record).ok_or_else(foreign))
        .collect()
}

impl Sample {
    fn pack(&self) -> [u8; RECORD] {
        let mut record = [0; RECORD];
        record[..8].copy_from_slice(&self.board.player.0.to_le_bytes());
        record[8..16].copy_from_slice(&self.board.opponent.0.to_le_bytes());
        record[16..18].copy_from_slice(&self.value.to_le_bytes());
        record[18..19].copy_from_slice(&self.result.to_le_bytes());
        record[19] = match self.label {
            Label::None => 0,
            Label::Search => 1,
            Label::Exact => 2,
        };
        record
    }

    fn unpack(record: &[u8; RECORD]) -> Option<Self> {
        let word = |at: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&record[at..at + 8]);
            Bitboard(u64::from_le_bytes(word))
        };
        Some(Self {
            board: Board::new(word(0), word(8)).ok()?,
            value: i16::from_le_bytes([record[16], record[17]]),
            result: record[18].cast_signed(),
            label: match record[19] {
                0 => Label::None,
                1 => Label::Search,
                2 => Label::Exact,
                _ => return None,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_reads_back_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("samples");
        let samples =
            [(Label::None, -5), (Label::Search, 0), (Label::Exact, 6400)].map(|(label, value)| {
                Sample {
                    board: Board::STANDARD,
                    value,
                    result: -12,
                    label,
                }
            });
        write(&path, &samples).unwrap();
        assert_eq!(read(&path).unwrap(), samples);
    }

    #[test]
    fn other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("samples");
        for bytes in [&b""[..], b"RVS2", b"RVS1x"] {
            std::fs::write(&path, bytes).unwrap();
            assert!(matches!(read(&path), Err(SampleError::Foreign { .. })));
        }
    }
}
