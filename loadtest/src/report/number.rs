//! Numbers for people.

/// A count or rate with its thousands apart; below 100, with the digits that matter.
pub(crate) fn grouped(value: f64) -> String {
    if value.abs() < 99.95 {
        let digits = if value.abs() < 9.995 { 2 } else { 1 };
        let text = format!("{value:.digits$}");
        return match text.split_once('.') {
            Some((whole, fraction)) if fraction.bytes().all(|digit| digit == b'0') => {
                whole.to_owned()
            }
            _ => text,
        };
    }
    let digits = format!("{value:.0}");
    let (sign, digits) = digits
        .strip_prefix('-')
        .map_or(("", &*digits), |rest| ("-", rest));
    let mut text = sign.to_owned();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A whole number with its thousands apart.
pub(crate) fn count(value: u64) -> String {
    // Exact up to 2^53, and nobody reads the digits beyond.
    #[allow(clippy::cast_precision_loss)]
    grouped(value as f64)
}

/// A number of things, in the singular where it is one.
pub(crate) fn things(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", count(number as u64))
}

/// Milliseconds in the unit that suits them, to three digits.
pub(crate) fn duration(ms: f64) -> String {
    let (value, unit) = match ms {
        ms if ms < 0.9995 => (ms * 1e3, "µs"),
        ms if ms < 999.5 => (ms, "ms"),
        _ => (ms / 1e3, "s"),
    };
    let digits = match value {
        value if value < 9.995 => 2,
        value if value < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}")
}

/// A share from 0 to 1 in per cent.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent {
        percent if percent.abs() > 0.0 && percent.abs() < 0.0995 => format!("{percent:.3} %"),
        percent => format!("{} %", grouped(percent)),
    }
}

/// Bytes in the unit that suits them.
pub(crate) fn bytes(count: u64) -> String {
    #[allow(clippy::cast_precision_loss)]
    let count = count as f64;
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = count;
    let mut index = 0;
    while value >= 1_024.0 && index + 1 < units.len() {
        value /= 1_024.0;
        index += 1;
    }
    format!("{} {}", grouped(value), units[index])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        for (value, text) in [
            (0.0, "0"),
            (0.256, "0.26"),
            (12.0, "12"),
            (12.34, "12.3"),
            (100.0, "100"),
            (999.6, "1,000"),
            (1_234_567.0, "1,234,567"),
            (-1_234.0, "-1,234"),
        ] {
            assert_eq!(grouped(value), text);
        }
    }

    #[test]
    fn durations_have_three_digits() {
        for (ms, text) in [
            (0.0, "0.00 µs"),
            (0.01234, "12.3 µs"),
            (0.9999, "1.00 ms"),
            (12.345, "12.3 ms"),
            (123.45, "123 ms"),
            (999.9, "1.00 s"),
            (61_000.0, "61.0 s"),
        ] {
            assert_eq!(duration(ms), text);
        }
    }

    #[test]
    fn shares_are_in_per_cent() {
        for (share, text) in [
            (0.0, "0 %"),
            (0.000_5, "0.050 %"),
            (0.015, "1.50 %"),
            (0.02, "2 %"),
            (0.333, "33.3 %"),
            (1.0, "100 %"),
        ] {
            assert_eq!(percent(share), text);
        }
    }

    #[test]
    fn bytes_have_a_unit() {
        assert_eq!(bytes(512), "512 B");
        assert_eq!(bytes(3 << 20), "3 MiB");
    }
}
