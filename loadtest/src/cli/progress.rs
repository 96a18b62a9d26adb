//! How a run goes, on a terminal while it does.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::load::Observed;
use crate::measure::Interval;
use crate::pace::Profile;
use crate::report::number;

/// A line on standard error that is written again and again. Nothing where that is no terminal.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    /// In an open load.
    profile: Option<Profile>,
    window: Interval,
    since: Duration,
    begun: u64,
    errors: u64,
}

/// How long the figures shown are gathered.
const GATHERED: Duration = Duration::from_secs(1);

impl Progress {
    /// Shows a run of that length.
    pub(crate) fn new(length: Duration, profile: Option<Profile>) -> Self {
        Self::on(length, profile, ProgressDrawTarget::stderr())
    }

    /// Shows nothing.
    pub(crate) fn hidden() -> Self {
        Self::on(Duration::ZERO, None, ProgressDrawTarget::hidden())
    }

    fn on(length: Duration, profile: Option<Profile>, target: ProgressDrawTarget) -> Self {
        let style = ProgressStyle::with_template("{bar:20} {pos}/{len} s  {msg}")
            .expect("invariant: the template is right");
        let bar = ProgressBar::with_draw_target(Some(length.as_secs()), target).with_style(style);
        Self {
            bar,
            profile,
            window: Interval::new(),
            since: Duration::ZERO,
            begun: 0,
            errors: 0,
        }
    }

    /// Takes in what happened.
    pub(crate) fn observe(&mut self, observed: &Observed<'_>) {
        self.window.add(observed.interval);
        self.begun += observed.interval.due;
        self.errors += observed.interval.errors;
        let gathered = observed.elapsed.saturating_sub(self.since);
        if gathered < GATHERED {
            return;
        }
        self.bar.set_position(observed.elapsed.as_secs());
        self.bar
            .set_message(self.message(gathered, observed.elapsed));
        self.window = Interval::new();
        self.since = observed.elapsed;
    }

    /// Takes the line away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn message(&self, gathered: Duration, elapsed: Duration) -> String {
        let ended = crate::report::build::float(self.window.ok + self.window.errors);
        let at = |share| number::duration(self.window.latency.quantile(share).as_secs_f64() * 1e3);
        let mut message = format!(
            "{}/s  p50 {}  p99 {}  failed {}",
            number::grouped(ended / gathered.as_secs_f64()),
            at(0.5),
            at(0.99),
            number::count(self.errors)
        );
        if let Some(profile) = &self.profile {
            let due = profile.calls_by(elapsed);
            let unsent = (due - crate::report::build::float(self.begun))
                .max(0.0)
                .floor();
            message.push_str(&format!("  due, not sent {}", number::grouped(unsent)));
        }
        message
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_tells_rate_latency_failures_and_what_is_not_sent() {
        let mut progress = Progress::hidden();
        progress.profile = Some(Profile::constant(1_000.0));
        let mut interval = Interval::new();
        interval.ok = 500;
        interval.errors = 3;
        interval.due = 510;
        interval.latency.record(Duration::from_millis(2));
        progress.observe(&Observed {
            elapsed: GATHERED,
            interval: &interval,
        });
        let message = progress.bar.message();
        assert!(message.starts_with("503/s  p50 2.0"), "{message}");
        assert!(
            message.ends_with("failed 3  due, not sent 490"),
            "{message}"
        );
    }
}
