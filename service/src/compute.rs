//! The pool of threads for work that takes long: search, solving, counting.
//!
//! The queue is bounded: what does not fit is refused at once. A job is told to stop when
//! its deadline has passed or when nobody waits for it any more.

mod scheduling;
mod timely;

use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll};
use std::thread;
use std::time::{Duration, Instant};

use reversi_engine::search::Control;
use tokio::sync::oneshot;
use tracing::Span;

use crate::telemetry::traces;

pub use scheduling::Scheduling;
pub use timely::{Best, TimelyJob};

/// The size of a pool.
#[derive(Clone, Copy, Debug)]
pub struct ComputeConfig {
    /// What its threads are called.
    pub name: &'static str,
    /// Its threads.
    pub threads: usize,
    /// The jobs that may wait.
    pub queue: usize,
    /// How its threads step back behind others.
    pub scheduling: Scheduling,
}

/// A bounded pool of threads. Dropping it stops its threads after the jobs they are at.
pub struct ComputePool {
    shared: Arc<Shared>,
}

struct Shared {
    queue: Mutex<Queue>,
    added: Condvar,
    threads: usize,
    capacity: usize,
    running: AtomicUsize,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Queued>,
    /// Those of the background.
    background: VecDeque<Queued>,
    /// Calls begun since a job of the background was.
    calls: u32,
    closed: bool,
}

impl Queue {
    fn of(&mut self, priority: Priority) -> &mut VecDeque<Queued> {
        match priority {
            Priority::Call => &mut self.jobs,
            Priority::Background => &mut self.background,
        }
    }

    fn next(&mut self) -> Option<Queued> {
        if (self.calls < CALLS_BEFORE_BACKGROUND || self.background.is_empty())
            && let Some(job) = self.jobs.pop_front()
        {
            self.calls = self.calls.saturating_add(1);
            return Some(job);
        }
        self.calls = 0;
        self.background.pop_front()
    }
}

struct Queued {
    control: Arc<JobControl>,
    job: Box<dyn FnOnce() + Send>,
}

/// The queue is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the compute queue is full")]
pub struct ComputeBusy;

/// A job did not come to a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the compute job was lost")]
pub struct JobLost;

/// Who waits for a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Priority {
    /// Somebody who called.
    #[default]
    Call,
    /// Nobody in particular: it has time until nothing else is to be done. But of all jobs that are
    /// begun at least every fourth is of this kind while one waits, so that none waits for ever.
    Background,
}

/// Calls before a job of the background has its turn.
const CALLS_BEFORE_BACKGROUND: u32 = 3;

/// How long a job may take. What is over first stops it; the default stops it never.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allowance {
    /// When its answer is too late, whether it has waited or worked.
    pub deadline: Option<Instant>,
    /// How long it may work, from the moment it begins.
    pub time: Option<Duration>,
    /// Who waits for it.
    pub priority: Priority,
}

/// Tells a job when to stop.
#[derive(Debug)]
pub struct JobControl {
    cancelled: AtomicBool,
    allowance: Allowance,
    /// When the job has worked long enough. Set when it begins.
    worked_at: OnceLock<Instant>,
}

impl Control for JobControl {
    fn should_stop(&self) -> bool {
        let worked = || {
            let at = self.worked_at.get();
            at.is_some_and(|at| Instant::now() >= *at)
        };
        self.is_cancelled() || self.deadline_passed() || worked()
    }
}

impl JobControl {
    fn begin(&self) {
        let time = self.allowance.time;
        if let Some(at) = time.and_then(|time| Instant::now().checked_add(time)) {
            self.worked_at.get_or_init(|| at);
        }
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Whether the job's deadline has passed.
    #[must_use]
    pub fn deadline_passed(&self) -> bool {
        self.allowance
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// Stops a job when dropped.
#[derive(Debug)]
pub struct JobGuard(Arc<JobControl>);

impl Drop for JobGuard {
    fn drop(&mut self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }
}

/// A job in the pool: a future of its result, which stops the job when dropped.
#[derive(Debug)]
pub struct Job<T> {
    result: oneshot::Receiver<T>,
    _guard: JobGuard,
}

impl<T> Future for Job<T> {
    type Output = Result<T, JobLost>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.result).poll(cx).map_err(|_| JobLost)
    }
}

impl ComputePool {
    /// Starts the threads.
    ///
    /// # Errors
    ///
    /// If the system gives no threads.
    pub fn start(config: ComputeConfig) -> std::io::Result<Self> {
        let pool = Self {
            shared: Arc::new(Shared {
                queue: Mutex::default(),
                added: Condvar::new(),
                threads: config.threads.max(1),
                capacity: config.queue,
                running: AtomicUsize::new(0),
            }),
        };
        for number in 0..pool.shared.threads {
            let shared = Arc::clone(&pool.shared);
            thread::Builder::new()
                .name(format!("{}-{number}", config.name))
                .spawn(move || {
                    config.scheduling.apply();
                    shared.work();
                })?;
        }
        Ok(pool)
    }

    /// Queues a job whose result is waited for.
    ///
    /// # Errors
    ///
    /// [`ComputeBusy`] if the queue is full.
    pub fn run<T: Send + 'static>(
        &self,
        allowance: Allowance,
        job: impl FnOnce(&JobControl) -> T + Send + 'static,
    ) -> Result<Job<T>, ComputeBusy> {
        let (sender, result) = oneshot::channel();
        let guard = self.spawn(allowance, move |control| {
            // Nobody may be waiting any more.
            let _ = sender.send(job(control));
        })?;
        Ok(Job {
            result,
            _guard: guard,
        })
    }

    /// Queues a job that is answered when its allowance is used up, with its best result so far if
    /// it has not come to an end by then. The job stops when the answer is dropped.
    ///
    /// # Errors
    ///
    /// [`ComputeBusy`] if the queue is full.
    pub fn run_timely<T: Send + 'static>(
        &self,
        allowance: Allowance,
        job: impl FnOnce(&JobControl, &Best<T>) -> Option<T> + Send + 'static,
    ) -> Result<TimelyJob<T>, ComputeBusy> {
        let (beginning, began) = oneshot::channel();
        let best = Best::default();
        let telling = best.clone();
        let job = self.run(allowance, move |control| {
            // The caller may have left.
            let _ = beginning.send(Instant::now());
            job(control, &telling)
        })?;
        Ok(TimelyJob {
            job,
            best,
            began,
            allowance,
        })
    }

    /// Queues a job that hands its results out by itself.
    ///
    /// # Errors
    ///
    /// [`ComputeBusy`] if the queue is full.
    pub fn spawn(
        &self,
        allowance: Allowance,
        job: impl FnOnce(&JobControl) + Send + 'static,
    ) -> Result<JobGuard, ComputeBusy> {
        let control = Arc::new(JobControl {
            cancelled: AtomicBool::new(false),
            allowance,
            worked_at: OnceLock::new(),
        });
        let guard = JobGuard(Arc::clone(&control));
        let job = {
            let control = Arc::clone(&control);
            let asking = Span::current();
            Box::new(move || {
                let _span = traces::of_job(&asking).entered();
                control.begin();
                job(&control);
            })
        };
        let mut queue = self.shared.lock();
        let jobs = queue.of(allowance.priority);
        if jobs.len() >= self.shared.capacity {
            // Those whose callers have left take nobody's place.
            jobs.retain(|queued| !queued.control.is_cancelled());
        }
        if jobs.len() >= self.shared.capacity {
            return Err(ComputeBusy);
        }
        jobs.push_back(Queued { control, job });
        drop(queue);
        self.shared.added.notify_one();
        Ok(guard)
    }

    /// The threads of the pool.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.shared.threads
    }

    /// The jobs that may wait.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.shared.capacity
    }

    /// The jobs that run.
    #[must_use]
    pub fn running(&self) -> usize {
        self.shared.running.load(Ordering::Relaxed)
    }

    /// The jobs that wait.
    #[must_use]
    pub fn queued(&self) -> usize {
        let queue = self.shared.lock();
        queue.jobs.len() + queue.background.len()
    }
}

impl Drop for ComputePool {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.added.notify_all();
    }
}

impl fmt::Debug for ComputePool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ComputePool")
            .field("queued", &self.queued())
            .field("capacity", &self.shared.capacity)
            .finish()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        // No job runs under the lock, so the queue is whole even after a panic.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        while let Some(job) = self.next() {
            self.running.fetch_add(1, Ordering::Relaxed);
            if catch_unwind(AssertUnwindSafe(job)).is_err() {
                tracing::error!("a compute job panicked");
            }
            self.running.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn next(&self) -> Option<Box<dyn FnOnce() + Send>> {
        let mut queue = self.lock();
        loop {
            if queue.closed {
                return None;
            }
            while let Some(Queued { control, job }) = queue.next() {
                if !control.is_cancelled() {
                    return Some(job);
                }
            }
            queue = self
                .added
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn pool() -> ComputePool {
        ComputePool::start(ComputeConfig {
            name: "test",
            threads: 1,
            queue: 1,
            scheduling: Scheduling::default(),
        })
        .unwrap()
    }

    /// Keeps the only thread of a pool busy until the returned sender is dropped.
    fn occupy(pool: &ComputePool) -> (mpsc::Sender<()>, JobGuard) {
        let (release, released) = mpsc::channel::<()>();
        let (started, start) = mpsc::channel();
        let guard = pool
            .spawn(Allowance::default(), move |_| {
                started.send(()).unwrap();
                let _ = released.recv();
            })
            .unwrap();
        start.recv().unwrap();
        (release, guard)
    }

    #[tokio::test]
    async fn result_of_a_job_is_returned() {
        assert_eq!(
            pool().run(Allowance::default(), |_| 42).unwrap().await,
            Ok(42)
        );
    }

    #[tokio::test]
    async fn full_queue_refuses_a_job() {
        let pool = pool();
        let (release, _guard) = occupy(&pool);
        let queued = pool.run(Allowance::default(), |_| ()).unwrap();
        assert_eq!(
            pool.run(Allowance::default(), |_| ()).err(),
            Some(ComputeBusy)
        );
        drop(release);
        assert_eq!(queued.await, Ok(()));
    }

    #[tokio::test]
    async fn calls_go_before_the_background_but_not_for_ever() {
        let pool = ComputePool::start(ComputeConfig {
            name: "test",
            threads: 1,
            queue: 8,
            scheduling: Scheduling::default(),
        });
        let pool = pool.unwrap();
        let (release, _guard) = occupy(&pool);
        let (sender, order) = mpsc::channel();
        let mut guards = Vec::new();
        let mut queue = |name: &'static str, priority| {
            let sender = sender.clone();
            let allowance = Allowance {
                priority,
                ..Allowance::default()
            };
            guards.push(pool.spawn(allowance, move |_| sender.send(name).unwrap()));
        };
        queue("background", Priority::Background);
        queue("background", Priority::Background);
        for _ in 0..5 {
            queue("call", Priority::Call);
        }
        drop((release, sender));
        let order: Vec<_> = order.iter().collect();
        // The job that occupied the pool was a call, too.
        let expected = "call call background call call call background";
        assert_eq!(order.join(" "), expected);
    }

    #[tokio::test]
    async fn job_nobody_waits_for_is_not_begun() {
        let pool = pool();
        let (release, _guard) = occupy(&pool);
        let (sender, began) = mpsc::channel();
        drop(
            pool.run(Allowance::default(), move |_| sender.send(()))
                .unwrap(),
        );
        drop(release);
        assert!(began.recv().is_err());
    }

    #[tokio::test]
    async fn job_nobody_waits_for_takes_no_place_in_the_queue() {
        let pool = pool();
        let (release, _guard) = occupy(&pool);
        drop(pool.run(Allowance::default(), |_| ()).unwrap());
        let queued = pool.run(Allowance::default(), |_| 1).unwrap();
        assert_eq!(
            pool.run(Allowance::default(), |_| 2).err(),
            Some(ComputeBusy)
        );
        drop(release);
        assert_eq!(queued.await, Ok(1));
    }

    #[tokio::test]
    async fn running_job_is_told_when_nobody_waits_any_more() {
        let pool = pool();
        let (sender, stopped) = mpsc::channel();
        let (started, start) = mpsc::channel();
        let job = pool
            .run(Allowance::default(), move |control| {
                started.send(()).unwrap();
                while !control.should_stop() {
                    thread::yield_now();
                }
                sender.send(()).unwrap();
            })
            .unwrap();
        start.recv().unwrap();
        drop(job);
        stopped.recv().unwrap();
    }

    #[tokio::test]
    async fn job_past_its_deadline_is_told_to_stop() {
        let pool = pool();
        let stop = pool.run(
            Allowance {
                deadline: Some(Instant::now()),
                ..Allowance::default()
            },
            Control::should_stop,
        );
        assert_eq!(stop.unwrap().await, Ok(true));
    }

    #[tokio::test]
    async fn panicking_job_does_not_take_its_thread_along() {
        let pool = pool();
        let lost = pool
            .run(Allowance::default(), |_| panic!("on purpose"))
            .unwrap();
        assert_eq!(lost.await, Err::<(), _>(JobLost));
        assert_eq!(pool.run(Allowance::default(), |_| 1).unwrap().await, Ok(1));
    }
}
