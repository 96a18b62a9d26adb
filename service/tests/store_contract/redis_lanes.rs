//! Threads with connections of their own.

use std::sync::Arc;
use std::thread;

use reversi_service::store::{Availability, GameStore, RedisStore, RedisStoreConfig, Replaced};
use tokio::runtime::{self, Handle};
use tokio::sync::{mpsc, oneshot};

use crate::redis_outages::{becomes, replace, unavailable};
use crate::redis_server::{Persistence, RedisServer};
use crate::subject::{connect, entry, eventually, get, id, insert, value};

/// A thread with a runtime of its own, as the threads that serve connections have.
struct Thread {
    runtime: Handle,
    _end: oneshot::Sender<()>,
    ended: mpsc::Receiver<()>,
}

impl Thread {
    fn start() -> Self {
        let (end, ends) = oneshot::channel::<()>();
        let (alive, ended) = mpsc::channel(1);
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.unwrap();
        let handle = runtime.handle().clone();
        thread::spawn(move || {
            let _ = runtime.block_on(ends);
            drop(runtime);
            drop(alive);
        });
        Self {
            runtime: handle,
            _end: end,
            ended,
        }
    }

    /// Does something with the store on this thread.
    async fn run<T, F>(&self, store: &Arc<RedisStore>, task: impl FnOnce(Arc<RedisStore>) -> F) -> T
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        self.runtime.spawn(task(Arc::clone(store))).await.unwrap()
    }

    async fn end(self) {
        let Self {
            _end, mut ended, ..
        } = self;
        drop(_end);
        ended.recv().await;
    }
}

/// How many connections the server has, but for the one that asks.
fn connections(server: &RedisServer) -> usize {
    let list: String = server.command(&["CLIENT", "LIST"]);
    list.lines().count() - 1
}

/// A store whose thread has its connection.
async fn with_thread(server: &RedisServer) -> (Arc<RedisStore>, Thread) {
    let store = Arc::new(connect(server).await);
    insert(&*store, 1, 10, entry(0)).await;
    let before = connections(server);
    let thread = Thread::start();
    eventually("a connection of its own", async || {
        thread
            .run(&store, async |store| get(&*store, 1).await)
            .await;
        connections(server) > before
    })
    .await;
    (store, thread)
}

#[tokio::test]
async fn a_thread_has_one_connection_until_it_ends() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let (store, thread) = with_thread(&server).await;
    let with_it = connections(&server);
    for events in 0..20 {
        let replaced = thread.run(&store, async move |store| replace(&store, events).await);
        assert_eq!(replaced.await.unwrap(), Replaced::Done);
        assert_eq!(get(&*store, 1).await, Some(value(events + 1)));
    }
    assert_eq!(connections(&server), with_it);
    thread.end().await;
    eventually("closed", async || connections(&server) == with_it - 1).await;
    assert_eq!(replace(&store, 20).await.unwrap(), Replaced::Done);
    assert_eq!(*store.availability().borrow(), Availability::Available);
}

#[tokio::test]
async fn a_thread_whose_connection_is_closed_is_served() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let (store, thread) = with_thread(&server).await;
    let with_it = connections(&server);
    let newest = || -> String {
        let list: String = server.command(&["CLIENT", "LIST"]);
        let mut ids = list.lines().filter(|line| !line.contains("cmd=client"));
        let last = ids.next_back().unwrap();
        last.split([' ', '=']).nth(1).unwrap().to_owned()
    };
    for _ in 0..3 {
        let _: usize = server.command(&["CLIENT", "KILL", "ID", &newest()]);
        eventually("served", async || {
            let got = thread.run(&store, async |store| store.get(&[id(1)]).await);
            got.await.is_ok()
        })
        .await;
        // The others are not touched by it.
        assert_eq!(*store.availability().borrow(), Availability::Available);
        eventually("made again", async || {
            thread
                .run(&store, async |store| get(&*store, 1).await)
                .await;
            connections(&server) == with_it
        })
        .await;
    }
}

#[tokio::test]
async fn an_outage_is_one_of_all_threads() {
    let Some(mut server) = RedisServer::start_with(Persistence::AppendOnly, &[]) else {
        return;
    };
    let (store, thread) = with_thread(&server).await;
    let mut availability = store.availability();
    for events in 0..3 {
        server.kill();
        becomes(&mut availability, Availability::Unavailable).await;
        let got = thread.run(&store, async |store| store.get(&[id(1)]).await);
        unavailable(&got.await);
        server.restart();
        becomes(&mut availability, Availability::Available).await;
        let replaced = thread.run(&store, async move |store| replace(&store, events).await);
        assert_eq!(replaced.await.unwrap(), Replaced::Done);
    }
}

#[tokio::test]
async fn a_server_that_hangs_is_noticed_by_all_threads() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let store = RedisStore::connect(RedisStoreConfig::new(server.url()));
    let store = Arc::new(store.await.unwrap());
    let thread = Thread::start();
    insert(&*store, 1, 10, entry(0)).await;
    let mut availability = store.availability();
    thread
        .run(&store, async |store| get(&*store, 1).await)
        .await;
    server.pause();
    let got = thread.run(&store, async |store| store.get(&[id(1)]).await);
    unavailable(&got.await);
    becomes(&mut availability, Availability::Unavailable).await;
    server.resume();
    becomes(&mut availability, Availability::Available).await;
    let got = thread.run(&store, async |store| get(&*store, 1).await);
    assert_eq!(got.await, Some(value(0)));
}

#[tokio::test]
async fn a_server_that_becomes_a_replica_is_left_by_all_threads() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let (store, thread) = with_thread(&server).await;
    let mut availability = store.availability();
    let nobody = crate::redis_server::free_port().to_string();
    server.command::<()>(&["REPLICAOF", "127.0.0.1", &nobody]);
    let replaced = thread.run(&store, async |store| replace(&store, 0).await);
    unavailable(&replaced.await);
    becomes(&mut availability, Availability::Unavailable).await;
    server.command::<()>(&["REPLICAOF", "NO", "ONE"]);
    becomes(&mut availability, Availability::Available).await;
    let replaced = thread.run(&store, async |store| replace(&store, 0).await);
    assert_eq!(replaced.await.unwrap(), Replaced::Done);
}
