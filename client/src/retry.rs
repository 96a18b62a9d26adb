//! When a failed call is made again, and when it is given up.
//!
//! It knows nothing of connections: it is handed a call that can be made.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};

use crate::{Error, deadline::Deadline};

/// How often and how soon a call is repeated that the service could not take.
///
/// The wait before repeat *n* is drawn from the upper half of
/// `initial_backoff * 2^(n - 1)`, at most `max_backoff`, and is never shorter than the
/// service asks for (`RetryInfo`). A repeat that could not start before the deadline is not
/// made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The most times a call is made, the first included. One: no repeats.
    pub max_attempts: u32,
    /// The longest wait before the first repeat.
    pub initial_backoff: Duration,
    /// The longest wait before any repeat.
    pub max_backoff: Duration,
}

impl Default for RetryPolicy {
    /// Four attempts, waiting up to 50 ms, 100 ms and 200 ms: less than half a second on
    /// top, enough for a replica that restarts behind a load balancer to be left out.
    fn default() -> Self {
        Self {
            max_attempts: 4,
            initial_backoff: Duration::from_millis(50),
            max_backoff: Duration::from_secs(2),
        }
    }
}

impl RetryPolicy {
    /// A policy that never repeats.
    #[must_use]
    pub fn never() -> Self {
        Self {
            max_attempts: 1,
            ..Self::default()
        }
    }

    /// The wait after `failures` failures in a row; `chance`, 0 to 1, places it within the
    /// upper half of its range.
    fn backoff(&self, failures: u32, chance: f64) -> Duration {
        let doublings = failures.saturating_sub(1).min(30);
        let longest = self
            .initial_backoff
            .saturating_mul(1 << doublings)
            .min(self.max_backoff);
        longest.mul_f64(0.5 + 0.5 * chance.clamp(0.0, 1.0))
    }

    /// The wait after `failures` failures in a row, at random within its range.
    pub(crate) fn wait(&self, failures: u32) -> Duration {
        self.backoff(failures, chance())
    }
}

/// Makes a call until it succeeds, fails for good, or its deadline passes. It must be safe to
/// repeat: a read, or a write that the service recognises by its `request_id`.
pub(crate) async fn run<T, F, C>(
    policy: &RetryPolicy,
    deadline: Deadline,
    mut call: F,
) -> Result<T, Error>
where
    F: FnMut() -> C,
    C: Future<Output = Result<T, Error>>,
{
    let mut failures = 0;
    let mut last = None;
    loop {
        let error = match timeout_at(deadline.at(), call()).await {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(error)) => error,
            Err(_elapsed) => {
                return Err(Error::DeadlineExceeded {
                    timeout: deadline.timeout(),
                    last: last.map(Box::new),
                });
            }
        };
        failures += 1;
        if failures >= policy.max_attempts || !error.is_unavailable() {
            return Err(error);
        }
        let wait = policy
            .wait(failures)
            .max(error.retry_after().unwrap_or_default());
        if Instant::now() + wait >= deadline.at() {
            return Err(error);
        }
        sleep(wait).await;
        last = Some(error);
    }
}

/// A random number from 0 to 1; the middle should the system have none to give.
fn chance() -> f64 {
    getrandom::u32().map_or(0.5, |number| f64::from(number) / f64::from(u32::MAX))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use tonic::Code;

    use super::*;
    use crate::ApiError;

    fn api(code: Code, retry_after: Option<Duration>) -> Error {
        Error::Api(Box::new(ApiError {
            code,
            reason: None,
            message: String::new(),
            metadata: Default::default(),
            retry_after,
            field_violations: Vec::new(),
        }))
    }

    fn unreachable() -> Error {
        Error::Connect {
            endpoint: "http://test".to_owned(),
            source: "refused".into(),
        }
    }

    /// Runs a call that fails `failures` times; how it ended, and after how many attempts.
    async fn attempts(
        timeout: Duration,
        failures: u32,
        error: impl Fn() -> Error,
    ) -> (Result<u32, Error>, u32) {
        let made = Cell::new(0);
        let result = run(&RetryPolicy::default(), Deadline::after(timeout), || {
            made.set(made.get() + 1);
            let answer = if made.get() > failures {
                Ok(made.get())
            } else {
                Err(error())
            };
            async move { answer }
        })
        .await;
        (result, made.get())
    }

    const LONG: Duration = Duration::from_secs(10);

    #[tokio::test(start_paused = true)]
    async fn an_unavailable_service_is_called_again() {
        let (result, made) = attempts(LONG, 2, || api(Code::Unavailable, None)).await;
        assert_eq!((result.unwrap(), made), (3, 3));
    }

    #[tokio::test(start_paused = true)]
    async fn attempts_are_bounded() {
        let (result, made) = attempts(LONG, 99, || api(Code::Unavailable, None)).await;
        assert_eq!(result.unwrap_err().code(), Some(Code::Unavailable));
        assert_eq!(made, RetryPolicy::default().max_attempts);
    }

    #[tokio::test(start_paused = true)]
    async fn other_errors_are_final() {
        for code in [
            Code::Aborted,
            Code::ResourceExhausted,
            Code::Internal,
            Code::Unknown,
        ] {
            let (result, made) = attempts(LONG, 1, || api(code, None)).await;
            assert_eq!(result.unwrap_err().code(), Some(code));
            assert_eq!(made, 1);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_never_left_is_repeated() {
        let (result, made) = attempts(LONG, 1, unreachable).await;
        assert_eq!((result.unwrap(), made), (2, 2));
    }

    #[tokio::test(start_paused = true)]
    async fn the_services_wish_to_wait_is_honoured() {
        let wish = Duration::from_secs(3);
        let start = Instant::now();
        let (result, _) = attempts(LONG, 1, || api(Code::Unavailable, Some(wish))).await;
        assert!(result.is_ok());
        assert_eq!(start.elapsed(), wish);
    }

    #[tokio::test(start_paused = true)]
    async fn no_repeat_starts_after_the_deadline() {
        let start = Instant::now();
        let (result, made) = attempts(Duration::from_secs(2), 9, || {
            api(Code::Unavailable, Some(Duration::from_secs(5)))
        })
        .await;
        assert_eq!(result.unwrap_err().code(), Some(Code::Unavailable));
        assert_eq!(made, 1);
        assert_eq!(start.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_hangs_ends_at_the_deadline() {
        let start = Instant::now();
        let result: Result<(), _> = run(
            &RetryPolicy::default(),
            Deadline::after(Duration::from_secs(2)),
            std::future::pending,
        )
        .await;
        assert!(matches!(
            result.unwrap_err(),
            Error::DeadlineExceeded { last: None, .. }
        ));
        assert_eq!(start.elapsed(), Duration::from_secs(2));
    }

    #[test]
    fn the_wait_doubles_up_to_its_limit() {
        let policy = RetryPolicy {
            max_attempts: 9,
            initial_backoff: Duration::from_millis(100),
            max_backoff: Duration::from_millis(300),
        };
        let longest: Vec<_> = (1..=4)
            .map(|n| policy.backoff(n, 1.0).as_millis())
            .collect();
        assert_eq!(longest, [100, 200, 300, 300]);
        assert_eq!(policy.backoff(1, 0.0).as_millis(), 50);
        assert_eq!(policy.backoff(u32::MAX, 1.0).as_millis(), 300);
    }
}
