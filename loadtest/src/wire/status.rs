//! How a call ended, from its trailers.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use http::{HeaderMap, HeaderValue};
use prost::Message;

/// The codes of gRPC by number.
const CODES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

/// A status other than OK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Status {
    /// The code's name.
    pub(crate) code: &'static str,
    /// The `reason` of the `google.rpc.ErrorInfo` in its details.
    pub(crate) reason: Option<String>,
    /// The message.
    pub(crate) message: String,
}

/// What the headers or trailers say about the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// No status in them.
    Absent,
    /// The call succeeded.
    Ok,
    /// It failed.
    Failed(Status),
}

/// Reads the status out of headers or trailers.
pub(crate) fn ending(headers: &HeaderMap) -> Ending {
    let Some(code) = headers.get("grpc-status") else {
        return Ending::Absent;
    };
    if code.as_bytes() == b"0" {
        return Ending::Ok;
    }
    let code = code
        .to_str()
        .ok()
        .and_then(|code| code.parse::<usize>().ok())
        .and_then(|code| CODES.get(code).copied())
        .unwrap_or("UNKNOWN");
    Ending::Failed(Status {
        code,
        reason: headers.get("grpc-status-details-bin").and_then(reason),
        message: headers
            .get("grpc-message")
            .map(|message| unescape(message.as_bytes()))
            .unwrap_or_default(),
    })
}

/// Undoes the percent-encoding of a message.
fn unescape(message: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(message.len());
    let mut rest = message;
    while let Some((first, after)) = rest.split_first() {
        let escaped = match (first, after) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)),
            _ => None,
        };
        if let Some((high, low)) = escaped {
            bytes.push(high << 4 | low);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(digit: u8) -> Option<u8> {
    let value = char::from(digit).to_digit(16)?;
    u8::try_from(value).ok()
}

/// `google.rpc.Status`, as far as it matters here.
#[derive(Clone, PartialEq, Message)]
struct RpcStatus {
    #[prost(message, repeated, tag = "3")]
    details: Vec<prost_types::Any>,
}

/// `google.rpc.ErrorInfo`, as far as it matters here.
#[derive(Clone, PartialEq, Message)]
struct ErrorInfo {
    #[prost(string, tag = "1")]
    reason: String,
}

fn reason(details: &HeaderValue) -> Option<String> {
    let padded = details.as_bytes();
    let end = padded.iter().rposition(|byte| *byte != b'=')? + 1;
    let bytes = STANDARD_NO_PAD.decode(&padded[..end]).ok()?;
    let status = RpcStatus::decode(bytes.as_slice()).ok()?;
    let info = status
        .details
        .iter()
        .find(|any| any.type_url.ends_with("/google.rpc.ErrorInfo"))?;
    Some(ErrorInfo::decode(info.value.as_slice()).ok()?.reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, String)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| {
                let value = HeaderValue::from_str(value).unwrap();
                (http::HeaderName::from_static(name), value)
            })
            .collect()
    }

    #[test]
    fn the_reason_is_found_in_the_details() {
        let status = RpcStatus {
            details: vec![prost_types::Any {
                type_url: "type.googleapis.com/google.rpc.ErrorInfo".to_owned(),
                value: ErrorInfo {
                    reason: "COMPUTE_BUSY".to_owned(),
                }
                .encode_to_vec(),
            }],
        };
        let details = STANDARD_NO_PAD.encode(status.encode_to_vec());
        let ending = ending(&headers(&[
            ("grpc-status", "8".to_owned()),
            ("grpc-message", "busy".to_owned()),
            ("grpc-status-details-bin", details),
        ]));
        let expected = Status {
            code: "RESOURCE_EXHAUSTED",
            reason: Some("COMPUTE_BUSY".to_owned()),
            message: "busy".to_owned(),
        };
        assert_eq!(ending, Ending::Failed(expected));
    }

    #[test]
    fn a_message_is_decoded() {
        for (encoded, message) in [
            ("a%20b%C3%A9", "a bé"),
            ("100%", "100%"),
            ("%zz%2", "%zz%2"),
        ] {
            assert_eq!(unescape(encoded.as_bytes()), message);
        }
    }

    #[test]
    fn a_code_without_a_name_is_unknown() {
        let ending = ending(&headers(&[("grpc-status", "99".to_owned())]));
        assert!(matches!(
            ending,
            Ending::Failed(Status {
                code: "UNKNOWN",
                ..
            })
        ));
    }

    #[test]
    fn headers_without_a_status_say_nothing() {
        assert_eq!(ending(&HeaderMap::new()), Ending::Absent);
    }
}
