//! Files that somebody names on the command line: whatever is wrong with one is told with its name.

use std::path::{Path, PathBuf};

use reversi_engine::search::{Evaluation, EvaluationError};

/// Why a file is of no use.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    /// It cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        path: PathBuf,
        source: std::io::Error,
    },
    /// It holds no weights.
    #[error("{path}: {source}")]
    Weights {
        path: PathBuf,
        source: EvaluationError,
    },
}

pub(crate) fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    std::fs::read(path).map_err(|source| FileError::Io {
        path: path.to_owned(),
        source,
    })
}

pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    std::fs::write(path, bytes).map_err(|source| FileError::Io {
        path: path.to_owned(),
        source,
    })
}

/// What an engine knows, from a file of weights.
pub(crate) fn evaluation(path: &Path) -> Result<Evaluation, FileError> {
    parse(path, &read(path)?)
}

/// What an engine knows, from the content of a file of weights.
pub(crate) fn parse(path: &Path, content: &[u8]) -> Result<Evaluation, FileError> {
    Evaluation::from_bytes(content).map_err(|source| FileError::Weights {
        path: path.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_told_with_the_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.rvw");
        let missing = evaluation(&path).unwrap_err().to_string();
        assert!(missing.contains("x.rvw: No such file"), "{missing}");
        write(&path, b"junk").unwrap();
        let junk = evaluation(&path).unwrap_err().to_string();
        assert!(junk.contains("x.rvw: not a file of weights"), "{junk}");
        let unwritable = write(folder.path(), b"").unwrap_err();
        assert!(matches!(unwritable, FileError::Io { .. }), "{unwritable}");
    }
}
