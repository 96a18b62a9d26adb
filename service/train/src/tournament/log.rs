//! The file of a match: what is played, then a line a game, only ever added to.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::record::Record;

/// The first word of every such file, with the number of its format.
const HEADER: &str = "reversi-match-1";

/// An open file, its games read.
#[derive(Debug)]
pub(crate) struct Log {
    file: File,
    path: PathBuf,
}

/// Why a match cannot be kept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LogError {
    #[error("{path}: {source}")]
    Io {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{path} holds another match: {found:?}, not {expected:?}")]
    OtherMatch {
        path: PathBuf,
        found: String,
        expected: String,
    },
    #[error("{path}, line {line}: not a record of a game")]
    Damaged { path: PathBuf, line: usize },
}

impl Log {
    /// Opens the file of a match, or begins it, and reads the games that have been played. A line
    /// that was not finished when its writer was stopped is cut off.
    pub(crate) fn open(path: &Path, identity: &str) -> Result<(Self, Vec<Record>), LogError> {
        let failed = |source| LogError::Io {
            path: path.to_owned(),
            source,
        };
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(failed)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(failed)?;
        let whole = text.rfind('\n').map_or(0, |last| last + 1);
        file.set_len(whole as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        let expected = format!("{HEADER}\t{identity}");
        let mut lines = text[..whole].lines().enumerate();
        let mut records = Vec::new();
        match lines.next() {
            None => writeln!(file, "{expected}").map_err(failed)?,
            Some((_, found)) if found == expected => {
                for (index, line) in lines {
                    records.push(line.parse().map_err(|_| LogError::Damaged {
                        path: path.to_owned(),
                        line: index + 1,
                    })?);
                }
            }
            Some((_, found)) => {
                return Err(LogError::OtherMatch {
                    path: path.to_owned(),
                    found: found.to_owned(),
                    expected,
                });
            }
        }
        let path = path.to_owned();
        Ok((Self { file, path }, records))
    }

    /// Adds a game, in one write.
    pub(crate) fn add(&mut self, record: &Record) -> Result<(), LogError> {
        let line = format!("{record}\n");
        self.file
            .write_all(line.as_bytes())
            .map_err(|source| LogError::Io {
                path: self.path.clone(),
                source,
            })
    }
}

#[cfg(test)]
mod tests {
    use reversi_engine::Color;

    use super::super::record::{End, Spent};
    use super::*;

    fn record(game: usize) -> Record {
        Record {
            game,
            color: Color::Black,
            end: End::Board { difference: 2 },
            spent: [Spent::default(), Spent::default()],
            opening: 0,
            moves: "f5".to_owned(),
            detail: String::new(),
        }
    }

    #[test]
    fn games_are_there_when_the_file_is_opened_again_but_for_a_torn_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.log");
        let (mut log, none) = Log::open(&path, "a against b").unwrap();
        assert_eq!(none, []);
        log.add(&record(0)).unwrap();
        write!(log.file, "1\tblack\t+").unwrap();
        let (mut log, records) = Log::open(&path, "a against b").unwrap();
        assert_eq!(records, [record(0)]);
        log.add(&record(1)).unwrap();
        let (_, records) = Log::open(&path, "a against b").unwrap();
        assert_eq!(records, [record(0), record(1)]);
    }

    #[test]
    fn the_file_of_another_match_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.log");
        drop(Log::open(&path, "a against b").unwrap());
        let other = Log::open(&path, "a against c");
        assert!(matches!(other, Err(LogError::OtherMatch { .. })));
        std::fs::write(&path, format!("{HEADER}\tx\nnonsense\n")).unwrap();
        let damaged = Log::open(&path, "x");
        assert!(matches!(damaged, Err(LogError::Damaged { line: 2, .. })));
    }
}
