//! Durations.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::Faults;

/// The duration of a field, in whole milliseconds.
pub(in crate::grpc) fn duration(
    faults: &mut Faults,
    field: &str,
    given: prost_types::Duration,
    range: &RangeInclusive<Duration>,
) -> Option<Duration> {
    let whole = (0..1_000_000_000).contains(&given.nanos);
    let time = Duration::try_from(given).ok().filter(|_| whole);
    let time = time.filter(|time| range.contains(time));
    if time.is_none() {
        let (least, most) = (range.start(), range.end());
        let description = format!(
            "is not from {} to {}",
            humantime::format_duration(*least),
            humantime::format_duration(*most)
        );
        faults.invalid(field, seconds(given), description);
    }
    let millis = |time: Duration| u64::try_from(time.as_millis()).ok();
    time.and_then(millis).map(Duration::from_millis)
}

/// A duration as JSON has it, whatever it holds.
pub(super) fn seconds(time: prost_types::Duration) -> String {
    const SECOND: i128 = 1_000_000_000;
    let nanos = i128::from(time.seconds) * SECOND + i128::from(time.nanos);
    let sign = if nanos < 0 { "-" } else { "" };
    let nanos = nanos.abs();
    format!("{sign}{}.{:09}s", nanos / SECOND, nanos % SECOND)
}
