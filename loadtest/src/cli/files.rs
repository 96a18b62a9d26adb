//! Files named on the command line.

use std::fs;
use std::path::Path;

use super::failure::Failure;

/// Reads a text.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|source| Failure::File {
        path: path.to_owned(),
        source,
    })
}

/// Writes a file, if one was asked for.
pub(crate) fn write(path: Option<&Path>, content: impl FnOnce() -> String) -> Result<(), Failure> {
    let Some(path) = path else {
        return Ok(());
    };
    fs::write(path, content()).map_err(|source| Failure::File {
        path: path.to_owned(),
        source,
    })
}

/// Makes sure, before a long run, that a file can be written after it.
pub(crate) fn check_writable(path: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = path else {
        return Ok(());
    };
    fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .map(drop)
        .map_err(|source| Failure::File {
            path: path.to_owned(),
            source,
        })
}
