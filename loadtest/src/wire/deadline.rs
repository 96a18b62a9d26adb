//! The deadline of one call after another.

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// Ends calls that take too long. One for each sequence of calls: its timer is set once in a
/// while, not for every call.
#[derive(Debug)]
pub(crate) struct Deadline {
    limit: Duration,
    timer: Pin<Box<Sleep>>,
}

/// The call took longer than its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Passed;

impl Deadline {
    /// A deadline that long after each call's start.
    pub(crate) fn new(limit: Duration) -> Self {
        Self {
            limit,
            timer: Box::pin(sleep_until(Instant::now() + limit)),
        }
    }

    /// Waits for a call that started at `start`, and drops it when its time has passed.
    pub(crate) async fn keep<T>(
        &mut self,
        start: Instant,
        call: impl Future<Output = T>,
    ) -> Result<T, Passed> {
        let due = start + self.limit;
        let mut call = pin!(call);
        std::future::poll_fn(|cx| {
            if let Poll::Ready(done) = call.as_mut().poll(cx) {
                return Poll::Ready(Ok(done));
            }
            // The timer may still be set for an earlier call: then it fires too early, never too
            // late, and is set again.
            while self.timer.as_mut().poll(cx).is_ready() {
                if self.timer.deadline() >= due {
                    return Poll::Ready(Err(Passed));
                }
                self.timer.as_mut().reset(due);
            }
            Poll::Pending
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_call_ends_exactly_at_its_deadline() {
        let limit = Duration::from_secs(5);
        let mut deadline = Deadline::new(limit);
        for pause in [0, 1, 3, 7] {
            tokio::time::advance(Duration::from_secs(pause)).await;
            let start = Instant::now();
            let ended = deadline.keep(start, std::future::pending::<()>()).await;
            assert_eq!((ended, start.elapsed()), (Err(Passed), limit));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_in_time_is_not_touched() {
        let mut deadline = Deadline::new(Duration::from_secs(5));
        for _ in 0..10 {
            let call = tokio::time::sleep(Duration::from_secs(3));
            assert_eq!(deadline.keep(Instant::now(), call).await, Ok(()));
        }
    }
}
