//! What a live game costs in Redis, and whether many of them make it slower.
//!
//! Games of real records are kept in a real Redis of its own (`redis-server`, or what
//! `REVERSI_REDIS_SERVER` names), by the store as it ships. Memory is `used_memory` grown,
//! divided by the games: values, keys, expiry, indexes, lists of players (twenty games a player). Latency is that of one caller that reads
//! a game and replaces it, over games drawn at random, while a thousand and while all of them
//! live.
//!
//! `cargo bench -p reversi-service --bench live_games -- [games]`; a million without a number.

#![expect(
    clippy::print_stdout,
    reason = "what it measures is for people to read"
)]

#[path = "../tests/support/redis_server.rs"]
mod redis_server;

use std::ops::Range;
use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream};
use redis_server::RedisServer;
use reversi_engine::{Move, RuleSet};
use reversi_service::session::{
    Action, ClockRules, Expected, GameId, GameRecord, OnExpiry, Request, RequestId, Seat, Seats,
    Session, TimeControl, Timestamp, Topic,
};
use reversi_service::store::{
    Entry, GameStore, Inserted, ListChange, Listing, Notice, RedisStore, RedisStoreConfig,
    Replaced, Signs,
};

/// Plies of a game.
const PLIES: usize = 30;
/// Those of them that were played with a request id.
const REMEMBERED: usize = 3;
const CALLERS: usize = 64;
const LIFE: Duration = Duration::from_secs(7 * 24 * 3600);
/// Calls in a measurement of latency.
const CALLS: usize = 20_000;

/// What differs between the games that are measured.
#[derive(Clone, Copy)]
struct Kind {
    what: &'static str,
    name: &'static str,
    clock: Option<TimeControl>,
}

const KINDS: [Kind; 3] = [
    Kind {
        what: "two ids of 8 bytes",
        name: "",
        clock: None,
    },
    Kind {
        what: "the same with names of 12 bytes",
        name: "Anna Karenin",
        clock: None,
    },
    Kind {
        what: "the same on the clock",
        name: "Anna Karenin",
        clock: Some(TimeControl::Total {
            initial: Duration::from_secs(300),
            increment: Duration::from_secs(3),
        }),
    },
];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let games = arguments.find_map(|argument| argument.parse().ok());
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    for kind in KINDS {
        runtime.block_on(measure(kind, games.unwrap_or(1_000_000)));
    }
}

async fn measure(kind: Kind, games: u32) {
    let server = RedisServer::start().expect("a Redis server");
    let config = RedisStoreConfig {
        command_timeout: Duration::from_secs(10),
        ..RedisStoreConfig::new(server.url())
    };
    let store = RedisStore::connect(config).await.expect("Redis answers");
    let before = used_memory(&server);
    let few = games.min(1000);
    fill(&store, kind, 0..few).await;
    let among_few = latency(&store, few).await;
    fill(&store, kind, few..games).await;
    until_listed(&server).await;
    let bytes = (used_memory(&server) - before) / u64::from(games);
    let among_all = latency(&store, games).await;
    let value = session(kind, 0).record().encode().len();
    println!(
        "{}: {games} games, {bytes} bytes each, of which the value is {value}; \
         read and replaced in {among_few:?} among {few}, in {among_all:?} among all",
        kind.what
    );
}

async fn fill(store: &RedisStore, kind: Kind, games: Range<u32>) {
    let insertions = stream::iter(games).for_each_concurrent(CALLERS, async |number| {
        let inserted = store
            .insert(id(number), listed(&session(kind, number)))
            .await;
        assert_eq!(inserted.expect("Redis answers"), Inserted::New);
    });
    insertions.await;
}

/// Waits until the lists of players have all games.
async fn until_listed(server: &RedisServer) {
    let outboxes: Vec<String> = server.command(&["KEYS", "rv:{*}:outbox"]);
    let mut ticks = tokio::time::interval(Duration::from_millis(20));
    for outbox in outboxes {
        while server.command::<u32>(&["XLEN", &outbox]) > 0 {
            ticks.tick().await;
        }
    }
}

/// The median time in which one caller reads a game and replaces it.
async fn latency(store: &RedisStore, games: u32) -> Duration {
    let mut times = Vec::with_capacity(CALLS);
    let mut number = 1u32;
    for _ in 0..CALLS {
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let id = id((number >> 8) % games);
        let start = Instant::now();
        let found = store.get(&[id]).await.expect("Redis answers").remove(0);
        let found = found.expect("it is there");
        let record = GameRecord::decode(&found);
        let session = Session::restore(record.expect("it can be read")).expect("it can be read");
        let replaced = store
            .replace(id, &found, entry(&session), Listing::Keep)
            .await;
        times.push(start.elapsed());
        assert_eq!(replaced.expect("Redis answers"), Replaced::Done);
    }
    times.sort_unstable();
    times[times.len() / 2]
}

/// Spread as ids that are drawn at random.
fn id(number: u32) -> GameId {
    let high = u128::from(number.wrapping_mul(2_654_435_761));
    GameId::from_bits((high << 64) | (u128::from(number) << 16))
}

/// A game that is half played.
fn session(kind: Kind, number: u32) -> Session {
    let now = Timestamp::from_millis(1_790_000_000_000 + u64::from(number));
    let mut record = GameRecord::new(RuleSet::default(), now, LIFE);
    let seat = |player: u32| Seat {
        player_id: format!("{player:08}"),
        display_name: kind.name.to_owned(),
        ..Seat::default()
    };
    record.seats = Seats {
        // Each player is in twenty games.
        black: seat(number / 10),
        white: seat(number / 10 + 1),
    };
    record.clock = kind.clock.map(|time| ClockRules {
        time,
        on_expiry: OnExpiry::Lose,
    });
    let mut session = Session::create(record, &[], 0).expect("the usual start");
    for ply in 0..PLIES {
        let position = session.game().position();
        let side = position.side_to_move();
        let Some(square) = position.legal_moves().into_iter().next() else {
            break;
        };
        let id = (ply + REMEMBERED >= PLIES).then(|| format!("{number} {ply}"));
        let request = Request {
            id: id.and_then(|id| RequestId::new(&id)),
            expected: Expected::Anywhere,
        };
        let mv = Move::Place(square);
        // Some seconds a move.
        let now = now + Duration::from_millis(3_217) * u32::try_from(ply).expect("few plies");
        let played = session.write(&Action::Play { side, mv }, &request, now);
        played.expect("a legal move");
    }
    session
}

/// A new game, which the lists of its players are told of.
fn listed(session: &Session) -> Entry {
    let seats = &session.record().seats;
    let players = [&seats.black, &seats.white].map(|seat| Topic::player(None, &seat.player_id));
    Entry {
        notice: Some(Notice {
            change: ListChange::Put,
            topics: players.to_vec(),
        }),
        ..entry(session)
    }
}

fn entry(session: &Session) -> Entry {
    Entry {
        created: session.record().created,
        value: session.record().encode(),
        time_to_live: LIFE,
        due: session.due(),
        signs: Signs::default(),
        notice: None,
    }
}

fn used_memory(server: &RedisServer) -> u64 {
    let info: String = server.command(&["INFO", "memory"]);
    let mut lines = info.lines();
    let bytes = lines.find_map(|line| line.strip_prefix("used_memory:"));
    let bytes = bytes.and_then(|bytes| bytes.trim().parse().ok());
    bytes.expect("Redis tells its memory")
}
