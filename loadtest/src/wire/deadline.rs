//! The deadlines of calls.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Poll, Waker};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// Ends the calls of a thread that take too long. All have the same limit, so one timer serves
/// them all, and a call that is answered in time has cost no timer.
#[derive(Clone, Debug)]
pub(crate) struct Deadlines {
    limit: Duration,
    slots: Rc<RefCell<Vec<Rc<Slot>>>>,
}

/// The deadline of one call after another.
#[derive(Debug)]
pub(crate) struct Deadline {
    limit: Duration,
    slot: Rc<Slot>,
}

/// The call that is being made, if there is one.
#[derive(Debug, Default)]
struct Slot {
    due: Cell<Option<Instant>>,
    passed: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

/// The call took longer than its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Passed;

impl Deadlines {
    /// Deadlines that long after each call's start.
    pub(crate) fn new(limit: Duration) -> Self {
        Self {
            limit,
            slots: Rc::default(),
        }
    }

    /// A deadline for a sequence of calls.
    pub(crate) fn add(&self) -> Deadline {
        let slot = Rc::new(Slot::default());
        self.slots.borrow_mut().push(Rc::clone(&slot));
        Deadline {
            limit: self.limit,
            slot,
        }
    }

    /// Watches over all of them. Never ends.
    pub(crate) async fn watch(self) {
        loop {
            sleep_until(self.next()).await;
            let now = Instant::now();
            for slot in &*self.slots.borrow() {
                slot.check(now);
            }
        }
    }

    /// When to look again: no call can be due earlier, as those that begin later are due later.
    fn next(&self) -> Instant {
        let slots = self.slots.borrow();
        let dues = slots.iter().filter_map(|slot| slot.due.get());
        dues.min().unwrap_or_else(|| Instant::now() + self.limit)
    }
}

impl Slot {
    fn check(&self, now: Instant) {
        if self.due.get().is_some_and(|due| due <= now) {
            self.due.set(None);
            self.passed.set(true);
            if let Some(waker) = self.waker.take() {
                waker.wake();
            }
        }
    }

    fn wait(&self, waker: &Waker) {
        let mut last = self.waker.borrow_mut();
        if !last.as_ref().is_some_and(|last| last.will_wake(waker)) {
            *last = Some(waker.clone());
        }
    }
}

impl Deadline {
    /// Waits for a call that started at `start`, until its time has passed.
    pub(crate) async fn keep<T>(
        &mut self,
        start: Instant,
        mut call: Pin<&mut impl Future<Output = T>>,
    ) -> Result<T, Passed> {
        let slot = &self.slot;
        slot.due.set(Some(start + self.limit));
        slot.passed.set(false);
        let ended = std::future::poll_fn(|cx| match call.as_mut().poll(cx) {
            Poll::Ready(done) => Poll::Ready(Ok(done)),
            Poll::Pending if slot.passed.get() => Poll::Ready(Err(Passed)),
            Poll::Pending => {
                slot.wait(cx.waker());
                Poll::Pending
            }
        })
        .await;
        slot.due.set(None);
        ended
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use tokio::task::{LocalSet, spawn_local};

    use super::*;

    const LIMIT: Duration = Duration::from_secs(5);

    async fn watched<T>(test: impl AsyncFnOnce(Deadlines) -> T) -> T {
        let work = async {
            let deadlines = Deadlines::new(LIMIT);
            spawn_local(deadlines.clone().watch());
            test(deadlines).await
        };
        LocalSet::new().run_until(work).await
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_ends_at_its_deadline() {
        watched(async |deadlines| {
            let mut deadline = deadlines.add();
            for pause in [0, 1, 3, 7] {
                tokio::time::sleep(Duration::from_secs(pause)).await;
                let start = Instant::now();
                let ended = deadline
                    .keep(start, pin!(std::future::pending::<()>()))
                    .await;
                assert_eq!((ended, start.elapsed()), (Err(Passed), LIMIT));
            }
        })
        .await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_in_time_is_not_touched() {
        watched(async |deadlines| {
            let mut deadline = deadlines.add();
            for _ in 0..10 {
                let call = pin!(tokio::time::sleep(Duration::from_secs(3)));
                assert_eq!(deadline.keep(Instant::now(), call).await, Ok(()));
            }
        })
        .await;
    }

    #[tokio::test(start_paused = true)]
    async fn each_call_has_a_deadline_of_its_own() {
        watched(async |deadlines| {
            let start = Instant::now();
            let calls = [0, 1, 2].map(|seconds| {
                let mut deadline = deadlines.add();
                async move {
                    tokio::time::sleep(Duration::from_secs(seconds)).await;
                    let call = pin!(std::future::pending::<()>());
                    assert_eq!(deadline.keep(Instant::now(), call).await, Err(Passed));
                    start.elapsed().as_secs()
                }
            });
            let [a, b, c] = calls;
            assert_eq!(tokio::join!(a, b, c), (5, 6, 7));
        })
        .await;
    }
}
