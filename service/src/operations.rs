//! What the service does with stored games, one operation a file.
//!
//! Knows the sessions and the store, and nothing of gRPC.

mod change;
mod create_game;
mod engine_player;
mod error;
mod feed;
mod game_changes;
mod get_games;
mod list_games;
mod listed;
mod live_games;
mod outages;
mod presence;
mod recent;
mod rematch;
mod seat_tokens;
mod tend_games;
mod turn;
mod watch_game;
mod watch_games;
mod write_game;

use std::sync::Arc;
use std::time::Duration;

use self::feed::Feed;
use self::live_games::LiveGames;
use self::outages::KnownOutages;
use self::recent::Recent;
use self::turn::Bell;
use crate::Secret;
use crate::auth::Tenant;
use crate::clock::Clock;
use crate::session::{GameId, GameRecord, Session, TenantCode};
use crate::store::{GameStore, StoreError, StoreKind};

pub use create_game::{CreateGame, Created};
pub use engine_player::EnginePlayer;
pub use error::GameError;
pub use game_changes::{GameChange, GameChangeKind, GameSummary};
pub use list_games::{GameFilter, GameList, ListGames, StateFilter};
pub use rematch::{Rematch, Rematched};
pub use seat_tokens::SeatTokenError;
pub use tend_games::Tender;
pub use watch_game::{Update, Watch};
pub use watch_games::{GamesUpdate, GamesWatch, WatchGames};
pub use write_game::{WriteGame, WriteMode, WrittenGame};

/// The stored games and what can be done with them.
#[derive(Clone, Debug)]
pub struct Games {
    store: Arc<dyn GameStore>,
    clock: Clock,
    secret: Secret,
    time_to_live: Duration,
    outages: KnownOutages,
    /// The way to what tends the games in this process.
    bell: Option<Bell>,
    recent: Recent,
    /// How many of a tenant's may be live, where that is limited.
    live: Option<LiveGames>,
    feed: Feed,
    /// Whose games they are; everybody's if `None`.
    tenant: Option<Tenant>,
}

impl Games {
    /// The games of a tenant alone: those of others are not found.
    #[must_use]
    pub fn of_tenant(&self, tenant: &Tenant) -> Self {
        Self {
            tenant: Some(tenant.clone()),
            ..self.clone()
        }
    }

    /// What stands for the tenant in the ids of new games.
    fn tenant_code(&self, secret: Secret) -> TenantCode {
        secret.tenant_code(self.tenant.as_ref().map_or("", Tenant::name))
    }

    /// The tenant of a game, if callers are told apart.
    fn owner(&self, id: GameId) -> Option<TenantCode> {
        let tenant = id.tenant();
        (tenant != self.secret.tenant_code("")).then_some(tenant)
    }

    /// Whether a game may be seen.
    fn owns(&self, id: GameId) -> bool {
        self.tenant.is_none() || id.tenant() == self.tenant_code(self.secret)
    }

    /// The games in a store. New ones live that long after their last change.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the secret that the replicas share cannot be agreed on.
    pub async fn open(
        store: Arc<dyn GameStore>,
        clock: Clock,
        time_to_live: Duration,
    ) -> Result<Self, StoreError> {
        let mut candidate = [0; 16];
        getrandom::fill(&mut candidate).map_err(|error| StoreError::Failed(Box::new(error)))?;
        let secret = Secret::new(store.shared_secret(candidate).await?);
        let capacity = match store.kind() {
            StoreKind::Memory => 0,
            StoreKind::Redis => recent::CAPACITY,
        };
        Ok(Self {
            store,
            clock,
            secret,
            time_to_live,
            outages: KnownOutages::default(),
            bell: None,
            recent: Recent::new(capacity),
            live: None,
            feed: Feed::default(),
            tenant: None,
        })
    }

    /// The secret that the replicas share now. A store that has lost its data has lost the
    /// secret too; then the first replica to ask gives it its own again.
    async fn agreed_secret(&self) -> Result<Secret, StoreError> {
        let agreed = self.store.shared_secret(self.secret.to_bytes()).await?;
        Ok(Secret::new(agreed))
    }

    /// The store they are in.
    #[must_use]
    pub fn store(&self) -> &dyn GameStore {
        &*self.store
    }

    /// The session in a stored value.
    fn restore(&self, id: GameId, value: &[u8]) -> Result<Session, GameError> {
        GameRecord::decode(value)
            .and_then(Session::restore)
            .map(|session| session.with_outages(self.outages.get()))
            .map_err(|source| GameError::Unreadable { id, source })
    }
}
