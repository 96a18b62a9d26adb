//! Something read from files that is read again when they change.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

/// How often files are looked at.
const LOOK: Duration = Duration::from_secs(2);

/// Why what callers are checked with cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    /// Files that cannot be read, or are not what they should be.
    #[error("cannot use {files}: {why}")]
    Files {
        /// Which.
        files: String,
        /// Why not. Says nothing secret.
        why: String,
    },
    /// A URL that has nothing of use.
    #[error("cannot use {url}: {why}")]
    Url {
        /// Which.
        url: String,
        /// Why not.
        why: String,
    },
}

/// How what is in the files becomes what is used.
type Parse<T> = dyn Fn(&[Vec<u8>]) -> Result<T, String> + Send + Sync;

/// What was read last. A change that cannot be used leaves it as it is.
pub(crate) struct Watched<T> {
    paths: Vec<PathBuf>,
    parse: Box<Parse<T>>,
    now: RwLock<Arc<T>>,
}

impl<T: Send + Sync + 'static> Watched<T> {
    /// Reads the files.
    pub(crate) fn open(
        paths: Vec<PathBuf>,
        parse: impl Fn(&[Vec<u8>]) -> Result<T, String> + Send + Sync + 'static,
    ) -> Result<Self, Unusable> {
        let first = parse(&read(&paths)?).map_err(|why| {
            let files = list(&paths);
            Unusable::Files { files, why }
        })?;
        Ok(Self {
            paths,
            parse: Box::new(parse),
            now: RwLock::new(Arc::new(first)),
        })
    }

    /// What is used now.
    pub(crate) fn now(&self) -> Arc<T> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the files again whenever they have changed.
    pub(crate) async fn follow(self: Arc<Self>) {
        let mut seen = stamps(&self.paths);
        loop {
            tokio::time::sleep(LOOK).await;
            let stamps = stamps(&self.paths);
            if stamps != seen {
                seen = stamps;
                self.read_again();
            }
        }
    }

    /// Reads the files again.
    pub(crate) fn read_again(&self) {
        let files = list(&self.paths);
        let parsed = read(&self.paths).map_err(|error| error.to_string());
        match parsed.and_then(|bytes| (self.parse)(&bytes)) {
            Ok(new) => {
                *self.now.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(new);
                tracing::info!(%files, "read again");
            }
            Err(error) => tracing::warn!(%files, %error, "a change cannot be used"),
        }
    }
}

impl<T> fmt::Debug for Watched<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watched")
            .field("paths", &self.paths)
            .finish_non_exhaustive()
    }
}

fn read(paths: &[PathBuf]) -> Result<Vec<Vec<u8>>, Unusable> {
    let one = |path: &PathBuf| {
        fs::read(path).map_err(|error| Unusable::Files {
            files: path.display().to_string(),
            why: error.to_string(),
        })
    };
    paths.iter().map(one).collect()
}

fn list(paths: &[PathBuf]) -> String {
    let shown: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    shown.join(", ")
}

/// What tells a file from what it was before. Follows links: mounted secrets change by a link.
fn stamps(paths: &[PathBuf]) -> Vec<Option<(SystemTime, u64)>> {
    let stamp = |path: &Path| -> io::Result<(SystemTime, u64)> {
        let file = fs::metadata(path)?;
        Ok((file.modified()?, file.len()))
    };
    paths.iter().map(|path| stamp(path).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(files: &[Vec<u8>]) -> Result<u32, String> {
        let text = std::str::from_utf8(&files[0]).map_err(|error| error.to_string())?;
        text.parse().map_err(|_| "not a number".to_owned())
    }

    #[tokio::test(start_paused = true)]
    async fn a_change_is_read_and_nonsense_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("number");
        fs::write(&path, "1").unwrap();
        let watched = Arc::new(Watched::open(vec![path.clone()], number).unwrap());
        let following = tokio::spawn(Arc::clone(&watched).follow());
        assert_eq!(*watched.now(), 1);
        for (text, expected) in [("22", 22), ("nonsense", 22), ("333", 333)] {
            tokio::task::yield_now().await;
            fs::write(&path, text).unwrap();
            tokio::time::sleep(3 * LOOK).await;
            assert_eq!(*watched.now(), expected, "{text}");
        }
        following.abort();
    }

    #[test]
    fn a_file_that_cannot_be_used_is_named() {
        let error = Watched::open(vec![PathBuf::from("/no/such/file")], number).unwrap_err();
        assert!(error.to_string().contains("/no/such/file"), "{error}");
    }
}
