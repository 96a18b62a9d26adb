//! Measures the stores:
//! `cargo test --release -p reversi-service --test store_contract -- --ignored --nocapture measure`

use std::sync::Arc;
use std::time::{Duration, Instant};

use reversi_service::session::{EventNumber, Timestamp, head};
use reversi_service::store::{
    Entry, GameStore, Listing, MemoryStore, MemoryStoreConfig, Replaced, Signs,
};
use tokio::task::JoinSet;

use crate::redis_server::RedisServer;
use crate::subject::{LONG, connect, id, insert};

/// Callers at once.
const TASKS: u32 = 128;
/// Bytes of a usual game: two names, 60 moves, a few remembered writes.
const VALUE: usize = 200;
const TIME: Duration = Duration::from_secs(3);
/// Games to measure the memory of.
const GAMES: u32 = 100_000;

#[derive(Clone, Copy, Debug)]
enum Operation {
    Get,
    Replace,
    GetThenReplace,
    List,
}

fn entry(events: u32) -> Entry {
    let mut value = head(EventNumber(events)).to_vec();
    value.resize(VALUE, b'x');
    Entry {
        created: Timestamp::from_millis(10),
        value,
        time_to_live: LONG,
        due: None,
        signs: Signs::default(),
        notice: None,
    }
}

async fn operate(store: &dyn GameStore, operation: Operation, number: u32, events: u32) {
    match operation {
        Operation::Get => {
            store.get(&[id(number)]).await.unwrap();
        }
        Operation::Replace => {
            let (expected, entry) = (entry(events).value, entry(events + 1));
            let replaced = store
                .replace(id(number), &expected, entry, Listing::Keep)
                .await;
            assert_eq!(replaced.unwrap(), Replaced::Done);
        }
        Operation::GetThenReplace => {
            store.get(&[id(number)]).await.unwrap();
            let (expected, entry) = (entry(events).value, entry(events + 1));
            let replaced = store
                .replace(id(number), &expected, entry, Listing::Keep)
                .await;
            assert_eq!(replaced.unwrap(), Replaced::Done);
        }
        Operation::List => {
            assert_eq!(store.list(None, 50).await.unwrap().len(), 50);
        }
    }
}

/// Operations a second with [`TASKS`] tasks, each on a game of its own.
async fn measure(name: &str, store: &Arc<dyn GameStore>, operation: Operation, round: u32) {
    let first = 1_000_000 + round * TASKS;
    for number in first..first + TASKS {
        insert(&**store, number, u64::from(number), entry(0)).await;
    }
    let mut tasks = JoinSet::new();
    let start = Instant::now();
    for number in first..first + TASKS {
        let store = Arc::clone(store);
        tasks.spawn(async move {
            let mut done = 0;
            while start.elapsed() < TIME {
                operate(&*store, operation, number, done).await;
                done += 1;
            }
            done
        });
    }
    let done: u32 = tasks.join_all().await.iter().sum();
    let rate = f64::from(done) / start.elapsed().as_secs_f64();
    println!("{name}: {operation:?}: {:.1} k/s", rate / 1000.0);
}

async fn measure_all(name: &str, store: Arc<dyn GameStore>) {
    let operations = [
        Operation::Get,
        Operation::Replace,
        Operation::GetThenReplace,
        Operation::List,
    ];
    for (operation, round) in operations.into_iter().zip(0..) {
        measure(name, &store, operation, round).await;
    }
}

#[tokio::test]
#[ignore = "measures"]
async fn measure_memory() {
    let before = resident_kib("self");
    let store = MemoryStore::new(MemoryStoreConfig::default());
    for number in 0..GAMES {
        insert(&store, number, number.into(), entry(0)).await;
    }
    let bytes = (resident_kib("self") - before) * 1024 / u64::from(GAMES);
    println!("memory: {bytes} bytes a game of {VALUE}");
    measure_all("memory", Arc::new(store)).await;
}

#[tokio::test]
#[ignore = "measures"]
async fn measure_redis() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let store = connect(&server).await;
    let used = || {
        let info: String = server.command(&["INFO", "memory"]);
        let line = info
            .lines()
            .find_map(|line| line.strip_prefix("used_memory:"));
        line.unwrap().trim().parse::<u64>().unwrap()
    };
    let before = used();
    for number in 0..GAMES {
        insert(&store, number, number.into(), entry(0)).await;
    }
    let bytes = (used() - before) / u64::from(GAMES);
    println!("redis: {bytes} bytes a game of {VALUE}");
    measure_all("redis", Arc::new(store)).await;
}

fn resident_kib(process: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.unwrap()
        .trim()
        .trim_end_matches(" kB")
        .trim()
        .parse()
        .unwrap()
}
