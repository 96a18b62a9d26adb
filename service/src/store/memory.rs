//! Games in this process. They are lost when it stops.

mod log;

use std::collections::{BTreeSet, HashMap, hash_map};
use std::fmt;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use reversi_engine::Color;
use tokio::sync::watch;

use self::log::Log;
use super::wake::WakeHub;
use super::{
    Availability, Claimed, Entry, GameStore, Inserted, ListChange, Listing, LogPage, LogPosition,
    LoggedKind, Notice, Place, Replaced, Sign, Signs, StoreError, StoreKind, Subscription,
};
use crate::session::{EventNumber, GameId, HEAD_BYTES, TenantCode, Timestamp, Topic, head};

/// Expired values that one write forgets at most, so that none waits long. More than one, so
/// that they are forgotten faster than they come.
const FORGOTTEN_PER_WRITE: usize = 64;
/// Live games that are told at once.
const COUNTED: usize = 128;

/// Tells the time that values are kept by and timers go by.
type Clock = Box<dyn Fn() -> Timestamp + Send + Sync>;

/// Settings of a [`MemoryStore`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryStoreConfig {
    /// How many games are kept at most; one more is refused.
    pub max_games: usize,
}

impl Default for MemoryStoreConfig {
    /// 250,000 games: some 100 MB, at 420 bytes for a usual game of 200 (measured).
    fn default() -> Self {
        Self { max_games: 250_000 }
    }
}

/// A store in this process.
pub struct MemoryStore {
    games: Mutex<Games>,
    clock: Clock,
    max_games: usize,
    hub: Arc<WakeHub>,
    availability: watch::Sender<Availability>,
}

/// One lock for all of it: an operation holds it for well under a microsecond.
#[derive(Default)]
struct Games {
    kept: HashMap<GameId, Kept>,
    listed: BTreeSet<Place>,
    /// All kept games by the time at which they are forgotten.
    expiring: BTreeSet<(Timestamp, GameId)>,
    /// All timers by the time at which they are due.
    timers: BTreeSet<(Timestamp, GameId, Timer)>,
    /// The games of each topic.
    topics: HashMap<Topic, BTreeSet<Place>>,
    /// The games that are counted as live.
    live: HashMap<TenantCode, BTreeSet<Place>>,
    /// Once somebody has asked for it.
    log: Option<Log>,
    secret: Option<[u8; 16]>,
}

struct Kept {
    value: Vec<u8>,
    created: Timestamp,
    expires: Timestamp,
    due: Timers,
    /// The topics in whose lists it is or was.
    topics: Vec<Topic>,
}

/// When what is due of a game.
#[derive(Clone, Copy, Default)]
struct Timers {
    game: Option<Timestamp>,
    black: Option<Timestamp>,
    white: Option<Timestamp>,
}

/// What is due.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Timer {
    Game,
    Black,
    White,
}

impl Timers {
    const fn of(&mut self, timer: Timer) -> &mut Option<Timestamp> {
        match timer {
            Timer::Game => &mut self.game,
            Timer::Black => &mut self.black,
            Timer::White => &mut self.white,
        }
    }
}

impl From<Color> for Timer {
    fn from(side: Color) -> Self {
        match side {
            Color::Black => Self::Black,
            Color::White => Self::White,
        }
    }
}

impl MemoryStore {
    /// An empty store. Its time is the time of day at which it was made, and from there on that of
    /// the machine's monotonic clock.
    #[must_use]
    pub fn new(config: MemoryStoreConfig) -> Self {
        let (start, day) = (Instant::now(), crate::clock::Clock::system().now());
        Self::with_clock(config, move || day + start.elapsed())
    }

    /// An empty store that keeps time with this clock.
    #[must_use]
    pub fn with_clock(
        config: MemoryStoreConfig,
        clock: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Self {
        Self {
            games: Mutex::default(),
            clock: Box::new(clock),
            max_games: config.max_games,
            hub: WakeHub::new(),
            availability: watch::Sender::new(Availability::Available),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Games> {
        self.games.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Games {
    fn live(&self, id: GameId, now: Timestamp) -> Option<&Kept> {
        self.kept.get(&id).filter(|kept| kept.expires > now)
    }

    /// Forgets the first values whose time is over.
    fn forget_expired(&mut self, now: Timestamp) {
        for _ in 0..FORGOTTEN_PER_WRITE {
            match self.expiring.first() {
                Some(&(expires, id)) if expires <= now => self.forget(id),
                Some(_) | None => return,
            }
        }
    }

    /// Changes when something is due of a game that is kept.
    fn schedule(&mut self, id: GameId, timer: Timer, due: Option<Timestamp>) {
        let Some(kept) = self.kept.get_mut(&id) else {
            return;
        };
        if let Some(before) = std::mem::replace(kept.due.of(timer), due) {
            self.timers.remove(&(before, id, timer));
        }
        if let Some(due) = due {
            self.timers.insert((due, id, timer));
        }
    }

    fn sign(&mut self, id: GameId, timer: Timer, sign: Sign) {
        match sign {
            Sign::Keep => {}
            Sign::Until(time) => self.schedule(id, timer, Some(time)),
            Sign::Remove => self.schedule(id, timer, None),
        }
    }

    /// All that a write makes due.
    fn schedule_all(&mut self, id: GameId, due: Option<Timestamp>, signs: Signs) {
        self.schedule(id, Timer::Game, due);
        self.sign(id, Timer::Black, signs.black);
        self.sign(id, Timer::White, signs.white);
    }

    fn log(&mut self, id: GameId, kind: LoggedKind, notice: Option<&Notice>) {
        if let (Some(log), Some(kept)) = (&mut self.log, self.kept.get(&id)) {
            log.add(id, &kept.value, kind, notice.cloned());
        }
    }

    /// Does in the lists of topics what a write is to do there.
    fn tell(&mut self, place: Place, notice: Option<Notice>) {
        let Some(notice) = notice else { return };
        for topic in notice.topics {
            match notice.change {
                ListChange::Put => {
                    self.topics.entry(topic).or_default().insert(place);
                    if let Some(kept) = self.kept.get_mut(&place.id)
                        && !kept.topics.contains(&topic)
                    {
                        kept.topics.push(topic);
                    }
                }
                ListChange::Take => self.take(topic, place),
            }
        }
    }

    fn take(&mut self, topic: Topic, place: Place) {
        if let hash_map::Entry::Occupied(mut list) = self.topics.entry(topic) {
            list.get_mut().remove(&place);
            if list.get().is_empty() {
                list.remove();
            }
        }
    }

    fn count_out(&mut self, game: Place) -> bool {
        let hash_map::Entry::Occupied(mut live) = self.live.entry(game.id.tenant()) else {
            return false;
        };
        let was_counted = live.get_mut().remove(&game);
        if live.get().is_empty() {
            live.remove();
        }
        was_counted
    }

    fn forget(&mut self, id: GameId) {
        if let Some(kept) = self.kept.remove(&id) {
            let created = kept.created;
            self.count_out(Place { created, id });
            for topic in kept.topics {
                self.take(topic, Place { created, id });
            }
            let Timers { game, black, white } = kept.due;
            for (due, timer) in [
                (game, Timer::Game),
                (black, Timer::Black),
                (white, Timer::White),
            ] {
                due.map(|due| self.timers.remove(&(due, id, timer)));
            }
            self.expiring.remove(&(kept.expires, id));
            self.listed.remove(&Place {
                created: kept.created,
                id,
            });
        }
    }
}

#[async_trait]
impl GameStore for MemoryStore {
    fn kind(&self) -> StoreKind {
        StoreKind::Memory
    }

    async fn insert(&self, id: GameId, entry: Entry) -> Result<Inserted, StoreError> {
        let now = (self.clock)();
        let mut games = self.lock();
        games.forget_expired(now);
        if let Some(kept) = games.live(id, now) {
            return Ok(Inserted::Exists(kept.value.clone()));
        }
        games.forget(id);
        if games.kept.len() >= self.max_games {
            return Err(StoreError::Full {
                limit: self.max_games,
            });
        }
        let expires = now + entry.time_to_live;
        games.listed.insert(Place {
            created: entry.created,
            id,
        });
        games.expiring.insert((expires, id));
        let value = entry.value;
        let created = entry.created;
        let kept = Kept {
            value,
            created,
            expires,
            due: Timers::default(),
            topics: Vec::new(),
        };
        games.kept.insert(id, kept);
        games.schedule_all(id, entry.due, entry.signs);
        games.log(id, LoggedKind::Inserted, entry.notice.as_ref());
        games.tell(Place { created, id }, entry.notice);
        Ok(Inserted::New)
    }

    async fn get(&self, ids: &[GameId]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let now = (self.clock)();
        let games = self.lock();
        let value = |id: &GameId| games.live(*id, now).map(|kept| kept.value.clone());
        Ok(ids.iter().map(value).collect())
    }

    async fn replace(
        &self,
        id: GameId,
        expected: &[u8],
        entry: Entry,
        listing: Listing,
    ) -> Result<Replaced, StoreError> {
        let now = (self.clock)();
        {
            let mut games = self.lock();
            let games = &mut *games;
            games.forget_expired(now);
            let Some(kept) = games.kept.get_mut(&id).filter(|kept| kept.expires > now) else {
                return Ok(Replaced::Missing);
            };
            if kept.value != expected {
                return Ok(Replaced::Changed(kept.value.clone()));
            }
            games.expiring.remove(&(kept.expires, id));
            kept.value = entry.value;
            kept.expires = now + entry.time_to_live;
            games.expiring.insert((kept.expires, id));
            let created = kept.created;
            games.schedule_all(id, entry.due, entry.signs);
            let kind = match listing {
                Listing::Keep => LoggedKind::Replaced,
                Listing::Remove => LoggedKind::Removed,
            };
            games.log(id, kind, entry.notice.as_ref());
            games.tell(Place { created, id }, entry.notice);
            if listing == Listing::Remove {
                games.listed.remove(&Place { created, id });
            }
        }
        self.hub.wake(id);
        Ok(Replaced::Done)
    }

    async fn confirm(&self, _: GameId) -> Result<(), StoreError> {
        Ok(())
    }

    async fn list(&self, before: Option<Place>, limit: usize) -> Result<Vec<Place>, StoreError> {
        let now = (self.clock)();
        let games = self.lock();
        let listed = match before {
            Some(place) => games.listed.range(..place),
            None => games.listed.range(..),
        };
        let live = listed
            .rev()
            .filter(|place| games.live(place.id, now).is_some());
        Ok(live.take(limit).copied().collect())
    }

    async fn list_topic(
        &self,
        topic: Topic,
        before: Option<Place>,
        limit: usize,
    ) -> Result<Vec<Place>, StoreError> {
        let games = self.lock();
        let Some(list) = games.topics.get(&topic) else {
            return Ok(Vec::new());
        };
        let listed = match before {
            Some(place) => list.range(..place),
            None => list.range(..),
        };
        Ok(listed.rev().take(limit).copied().collect())
    }

    async fn unlist(&self, topic: Topic, places: &[Place]) -> Result<(), StoreError> {
        let mut games = self.lock();
        for place in places {
            games.take(topic, *place);
        }
        Ok(())
    }

    async fn count(&self) -> Result<u64, StoreError> {
        Ok(u64::try_from(self.lock().kept.len()).unwrap_or(u64::MAX))
    }

    fn now(&self) -> Timestamp {
        (self.clock)()
    }

    async fn claim_due(&self, lease: Duration, limit: usize) -> Result<Claimed, StoreError> {
        let now = (self.clock)();
        let mut games = self.lock();
        games.forget_expired(now);
        let due = games.timers.iter().take_while(|(due, ..)| *due <= now);
        let due: Vec<_> = due.take(limit).copied().collect();
        let mut claimed = Claimed::default();
        for (_, id, timer) in due {
            games.schedule(id, timer, Some(now + lease));
            if games.live(id, now).is_none() {
                continue;
            }
            match timer {
                Timer::Game => claimed.games.push(id),
                Timer::Black => claimed.absent.push((id, Color::Black)),
                Timer::White => claimed.absent.push((id, Color::White)),
            }
        }
        // No outages: the store is there as long as this process is, and no longer.
        claimed.next = games.timers.first().map(|(due, ..)| *due);
        Ok(claimed)
    }

    async fn reschedule(
        &self,
        id: GameId,
        expected: EventNumber,
        due: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        let now = (self.clock)();
        let mut games = self.lock();
        let kept = games.live(id, now);
        if kept.is_some_and(|kept| kept.value.get(..HEAD_BYTES) == Some(&head(expected))) {
            games.schedule(id, Timer::Game, due);
        }
        Ok(())
    }

    async fn sign(&self, id: GameId, side: Color, until: Timestamp) -> Result<(), StoreError> {
        let mut games = self.lock();
        let timer = side.into();
        let kept = games.kept.get_mut(&id);
        if kept.is_some_and(|kept| kept.due.of(timer).is_some()) {
            games.schedule(id, timer, Some(until));
        }
        Ok(())
    }

    async fn count_in(
        &self,
        game: Place,
        instead_of: Option<Timestamp>,
        _: Duration,
        most: u64,
    ) -> Result<bool, StoreError> {
        let mut games = self.lock();
        let id = game.id;
        if let Some(created) = instead_of
            && games.count_out(Place { created, id })
        {
            games.live.entry(id.tenant()).or_default().insert(game);
            return Ok(true);
        }
        let live = games.live.entry(id.tenant()).or_default();
        let is_counted = live.contains(&game);
        if is_counted || u64::try_from(live.len()).is_ok_and(|live| live < most) {
            live.insert(game);
            return Ok(true);
        }
        Ok(false)
    }

    async fn count_out(&self, game: Place) -> Result<(), StoreError> {
        self.lock().count_out(game);
        Ok(())
    }

    async fn counted(
        &self,
        tenant: TenantCode,
        after: Option<Place>,
    ) -> Result<Vec<Place>, StoreError> {
        let games = self.lock();
        let Some(live) = games.live.get(&tenant) else {
            return Ok(Vec::new());
        };
        let first = after.map_or(Bound::Unbounded, Bound::Excluded);
        let later = live.range((first, Bound::Unbounded));
        Ok(later.take(COUNTED).copied().collect())
    }

    async fn changes(
        &self,
        after: Option<&LogPosition>,
        limit: usize,
    ) -> Result<LogPage, StoreError> {
        let now = (self.clock)();
        let mut games = self.lock();
        let log = games.log.get_or_insert_with(|| Log::begin(now));
        Ok(log.read(after, limit))
    }

    async fn subscribe(&self, id: GameId) -> Result<Subscription, StoreError> {
        Ok(self.hub.subscribe(id))
    }

    async fn shared_secret(&self, candidate: [u8; 16]) -> Result<[u8; 16], StoreError> {
        Ok(*self.lock().secret.get_or_insert(candidate))
    }

    fn availability(&self) -> watch::Receiver<Availability> {
        self.availability.subscribe()
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore")
            .field("games", &self.lock().kept.len())
            .field("max_games", &self.max_games)
            .finish_non_exhaustive()
    }
}
