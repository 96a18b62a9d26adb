//! Jobs that are answered in time even when their thread is not.
//!
//! A job tells its best result so far whenever it has a better one. When its time is up it gets a
//! moment to come to an end by itself; if its thread has no processor just then, the best result
//! so far is the answer, and the thread finds out later that nobody waits for it any more.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::{Allowance, Job, JobLost};

/// How long a job may take to come to an end when its time is up. Searches take less than one
/// millisecond when their thread runs.
const MOMENT: Duration = Duration::from_millis(3);

/// Where a job tells its best result so far.
#[derive(Debug)]
pub struct Best<T>(Arc<Mutex<Option<T>>>);

impl<T> Best<T> {
    /// Replaces the best result so far.
    pub fn tell(&self, result: T) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    }

    fn take(&self) -> Option<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl<T> Default for Best<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> Clone for Best<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// A timely job in the pool. It stops when this is dropped.
#[derive(Debug)]
pub struct TimelyJob<T> {
    pub(super) job: Job<Option<T>>,
    pub(super) best: Best<T>,
    pub(super) began: oneshot::Receiver<Instant>,
    pub(super) allowance: Allowance,
}

impl<T> TimelyJob<T> {
    /// The job's result, or its best so far when its time is up and it has one.
    ///
    /// # Errors
    ///
    /// [`JobLost`] if it panicked.
    pub async fn answer(self) -> Result<Option<T>, JobLost> {
        let Self {
            job,
            best,
            began,
            allowance,
        } = self;
        let too_late = async {
            match began.await.map(|began| ends_at(allowance, began)) {
                Ok(Some(end)) => tokio::time::sleep_until((end + MOMENT).into()).await,
                // It has no end, or its own result says why it did not begin.
                Ok(None) | Err(_) => std::future::pending().await,
            }
        };
        let mut job = job;
        tokio::select! {
            biased;
            result = &mut job => return result,
            () = too_late => {}
        }
        match best.take() {
            Some(best) => Ok(Some(best)),
            // It has hardly begun: its first result is the answer.
            None => job.await,
        }
    }
}

/// When a job that began then has to end.
fn ends_at(allowance: Allowance, began: Instant) -> Option<Instant> {
    let worked = allowance.time.and_then(|time| began.checked_add(time));
    // A deadline that has passed already leaves it a moment all the same.
    let deadline = allowance.deadline.map(|deadline| deadline.max(began));
    [worked, deadline].into_iter().flatten().min()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::compute::{ComputeConfig, ComputePool, Priority, Scheduling};

    fn pool() -> ComputePool {
        ComputePool::start(ComputeConfig {
            name: "test",
            threads: 1,
            queue: 1,
            scheduling: Scheduling::default(),
        })
        .unwrap()
    }

    const MINUTE: Allowance = Allowance {
        deadline: None,
        time: Some(Duration::from_secs(60)),
        priority: Priority::Call,
    };

    #[tokio::test]
    async fn a_job_that_ends_in_time_has_the_last_word() {
        let pool = pool();
        let answer = pool
            .run_timely(MINUTE, |_, best| {
                best.tell(1);
                Some(2)
            })
            .unwrap();
        assert_eq!(answer.answer().await, Ok(Some(2)));
    }

    #[tokio::test]
    async fn a_job_that_does_not_end_is_answered_with_its_best_so_far() {
        let pool = pool();
        let (release, released) = mpsc::channel::<()>();
        let allowance = Allowance {
            time: Some(Duration::from_millis(20)),
            ..Allowance::default()
        };
        let answer = pool
            .run_timely(allowance, move |_, best| {
                best.tell(1);
                // Deaf to its control.
                let _ = released.recv();
                Some(2)
            })
            .unwrap();
        assert_eq!(answer.answer().await, Ok(Some(1)));
        drop(release);
    }

    #[tokio::test]
    async fn a_job_without_a_result_has_none() {
        let pool = pool();
        let answer = pool.run_timely(MINUTE, |_, _: &Best<u8>| None).unwrap();
        assert_eq!(answer.answer().await, Ok(None));
        let lost = pool
            .run_timely(MINUTE, |_, _: &Best<u8>| panic!("on purpose"))
            .unwrap();
        assert_eq!(lost.answer().await, Err(JobLost));
    }
}
