//! How many live games a tenant may have: games that are stored and not over.
//!
//! A game takes its place before it is stored, and gives it back when it ends. Where it cannot
//! (it expires, or a server dies in between), the place is found again by whoever needs one: each
//! game that finds no room looks at some of those that are counted, one after the other.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{GameError, Games};
use crate::session::{GameId, Session, TenantCode, Timestamp};
use crate::store::{Place, StoreError};

/// How long a place may be taken by a game that is not stored: longer than a call to the store.
const BEING_STORED: Duration = Duration::from_secs(60);
/// How often the games of a tenant are looked at, by one server.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// From so many tenants on, those who have not been refused for long are forgotten.
const MANY: usize = 10_000;

/// The limit of each tenant.
#[derive(Clone, Debug)]
pub(super) struct LiveGames {
    most: u64,
    looks: Arc<Mutex<HashMap<TenantCode, Look>>>,
}

/// How far the games of a tenant were looked at.
#[derive(Clone, Copy, Debug)]
struct Look {
    after: Option<Place>,
    next: Timestamp,
}

/// What a game was before a write, for those who count live games.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    is_live: bool,
    updated: Timestamp,
}

impl LiveGames {
    fn lock(&self) -> MutexGuard<'_, HashMap<TenantCode, Look>> {
        self.looks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where to look on, if it is time to look.
    fn look(&self, tenant: TenantCode, now: Timestamp) -> Option<Option<Place>> {
        let mut looks = self.lock();
        if looks.len() >= MANY {
            looks.retain(|_, look| look.next > now);
        }
        let look = looks.entry(tenant).or_insert(Look {
            after: None,
            next: now,
        });
        if look.next > now {
            return None;
        }
        look.next = now + LOOK_EVERY;
        Some(look.after)
    }

    fn looked(&self, tenant: TenantCode, last: Option<Place>) {
        if let Some(look) = self.lock().get_mut(&tenant) {
            look.after = last;
        }
    }
}

impl Before {
    pub(super) fn of(session: &Session) -> Self {
        Self {
            is_live: is_live(session),
            updated: session.record().updated,
        }
    }
}

impl Games {
    /// The same, of which a tenant may have so many that are live; any number if `None`.
    #[must_use]
    pub fn with_most_live(self, most: Option<u64>) -> Self {
        Self {
            live: most.map(|most| LiveGames {
                most,
                looks: Arc::default(),
            }),
            ..self
        }
    }

    /// Finds room for a new game, unless it is there already.
    pub(super) async fn take_place(&self, id: GameId, session: &Session) -> Result<(), GameError> {
        let Some(LiveGames { most, .. }) = self.live else {
            return Ok(());
        };
        if !is_live(session) || self.count(id, session, None, most).await? {
            return Ok(());
        }
        let is_there = self.read(id).await?.is_some();
        if is_there || self.look(id.tenant()).await? && self.count(id, session, None, most).await? {
            return Ok(());
        }
        Err(GameError::TooManyLive { most })
    }

    /// Gives the place of a new game to the one that was there already.
    pub(super) async fn hand_over_place(
        &self,
        id: GameId,
        new: &Session,
        there: &Session,
    ) -> Result<(), GameError> {
        if self.live.is_some() {
            if is_live(there) {
                let created = new.record().created;
                self.count(id, there, Some(created), u64::MAX).await?;
            } else {
                self.store.count_out(place(id, new)).await?;
            }
        }
        Ok(())
    }

    /// Follows a write: a game that has ended gives its place back, one that lives on keeps it.
    pub(super) async fn keep_place(&self, id: GameId, before: Before, after: &Session) {
        if self.live.is_none() || !before.is_live {
            return;
        }
        let kept = if !is_live(after) {
            self.store.count_out(place(id, after)).await
        } else if age(after, before.updated) < age(after, after.record().updated) {
            let counted = self.count(id, after, None, u64::MAX).await;
            counted.map(drop)
        } else {
            return;
        };
        if let Err(error) = kept {
            tracing::debug!(%id, %error, "a live game is not counted as it should be");
        }
    }

    async fn count(
        &self,
        id: GameId,
        session: &Session,
        instead_of: Option<Timestamp>,
        most: u64,
    ) -> Result<bool, StoreError> {
        // Games tell that they live on once in their time to live: see `age`.
        let remembered = session.record().time_to_live.saturating_mul(2);
        let place = place(id, session);
        self.store
            .count_in(place, instead_of, remembered, most)
            .await
    }

    /// Looks at some games of a tenant, and counts those no more that are not live. Whether there
    /// were any.
    async fn look(&self, tenant: TenantCode) -> Result<bool, GameError> {
        let now = self.clock.now();
        let Some(live) = &self.live else {
            return Ok(false);
        };
        let Some(after) = live.look(tenant, now) else {
            return Ok(false);
        };
        let mut counted = self.store.counted(tenant, after).await?;
        if counted.is_empty() && after.is_some() {
            counted = self.store.counted(tenant, None).await?;
        }
        live.looked(tenant, counted.last().copied());
        let ids: Vec<GameId> = counted.iter().map(|place| place.id).collect();
        let values = self.store.get(&ids).await?;
        let mut found = false;
        for (place, value) in counted.into_iter().zip(values) {
            let is_live = match value.map(|value| self.restore(place.id, &value)) {
                None => now.since(place.created) < BEING_STORED,
                Some(Ok(session)) if is_live(&session) => {
                    // Otherwise a server died between two requests for this game.
                    if session.record().created != place.created {
                        let instead_of = Some(place.created);
                        self.count(place.id, &session, instead_of, u64::MAX).await?;
                    }
                    true
                }
                Some(Ok(_)) => false,
                // Nobody knows whether it is over.
                Some(Err(_)) => true,
            };
            if !is_live {
                self.store.count_out(place).await?;
                found = true;
            }
        }
        Ok(found)
    }
}

fn is_live(session: &Session) -> bool {
    session.outcome().is_none() && !session.is_deleted()
}

fn place(id: GameId, session: &Session) -> Place {
    Place {
        created: session.record().created,
        id,
    }
}

/// How old a game was at a time, in times to live. A game that is written is a year older, so to
/// speak, at least once in two times to live.
fn age(session: &Session, at: Timestamp) -> u128 {
    let record = session.record();
    at.since(record.created).as_millis() / record.time_to_live.as_millis().max(1)
}
