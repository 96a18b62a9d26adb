//! The time of Redis, as this server knows it without asking each time.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::keys::Shard;
use super::servers::Servers;
use crate::session::Timestamp;
use crate::store::StoreError;

/// After this time any answer is better than the one known: clocks drift, and another server may
/// have become the master.
const STALE: Duration = Duration::from_secs(5);

/// The time of Redis: what it last answered, and the time since by the machine's monotonic clock.
/// It is off by less than the round trip of that answer.
#[derive(Debug)]
pub(super) struct StoreTime(Mutex<Known>);

#[derive(Clone, Copy, Debug)]
struct Known {
    time: Timestamp,
    /// When it was that time, as near as can be known.
    at: Instant,
    round_trip: Duration,
}

impl StoreTime {
    /// Asks Redis.
    pub(super) async fn ask(servers: &Servers) -> Result<Self, StoreError> {
        let sent = Instant::now();
        let time = redis::cmd("TIME");
        let (seconds, micros): (u64, u64) = servers.command(Shard::of_secret(), &time).await?;
        let time = Timestamp::from_millis(seconds.saturating_mul(1000) + micros / 1000);
        Ok(Self(Mutex::new(Known::new(sent, time))))
    }

    /// The time now.
    pub(super) fn now(&self) -> Timestamp {
        let known = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.time + known.at.elapsed()
    }

    /// Learns from an answer that has just arrived: Redis had this time when it made it.
    pub(super) fn note(&self, sent: Instant, time: Timestamp) {
        let new = Known::new(sent, time);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if new.round_trip <= known.round_trip || known.at.elapsed() > STALE {
            *known = new;
        }
    }
}

impl Known {
    fn new(sent: Instant, time: Timestamp) -> Self {
        let round_trip = sent.elapsed();
        Self {
            time,
            at: sent + round_trip / 2,
            round_trip,
        }
    }
}
