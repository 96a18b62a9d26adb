//! Waiting for a moment more exactly than to the millisecond of tokio's timers.

use std::io;

use tokio::time::{Instant, sleep_until};

/// Waits for one moment after another.
#[derive(Debug)]
pub(crate) enum Timer {
    /// A timer of the kernel's.
    #[cfg(target_os = "linux")]
    Kernel(kernel::KernelTimer),
    /// The runtime's, to the millisecond.
    Runtime,
}

impl Timer {
    /// The most exact one that there is here.
    pub(crate) fn exact() -> Self {
        #[cfg(target_os = "linux")]
        if let Ok(timer) = kernel::KernelTimer::new() {
            return Self::Kernel(timer);
        }
        Self::Runtime
    }

    /// Waits for `moment`; not at all if it has passed.
    pub(crate) async fn wait_until(&self, moment: Instant) {
        match self {
            #[cfg(target_os = "linux")]
            Self::Kernel(timer) => {
                let waited: io::Result<()> = timer.wait_until(moment).await;
                if waited.is_err() {
                    sleep_until(moment).await;
                }
            }
            Self::Runtime => sleep_until(moment).await,
        }
    }
}

#[cfg(target_os = "linux")]
mod kernel {
    use std::cell::RefCell;
    use std::future::poll_fn;
    use std::io;
    use std::pin::Pin;
    use std::task::ready;
    use std::time::Duration;

    use rustix::time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
        timerfd_settime,
    };
    use tokio::io::{AsyncRead, ReadBuf};
    use tokio::net::unix::pipe;
    use tokio::time::Instant;

    /// A `timerfd`. It is read like a pipe that holds eight bytes once the time has come, so that
    /// is what the runtime takes it for.
    #[derive(Debug)]
    pub(crate) struct KernelTimer(RefCell<pipe::Receiver>);

    impl KernelTimer {
        pub(super) fn new() -> io::Result<Self> {
            let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
            let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
            pipe::Receiver::from_owned_fd_unchecked(timer).map(|timer| Self(RefCell::new(timer)))
        }

        pub(super) async fn wait_until(&self, moment: Instant) -> io::Result<()> {
            loop {
                let left = moment.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Ok(());
                }
                self.set(left)?;
                self.fired().await?;
            }
        }

        fn set(&self, left: Duration) -> io::Result<()> {
            const NEVER: Timespec = Timespec {
                tv_sec: 0,
                tv_nsec: 0,
            };
            let once = Itimerspec {
                it_interval: NEVER,
                it_value: Timespec::try_from(left).map_err(io::Error::other)?,
            };
            let timer = self.0.borrow();
            timerfd_settime(&*timer, TimerfdTimerFlags::empty(), &once)?;
            Ok(())
        }

        async fn fired(&self) -> io::Result<()> {
            poll_fn(|cx| {
                // Eight bytes come. With room for more the runtime sees that there are no more,
                // and does not ask again.
                let mut count = [0; 16];
                let mut count = ReadBuf::new(&mut count);
                let mut timer = self.0.borrow_mut();
                ready!(Pin::new(&mut *timer).poll_read(cx, &mut count))?;
                Ok(()).into()
            })
            .await
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_moment_is_never_met_too_early() {
        let timer = Timer::exact();
        for _ in 0..20 {
            let moment = Instant::now() + Duration::from_micros(300);
            timer.wait_until(moment).await;
            assert!(Instant::now() >= moment);
        }
        timer.wait_until(Instant::now()).await;
    }
}
