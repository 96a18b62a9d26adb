//! What a tenant may take of one server: calls a second, and time of the engine.
//!
//! Each is a bucket that fills at a steady rate and holds a little: a burst is let through, more
//! than the rate for long is not. Every server counts for itself.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::auth::Tenant;

/// The limits of each tenant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Calls a second; a burst of two seconds' worth is let through.
    pub calls_per_second: Option<f64>,
    /// Seconds of calls to the engine in a second; a burst of a minute's worth is let through.
    pub engine_share: Option<f64>,
}

/// A limit that a tenant has reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Exceeded {
    pub(crate) limit: Limit,
    /// When there is room again.
    pub(crate) retry_after: Duration,
}

/// What is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    Calls,
    Engine,
}

/// How long a burst may be, of what is filled in that time.
const CALL_BURST: Duration = Duration::from_secs(2);
const ENGINE_BURST: Duration = Duration::from_secs(60);
/// From so many tenants on, those who have used nothing for long are forgotten.
const MANY: usize = 10_000;

/// What tenants have taken.
#[derive(Debug)]
pub(crate) struct Quota {
    limits: Limits,
    tenants: Mutex<HashMap<Tenant, Taken>>,
}

#[derive(Clone, Copy, Debug)]
struct Taken {
    calls: Bucket,
    engine: Bucket,
}

/// What is left, and since when.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Quota {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            tenants: Mutex::default(),
        }
    }

    /// Whether anything is limited.
    pub(crate) fn is_limited(&self) -> bool {
        self.limits != Limits::default()
    }

    /// Takes a call. One to the engine has to find time left, which it is charged for when it ends.
    pub(crate) fn call(
        &self,
        tenant: &Tenant,
        to_engine: bool,
        now: Instant,
    ) -> Result<(), Exceeded> {
        self.with(tenant, now, |limits, taken| {
            if let Some(share) = limits.engine_share.filter(|_| to_engine) {
                taken.engine.fill(share, ENGINE_BURST, now);
                taken.engine.check(0.0, share, Limit::Engine)?;
            }
            if let Some(rate) = limits.calls_per_second {
                taken.calls.fill(rate, CALL_BURST, now);
                taken.calls.check(1.0, rate, Limit::Calls)?;
                taken.calls.left -= 1.0;
            }
            Ok(())
        })
    }

    /// Charges a call to the engine for its time.
    pub(crate) fn charge(&self, tenant: &Tenant, time: Duration, now: Instant) {
        self.with(tenant, now, |limits, taken| {
            if limits.engine_share.is_some() {
                taken.engine.left -= time.as_secs_f64();
            }
        });
    }

    fn with<T>(
        &self,
        tenant: &Tenant,
        now: Instant,
        work: impl FnOnce(&Limits, &mut Taken) -> T,
    ) -> T {
        let mut tenants = self.tenants.lock().unwrap_or_else(PoisonError::into_inner);
        if tenants.len() >= MANY && !tenants.contains_key(tenant) {
            // A bucket that was left alone for so long is full again.
            tenants.retain(|_, taken| now.duration_since(taken.calls.at) < ENGINE_BURST);
        }
        let full = |rate: Option<f64>, burst: Duration| Bucket {
            left: rate.unwrap_or(0.0) * burst.as_secs_f64(),
            at: now,
        };
        let taken = tenants.entry(tenant.clone()).or_insert_with(|| Taken {
            calls: full(self.limits.calls_per_second, CALL_BURST),
            engine: full(self.limits.engine_share, ENGINE_BURST),
        });
        work(&self.limits, taken)
    }
}

impl Bucket {
    fn fill(&mut self, rate: f64, burst: Duration, now: Instant) {
        let since = now.saturating_duration_since(self.at).as_secs_f64();
        // A bucket holds at least one call, however slowly it fills.
        let most = (rate * burst.as_secs_f64()).max(1.0);
        self.left = (self.left + rate * since).min(most);
        self.at = now;
    }

    fn check(&self, wanted: f64, rate: f64, limit: Limit) -> Result<(), Exceeded> {
        let enough = if wanted > 0.0 {
            self.left >= wanted
        } else {
            self.left > 0.0
        };
        if enough {
            return Ok(());
        }
        let missing = (wanted - self.left).max(f64::EPSILON);
        Err(Exceeded {
            limit,
            retry_after: Duration::try_from_secs_f64(missing / rate).unwrap_or(ENGINE_BURST),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tenant(name: &str) -> Tenant {
        Tenant::named(name).unwrap()
    }

    #[test]
    fn calls_beyond_the_burst_wait_for_the_rate() {
        let quota = Quota::new(Limits {
            calls_per_second: Some(5.0),
            engine_share: None,
        });
        let (acme, now) = (tenant("acme"), Instant::now());
        for _ in 0..10 {
            assert_eq!(quota.call(&acme, false, now), Ok(()));
        }
        let exceeded = quota.call(&acme, false, now).unwrap_err();
        assert_eq!(exceeded.limit, Limit::Calls);
        assert!(
            exceeded.retry_after <= Duration::from_millis(201),
            "{exceeded:?}"
        );
        assert_eq!(quota.call(&tenant("other"), false, now), Ok(()));
        let later = now + Duration::from_millis(201);
        assert_eq!(quota.call(&acme, false, later), Ok(()));
        assert!(quota.call(&acme, false, later).is_err());
    }

    #[test]
    fn the_engine_is_charged_for_what_it_took() {
        let quota = Quota::new(Limits {
            calls_per_second: None,
            engine_share: Some(0.5),
        });
        let (acme, now) = (tenant("acme"), Instant::now());
        assert_eq!(quota.call(&acme, true, now), Ok(()));
        quota.charge(&acme, Duration::from_secs(40), now);
        let exceeded = quota.call(&acme, true, now).unwrap_err();
        assert_eq!(exceeded.limit, Limit::Engine);
        assert!(exceeded.retry_after.as_secs() >= 20, "{exceeded:?}");
        assert_eq!(quota.call(&acme, false, now), Ok(()), "other calls go on");
        let later = now + Duration::from_secs(21);
        assert_eq!(quota.call(&acme, true, later), Ok(()));
    }

    #[test]
    fn tenants_that_left_are_forgotten() {
        let quota = Quota::new(Limits {
            calls_per_second: Some(1.0),
            engine_share: None,
        });
        let now = Instant::now();
        for number in 0..MANY {
            let _ = quota.call(&tenant(&number.to_string()), false, now);
        }
        let later = now + 2 * ENGINE_BURST;
        assert_eq!(quota.call(&tenant("new"), false, later), Ok(()));
        assert_eq!(quota.tenants.lock().unwrap().len(), 1);
    }
}
