//! Why a call did not succeed.

use std::borrow::Cow;

use super::frame::FrameError;
use super::status::Status;

/// Why a call did not succeed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Failure {
    /// The server answered with a status other than OK.
    #[error("{}: {}", .0.code, .0.message)]
    Status(Status),
    /// No answer within the call's deadline.
    #[error("no answer within the deadline")]
    Deadline,
    /// The connection takes no more calls; this one was not sent.
    #[error("not sent: {0}")]
    Unsent(String),
    /// The connection or the stream broke.
    #[error("{0}")]
    Transport(String),
    /// The answer is not gRPC.
    #[error("not a gRPC answer: {0}")]
    NotGrpc(String),
    /// The answer is gRPC and wrong.
    #[error("wrong answer: {0}")]
    Wrong(String),
}

impl Failure {
    /// The code that reports count it under.
    pub(crate) const fn code(&self) -> &'static str {
        match self {
            Self::Status(status) => status.code,
            Self::Deadline => "DEADLINE_EXCEEDED",
            Self::Unsent(_) | Self::Transport(_) => "UNAVAILABLE",
            Self::NotGrpc(_) => "UNKNOWN",
            Self::Wrong(_) => "OK",
        }
    }

    /// The reason that reports count it under. What the generator found out itself stands in
    /// parentheses.
    pub(crate) fn reason(&self) -> Cow<'_, str> {
        match self {
            Self::Status(status) => status.reason.as_deref().unwrap_or_default().into(),
            Self::Deadline => "(no answer in time)".into(),
            Self::Unsent(cause) | Self::Transport(cause) => format!("({cause})").into(),
            Self::NotGrpc(_) => "(not gRPC)".into(),
            Self::Wrong(_) => "(wrong answer)".into(),
        }
    }
}

impl Failure {
    /// A call that could not be sent.
    pub(crate) fn unsent(error: &h2::Error) -> Self {
        Self::Unsent(cause(error))
    }
}

impl From<h2::Error> for Failure {
    fn from(error: h2::Error) -> Self {
        Self::Transport(cause(&error))
    }
}

/// The cause without what differs from call to call, so that equal ones are counted together.
fn cause(error: &h2::Error) -> String {
    match (error.get_io(), error.reason()) {
        (Some(io), _) => format!("connection lost: {}", io.kind()),
        (None, Some(reason)) if error.is_go_away() => format!("connection closed: {reason:?}"),
        (None, Some(reason)) => format!("stream reset: {reason:?}"),
        (None, None) => error.to_string(),
    }
}

impl From<FrameError> for Failure {
    fn from(error: FrameError) -> Self {
        Self::NotGrpc(error.to_string())
    }
}
