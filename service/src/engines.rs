//! The engines and the threads that they run on.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use reversi_engine::search::Engine;

use crate::compute::{
    Allowance, Best, ComputeBusy, ComputeConfig, ComputePool, JobControl, JobGuard, TimelyJob,
};

/// What an engine may use.
#[derive(Clone, Copy, Debug)]
pub struct EngineConfig {
    /// The memory of its table, in bytes.
    pub table_bytes: usize,
    /// The threads of one search.
    pub threads: usize,
}

/// A pool of threads, each with an engine of its own while it works. Engines live on: they are
/// made when they are first needed, at most as many as there are threads, and the one that was
/// used last is used first, so that a server that is hardly asked holds one table only.
#[derive(Debug)]
pub struct Engines {
    pool: ComputePool,
    idle: Arc<Idle>,
}

#[derive(Debug)]
struct Idle {
    engines: Mutex<Vec<Engine>>,
    /// The boards that were visited in searches that have ended.
    nodes: AtomicU64,
    config: EngineConfig,
}

impl Engines {
    /// Starts the threads.
    ///
    /// # Errors
    ///
    /// If the system gives no threads.
    pub fn start(threads: ComputeConfig, engine: EngineConfig) -> std::io::Result<Self> {
        Ok(Self {
            pool: ComputePool::start(threads)?,
            idle: Arc::new(Idle {
                engines: Mutex::default(),
                nodes: AtomicU64::new(0),
                config: engine,
            }),
        })
    }

    /// The threads.
    #[must_use]
    pub const fn pool(&self) -> &ComputePool {
        &self.pool
    }

    /// The boards that were visited in searches that have ended.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.idle.nodes.load(Ordering::Relaxed)
    }

    /// Queues a job that is answered in time, as [`ComputePool::run_timely`] says.
    ///
    /// # Errors
    ///
    /// [`ComputeBusy`] if the queue is full.
    pub fn run_timely<T: Send + 'static>(
        &self,
        allowance: Allowance,
        job: impl FnOnce(&mut Engine, &JobControl, &Best<T>) -> Option<T> + Send + 'static,
    ) -> Result<TimelyJob<T>, ComputeBusy> {
        let idle = Arc::clone(&self.idle);
        self.pool.run_timely(allowance, move |control, best| {
            idle.with(|engine| job(engine, control, best))
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
        job: impl FnOnce(&mut Engine, &JobControl) + Send + 'static,
    ) -> Result<JobGuard, ComputeBusy> {
        let idle = Arc::clone(&self.idle);
        self.pool
            .spawn(allowance, move |control| idle.with(|e| job(e, control)))
    }
}

impl Idle {
    /// Works with an engine. One that a panic interrupts is not used again.
    fn with<T>(&self, work: impl FnOnce(&mut Engine) -> T) -> T {
        let idle = || self.engines.lock().unwrap_or_else(PoisonError::into_inner);
        let engine = idle().pop();
        let mut engine =
            engine.unwrap_or_else(|| Engine::new(self.config.table_bytes, self.config.threads));
        let before = engine.nodes();
        let result = work(&mut engine);
        let visited = engine.nodes() - before;
        self.nodes.fetch_add(visited, Ordering::Relaxed);
        idle().push(engine);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::Scheduling;

    fn engines(threads: usize) -> Engines {
        let threads = ComputeConfig {
            name: "test",
            threads,
            queue: 8,
            scheduling: Scheduling::default(),
        };
        let engine = EngineConfig {
            table_bytes: 1 << 10,
            threads: 1,
        };
        Engines::start(threads, engine).unwrap()
    }

    fn idle(engines: &Engines) -> usize {
        engines.idle.engines.lock().unwrap().len()
    }

    #[tokio::test]
    async fn an_engine_is_made_when_it_is_needed_and_used_again() {
        let engines = engines(2);
        assert_eq!(idle(&engines), 0);
        for _ in 0..5 {
            let job = engines.run_timely(Allowance::default(), |_, _, _| Some(()));
            job.unwrap().answer().await.unwrap();
            assert_eq!(idle(&engines), 1);
        }
    }

    #[tokio::test]
    async fn an_engine_that_panicked_is_thrown_away() {
        let engines = engines(1);
        let lost = engines.run_timely(Allowance::default(), |_, _, _: &Best<()>| {
            panic!("on purpose")
        });
        assert!(lost.unwrap().answer().await.is_err());
        assert_eq!(idle(&engines), 0);
        let job = engines.run_timely(Allowance::default(), |_, _, _| Some(1));
        assert_eq!(job.unwrap().answer().await, Ok(Some(1)));
    }
}
