//! What this server knows of the times in which the store could not be reached.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::Games;
use crate::session::{Outages, Session};
use crate::store::{Claimed, StoreError};

/// What was known so long ago may have changed. Less than the shortest outage that counts.
const STALE: Duration = Duration::from_secs(2);

/// The outages, as the store has last told.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownOutages(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    outages: Outages,
    told: Option<Instant>,
}

impl KnownOutages {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self) -> Outages {
        self.lock().outages.clone()
    }

    fn is_stale(&self) -> bool {
        self.lock().told.is_none_or(|told| told.elapsed() > STALE)
    }
}

impl Games {
    /// Claims games that are due, and learns of outages.
    pub(super) async fn claim_due(
        &self,
        lease: Duration,
        limit: usize,
    ) -> Result<Claimed, StoreError> {
        let mut claimed = self.store.claim_due(lease, limit).await?;
        let outages = Outages::new(std::mem::take(&mut claimed.outages));
        let told = Some(Instant::now());
        *self.outages.lock() = Known { outages, told };
        Ok(claimed)
    }

    /// Makes sure that the outages up to now count for no clock of a session.
    pub(super) async fn know_outages(&self, session: &mut Session) -> Result<(), StoreError> {
        if self.outages.is_stale() {
            self.claim_due(Duration::ZERO, 0).await?;
        }
        session.set_outages(self.outages.get());
        Ok(())
    }
}
