//! Watching a game across dropped connections.

use reversi_proto::v1::{
    WatchGameRequest, WatchGameResponse, game_event, watch_game_response::Update,
};

use crate::{Client, Error, Replies};

/// A watch of one game; see [`Games::watch_game`](crate::Games::watch_game).
///
/// A stream that breaks, or that the service ends before the game does, is opened again
/// after the last etag seen: no change is missed and none is sent twice.
#[derive(Debug)]
pub struct GameWatch {
    client: Client,
    name: String,
    /// Whose player the caller is, as in the request.
    side: i32,
    last_etag: String,
    state: State,
    /// Streams opened since the last update, for the wait before the next.
    openings: u32,
}

#[derive(Debug)]
enum State {
    Open(Box<Replies<WatchGameResponse>>),
    Lost,
    Ended,
}

impl GameWatch {
    pub(crate) async fn open(client: Client, request: WatchGameRequest) -> Result<Self, Error> {
        let mut watch = Self {
            client,
            name: request.name,
            side: request.side,
            last_etag: request.after_etag,
            state: State::Lost,
            openings: 0,
        };
        watch.reopen().await?;
        Ok(watch)
    }

    /// The etag of the last update seen: where a watch opened anew would go on.
    #[must_use]
    pub fn last_etag(&self) -> &str {
        &self.last_etag
    }

    /// The next update; `None` once the game was deleted or expired. May be cancelled
    /// without loss.
    ///
    /// # Errors
    ///
    /// What the watch cannot be opened again for, or was refused with. After an error that
    /// [is retryable](Error::is_retryable) the next call tries again.
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
                Ok(Some(WatchGameResponse {
                    update: Some(update),
                })) => {
                    self.note(&update);
                    return Ok(Some(update));
                }
                // A kind of update that this client does not know.
                Ok(Some(WatchGameResponse { update: None })) => {}
                Ok(None) => self.state = State::Lost,
                Err(error) if error.is_retryable() => self.state = State::Lost,
                Err(error) => {
                    self.state = State::Ended;
                    return Err(error);
                }
            }
        }
    }

    /// Opens the watch again if its connection was lost, so that the caller knows that it
    /// stands before there is an update; [`next`](Self::next) does so by itself. May be
    /// cancelled without loss.
    ///
    /// # Errors
    ///
    /// As of [`next`](Self::next).
    pub async fn resume(&mut self) -> Result<(), Error> {
        match self.state {
            State::Lost => self.reopen().await,
            State::Open(_) | State::Ended => Ok(()),
        }
    }

    async fn reopen(&mut self) -> Result<(), Error> {
        if self.openings > 0 {
            tokio::time::sleep(self.client.retry_policy().wait(self.openings)).await;
        }
        self.openings += 1;
        let request = WatchGameRequest {
            name: self.name.clone(),
            after_etag: self.last_etag.clone(),
            side: self.side,
        };
        match self.client.games().open_watch(request).await {
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

    /// Remembers where the watch is.
    fn note(&mut self, update: &Update) {
        self.openings = 0;
        match update {
            Update::Snapshot(snapshot) => {
                if let Some(game) = &snapshot.game {
                    self.last_etag.clone_from(&game.etag);
                }
            }
            Update::Event(event) => {
                self.last_etag.clone_from(&event.etag);
                if let Some(game_event::Kind::Deleted(_) | game_event::Kind::Expired(_)) =
                    event.kind
                {
                    self.state = State::Ended;
                }
            }
        }
    }
}
