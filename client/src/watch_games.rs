//! Watching many games across dropped connections.

use reversi_proto::v1::{WatchGamesRequest, WatchGamesResponse, watch_games_response::Update};

use crate::reopened::Reopened;
use crate::{Client, Error};

/// A watch of many games; see [`Games::watch_games`](crate::Games::watch_games).
///
/// A stream that breaks, or that the service ends, is opened again at the last cursor seen: no
/// change is missed, and some may be sent twice.
#[derive(Debug)]
pub struct GamesWatch {
    client: Client,
    /// What to watch, and from which cursor on.
    request: WatchGamesRequest,
    stream: Reopened<WatchGamesResponse>,
    /// Whether the caller knows that the watch has begun.
    has_begun: bool,
}

impl GamesWatch {
    pub(crate) async fn open(client: Client, request: WatchGamesRequest) -> Result<Self, Error> {
        let mut stream = Reopened::new();
        let open = || client.games().open_watch_of_games(request.clone());
        stream.resume(client.retry_policy(), open).await?;
        Ok(Self {
            client,
            request,
            stream,
            has_begun: false,
        })
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
            let Self {
                client,
                request,
                stream,
                ..
            } = self;
            let open = || client.games().open_watch_of_games(request.clone());
            let Some(message) = stream.next(client.retry_policy(), open).await? else {
                return Ok(None);
            };
            if let Some(update) = self.note(message) {
                return Ok(Some(update));
            }
        }
    }

    /// Remembers where the watch is; the update, if it is one for the caller.
    fn note(&mut self, message: WatchGamesResponse) -> Option<Update> {
        if !message.cursor.is_empty() {
            self.request.cursor = message.cursor;
        }
        let update = message.update?;
        let goes_on = matches!(&update, Update::Start(start) if !start.missed) && self.has_begun;
        self.has_begun = true;
        (!goes_on).then_some(update)
    }
}
