//! Why a call failed, in types.

mod decode;

use std::{collections::BTreeMap, fmt, time::Duration};

use reversi_proto::v1::ErrorReason;
use tonic::Code;

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The endpoint, or what it is to be called with, cannot be used; nothing was called.
    #[error("`{endpoint}` cannot be called: {problem}")]
    InvalidEndpoint {
        /// What was given.
        endpoint: String,
        /// What is wrong with it, or with the certificate that it is to be shown.
        problem: String,
    },
    /// The token cannot be used; nothing was called.
    #[error("{token} cannot be used: {problem}")]
    InvalidToken {
        /// Where it is from. Not the token itself.
        token: String,
        /// What is wrong with it.
        problem: String,
    },
    /// No connection could be made: the call has not left this machine.
    #[error("cannot reach the service at {endpoint}")]
    Connect {
        /// Where the service was looked for.
        endpoint: String,
        /// What the network said.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The connection broke during the call. The service may have done what was asked.
    #[error("the connection to {endpoint} broke")]
    Transport {
        /// Which connection.
        endpoint: String,
        /// What broke.
        #[source]
        source: Box<tonic::Status>,
    },
    /// The call's deadline passed here. The service may have done what was asked.
    #[error("no answer within {timeout:?}")]
    DeadlineExceeded {
        /// The deadline, as the time from the call's beginning.
        timeout: Duration,
        /// What the last attempt before failed with, if there was one.
        #[source]
        last: Option<Box<Self>>,
    },
    /// The service answered with an error.
    #[error("{0}")]
    Api(Box<ApiError>),
    /// The operating system has no random bytes for a `request_id`; nothing was called.
    #[error("no random bytes for a request id")]
    Random(#[source] getrandom::Error),
}

/// An error that the service answered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    /// The gRPC status code.
    pub code: Code,
    /// Why, in a form for programs. `None` where the answer does not say: it may come from
    /// something between the caller and the service.
    pub reason: Option<Reason>,
    /// Why, in a form for people.
    pub message: String,
    /// The values that belong to the reason; the proto's `ErrorReason` names them.
    pub metadata: BTreeMap<String, String>,
    /// How long to wait before trying again, where the service says so.
    pub retry_after: Option<Duration>,
    /// All faults of the request, field by field.
    pub field_violations: Vec<FieldViolation>,
}

/// Why the service refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// A reason that this client knows.
    Known(ErrorReason),
    /// A reason that it does not know: of a newer service, or of another domain.
    Other(String),
}

/// What is wrong with one field of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldViolation {
    /// The path of the field.
    pub field: String,
    /// What is wrong.
    pub description: String,
}

impl Error {
    /// Why the service refused, if it did and for a reason that this client knows.
    #[must_use]
    pub fn reason(&self) -> Option<ErrorReason> {
        match self.api()?.reason {
            Some(Reason::Known(reason)) => Some(reason),
            Some(Reason::Other(_)) | None => None,
        }
    }

    /// A value that belongs to the reason, for example `index` or `etag`.
    #[must_use]
    pub fn metadata(&self, key: &str) -> Option<&str> {
        self.api()?.metadata.get(key).map(String::as_str)
    }

    /// The gRPC status code of the service's answer, if it answered.
    #[must_use]
    pub fn code(&self) -> Option<Code> {
        self.api().map(|error| error.code)
    }

    /// A word for what went wrong, for programs and for counting: the service's reason
    /// (`STALE_ETAG`), the status code of an answer without one (`UNIMPLEMENTED`), or what
    /// happened on the way (`UNREACHABLE`, `CONNECTION_LOST`, `DEADLINE_EXCEEDED`,
    /// `INVALID_ENDPOINT`, `INVALID_TOKEN`, `NO_RANDOM_BYTES`).
    #[must_use]
    pub fn label(&self) -> &str {
        match self {
            Self::Api(error) => match &error.reason {
                Some(reason) => reason.as_str(),
                None => code_name(error.code),
            },
            Self::InvalidToken { .. } => "INVALID_TOKEN",
            Self::Connect { .. } => "UNREACHABLE",
            Self::Transport { .. } => "CONNECTION_LOST",
            Self::DeadlineExceeded { .. } => "DEADLINE_EXCEEDED",
            Self::InvalidEndpoint { .. } => "INVALID_ENDPOINT",
            Self::Random(_) => "NO_RANDOM_BYTES",
        }
    }

    /// The service's answer, if it answered.
    #[must_use]
    pub fn api(&self) -> Option<&ApiError> {
        if let Self::Api(error) = self {
            Some(error)
        } else {
            None
        }
    }

    /// How long the service asks to wait before trying again.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.api()?.retry_after
    }

    /// Whether the same call may succeed later: the service could not be reached or took
    /// too long, or it said that it cannot take the call now.
    ///
    /// Whether a repeat is *safe* is another question: a write without a `request_id` may
    /// have been done. The client repeats by itself what is safe, but only where the
    /// service was unavailable; being too busy is left to the caller.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Connect { .. } | Self::Transport { .. } | Self::DeadlineExceeded { .. } => true,
            Self::Api(error) => {
                matches!(error.code, Code::Unavailable | Code::DeadlineExceeded)
                    || error.retry_after.is_some()
            }
            Self::InvalidEndpoint { .. } | Self::InvalidToken { .. } | Self::Random(_) => false,
        }
    }

    /// Whether the service could not be reached or declared itself unavailable.
    #[must_use]
    pub fn is_unavailable(&self) -> bool {
        match self {
            Self::Connect { .. } | Self::Transport { .. } => true,
            Self::Api(error) => error.code == Code::Unavailable,
            Self::DeadlineExceeded { .. }
            | Self::InvalidEndpoint { .. }
            | Self::InvalidToken { .. }
            | Self::Random(_) => false,
        }
    }
}

impl std::error::Error for ApiError {}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Some(reason) => write!(f, "{reason}")?,
            None => f.write_str(code_name(self.code))?,
        }
        if !self.message.is_empty() {
            write!(f, ": {}", self.message)?;
        }
        Ok(())
    }
}

impl Reason {
    /// The prefix that the proto's enum has and the wire has not.
    const PREFIX: &str = "ERROR_REASON_";

    /// The reason as it is sent, for example `STALE_ETAG`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(reason) => {
                let name = reason.as_str_name();
                name.strip_prefix(Self::PREFIX).unwrap_or(name)
            }
            Self::Other(text) => text,
        }
    }

    /// Reads a reason of this API's domain.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        ErrorReason::from_str_name(&format!("{}{text}", Self::PREFIX))
            .map_or_else(|| Self::Other(text.to_owned()), Self::Known)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A status code as gRPC writes it, for example `FAILED_PRECONDITION`.
#[must_use]
pub fn code_name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}
