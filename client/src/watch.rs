//! Watching a game across dropped connections.

use reversi_proto::v1::{
    WatchGameRequest, WatchGameResponse, game_event, watch_game_response::Update,
};

use crate::reopened::Reopened;
use crate::{Client, Error};

/// A watch of one game; see [`Games::watch_game`](crate::Games::watch_game).
///
/// A stream that breaks, or that the service ends before the game does, is opened again
/// after the last etag seen: no change is missed and none is sent twice.
#[derive(Debug)]
pub struct GameWatch {
    client: Client,
    /// What to watch, and after which etag.
    request: WatchGameRequest,
    stream: Reopened<WatchGameResponse>,
}

impl GameWatch {
    pub(crate) async fn open(client: Client, request: WatchGameRequest) -> Result<Self, Error> {
        let mut watch = Self {
            client,
            request,
            stream: Reopened::new(),
        };
        watch.resume().await?;
        Ok(watch)
    }

    /// The etag of the last update seen: where a watch opened anew would go on.
    #[must_use]
    pub fn last_etag(&self) -> &str {
        &self.request.after_etag
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
            let Self {
                client,
                request,
                stream,
            } = self;
            let open = || client.games().open_watch(request.clone());
            let Some(message) = stream.next(client.retry_policy(), open).await? else {
                return Ok(None);
            };
            // Without one it is of a kind that this client does not know.
            if let Some(update) = message.update {
                self.note(&update);
                return Ok(Some(update));
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
        let Self {
            client,
            request,
            stream,
        } = self;
        let open = || client.games().open_watch(request.clone());
        stream.resume(client.retry_policy(), open).await
    }

    /// Remembers where the watch is.
    fn note(&mut self, update: &Update) {
        match update {
            Update::Snapshot(snapshot) => {
                if let Some(game) = &snapshot.game {
                    self.request.after_etag.clone_from(&game.etag);
                }
            }
            Update::Event(event) => {
                self.request.after_etag.clone_from(&event.etag);
                if let Some(game_event::Kind::Deleted(_) | game_event::Kind::Expired(_)) =
                    event.kind
                {
                    self.stream.end();
                }
            }
        }
    }
}
