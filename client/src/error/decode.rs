//! From a `tonic::Status` to an [`Error`]: who made it, and what it carries.

use std::time::Duration;

use reversi_proto::ERROR_DOMAIN;
use tonic::{Code, ConnectError, Status, TimeoutExpired};
use tonic_types::StatusExt;

use super::{ApiError, Error, FieldViolation, Reason};

impl Error {
    /// What a status of a call to `endpoint` means. A status that was sent has no source;
    /// one with a source was made on this side.
    pub(crate) fn from_status(endpoint: &str, timeout: Duration, status: Status) -> Self {
        let Some(cause) = std::error::Error::source(&status) else {
            if is_of_others(&status) {
                return Self::Transport {
                    endpoint: endpoint.to_owned(),
                    source: Box::new(status),
                };
            }
            return Self::Api(Box::new(ApiError::from_status(&status)));
        };
        if in_chain::<TimeoutExpired>(cause).is_some() {
            return Self::DeadlineExceeded {
                timeout,
                last: None,
            };
        }
        if let Some(connect) = in_chain::<ConnectError>(cause) {
            return Self::Connect {
                endpoint: endpoint.to_owned(),
                source: innermost(connect).into(),
            };
        }
        Self::Transport {
            endpoint: endpoint.to_owned(),
            source: Box::new(status),
        }
    }

    /// A connection that could not be made at all.
    pub(crate) fn from_connect(endpoint: &str, error: &tonic::transport::Error) -> Self {
        Self::Connect {
            endpoint: endpoint.to_owned(),
            source: innermost(error).into(),
        }
    }
}

impl ApiError {
    fn from_status(status: &Status) -> Self {
        let info = status.get_details_error_info();
        let reason = info.as_ref().map(|info| {
            if info.domain == ERROR_DOMAIN {
                Reason::parse(&info.reason)
            } else {
                Reason::Other(info.reason.clone())
            }
        });
        Self {
            code: status.code(),
            reason,
            message: status.message().to_owned(),
            metadata: info
                .map(|info| info.metadata.into_iter().collect())
                .unwrap_or_default(),
            retry_after: status
                .get_details_retry_info()
                .and_then(|info| info.retry_delay),
            field_violations: status
                .get_details_bad_request()
                .map(|request| request.field_violations)
                .unwrap_or_default()
                .into_iter()
                .map(|violation| FieldViolation {
                    field: violation.field,
                    description: violation.description,
                })
                .collect(),
        }
    }
}

/// Whether it is not the service that has answered: the answer has ended before its status, or
/// something in between has sent a page of its own, as proxies do when nobody is behind them. The
/// service itself says more than UNKNOWN or INTERNAL.
fn is_of_others(status: &Status) -> bool {
    matches!(status.code(), Code::Unknown | Code::Internal) && status.details().is_empty()
}

/// The first error of type `T` in a chain of sources.
fn in_chain<'a, T: std::error::Error + 'static>(
    first: &'a (dyn std::error::Error + 'static),
) -> Option<&'a T> {
    std::iter::successors(Some(first), |error| error.source())
        .find_map(|error| error.downcast_ref())
}

/// The text of the last error of a chain: "Connection refused", not what wraps it.
fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    std::iter::successors(Some(error), |error| error.source())
        .last()
        .map_or_else(String::new, ToString::to_string)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use reversi_proto::v1::ErrorReason;
    use tonic_types::ErrorDetails;

    use super::*;

    fn decoded(status: Status) -> Error {
        Error::from_status("http://test", Duration::from_secs(1), status)
    }

    fn api_status(code: Code, reason: &str, domain: &str, metadata: &[(&str, &str)]) -> Status {
        let mut details = ErrorDetails::new();
        let metadata: HashMap<String, String> = metadata
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        details.set_error_info(reason, domain, metadata);
        Status::with_error_details(code, "what happened", details)
    }

    #[test]
    fn reason_and_metadata_are_decoded() {
        let error = decoded(api_status(
            Code::FailedPrecondition,
            "SQUARE_OCCUPIED",
            ERROR_DOMAIN,
            &[("index", "3"), ("square", "d4")],
        ));
        assert_eq!(error.reason(), Some(ErrorReason::SquareOccupied));
        assert_eq!(error.code(), Some(Code::FailedPrecondition));
        assert_eq!(error.metadata("index"), Some("3"));
        assert_eq!(error.metadata("square"), Some("d4"));
        assert_eq!(error.metadata("etag"), None);
        assert!(!error.is_retryable());
        assert_eq!(error.to_string(), "SQUARE_OCCUPIED: what happened");
    }

    #[test]
    fn an_unknown_reason_is_kept_as_text() {
        let error = decoded(api_status(
            Code::Aborted,
            "FROM_THE_FUTURE",
            ERROR_DOMAIN,
            &[],
        ));
        assert_eq!(error.reason(), None);
        let reason = error.api().and_then(|api| api.reason.clone());
        assert_eq!(reason, Some(Reason::Other("FROM_THE_FUTURE".to_owned())));
    }

    #[test]
    fn another_domains_reason_is_not_taken_for_ours() {
        let error = decoded(api_status(Code::Aborted, "GAME_OVER", "example.org", &[]));
        assert_eq!(error.reason(), None);
    }

    #[test]
    fn retry_info_and_field_violations_are_decoded() {
        let mut details = ErrorDetails::new();
        details
            .set_retry_info(Some(Duration::from_millis(250)))
            .add_bad_request_violation("position", "required");
        let error = decoded(Status::with_error_details(
            Code::ResourceExhausted,
            "busy",
            details,
        ));
        assert_eq!(error.retry_after(), Some(Duration::from_millis(250)));
        assert!(error.is_retryable());
        assert!(!error.is_unavailable());
        let violations = &error.api().unwrap().field_violations;
        assert_eq!(violations[0].field, "position");
        assert_eq!(violations[0].description, "required");
    }

    #[test]
    fn a_status_without_details_is_still_an_answer() {
        let error = decoded(Status::unavailable("try later"));
        assert!(error.is_unavailable() && error.is_retryable());
        assert_eq!(error.to_string(), "UNAVAILABLE: try later");
    }

    #[test]
    fn details_that_are_no_message_are_ignored() {
        let status = Status::with_details(Code::Internal, "x", vec![0xff, 0xff].into());
        let error = decoded(status);
        assert_eq!(error.code(), Some(Code::Internal));
        assert!(error.reason().is_none());
    }

    #[test]
    fn a_failed_connection_is_told_from_an_answer() {
        let refused = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
        let error = decoded(Status::from_error(Box::new(ConnectError(Box::new(
            refused,
        )))));
        assert!(matches!(error, Error::Connect { .. }), "{error:?}");
    }

    #[test]
    fn a_timeout_of_the_transport_is_the_deadline() {
        let error = decoded(Status::from_error(Box::new(TimeoutExpired(()))));
        assert!(matches!(error, Error::DeadlineExceeded { .. }), "{error:?}");
    }

    #[test]
    fn a_broken_connection_is_a_transport_error() {
        let broken = std::io::Error::from(std::io::ErrorKind::BrokenPipe);
        let error = decoded(Status::from_error(Box::new(broken)));
        assert!(matches!(error, Error::Transport { .. }), "{error:?}");
        assert!(error.is_retryable());
    }

    #[test]
    fn every_reason_of_the_api_survives_text() {
        for number in 0..64 {
            if let Ok(reason) = ErrorReason::try_from(number) {
                let known = Reason::Known(reason);
                assert_eq!(Reason::parse(known.as_str()), known);
            }
        }
    }
}
