//! A stream of answers.

use std::time::Duration;

use tokio::time::timeout_at;
use tonic::Streaming;

use crate::{Error, deadline::Deadline};

/// The answers of a streaming call. Dropping it ends the call.
#[derive(Debug)]
pub struct Replies<T> {
    stream: Streaming<T>,
    endpoint: String,
    timeout: Duration,
    deadline: Option<Deadline>,
}

impl<T> Replies<T> {
    pub(crate) fn new(
        stream: Streaming<T>,
        endpoint: String,
        timeout: Duration,
        deadline: Option<Deadline>,
    ) -> Self {
        Self {
            stream,
            endpoint,
            timeout,
            deadline,
        }
    }

    /// The next answer; `None` at the end of the stream. May be cancelled without loss.
    ///
    /// # Errors
    ///
    /// What the stream ended with. There is nothing after an error.
    pub async fn next(&mut self) -> Result<Option<T>, Error> {
        let message = match self.deadline {
            None => self.stream.message().await,
            Some(deadline) => timeout_at(deadline.at(), self.stream.message())
                .await
                .map_err(|_elapsed| Error::DeadlineExceeded {
                    timeout: deadline.timeout(),
                    last: None,
                })?,
        };
        message.map_err(|status| Error::from_status(&self.endpoint, self.timeout, status))
    }
}
