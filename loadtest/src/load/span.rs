//! The time of a run, which may be cut short.

use std::cell::Cell;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use crate::measure::Window;

/// From the start of a run to its end, as one thread sees it.
#[derive(Debug)]
pub(crate) struct Span {
    start: Instant,
    window: Cell<Window>,
    stopped: Notify,
    seen_over: Cell<bool>,
}

impl Span {
    /// A run that starts at `start`.
    pub(crate) fn new(start: Instant, warm_up: Duration, duration: Duration) -> Self {
        let from = start + warm_up;
        Self {
            start,
            window: Cell::new(Window {
                from,
                to: from + duration,
            }),
            stopped: Notify::new(),
            seen_over: Cell::new(false),
        }
    }

    /// The start, warm-up included.
    pub(crate) const fn start(&self) -> Instant {
        self.start
    }

    /// The part that is measured.
    pub(crate) const fn window(&self) -> Window {
        self.window.get()
    }

    /// Whether no more calls may begin.
    pub(crate) fn is_over(&self) -> bool {
        Instant::now() >= self.window.get().to
    }

    /// Whether [`watch`](Self::watch) has seen that no more calls may begin: for those who ask
    /// more often than a clock should be read.
    pub(crate) fn is_seen_over(&self) -> bool {
        self.seen_over.get()
    }

    /// Looks when no more calls may begin, and ends then.
    pub(crate) async fn watch(&self) {
        self.over().await;
        self.seen_over.set(true);
    }

    /// Waits until no more calls may begin.
    pub(crate) async fn over(&self) {
        let stopped = self.stopped.notified();
        if !self.is_over() {
            tokio::select! {
                () = sleep_until(self.window.get().to) => {}
                () = stopped => {}
            }
        }
    }

    /// Waits until the run is cut short; for ever if it is not.
    pub(crate) async fn stopped(&self) {
        let stopped = self.stopped.notified();
        if !self.is_over() {
            stopped.await;
        }
    }

    /// Ends the run now.
    pub(crate) fn stop(&self) {
        let window = self.window.get();
        self.window.set(Window {
            to: window.to.min(Instant::now()),
            ..window
        });
        self.stopped.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_run_ends_by_itself_or_when_stopped() {
        let second = Duration::from_secs(1);
        let start = Instant::now();
        let span = Span::new(start, second, 3 * second);
        span.over().await;
        assert_eq!(start.elapsed(), 4 * second);

        let span = Span::new(Instant::now(), second, 3 * second);
        let stop = async {
            tokio::time::sleep(2 * second).await;
            span.stop();
        };
        tokio::join!(span.over(), stop);
        assert_eq!(start.elapsed(), 6 * second);
        assert!(span.is_over());
        assert_eq!(span.window().to - span.window().from, second);
    }
}
