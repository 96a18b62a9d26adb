//! The faults of a request.

use std::fmt;

use reversi_proto::v1::ErrorReason;

/// A fault of one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::grpc) struct Fault {
    /// The path of the field, as in `rules.custom_position`.
    pub(in crate::grpc) field: String,
    /// What kind of fault it is.
    pub(in crate::grpc) reason: ErrorReason,
    /// What is wrong, for a person.
    pub(in crate::grpc) description: String,
    /// What a program may want to know.
    pub(in crate::grpc) metadata: Vec<(&'static str, String)>,
}

/// A request with faults, at least one. Nothing was done.
#[derive(Debug, thiserror::Error)]
#[error("the request has {} faults", .0.len())]
pub(in crate::grpc) struct InvalidRequest(pub(in crate::grpc) Vec<Fault>);

/// The faults found so far.
#[derive(Debug, Default)]
pub(in crate::grpc) struct Faults {
    faults: Vec<Fault>,
    /// What the paths of the fields begin with now.
    within: &'static str,
}

impl Faults {
    /// Adds a fault.
    pub(in crate::grpc) fn add(
        &mut self,
        field: impl AsRef<str>,
        reason: ErrorReason,
        description: impl Into<String>,
        metadata: impl IntoIterator<Item = (&'static str, String)>,
    ) {
        self.faults.push(Fault {
            field: format!("{}{}", self.within, field.as_ref()),
            reason,
            description: description.into(),
            metadata: metadata.into_iter().collect(),
        });
    }

    /// Decodes the fields of a message within the request: their paths begin with this.
    pub(in crate::grpc) fn within<T>(
        &mut self,
        path: &'static str,
        decode: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outside = std::mem::replace(&mut self.within, path);
        let decoded = decode(self);
        self.within = outside;
        decoded
    }

    /// Adds that a required field is missing.
    pub(in crate::grpc) fn required(&mut self, field: &str) {
        self.add(field, ErrorReason::FieldRequired, "is required", []);
    }

    /// Adds that a field has a value that cannot be taken.
    pub(in crate::grpc) fn invalid(
        &mut self,
        field: &str,
        value: impl fmt::Display,
        description: impl Into<String>,
    ) {
        self.add(
            field,
            ErrorReason::FieldInvalid,
            description,
            [("value", value.to_string())],
        );
    }

    /// Adds that a field is larger than its limit.
    pub(in crate::grpc) fn too_large(&mut self, field: &str, limit: usize, found: usize) {
        self.add(
            field,
            ErrorReason::TooLarge,
            format!("is larger than the limit: {found}, at most {limit}"),
            [("limit", limit.to_string()), ("found", found.to_string())],
        );
    }

    /// The enum value of a field; `None`, with a fault noted, if it is not known.
    pub(in crate::grpc) fn known<E: TryFrom<i32>>(&mut self, field: &str, value: i32) -> Option<E> {
        let known = E::try_from(value).ok();
        if known.is_none() {
            self.invalid(field, value, format!("has no value {value}"));
        }
        known
    }

    /// A text of at most so many bytes; anything longer is noted and shortened to nothing.
    pub(in crate::grpc) fn bounded(&mut self, field: &str, text: String, limit: usize) -> String {
        if text.len() > limit {
            self.too_large(field, limit, text.len());
            return String::new();
        }
        text
    }

    /// # Errors
    ///
    /// [`InvalidRequest`] if there is any fault.
    pub(in crate::grpc) fn check(self) -> Result<(), InvalidRequest> {
        if self.faults.is_empty() {
            Ok(())
        } else {
            Err(InvalidRequest(self.faults))
        }
    }

    /// The value that was decoded while these faults were noted.
    ///
    /// # Errors
    ///
    /// [`InvalidRequest`] if there is any fault. A missing value without a fault does not
    /// occur: what decodes to `None` notes why.
    pub(in crate::grpc) fn finish<T>(self, value: Option<T>) -> Result<T, InvalidRequest> {
        self.check()?;
        Ok(value.expect("invariant: no value means a fault"))
    }
}
