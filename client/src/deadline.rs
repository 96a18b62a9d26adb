//! The moment by which a call must have ended.

use std::time::Duration;

use tokio::time::Instant;

/// A deadline, and the timeout it came from (for messages).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    at: Instant,
    timeout: Duration,
}

impl Deadline {
    /// The longest timeout taken as it is: a century is for ever, and fits an `Instant`.
    const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

    pub(crate) fn after(timeout: Duration) -> Self {
        let timeout = timeout.min(Self::LONGEST);
        Self {
            at: Instant::now() + timeout,
            timeout,
        }
    }

    pub(crate) fn at(self) -> Instant {
        self.at
    }

    pub(crate) fn timeout(self) -> Duration {
        self.timeout
    }

    pub(crate) fn remaining(self) -> Duration {
        self.at.saturating_duration_since(Instant::now())
    }
}
