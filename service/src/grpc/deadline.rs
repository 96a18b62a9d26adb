//! The caller's deadline, as the request's `grpc-timeout` header states it.

use std::time::{Duration, Instant};

use http::HeaderMap;

const HEADER: &str = "grpc-timeout";

/// The deadline of a call that arrives now; `None` if the caller set none.
pub(super) fn deadline(headers: &HeaderMap) -> Option<Instant> {
    let timeout = timeout(headers.get(HEADER)?.to_str().ok()?)?;
    Instant::now().checked_add(timeout)
}

/// Waits until a deadline has passed; for ever if there is none.
pub(super) async fn passed(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
        None => std::future::pending().await,
    }
}

/// The value of the header: up to eight digits and a unit, as the gRPC over HTTP/2
/// specification defines it.
fn timeout(value: &str) -> Option<Duration> {
    let (unit_at, unit) = value.char_indices().last()?;
    let digits = value.get(..unit_at)?;
    if digits.len() > 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let amount: u64 = digits.parse().ok()?;
    Some(match unit {
        'H' => Duration::from_secs(amount * 3600),
        'M' => Duration::from_secs(amount * 60),
        'S' => Duration::from_secs(amount),
        'm' => Duration::from_millis(amount),
        'u' => Duration::from_micros(amount),
        'n' => Duration::from_nanos(amount),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_read() {
        for (value, expected) in [
            ("1H", Duration::from_secs(3600)),
            ("2M", Duration::from_secs(120)),
            ("3S", Duration::from_secs(3)),
            ("250m", Duration::from_millis(250)),
            ("99999999u", Duration::from_micros(99_999_999)),
            ("0n", Duration::ZERO),
        ] {
            assert_eq!(timeout(value), Some(expected), "{value}");
        }
    }

    #[test]
    fn other_values_are_no_timeouts() {
        for value in ["", "1", "S", "123456789S", "-1S", "1s", "1é", "1.5S"] {
            assert_eq!(timeout(value), None, "{value}");
        }
    }
}
