//! How a command fails: the line for people, the object for programs, the exit code.

use std::{collections::BTreeMap, error::Error as _, io, process::ExitCode};

use reversi_client::{Error, code_name, proto::ErrorReason};
use serde::Serialize;

use super::output::{Form, Output};

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A call failed.
    #[error("{}", with_causes(.0))]
    Call(#[from] Error),
    /// A call failed in a game that can be gone on with.
    #[error("{}; the game is kept: reversi play --game {name}", with_causes(.source))]
    LeftGame { name: String, source: Error },
    /// A count ended at its deadline, but not before its first answers.
    #[error("the time was up after depth {depth}")]
    TimeUp { depth: i32, source: Error },
    /// Reading or writing here failed.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A file cannot be read.
    #[error("cannot read {path}: {source}")]
    File { path: String, source: io::Error },
    /// The service's answer lacks what it must have.
    #[error("the service's answer lacks `{0}`")]
    Lacking(&'static str),
    /// The command has already said what is wrong.
    #[error("failed")]
    Reported,
    /// The user has stopped it.
    #[error("interrupted")]
    Interrupted,
}

impl Failure {
    /// A file that cannot be read.
    pub(crate) fn file(path: &std::path::Path, source: io::Error) -> Self {
        Self::File {
            path: path.display().to_string(),
            source,
        }
    }

    /// Says what is wrong; the exit code.
    pub(crate) fn report(&self, output: Output) -> ExitCode {
        match self {
            Self::Reported => return ExitCode::FAILURE,
            Self::Interrupted => return ExitCode::from(130),
            // Whoever read the output has seen enough.
            Self::Io(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                return ExitCode::SUCCESS;
            }
            Self::Call(_)
            | Self::LeftGame { .. }
            | Self::TimeUp { .. }
            | Self::Io(_)
            | Self::File { .. }
            | Self::Lacking(_) => {}
        }
        match output.form() {
            // There is nothing left to do about an output that cannot be written.
            Form::Json => drop(Output::json(&ErrorObject { error: self.body() })),
            Form::Text => Output::note(self),
        }
        ExitCode::FAILURE
    }

    /// The error for programs.
    pub(crate) fn body(&self) -> ErrorBody {
        match self {
            Self::Call(error) => ErrorBody::new(error),
            Self::LeftGame { name, source } => ErrorBody {
                game: Some(name.clone()),
                ..ErrorBody::new(source)
            },
            Self::TimeUp { source, .. } => ErrorBody {
                message: self.to_string(),
                ..ErrorBody::new(source)
            },
            Self::Io(_) => ErrorBody::local("IO", self.to_string()),
            Self::File { .. } => ErrorBody::local("UNREADABLE_FILE", self.to_string()),
            Self::Lacking(_) => ErrorBody::local("INCOMPLETE_ANSWER", self.to_string()),
            Self::Reported => ErrorBody::local("FAILED", self.to_string()),
            Self::Interrupted => ErrorBody::local("INTERRUPTED", self.to_string()),
        }
    }
}

/// `{"error": …}`.
#[derive(Debug, Serialize)]
struct ErrorObject {
    error: ErrorBody,
}

/// An error for programs.
#[derive(Debug, Serialize)]
pub(crate) struct ErrorBody {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) index: Option<u64>,
    pub(crate) reason: String,
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    game: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u128>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    metadata: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    field_violations: Vec<FieldViolation>,
}

#[derive(Debug, Serialize)]
struct FieldViolation {
    field: String,
    description: String,
}

impl ErrorBody {
    fn local(reason: &str, message: String) -> Self {
        Self {
            index: None,
            reason: reason.to_owned(),
            message,
            code: None,
            game: None,
            retry_after_ms: None,
            metadata: BTreeMap::new(),
            field_violations: Vec::new(),
        }
    }

    /// The service's own reason where it gave one, else what happened on the way.
    pub(crate) fn new(error: &Error) -> Self {
        let Some(api) = error.api() else {
            return Self::local(error.label(), with_causes(error));
        };
        Self {
            index: error.metadata("index").and_then(|text| text.parse().ok()),
            code: Some(code_name(api.code)),
            retry_after_ms: api.retry_after.map(|wait| wait.as_millis()),
            metadata: api.metadata.clone(),
            field_violations: api
                .field_violations
                .iter()
                .map(|violation| FieldViolation {
                    field: violation.field.clone(),
                    description: violation.description.clone(),
                })
                .collect(),
            ..Self::local(error.label(), api.message.clone())
        }
    }
}

/// An error with what caused it, in one line.
pub(crate) fn with_causes(error: &Error) -> String {
    let mut text = in_letters(error);
    if let Some(api) = error.api() {
        // The message often is the one fault's description.
        let news = |violation: &&reversi_client::FieldViolation| {
            !api.message.contains(&violation.description)
        };
        for violation in api.field_violations.iter().filter(news) {
            text.push_str(&format!("; {}: {}", violation.field, violation.description));
        }
    }
    let mut cause = error.source();
    while let Some(error) = cause {
        cause = error.source();
        match error.downcast_ref::<Box<tonic::Status>>() {
            // What it would say of itself is for programmers, its causes are told next.
            Some(_) if cause.is_some() => {}
            Some(status) => text.push_str(&format!(": {}", status.message())),
            None => text.push_str(&format!(": {error}")),
        }
    }
    text.replace('\n', " ")
}

/// The error's text, in which a side that the service's message begins with is X or O, as
/// everywhere else on the command line.
fn in_letters(error: &Error) -> String {
    let text = error.to_string();
    match error.reason() {
        Some(ErrorReason::NothingToTakeBack | ErrorReason::NotYourTurn) => text
            .replacen(": black ", ": X ", 1)
            .replacen(": white ", ": O ", 1),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use reversi_client::{ApiError, Code, Reason, proto::ErrorReason};
    use serde_json::json;

    use super::*;

    fn body(failure: &Failure) -> serde_json::Value {
        serde_json::to_value(ErrorObject {
            error: failure.body(),
        })
        .unwrap()
    }

    #[test]
    fn an_answer_of_the_service_keeps_reason_index_and_metadata() {
        let failure = Failure::Call(Error::Api(Box::new(ApiError {
            code: Code::FailedPrecondition,
            reason: Some(Reason::Known(ErrorReason::SquareOccupied)),
            message: "d4 has a disc".to_owned(),
            metadata: [("index", "3"), ("square", "d4")]
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .into(),
            retry_after: None,
            field_violations: Vec::new(),
        })));
        assert_eq!(
            body(&failure),
            json!({"error": {
                "index": 3,
                "reason": "SQUARE_OCCUPIED",
                "message": "d4 has a disc",
                "code": "FAILED_PRECONDITION",
                "metadata": {"index": "3", "square": "d4"},
            }})
        );
        assert_eq!(failure.to_string(), "SQUARE_OCCUPIED: d4 has a disc");
    }

    #[test]
    fn an_unreachable_service_is_named_with_its_endpoint() {
        let failure = Failure::Call(Error::Connect {
            endpoint: "http://127.0.0.1:1".to_owned(),
            source: "Connection refused".into(),
        });
        let message = "cannot reach the service at http://127.0.0.1:1: Connection refused";
        assert_eq!(failure.to_string(), message);
        assert_eq!(
            body(&failure),
            json!({"error": {"reason": "UNREACHABLE", "message": message}})
        );
    }

    #[test]
    fn a_broken_connection_is_told_by_its_causes() {
        let alert = io::Error::new(io::ErrorKind::InvalidData, "certificate required");
        for status in [
            tonic::Status::from_error(Box::new(alert)),
            tonic::Status::unknown("certificate required"),
        ] {
            let failure = Failure::Call(Error::Transport {
                endpoint: "https://host:1".to_owned(),
                source: Box::new(status),
            });
            let message = "the connection to https://host:1 broke: certificate required";
            assert_eq!(failure.to_string(), message);
        }
    }

    #[test]
    fn an_answer_without_a_reason_is_named_by_its_code() {
        let failure = Failure::Call(Error::Api(Box::new(ApiError {
            code: Code::Unimplemented,
            reason: None,
            message: String::new(),
            metadata: BTreeMap::new(),
            retry_after: None,
            field_violations: Vec::new(),
        })));
        assert_eq!(body(&failure)["error"]["reason"], "UNIMPLEMENTED");
    }
}
