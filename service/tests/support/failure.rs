//! What a failed call says, taken apart.

#![allow(dead_code, reason = "each test binary uses its part")]

use std::collections::BTreeMap;
use std::time::Duration;

use reversi_proto::ERROR_DOMAIN;
use reversi_proto::v1::ErrorReason;
use reversi_service::reason_name;
use tonic::{Code, Status};
use tonic_types::StatusExt;

/// What a failed call says.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) code: Code,
    pub(crate) reason: String,
    pub(crate) message: String,
    pub(crate) metadata: BTreeMap<String, String>,
    /// The fields of the `BadRequest`, in order.
    pub(crate) fields: Vec<String>,
    /// The type and subject of the `PreconditionFailure`.
    pub(crate) precondition: Option<(String, String)>,
    /// The name in the `ResourceInfo`.
    pub(crate) resource: Option<String>,
    pub(crate) retry_after: Option<Duration>,
}

impl Failure {
    /// # Panics
    ///
    /// If the status does not say what every error of this API says.
    pub(crate) fn of(status: &Status) -> Self {
        let details = status.get_error_details();
        let info = details
            .error_info()
            .unwrap_or_else(|| panic!("no ErrorInfo in {status:?}"));
        assert_eq!(info.domain, ERROR_DOMAIN, "{status:?}");
        assert!(!status.message().is_empty(), "{status:?}");
        let violations = details.bad_request().map(|bad| &bad.field_violations);
        let precondition = details.precondition_failure().map(|failure| {
            let [violation] = &failure.violations[..] else {
                panic!("not one violation in {failure:?}");
            };
            assert!(!violation.description.is_empty(), "{failure:?}");
            (violation.r#type.clone(), violation.subject.clone())
        });
        Self {
            code: status.code(),
            reason: info.reason.clone(),
            message: status.message().to_owned(),
            metadata: info.metadata.clone().into_iter().collect(),
            fields: violations
                .into_iter()
                .flatten()
                .map(|violation| {
                    assert!(!violation.description.is_empty(), "{violation:?}");
                    violation.field.clone()
                })
                .collect(),
            precondition,
            resource: details.resource_info().map(|resource| {
                assert_eq!(resource.resource_type, "reversi.v1.Game");
                resource.resource_name.clone()
            }),
            retry_after: details.retry_info().and_then(|retry| retry.retry_delay),
        }
    }

    pub(crate) fn is(&self, code: Code, reason: ErrorReason) -> bool {
        self.code == code && self.reason == reason_name(reason)
    }
}

/// Says what a call failed with.
///
/// # Panics
///
/// If it succeeded.
pub(crate) fn failure<T: std::fmt::Debug>(result: Result<T, Status>) -> Failure {
    Failure::of(&result.expect_err("the call fails"))
}

/// # Panics
///
/// If the call did not fail with this.
#[track_caller]
pub(crate) fn assert_fails<T: std::fmt::Debug>(
    result: Result<T, Status>,
    code: Code,
    reason: ErrorReason,
) -> Failure {
    let failure = failure(result);
    assert!(
        failure.is(code, reason),
        "expected {code:?} {reason:?}, found {failure:#?}"
    );
    failure
}
