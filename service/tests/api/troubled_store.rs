//! Operations on a store in trouble.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use reversi_engine::{Color, Move, Square};
use reversi_service::clock::Clock;
use reversi_service::operations::{
    CreateGame, GameError, GameFilter, Games, ListGames, Update, Watch, WriteGame, WriteMode,
    WrittenGame,
};
use reversi_service::session::{
    Action, Change, EventNumber, Expected, GameId, Request, RequestId, TenantCode, Timestamp, Topic,
};
use reversi_service::store::{
    Availability, Claimed, Entry, GameStore, Inserted, Listing, LogPage, LogPosition, MemoryStore,
    MemoryStoreConfig, Place, Replaced, StoreError, StoreKind, Subscription,
};
use tokio::sync::watch;
use tokio::time::Instant;

/// What is wrong with a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trouble {
    None,
    /// It cannot be reached, although it says that it can.
    Away,
    /// It answers with errors.
    Broken,
    /// It writes, and the answer is lost.
    Silent,
    /// It keeps nothing new.
    Full,
    /// Somebody else is always faster.
    Overtaken,
}

#[derive(Debug)]
struct Troubled {
    inner: MemoryStore,
    /// Whose subscriptions are never woken.
    deaf: MemoryStore,
    trouble: Mutex<Trouble>,
    reads: AtomicU64,
}

impl Troubled {
    fn trouble(&self) -> Trouble {
        *self.trouble.lock().unwrap()
    }

    fn answer<T>(&self, answer: T) -> Result<T, StoreError> {
        match self.trouble() {
            Trouble::None | Trouble::Silent | Trouble::Full | Trouble::Overtaken => Ok(answer),
            Trouble::Away => Err(StoreError::Unavailable("a cable is cut".into())),
            Trouble::Broken => Err(StoreError::Failed("a disk is full".into())),
        }
    }
}

#[async_trait]
impl GameStore for Troubled {
    fn kind(&self) -> StoreKind {
        StoreKind::Memory
    }

    async fn insert(&self, id: GameId, entry: Entry) -> Result<Inserted, StoreError> {
        self.answer(())?;
        if self.trouble() == Trouble::Full {
            return Err(StoreError::Full { limit: 0 });
        }
        self.inner.insert(id, entry).await
    }

    async fn get(&self, ids: &[GameId]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.answer(())?;
        self.inner.get(ids).await
    }

    async fn replace(
        &self,
        id: GameId,
        expected: &[u8],
        entry: Entry,
        listing: Listing,
    ) -> Result<Replaced, StoreError> {
        self.answer(())?;
        if self.trouble() == Trouble::Overtaken {
            let mut values = self.inner.get(&[id]).await?;
            return Ok(Replaced::Changed(values.remove(0).unwrap()));
        }
        let replaced = self.inner.replace(id, expected, entry, listing).await?;
        if self.trouble() == Trouble::Silent {
            return Err(StoreError::Unavailable("no answer".into()));
        }
        Ok(replaced)
    }

    async fn confirm(&self, id: GameId) -> Result<(), StoreError> {
        self.answer(())?;
        self.inner.confirm(id).await
    }

    async fn list(&self, before: Option<Place>, limit: usize) -> Result<Vec<Place>, StoreError> {
        self.answer(())?;
        self.inner.list(before, limit).await
    }

    async fn list_topic(
        &self,
        topic: Topic,
        before: Option<Place>,
        limit: usize,
    ) -> Result<Vec<Place>, StoreError> {
        self.answer(())?;
        self.inner.list_topic(topic, before, limit).await
    }

    async fn changes(
        &self,
        after: Option<&LogPosition>,
        limit: usize,
    ) -> Result<LogPage, StoreError> {
        self.answer(())?;
        self.inner.changes(after, limit).await
    }

    async fn unlist(&self, topic: Topic, places: &[Place]) -> Result<(), StoreError> {
        self.answer(())?;
        self.inner.unlist(topic, places).await
    }

    async fn count(&self) -> Result<u64, StoreError> {
        self.answer(())?;
        self.inner.count().await
    }

    fn now(&self) -> Timestamp {
        self.inner.now()
    }

    async fn claim_due(&self, lease: Duration, limit: usize) -> Result<Claimed, StoreError> {
        self.answer(())?;
        self.inner.claim_due(lease, limit).await
    }

    async fn reschedule(
        &self,
        id: GameId,
        expected: EventNumber,
        due: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        self.answer(())?;
        self.inner.reschedule(id, expected, due).await
    }

    async fn sign(&self, id: GameId, side: Color, until: Timestamp) -> Result<(), StoreError> {
        self.answer(())?;
        self.inner.sign(id, side, until).await
    }

    async fn count_in(
        &self,
        game: Place,
        instead_of: Option<Timestamp>,
        time_to_live: Duration,
        most: u64,
    ) -> Result<bool, StoreError> {
        self.answer(())?;
        self.inner
            .count_in(game, instead_of, time_to_live, most)
            .await
    }

    async fn count_out(&self, game: Place) -> Result<(), StoreError> {
        self.answer(())?;
        self.inner.count_out(game).await
    }

    async fn counted(
        &self,
        tenant: TenantCode,
        after: Option<Place>,
    ) -> Result<Vec<Place>, StoreError> {
        self.answer(())?;
        self.inner.counted(tenant, after).await
    }

    async fn subscribe(&self, id: GameId) -> Result<Subscription, StoreError> {
        self.answer(())?;
        self.deaf.subscribe(id).await
    }

    async fn shared_secret(&self, candidate: [u8; 16]) -> Result<[u8; 16], StoreError> {
        self.inner.shared_secret(candidate).await
    }

    fn availability(&self) -> watch::Receiver<Availability> {
        self.inner.availability()
    }
}

/// Games in a store that wakes nobody, at a time that stands still until everybody waits.
struct Fixture {
    store: Arc<Troubled>,
    games: Games,
}

impl Fixture {
    async fn new() -> Self {
        let start = Instant::now();
        let now = move || Timestamp::from_millis(1_800_000_000_000) + start.elapsed();
        let store = Arc::new(Troubled {
            inner: MemoryStore::with_clock(MemoryStoreConfig::default(), now),
            deaf: MemoryStore::new(MemoryStoreConfig::default()),
            trouble: Mutex::new(Trouble::None),
            reads: AtomicU64::new(0),
        });
        let day = Duration::from_secs(24 * 3600);
        let games = Games::open(store.clone(), Clock::from_fn(now), day).await;
        let games = games.unwrap();
        Self { store, games }
    }

    fn is(&self, trouble: Trouble) {
        *self.store.trouble.lock().unwrap() = trouble;
    }

    fn reads(&self) -> u64 {
        self.store.reads.load(Ordering::Relaxed)
    }

    async fn create(&self) -> GameId {
        self.games.create(CreateGame::default()).await.unwrap().id
    }

    async fn play(&self, id: GameId, expected: Expected) -> Result<WrittenGame, GameError> {
        let write = WriteGame {
            id,
            action: Action::Play {
                side: Color::Black,
                mv: Move::Place(Square::F5),
            },
            request: Request {
                id: RequestId::new("f5"),
                expected,
            },
            token: None,
            mode: WriteMode::Commit,
        };
        self.games.write(&write).await
    }

    async fn watch(&self, id: GameId) -> Watch {
        let mut watch = self.games.watch(id, None).await.unwrap();
        let first = watch.next().await.unwrap();
        assert!(matches!(first, Some(Update::Snapshot { .. })), "{first:?}");
        watch
    }
}

/// The watch is given the move.
async fn assert_played(watch: &mut Watch) {
    let update = watch.next().await.unwrap();
    let Some(Update::Changed {
        change: Change::Moves { ply: 0, .. },
        session,
    }) = update
    else {
        panic!("expected the move, found {update:?}");
    };
    assert_eq!(session.event_number(), EventNumber(1));
}

#[tokio::test(start_paused = true)]
async fn a_wake_up_that_is_lost_loses_nothing() {
    let fixture = Fixture::new().await;
    let id = fixture.create().await;
    let mut watch = fixture.watch(id).await;
    fixture.play(id, Expected::Ply(0)).await.unwrap();
    let begun = Instant::now();
    assert_played(&mut watch).await;
    assert!(
        begun.elapsed() <= Duration::from_secs(60),
        "{:?}",
        begun.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn a_watch_waits_out_an_outage_without_asking_all_the_time() {
    let fixture = Fixture::new().await;
    let id = fixture.create().await;
    let mut watch = fixture.watch(id).await;
    fixture.play(id, Expected::Ply(0)).await.unwrap();
    fixture.is(Trouble::Away);
    let before = fixture.reads();
    let ((), ()) = tokio::join!(assert_played(&mut watch), async {
        tokio::time::sleep(Duration::from_secs(600)).await;
        let asked = fixture.reads() - before;
        assert!((2..10_000).contains(&asked), "{asked}");
        fixture.is(Trouble::None);
    });
}

#[tokio::test(start_paused = true)]
async fn a_watch_ends_with_the_error_of_a_store_that_is_broken() {
    let fixture = Fixture::new().await;
    let id = fixture.create().await;
    let mut watch = fixture.watch(id).await;
    fixture.is(Trouble::Broken);
    let error = watch.next().await.unwrap_err();
    assert!(
        matches!(error, GameError::Store(StoreError::Failed(_))),
        "{error:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn what_the_store_says_is_what_the_caller_is_told() {
    let fixture = Fixture::new().await;
    let id = fixture.create().await;
    for trouble in [Trouble::Away, Trouble::Broken] {
        fixture.is(trouble);
        let list = ListGames {
            page_size: 1,
            page_token: String::new(),
            filter: GameFilter::default(),
        };
        let errors = [
            fixture
                .games
                .create(CreateGame::default())
                .await
                .unwrap_err(),
            fixture.games.get(id).await.unwrap_err(),
            fixture.games.list(&list).await.unwrap_err(),
            fixture.games.watch(id, None).await.unwrap_err(),
            fixture.play(id, Expected::Ply(0)).await.unwrap_err(),
        ];
        for error in errors {
            let GameError::Store(error) = error else {
                panic!("expected an error of the store, found {error:?}");
            };
            let away = matches!(error, StoreError::Unavailable(_));
            assert_eq!(away, trouble == Trouble::Away, "{error:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_write_whose_answer_was_lost_is_found_by_its_repeat() {
    let fixture = Fixture::new().await;
    let id = fixture.create().await;
    fixture.is(Trouble::Silent);
    let lost = fixture.play(id, Expected::Ply(0)).await.unwrap_err();
    assert!(
        matches!(lost, GameError::Store(StoreError::Unavailable(_))),
        "{lost:?}"
    );
    fixture.is(Trouble::None);
    let again = fixture.play(id, Expected::Ply(0)).await.unwrap();
    assert!(again.written.replayed);
    assert_eq!(again.session.event_number(), EventNumber(1));
}

#[tokio::test(start_paused = true)]
async fn a_writer_that_is_always_overtaken_gives_up() {
    let fixture = Fixture::new().await;
    let id = fixture.create().await;
    fixture.is(Trouble::Overtaken);
    let error = fixture.play(id, Expected::Anywhere).await.unwrap_err();
    let GameError::Contended {
        id: contended,
        session,
    } = error
    else {
        panic!("expected contention, found {error:?}");
    };
    assert_eq!(contended, id);
    assert_eq!(session.event_number(), EventNumber(0));
}

#[tokio::test(start_paused = true)]
async fn a_place_that_no_game_has_taken_is_found_again() {
    let mut fixture = Fixture::new().await;
    fixture.games = fixture.games.with_most_live(Some(2));
    fixture.create().await;
    fixture.is(Trouble::Full);
    let create = async |fixture: &Fixture| fixture.games.create(CreateGame::default()).await;
    assert!(matches!(
        create(&fixture).await,
        Err(GameError::Store(StoreError::Full { .. }))
    ));
    fixture.is(Trouble::None);
    // It may still be on its way into the store.
    for _ in 0..2 {
        let refused = create(&fixture).await;
        assert!(matches!(refused, Err(GameError::TooManyLive { most: 2 })));
        tokio::time::advance(Duration::from_secs(30)).await;
    }
    create(&fixture).await.unwrap();
    tokio::time::advance(Duration::from_secs(3600)).await;
    let refused = create(&fixture).await;
    assert!(matches!(refused, Err(GameError::TooManyLive { most: 2 })));
    // A day without a move, and they are gone.
    tokio::time::advance(Duration::from_secs(24 * 3600)).await;
    create(&fixture).await.unwrap();
}
