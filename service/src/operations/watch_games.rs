//! Watching many games: those of a tenant, a player or a label, as they change.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use super::feed::{Batch, CHANGES_AT_ONCE};
use super::game_changes::{Ahead, Audience, GameChange, GameSummary};
use super::{GameError, GameFilter, Games};
use crate::store::{LogPosition, StoreError};

/// Which games to watch, and from where on.
#[derive(Clone, Debug, Default)]
pub struct WatchGames {
    /// Who plays; empty for whoever.
    pub player_id: String,
    /// What they are labelled with; empty for whatever.
    pub label: String,
    /// How far an earlier watch has come; `None` for from now on.
    pub after: Option<LogPosition>,
}

/// A watch of games.
///
/// It holds what came in one reading of the log at most. If its reader is slower than the games
/// it reads the log by itself, as fast as its reader does.
#[derive(Debug)]
pub struct GamesWatch {
    games: Games,
    filter: GameFilter,
    audience: Audience,
    /// What all of its audience are told.
    batches: Receiver<Arc<Batch>>,
    /// How far its reader has come, once `pending` is taken.
    position: LogPosition,
    /// Whether what its audience was told does not go on from there: the log does.
    is_behind: bool,
    /// What was told from the log ahead of its changes.
    ahead: Ahead,
    pending: VecDeque<GamesUpdate>,
}

/// What a watch of games gives.
#[derive(Debug)]
pub enum GamesUpdate {
    /// The watch begins, or begins anew.
    Started {
        /// Whether there may have been changes that cannot be told.
        missed: bool,
        /// From where on.
        position: LogPosition,
    },
    /// A game has changed.
    Changed {
        /// How.
        change: Arc<GameChange>,
        /// How far the watch has come with it, unless more was told at once.
        position: Option<LogPosition>,
    },
    /// Nothing of these games has changed up to here.
    Quiet {
        /// How far the watch has come.
        position: LogPosition,
    },
}

impl Games {
    /// Starts to watch games.
    ///
    /// # Errors
    ///
    /// The store's.
    pub async fn watch_many(&self, request: WatchGames) -> Result<GamesWatch, GameError> {
        let filter = GameFilter {
            player_id: request.player_id,
            label: request.label,
            ..GameFilter::default()
        };
        let owner = self.tenant.as_ref().map(|_| self.tenant_code(self.secret));
        let audience = Audience {
            owner,
            topic: filter.topic(owner),
        };
        let batches = self.hear(audience).await?;
        let mut watch = GamesWatch {
            games: self.clone(),
            filter,
            audience,
            batches,
            is_behind: request.after.is_some(),
            position: match request.after {
                Some(position) => position,
                None => self.store.changes(None, 1).await?.position,
            },
            ahead: Ahead::default(),
            pending: VecDeque::new(),
        };
        let missed = false;
        let position = watch.position.clone();
        if watch.is_behind {
            watch.catch_up().await?;
        }
        if !matches!(watch.pending.front(), Some(GamesUpdate::Started { .. })) {
            let started = GamesUpdate::Started { missed, position };
            watch.pending.push_front(started);
        }
        Ok(watch)
    }
}

impl GamesWatch {
    /// Waits for the next update.
    ///
    /// # Errors
    ///
    /// The store's, unless it is only out of reach: that is waited out.
    pub async fn next(&mut self) -> Result<GamesUpdate, GameError> {
        loop {
            if let Some(update) = self.pending.pop_front() {
                return Ok(update);
            }
            if self.is_behind {
                match self.catch_up().await {
                    Ok(()) => {}
                    Err(GameError::Store(StoreError::Unavailable(_))) => {
                        self.games.store_available().await;
                    }
                    Err(error) => return Err(error),
                }
                continue;
            }
            match self.batches.recv().await {
                Ok(batch) => self.take(&batch.changes, &batch.position, batch.missed),
                Err(RecvError::Lagged(_)) => {
                    // What comes from now on is told after what is in the log now is read.
                    self.batches = self.batches.resubscribe();
                    self.is_behind = true;
                }
                Err(RecvError::Closed) => {
                    self.batches = self.games.hear(self.audience).await?;
                    self.is_behind = true;
                }
            }
        }
    }

    /// Reads on in the log.
    async fn catch_up(&mut self) -> Result<(), GameError> {
        let store = self.games.store();
        let page = store.changes(Some(&self.position), CHANGES_AT_ONCE).await?;
        if page.missed {
            self.ahead = Ahead::default();
        }
        let (audience, ahead) = (self.audience, &mut self.ahead);
        let them = [audience];
        let told = self.games.game_changes(page.changes, &them, ahead);
        let told = told.await?;
        let told = told
            .into_iter()
            .filter(|change| change.audiences().any(|them| them == audience));
        let told: Vec<_> = told.map(Arc::new).collect();
        self.is_behind = page.more;
        self.take(&told, &page.position, page.missed);
        Ok(())
    }

    /// Takes what its audience is told, as far as it is new and for this watch.
    fn take(&mut self, changes: &[Arc<GameChange>], upto: &LogPosition, missed: bool) {
        if missed {
            self.position = upto.clone();
            let position = self.position.clone();
            self.pending
                .push_back(GamesUpdate::Started { missed, position });
        }
        let new = changes.iter().filter(|change| {
            let is_new = !self.position.has_read(change.part, change.entry);
            let game = change.game.as_ref();
            is_new && game.is_none_or(|game| self.filter.admits_summary(game))
        });
        let new = new.map(|change| GamesUpdate::Changed {
            change: Arc::clone(change),
            position: None,
        });
        self.pending.extend(new.collect::<Vec<_>>());
        self.position.advance(upto);
        let reached = self.position.clone();
        match self.pending.back_mut() {
            Some(GamesUpdate::Changed { position, .. }) => *position = Some(reached),
            Some(GamesUpdate::Started { .. } | GamesUpdate::Quiet { .. }) => {}
            None => self
                .pending
                .push_back(GamesUpdate::Quiet { position: reached }),
        }
    }
}

impl GameFilter {
    /// Whether a game is one of them, which its list does not decide.
    fn admits_summary(&self, game: &GameSummary) -> bool {
        let seats = &game.seats;
        let mut players = [&seats.black, &seats.white].into_iter();
        (self.player_id.is_empty() || players.any(|seat| seat.player_id == self.player_id))
            && (self.label.is_empty() || game.labels.contains(&self.label))
    }
}
