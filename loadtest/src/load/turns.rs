//! When the lanes of a thread make their next call.

use tokio::time::Instant;

/// Whose turn it is.
#[derive(Debug)]
pub(crate) enum Turns {
    /// A lane's own, as soon as it asks.
    Closed {
        /// When no more calls begin.
        end: Instant,
    },
}

/// A call may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    /// When it was due; `None` in a closed load.
    pub(crate) due: Option<Instant>,
}

impl Turns {
    /// The next turn; `None` at the end of the run.
    #[allow(clippy::unused_async)]
    pub(crate) async fn next(&self) -> Option<Turn> {
        match self {
            Self::Closed { end } => (Instant::now() < *end).then_some(Turn { due: None }),
        }
    }
}
