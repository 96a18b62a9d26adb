//! The workloads, and the lanes they are made of.

use tokio::time::Instant;

use super::pool::Pool;
use crate::load::Caller;

/// What a run asks of the server.
#[derive(Clone, Debug)]
pub(crate) enum Workload {
    /// Calls that stand alone.
    Pool(Pool),
}

impl Workload {
    /// The lane with this number. Lanes differ in what they begin with.
    pub(crate) fn lane(&self, number: usize) -> Lane {
        match self {
            Self::Pool(pool) => Lane::Pool {
                pool: pool.clone(),
                // Neighbours are far apart, so that the lanes are not all at the same request.
                next: number.wrapping_mul(pool.len() / 2 + 1),
            },
        }
    }
}

/// One sequence of calls, each begun after the one before has ended.
#[derive(Debug)]
pub(crate) enum Lane {
    /// Calls that stand alone.
    Pool {
        /// Where they are from.
        pool: Pool,
        /// The number of the next.
        next: usize,
    },
}

impl Lane {
    /// Makes the next call, due at `due`, and writes it down.
    pub(crate) async fn call(&mut self, caller: &mut Caller, due: Option<Instant>) {
        match self {
            Self::Pool { pool, next } => {
                let request = pool.request(*next);
                *next = next.wrapping_add(1);
                caller.call_prepared(pool.rpc(), request, due).await;
            }
        }
    }
}
