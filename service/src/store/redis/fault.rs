//! What an error of Redis means for the connection and for the caller.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use redis::{ErrorKind, RedisError, ServerErrorKind};

use crate::store::StoreError;

/// What an error of Redis means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The connection is broken, or leads to a server that cannot do its work, such as one
    /// that is a replica since a failover: another connection is needed.
    Lost,
    /// No answer in time. The connection may be broken.
    Late,
    /// The server is there but does not want to now, such as when its memory is full.
    Refused,
    /// Anything else.
    Wrong,
}

impl Fault {
    pub(super) fn of(error: &RedisError) -> Self {
        if error.is_timeout() {
            return Self::Late;
        }
        if let ErrorKind::Server(kind) = error.kind() {
            #[expect(clippy::wildcard_enum_match_arm, reason = "a foreign enum that grows")]
            return match kind {
                ServerErrorKind::BusyLoading
                | ServerErrorKind::ClusterDown
                | ServerErrorKind::MasterDown
                | ServerErrorKind::ReadOnly => Self::Lost,
                ServerErrorKind::TryAgain => Self::Refused,
                _ => Self::Wrong,
            };
        }
        match error.code() {
            Some("OOM" | "MISCONF" | "NOREPLICAS" | "BUSY") => Self::Refused,
            Some("UNBLOCKED") => Self::Lost,
            _ if error.kind() == ErrorKind::AuthenticationFailed => Self::Wrong,
            _ if error.kind() == ErrorKind::MasterNameNotFoundBySentinel => Self::Wrong,
            _ if error.is_unrecoverable_error() || error.is_io_error() => Self::Lost,
            _ => Self::Wrong,
        }
    }
}

/// Why a command has no answer that is of use.
#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum CallError {
    #[error(transparent)]
    NotConnected(#[from] NotConnected),
    #[error(transparent)]
    Redis(#[from] RedisError),
    #[error(transparent)]
    NotReplicated(#[from] NotReplicated),
}

impl CallError {
    /// Whether Redis says that it does not know a script by its hash.
    pub(super) fn is_unknown_script(&self) -> bool {
        matches!(self, Self::Redis(error) if is_unknown_script(error))
    }
}

/// Whether Redis says that it does not know a script by its hash.
pub(super) fn is_unknown_script(error: &RedisError) -> bool {
    error.kind() == ErrorKind::Server(ServerErrorKind::NoScript)
}

/// A write is done, but fewer replicas than wanted have said in time that they have it.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("{replicas} of {wanted} replicas have confirmed the write")]
pub(super) struct NotReplicated {
    pub(super) replicas: u32,
    pub(super) wanted: u32,
}

impl From<CallError> for StoreError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::NotConnected(error) => error.into(),
            CallError::Redis(error) => error.into(),
            CallError::NotReplicated(NotReplicated { replicas, wanted }) => {
                Self::NotReplicated { replicas, wanted }
            }
        }
    }
}

impl From<RedisError> for StoreError {
    fn from(error: RedisError) -> Self {
        let fault = Fault::of(&error);
        if fault == Fault::Refused {
            warn_now_and_then(&error);
        }
        match fault {
            Fault::Lost | Fault::Late | Fault::Refused => Self::Unavailable(Box::new(error)),
            Fault::Wrong => Self::Failed(Box::new(error)),
        }
    }
}

/// Callers are only told that the store cannot be reached: what is wrong, such as that its
/// memory is full, is for the log, but not for every call.
fn warn_now_and_then(error: &RedisError) {
    const PAUSE: Duration = Duration::from_secs(10);
    static QUIET_UNTIL: Mutex<Option<Instant>> = Mutex::new(None);
    let mut quiet_until = QUIET_UNTIL.lock().unwrap_or_else(PoisonError::into_inner);
    let now = Instant::now();
    if quiet_until.is_none_or(|until| now >= until) {
        *quiet_until = Some(now + PAUSE);
        tracing::warn!(%error, "Redis refuses commands");
    }
}

/// There is no connection to Redis now.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("no connection to Redis")]
pub(super) struct NotConnected;

impl From<NotConnected> for StoreError {
    fn from(error: NotConnected) -> Self {
        Self::Unavailable(Box::new(error))
    }
}

/// Redis answered something that this service never stores.
#[derive(Debug, thiserror::Error)]
#[error("redis answered something unexpected to {command}")]
pub(super) struct Unexpected {
    pub(super) command: &'static str,
}

impl From<Unexpected> for StoreError {
    fn from(error: Unexpected) -> Self {
        Self::Failed(Box::new(error))
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use redis::parse_redis_value;

    use super::*;

    fn answered(line: &str) -> RedisError {
        let value = parse_redis_value(format!("-{line}\r\n").as_bytes()).unwrap();
        value.extract_error().unwrap_err()
    }

    #[test]
    fn a_server_that_cannot_do_its_work_is_lost() {
        for line in [
            "READONLY You can't write against a read only replica.",
            "LOADING Redis is loading the dataset in memory",
            "MASTERDOWN Link with MASTER is down",
            "CLUSTERDOWN The cluster is down",
        ] {
            assert_eq!(Fault::of(&answered(line)), Fault::Lost, "{line}");
        }
        for kind in [
            io::ErrorKind::BrokenPipe,
            io::ErrorKind::ConnectionRefused,
            io::ErrorKind::HostUnreachable,
        ] {
            let error = RedisError::from(io::Error::from(kind));
            assert_eq!(Fault::of(&error), Fault::Lost, "{kind}");
        }
    }

    #[test]
    fn a_server_that_does_not_want_to_is_unavailable() {
        for line in [
            "OOM command not allowed when used memory > 'maxmemory'.",
            "MISCONF Redis is configured to save RDB snapshots",
            "NOREPLICAS Not enough good replicas to write.",
            "BUSY Redis is busy running a script.",
        ] {
            let error = answered(line);
            assert_eq!(Fault::of(&error), Fault::Refused, "{line}");
            let error = StoreError::from(error);
            assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
        }
    }

    #[test]
    fn a_late_answer_does_not_mean_that_the_connection_is_lost() {
        let error = RedisError::from(io::Error::from(io::ErrorKind::TimedOut));
        assert_eq!(Fault::of(&error), Fault::Late);
    }

    #[test]
    fn everything_else_is_a_failure() {
        for line in [
            "WRONGTYPE Operation against a key holding the wrong kind of value",
            "NOPERM this user has no permissions",
            "WRONGPASS invalid username-password pair",
            "NOAUTH Authentication required.",
            "MOVED 3999 127.0.0.1:6381",
            "ERR anything",
        ] {
            let error = answered(line);
            assert_eq!(Fault::of(&error), Fault::Wrong, "{line}");
            let error = StoreError::from(error);
            assert!(matches!(error, StoreError::Failed(_)), "{error:?}");
        }
    }
}
