//! A stream that is opened again when it breaks.

use crate::{Error, Replies, RetryPolicy};

/// Messages of one stream after another: where one breaks or is ended by the service, the next is
/// opened.
#[derive(Debug)]
pub(crate) struct Reopened<M> {
    state: State<M>,
    /// Streams opened since the last message, for the wait before the next.
    openings: u32,
}

#[derive(Debug)]
enum State<M> {
    Open(Box<Replies<M>>),
    Lost,
    Ended,
}

impl<M> Reopened<M> {
    /// Nothing is open yet.
    pub(crate) const fn new() -> Self {
        Self {
            state: State::Lost,
            openings: 0,
        }
    }

    /// The next message, of a stream that is opened if need be; `None` after the end. After an
    /// error that [is retryable](Error::is_retryable) the next call tries again, after another one
    /// there is nothing more. May be cancelled without loss.
    pub(crate) async fn next<F>(
        &mut self,
        policy: &RetryPolicy,
        open: impl Fn() -> F,
    ) -> Result<Option<M>, Error>
    where
        F: Future<Output = Result<Replies<M>, Error>>,
    {
        loop {
            let message = match &mut self.state {
                State::Open(replies) => replies.next().await,
                State::Lost => {
                    self.resume(policy, &open).await?;
                    continue;
                }
                State::Ended => return Ok(None),
            };
            match message {
                Ok(Some(message)) => {
                    self.openings = 0;
                    return Ok(Some(message));
                }
                Ok(None) => self.state = State::Lost,
                Err(error) if error.is_retryable() => self.state = State::Lost,
                Err(error) => {
                    self.state = State::Ended;
                    return Err(error);
                }
            }
        }
    }

    /// Opens a stream if none is open and it has not ended.
    pub(crate) async fn resume<F>(
        &mut self,
        policy: &RetryPolicy,
        open: impl Fn() -> F,
    ) -> Result<(), Error>
    where
        F: Future<Output = Result<Replies<M>, Error>>,
    {
        if !matches!(self.state, State::Lost) {
            return Ok(());
        }
        if self.openings > 0 {
            tokio::time::sleep(policy.wait(self.openings)).await;
        }
        self.openings += 1;
        match open().await {
            Ok(replies) => {
                self.state = State::Open(Box::new(replies));
                Ok(())
            }
            Err(error) => {
                if !error.is_retryable() {
                    self.state = State::Ended;
                }
                Err(error)
            }
        }
    }

    /// Nothing comes after this.
    pub(crate) fn end(&mut self) {
        self.state = State::Ended;
    }
}
