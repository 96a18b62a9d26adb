//! What a call is called: in the metadata of its answer, in its error, in the log.
//!
//! A caller may name its call with `x-request-id`, as the services around it do. A call that fails
//! without a name gets one.

use http::{HeaderMap, HeaderName, HeaderValue};
use tonic::{Code, Status};
use tonic_types::StatusExt;

/// The header, of a call and of its answer.
const NAME: HeaderName = HeaderName::from_static("x-request-id");
/// The longest name that is taken.
const MAX_BYTES: usize = 128;

/// The name of a call.
#[derive(Clone, Debug)]
pub(super) struct CallName(HeaderValue);

impl CallName {
    /// The name that the caller gave; `None` if it gave none, or one that no log should have.
    pub(super) fn given(headers: &HeaderMap) -> Option<Self> {
        let value = headers.get(NAME)?;
        let sound = value.len() <= MAX_BYTES
            && !value.is_empty()
            && value.as_bytes().iter().all(u8::is_ascii_graphic);
        sound.then(|| Self(value.clone()))
    }

    /// A name for a call that has none.
    pub(super) fn new() -> Self {
        let bits = getrandom::u64().unwrap_or_default();
        let value = HeaderValue::from_str(&format!("{bits:016x}"));
        Self(value.expect("invariant: hexadecimal digits"))
    }

    pub(super) fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    /// Puts the name into the metadata of an answer.
    pub(super) fn put(&self, headers: &mut HeaderMap) {
        headers.insert(NAME, self.0.clone());
    }

    /// The status with the name among its details.
    pub(super) fn tell(&self, status: &Status) -> Status {
        let mut details = status.get_error_details();
        details.set_request_info(self.as_str(), "");
        let metadata = status.metadata().clone();
        Status::with_error_details_and_metadata(status.code(), status.message(), details, metadata)
    }

    /// Writes a failed call to the log: as a warning where it should not have failed.
    pub(super) fn log(&self, method: &str, status: &Status) {
        let (request_id, message) = (self.as_str(), status.message());
        let code = i32::from(status.code());
        if matches!(
            status.code(),
            Code::Internal | Code::Unknown | Code::DataLoss
        ) {
            tracing::warn!(request_id, method, code, message, "a call failed");
        } else {
            tracing::debug!(request_id, method, code, message, "a call failed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(text: &str) -> Option<CallName> {
        let value = HeaderValue::from_bytes(text.as_bytes()).unwrap();
        CallName::given(&[(NAME, value)].into_iter().collect())
    }

    #[test]
    fn only_a_sound_name_is_taken() {
        assert_eq!(given("abc-1").unwrap().as_str(), "abc-1");
        for text in ["", "two words", "é", &"x".repeat(129)] {
            assert!(given(text).is_none(), "{text}");
        }
        assert!(CallName::given(&HeaderMap::new()).is_none());
    }

    #[test]
    fn a_status_keeps_what_it_says() {
        let mut details = tonic_types::ErrorDetails::with_error_info("WHY", "reversi.v1", []);
        details.set_retry_info(Some(std::time::Duration::from_secs(1)));
        let status = Status::with_error_details(Code::Unavailable, "gone", details);
        let told = CallName::new().tell(&status);
        assert_eq!((told.code(), told.message()), (Code::Unavailable, "gone"));
        let details = told.get_error_details();
        assert_eq!(details.error_info().unwrap().reason, "WHY");
        assert!(details.retry_info().is_some());
        assert_eq!(details.request_info().unwrap().request_id.len(), 16);
    }
}
