//! Watching many games across dropped connections.

use reversi_proto::v1::{WatchGamesRequest, WatchGamesResponse, watch_games_response::Update};

use crate::{Client, Error, Replies};

/// A watch of many games; see [`Games::watch_games`](crate::Games::watch_games).
///
/// A stream that breaks, or that the service ends, is opened again at the last cursor seen: no
/// change is missed, and some may be sent twice.
#[derive(Debug)]
pub struct GamesWatch {
    client: Client,
    /// What to watch, and from which cursor on.
    request: WatchGamesRequest,
    state: State,
    /// Whether the caller knows that the watch has begun.
    has_begun: bool,
    /// Streams opened since the last update, for the wait before the next.
    openings: u32,
}

#[derive(Debug)]
enum State {
    Open(Box<Replies<WatchGamesResponse>>),
    Lost,
    Ended,
}

impl GamesWatch {
    pub(crate) async fn open(client: Client, request: WatchGamesRequest) -> Result<Self, Error> {
        let mut watch = Self {
            client,
            request,
            state: State::Lost,
            has_begun: false,
            openings: 0,
        };
        watch.reopen().await?;
        Ok(watch)
    }

    /// The last cursor: where a watch opened anew would go on.
    #[must_use]
    pub fn last_cursor(&self) -> &str {
        &self.request.cursor
    }

    /// The next update. That the watch goes on after a dropped connection is none, unless
    /// changes may have been missed. May be cancelled without loss.
    ///
    /// # Errors
    ///
    /// What the watch cannot be opened again for, or was refused with. After an error that
    /// [is retryable](Error::is_retryable) the next call tries again; after another one there is
    /// nothing more: `None`.
    pub async fn next(&mut self) -> Result<Option<Update>, Error> {
        loop {
            let message = match &mut self.state {
                State::Open(replies) => replies.next().await,
                State::Lost => {
                    self.reopen().await?;
                    continue;
                }
                State::Ended => return Ok(None),
            };
            match message {
                Ok(Some(message)) => {
                    if let Some(update) = self.note(message) {
                        return Ok(Some(update));
                    }
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

    async fn reopen(&mut self) -> Result<(), Error> {
        if self.openings > 0 {
            tokio::time::sleep(self.client.retry_policy().wait(self.openings)).await;
        }
        self.openings += 1;
        let request = self.request.clone();
        match self.client.games().open_watch_of_games(request).await {
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

    /// Remembers where the watch is; the update, if it is one for the caller.
    fn note(&mut self, message: WatchGamesResponse) -> Option<Update> {
        self.openings = 0;
        if !message.cursor.is_empty() {
            self.request.cursor = message.cursor;
        }
        let update = message.update?;
        let goes_on = matches!(&update, Update::Start(start) if !start.missed) && self.has_begun;
        self.has_begun = true;
        (!goes_on).then_some(update)
    }
}
