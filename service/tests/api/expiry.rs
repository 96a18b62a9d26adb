//! How long games live, by a clock that stands still until everybody waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use reversi_engine::{Color, Move, Square};
use reversi_service::clock::Clock;
use reversi_service::operations::{
    CreateGame, GameError, GameFilter, Games, ListGames, Update, Watch, WriteGame, WriteMode,
    WrittenGame,
};
use reversi_service::session::{
    Action, Change, EventNumber, Expected, GameId, Request, RequestId, Timestamp,
};
use reversi_service::store::{MemoryStore, MemoryStoreConfig};
use tokio::time::{Instant, advance};

const HOUR: Duration = Duration::from_secs(3600);
const MILLISECOND: Duration = Duration::from_millis(1);

/// Games in a store whose clock, and the service's, is the paused one of tokio; the service's
/// is ahead of the store's by a skew that a test may set.
struct Paused {
    games: Games,
    skew_ms: Arc<AtomicI64>,
    /// How often the store has looked at its clock, so how often it was asked for anything.
    asked: Arc<AtomicU64>,
}

async fn paused() -> Paused {
    let start = Instant::now();
    let skew_ms = Arc::new(AtomicI64::new(0));
    let asked = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&asked);
    let store = MemoryStore::with_clock(MemoryStoreConfig::default(), move || {
        counter.fetch_add(1, Ordering::Relaxed);
        Timestamp::from_millis(0) + start.elapsed()
    });
    let skew = Arc::clone(&skew_ms);
    let clock = Clock::from_fn(move || {
        let elapsed = i64::try_from(start.elapsed().as_millis()).unwrap();
        let now = 1_800_000_000_000 + elapsed + skew.load(Ordering::Relaxed);
        Timestamp::from_millis(u64::try_from(now).unwrap())
    });
    let games = Games::open(Arc::new(store), clock, HOUR).await.unwrap();
    Paused {
        games,
        skew_ms,
        asked,
    }
}

impl Paused {
    async fn create(&self) -> GameId {
        self.games.create(CreateGame::default()).await.unwrap().id
    }

    async fn write(&self, id: GameId, action: Action) -> Result<WrittenGame, GameError> {
        let request = Request {
            id: None,
            expected: Expected::Anywhere,
        };
        let mode = WriteMode::Commit;
        self.games
            .write(&WriteGame {
                id,
                action,
                request,
                token: None,
                mode,
            })
            .await
    }

    async fn play(&self, id: GameId, side: Color, square: Square) -> WrittenGame {
        let mv = Move::Place(square);
        self.write(id, Action::Play { side, mv }).await.unwrap()
    }

    async fn is_there(&self, id: GameId) -> bool {
        match self.games.get(id).await {
            Ok(_) => true,
            Err(GameError::NotFound(missing)) if missing == id => false,
            Err(error) => panic!("{error}"),
        }
    }

    async fn watch(&self, id: GameId) -> Watch {
        let mut watch = self.games.watch(id, None).await.unwrap();
        let first = watch.next().await.unwrap();
        assert!(
            matches!(first, Some(Update::Snapshot { reset: false, .. })),
            "{first:?}"
        );
        watch
    }
}

#[tokio::test(start_paused = true)]
async fn a_game_lives_for_its_time_after_its_creation() {
    let paused = paused().await;
    let id = paused.create().await;
    advance(HOUR - MILLISECOND).await;
    assert!(paused.is_there(id).await);
    advance(MILLISECOND).await;
    assert!(!paused.is_there(id).await);
}

#[tokio::test(start_paused = true)]
async fn every_change_gives_a_game_its_whole_time_again() {
    let paused = paused().await;
    let id = paused.create().await;
    let changes = [
        Action::Play {
            side: Color::Black,
            mv: Move::Place(Square::F5),
        },
        Action::TakeBack {
            side: Color::Black,
            ply: None,
        },
        Action::Resign { side: Color::Black },
    ];
    for action in changes {
        advance(HOUR - MILLISECOND).await;
        let written = paused.write(id, action).await.unwrap();
        let session = written.session;
        assert_eq!(session.expires(), session.record().updated + HOUR);
    }
    advance(HOUR - MILLISECOND).await;
    assert!(paused.is_there(id).await);
    advance(MILLISECOND).await;
    assert!(!paused.is_there(id).await);
}

#[tokio::test(start_paused = true)]
async fn reads_refused_writes_and_trials_prolong_nothing() {
    let paused = paused().await;
    let id = paused.create().await;
    advance(HOUR / 2).await;
    assert!(paused.is_there(id).await);
    let trial = WriteGame {
        id,
        action: Action::Play {
            side: Color::Black,
            mv: Move::Place(Square::F5),
        },
        request: Request {
            id: None,
            expected: Expected::Ply(0),
        },
        token: None,
        mode: WriteMode::ValidateOnly,
    };
    paused.games.write(&trial).await.unwrap();
    paused
        .write(
            id,
            Action::TakeBack {
                side: Color::Black,
                ply: None,
            },
        )
        .await
        .unwrap_err();
    advance(HOUR / 2).await;
    assert!(!paused.is_there(id).await);
}

#[tokio::test(start_paused = true)]
async fn an_expired_game_takes_no_write_and_is_in_no_list() {
    let paused = paused().await;
    let id = paused.create().await;
    advance(HOUR / 2).await;
    let other = paused.create().await;
    advance(HOUR / 2).await;
    let refused = paused
        .write(id, Action::Resign { side: Color::Black })
        .await;
    assert!(
        matches!(refused, Err(GameError::NotFound(_))),
        "{refused:?}"
    );
    let list = ListGames {
        page_size: 10,
        page_token: String::new(),
        filter: GameFilter::default(),
    };
    let listed = paused.games.list(&list).await.unwrap().games;
    let listed: Vec<GameId> = listed.into_iter().map(|(id, _)| id).collect();
    assert_eq!(listed, [other]);
}

#[tokio::test(start_paused = true)]
async fn a_request_id_creates_a_new_game_once_its_game_has_expired() {
    let paused = paused().await;
    let request = CreateGame {
        request_id: "again".to_owned(),
        ..CreateGame::default()
    };
    let first = paused.games.create(request.clone()).await.unwrap();
    paused.play(first.id, Color::Black, Square::F5).await;
    assert!(paused.games.create(request.clone()).await.unwrap().replayed);
    advance(HOUR).await;
    let second = paused.games.create(request).await.unwrap();
    assert!(!second.replayed);
    assert_eq!(second.session.event_number(), EventNumber(0));
}

#[tokio::test(start_paused = true)]
async fn a_watch_is_told_that_its_game_has_expired() {
    let paused = paused().await;
    let id = paused.create().await;
    let begun = Instant::now();
    let mut watch = paused.watch(id).await;
    let update = watch.next().await.unwrap();
    assert!(matches!(update, Some(Update::Expired { .. })), "{update:?}");
    let waited = begun.elapsed();
    assert!(
        waited >= HOUR && waited < HOUR + Duration::from_secs(1),
        "{waited:?}"
    );
    assert!(watch.next().await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_watch_lives_as_long_as_its_game_is_played() {
    let paused = paused().await;
    let id = paused.create().await;
    let mut watch = paused.watch(id).await;
    for (side, square) in [(Color::Black, Square::F5), (Color::White, Square::D6)] {
        let (update, _) = tokio::join!(watch.next(), async {
            tokio::time::sleep(HOUR - MILLISECOND).await;
            paused.play(id, side, square).await
        });
        let update = update.unwrap();
        assert!(matches!(update, Some(Update::Changed { .. })), "{update:?}");
    }
    let update = watch.next().await.unwrap();
    assert!(matches!(update, Some(Update::Expired { .. })), "{update:?}");
}

/// The clocks of servers differ a little, and one of them may be the one that has set the
/// time at which a game expires.
#[tokio::test(start_paused = true)]
async fn a_watch_waits_quietly_for_a_game_that_outlives_its_time() {
    for skew_ms in [-20_000, 20_000] {
        let paused = paused().await;
        let id = paused.create().await;
        let mut watch = paused.watch(id).await;
        paused.skew_ms.store(skew_ms, Ordering::Relaxed);
        let asked = paused.asked.load(Ordering::Relaxed);
        let update = watch.next().await.unwrap();
        assert!(
            matches!(update, Some(Update::Expired { .. })),
            "{skew_ms}: {update:?}"
        );
        let asked = paused.asked.load(Ordering::Relaxed) - asked;
        // Every three seconds of the hour, and a little more often after it.
        assert!(asked < 1500, "{skew_ms}: asked {asked} times");
    }
}

#[tokio::test(start_paused = true)]
async fn a_deleted_game_is_kept_for_its_watchers_and_its_request_id() {
    let paused = paused().await;
    let request = CreateGame {
        request_id: "short".to_owned(),
        ..CreateGame::default()
    };
    let id = paused.games.create(request.clone()).await.unwrap().id;
    let mut watch = paused.watch(id).await;
    paused.write(id, Action::Delete).await.unwrap();
    // Late, but not too late.
    advance(Duration::from_secs(30)).await;
    let update = watch.next().await.unwrap();
    let Some(Update::Changed {
        change: Change::Deleted,
        session,
    }) = update
    else {
        panic!("expected the deletion, found {update:?}");
    };
    assert_eq!(session.event_number(), EventNumber(1));
    assert!(watch.next().await.unwrap().is_none());
    let again = paused.games.create(request).await;
    assert!(matches!(again, Err(GameError::NotFound(_))), "{again:?}");
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_missed_the_deletion_altogether_still_ends() {
    let paused = paused().await;
    let id = paused.create().await;
    let mut watch = paused.watch(id).await;
    paused.write(id, Action::Delete).await.unwrap();
    advance(Duration::from_secs(601)).await;
    let update = watch.next().await.unwrap();
    assert!(
        matches!(
            update,
            Some(Update::Changed {
                change: Change::Deleted,
                ..
            })
        ),
        "{update:?}"
    );
    assert!(watch.next().await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_repeat_is_answered_from_the_time_of_the_first() {
    let paused = paused().await;
    let id = paused.create().await;
    let write = WriteGame {
        id,
        action: Action::Play {
            side: Color::Black,
            mv: Move::Place(Square::F5),
        },
        request: Request {
            id: RequestId::new("one"),
            expected: Expected::Ply(0),
        },
        token: None,
        mode: WriteMode::Commit,
    };
    let first = paused.games.write(&write).await.unwrap();
    advance(HOUR / 2).await;
    let again = paused.games.write(&write).await.unwrap();
    assert!(again.written.replayed);
    // A repeat changes nothing, so it does not prolong the game.
    assert_eq!(again.session.record(), first.session.record());
    advance(HOUR / 2).await;
    assert!(!paused.is_there(id).await);
}
