//! Processor time, as Linux tells it. Elsewhere nothing is known.

use std::fs;
use std::time::Duration;

/// A tick of `/proc/*/stat`: `USER_HZ` is 100 on every architecture that Linux runs on today.
const TICK: Duration = Duration::from_millis(10);

/// Processor time so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CpuTime {
    /// Spent on a processor.
    pub(crate) used: Duration,
    /// Spent waiting for one, as far as it is known.
    pub(crate) waited: Duration,
}

impl CpuTime {
    /// Of this thread.
    pub(crate) fn of_thread() -> Option<Self> {
        // Nanoseconds on a processor, and waiting for one.
        let text = fs::read_to_string("/proc/thread-self/schedstat").ok();
        let times = text.and_then(|text| {
            let mut numbers = text.split(' ').map(str::parse);
            Some(Self {
                used: Duration::from_nanos(numbers.next()?.ok()?),
                waited: Duration::from_nanos(numbers.next()?.ok()?),
            })
        });
        times.or_else(|| Self::of_stat("/proc/thread-self/stat"))
    }

    /// Since an earlier moment.
    pub(crate) const fn since(self, earlier: Self) -> Self {
        Self {
            used: self.used.saturating_sub(earlier.used),
            waited: self.waited.saturating_sub(earlier.waited),
        }
    }

    /// Of another process on this machine, all its threads together.
    pub(crate) fn of_process(id: u32) -> Option<Self> {
        Self::of_stat(&format!("/proc/{id}/stat"))
    }

    fn of_stat(path: &str) -> Option<Self> {
        let ticks = stat_ticks(&fs::read_to_string(path).ok()?)?;
        Some(Self {
            used: TICK * ticks,
            waited: Duration::ZERO,
        })
    }
}

/// The sum of `utime` and `stime`: the 14th and 15th fields of proc(5), counted after the name of
/// the program, which may hold anything.
fn stat_ticks(stat: &str) -> Option<u32> {
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let user: u32 = fields.next()?.parse().ok()?;
    let system: u32 = fields.next()?.parse().ok()?;
    user.checked_add(system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_found_behind_any_name() {
        let stat = "12 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 70 30 0 0 20 0 1 0 100";
        assert_eq!(stat_ticks(stat), Some(100));
        assert_eq!(stat_ticks("12 (name) S 1"), None);
    }
}
