//! Where live games are kept: values by id, replaced by compare-and-set.
//!
//! A store knows nothing of the game. It keeps opaque values whose first
//! [`HEAD_BYTES`](crate::session::HEAD_BYTES) tell two versions apart, forgets them when
//! their time to live is over, lists them by the time they were created, wakes those who watch
//! one, and hands out those for which something is due. The timer of a game is written with its
//! value, in one step: what a value says is due cannot be lost.
//!
//! Every implementation passes the same contract suite, `tests/store_contract.rs`.

mod log;
mod memory;
mod notice;
mod redis;
mod wake;

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use reversi_engine::Color;
use tokio::sync::watch;

use crate::session::{EventNumber, GameId, Outage, TenantCode, Timestamp, Topic};

pub use log::{LogEntry, LogPage, LogPosition, LoggedChange, LoggedKind, MalformedPosition};
pub use memory::{MemoryStore, MemoryStoreConfig};
pub use notice::{ListChange, Notice};
pub use redis::{RedisStore, RedisStoreConfig, RedisTimes, RedisTls, ReplicaWait, TlsIdentity};
pub use wake::Subscription;

/// A store of games.
#[async_trait]
pub trait GameStore: fmt::Debug + Send + Sync {
    /// What kind of store this is.
    fn kind(&self) -> StoreKind;

    /// Keeps a value under a new id and lists it. Does nothing if there is a value already.
    async fn insert(&self, id: GameId, entry: Entry) -> Result<Inserted, StoreError>;

    /// The values under these ids, in the same order; `None` where there is none.
    async fn get(&self, ids: &[GameId]) -> Result<Vec<Option<Vec<u8>>>, StoreError>;

    /// Replaces the value under an id and wakes its watchers, if the value there is the expected
    /// one, byte for byte. Otherwise does nothing.
    ///
    /// The number of events alone would not do: a store that has lost its last writes, or a game
    /// that was forgotten and created again, may have another value of the same number.
    async fn replace(
        &self,
        id: GameId,
        expected: &[u8],
        entry: Entry,
        listing: Listing,
    ) -> Result<Replaced, StoreError>;

    /// Makes sure that what is stored under an id is as safe as what a replacement has
    /// acknowledged. For the repeat of a write whose first answer may have been
    /// [`StoreError::NotReplicated`].
    async fn confirm(&self, id: GameId) -> Result<(), StoreError>;

    /// The listed games before this place, or all, from the greatest [`Place`] down, at most
    /// `limit`; fewer only at the end of the list. No game that is listed all the while is left
    /// out or repeated when the next page begins before the last place of this one.
    ///
    /// An id may be there although its value has just been forgotten.
    async fn list(&self, before: Option<Place>, limit: usize) -> Result<Vec<Place>, StoreError>;

    /// About how many games are kept. Some of them may have expired.
    async fn count(&self) -> Result<u64, StoreError>;

    /// The time of the store, which is the same for all servers on it, as near as this one can
    /// know it without asking. Timers go by it.
    fn now(&self) -> Timestamp;

    /// Takes games that are due, at most about `limit`: each is due again after the lease unless it
    /// is replaced or rescheduled before. So one server at a time handles a game, and another
    /// does if that one dies. Games without a value are left out, and their timers removed.
    async fn claim_due(&self, lease: Duration, limit: usize) -> Result<Claimed, StoreError>;

    /// Changes when a game is due, if the value there has the head of this event number; otherwise
    /// does nothing, since whoever replaced it has said when it is due.
    async fn reschedule(
        &self,
        id: GameId,
        expected: EventNumber,
        due: Option<Timestamp>,
    ) -> Result<(), StoreError>;

    /// Says that a player was heard of and need not be again until then, if there is a time until
    /// which that player has to be.
    async fn sign(&self, id: GameId, side: Color, until: Timestamp) -> Result<(), StoreError>;

    /// The same of the games of one topic. These lists follow the writes: they may be behind
    /// them, and hold games that are gone.
    async fn list_topic(
        &self,
        topic: Topic,
        before: Option<Place>,
        limit: usize,
    ) -> Result<Vec<Place>, StoreError>;

    /// Takes games that are gone out of the list of a topic.
    async fn unlist(&self, topic: Topic, places: &[Place]) -> Result<(), StoreError>;

    /// Counts a game among the live ones of its tenant, unless there are so many already: whether
    /// it is counted now. What is counted stays so for the time that is given, and for longer if
    /// it is counted again, which counts it once. `instead_of` is another time of creation under
    /// which this game may have been counted, and is then no more.
    ///
    /// A store keeps this apart from the values: who writes a game that begins or ends says so.
    async fn count_in(
        &self,
        game: Place,
        instead_of: Option<Timestamp>,
        time_to_live: Duration,
        most: u64,
    ) -> Result<bool, StoreError>;

    /// Counts a game no more.
    async fn count_out(&self, game: Place) -> Result<(), StoreError>;

    /// Some of the games of a tenant that are counted and come after the last one of the answer
    /// before, the oldest first; none only at the end.
    async fn counted(
        &self,
        tenant: TenantCode,
        after: Option<Place>,
    ) -> Result<Vec<Place>, StoreError>;

    /// What has changed after a position in the log of changes, at most so many changes of each of
    /// its parts; without a position, from now on. From the first call on every change is in the
    /// log, as long as it is read now and then; where a change after the position may be in it no
    /// more, the page says so and goes on from the end. That a game has expired is no change.
    async fn changes(
        &self,
        after: Option<&LogPosition>,
        limit: usize,
    ) -> Result<LogPage, StoreError>;

    /// Starts watching an id, whether it has a value or not. Every replacement after this
    /// returns, by whatever server, wakes the subscription: a value read from then on, and read
    /// again after each wake-up, is never missed. Insertions and expiry wake nobody.
    async fn subscribe(&self, id: GameId) -> Result<Subscription, StoreError>;

    /// The secret that all servers on this store share: this candidate if there is none yet.
    async fn shared_secret(&self, candidate: [u8; 16]) -> Result<[u8; 16], StoreError>;

    /// Whether the store can be reached, as it changes.
    fn availability(&self) -> watch::Receiver<Availability>;
}

/// The kind of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreKind {
    /// In this process.
    Memory,
    /// In Redis.
    Redis,
}

/// Whether a store can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    /// It answers.
    Available,
    /// It does not.
    Unavailable,
}

/// A value and how long it is kept unless it is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When the game was created, by which it is listed. Always the same of one game.
    pub created: Timestamp,
    /// The value. Starts with a head.
    pub value: Vec<u8>,
    /// How long it is kept.
    pub time_to_live: Duration,
    /// What the lists by topic are to be told, if anything.
    pub notice: Option<Notice>,
    /// When something is due for it by itself, by the time of the store; `None` for never.
    pub due: Option<Timestamp>,
    /// How long the players need not be heard of.
    pub signs: Signs,
}

/// How long the players of a game need not be heard of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signs {
    /// Black's.
    pub black: Sign,
    /// White's.
    pub white: Sign,
}

/// How long a player need not be heard of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sign {
    /// As long as before: for ever, if nobody has said anything else.
    #[default]
    Keep,
    /// Until then, by the time of the store.
    Until(Timestamp),
    /// For ever.
    Remove,
}

/// Games that were due.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claimed {
    /// The games, in no order.
    pub games: Vec<GameId>,
    /// Players who were not heard of for too long. They are claimed like games.
    pub absent: Vec<(GameId, Color)>,
    /// When the next game is due, those just claimed and those beyond the limit included; `None`
    /// if no game ever is.
    pub next: Option<Timestamp>,
    /// Times in which nobody has asked what is due, though something was to become due: the store
    /// could not be reached, or no server was there. What was to become due in such a time is
    /// moved to as long after it as it was after its beginning. The last few, in no order.
    pub outages: Vec<Outage>,
}

/// Whether a replaced value stays in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// It stays.
    Keep,
    /// It is taken out.
    Remove,
}

/// What an insertion did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inserted {
    /// The value is kept.
    New,
    /// There was this value already.
    Exists(Vec<u8>),
}

/// What a replacement did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replaced {
    /// The value is replaced.
    Done,
    /// There is another value than expected.
    Changed(Vec<u8>),
    /// There is no value.
    Missing,
}

/// A place in the list of games, which is read from the greatest place down: the newest
/// first, and of one millisecond the greatest id first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// When the game was created.
    pub created: Timestamp,
    /// Its id.
    pub id: GameId,
}

/// Why a store did not do what it was asked. After an error in a write it is not known
/// whether the write was done.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// It cannot be reached, or does not answer in time.
    #[error("the store cannot be reached")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A write is done, but fewer replicas than wanted have confirmed it in time.
    #[error("{replicas} of {wanted} replicas have confirmed the write")]
    NotReplicated {
        /// How many have.
        replicas: u32,
        /// How many were to.
        wanted: u32,
    },
    /// It keeps no more values.
    #[error("the store is full: {limit} games")]
    Full {
        /// How many it keeps.
        limit: usize,
    },
    /// It refuses, or answers something that makes no sense.
    #[error("the store answered with an error")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
}
