//! Answers that a long job sends one after the other.

use std::time::Instant;

use futures_util::stream::{self, BoxStream, StreamExt};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tonic::Status;

use super::status;
use crate::compute::JobGuard;

/// The answers that may wait for a slow reader; a job never waits.
const WAITING: usize = 16;

/// The job's end of the stream.
#[derive(Debug)]
pub(super) struct Steps<T>(mpsc::Sender<Result<T, Status>>);

/// The caller's end of the stream.
pub(super) type Receiver<T> = mpsc::Receiver<Result<T, Status>>;

/// Both ends.
pub(super) fn channel<T>() -> (Steps<T>, Receiver<T>) {
    let (sender, receiver) = mpsc::channel(WAITING);
    (Steps(sender), receiver)
}

impl<T> Steps<T> {
    /// Sends a step, unless the reader is too slow for it. There is always room for the last word.
    pub(super) fn send(&self, step: impl FnOnce() -> T) {
        if self.0.capacity() > 1 {
            // The caller may have left.
            let _ = self.0.try_send(Ok(step()));
        }
    }

    /// Sends the last word.
    pub(super) fn end(self, last: Result<T, Status>) {
        // The caller may have left.
        let _ = self.0.try_send(last);
    }
}

/// What is sent to the caller: the steps of the job, until it ends or the server stops. The caller
/// is told when the deadline passes without an end. The stream owns the job: when the caller
/// leaves, both end.
pub(super) fn stream<T: Send + 'static>(
    receiver: Receiver<T>,
    job: JobGuard,
    deadline: Option<Instant>,
    stopping: CancellationToken,
) -> BoxStream<'static, Result<T, Status>> {
    let cut_off = Box::pin(async move {
        let too_late = async {
            match deadline {
                Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = too_late => status::deadline_exceeded(),
            () = stopping.cancelled() => status::shutting_down(),
        }
    });
    stream::unfold(Some((receiver, cut_off)), move |state| {
        // Dropped with the stream.
        let _ = &job;
        async move {
            let (mut receiver, mut cut_off) = state?;
            tokio::select! {
                biased;
                step = receiver.recv() => Some((step?, Some((receiver, cut_off)))),
                status = &mut cut_off => Some((Err(status), None)),
            }
        }
    })
    .boxed()
}
