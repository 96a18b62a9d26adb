//! Games that are watched while they are played.

use std::fmt;

use bytes::Bytes;
use prost::Message;
use reversi_proto::v1;
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, spawn_local};
use tokio::time::Instant;

use super::session::{Play, Played, Session};
use crate::load::{Begun, Caller};
use crate::wire::{Failure, Incoming, Rpc, frame};

/// Plays games and measures how long each move takes to reach the watchers.
#[derive(Debug)]
pub(crate) struct Watched {
    session: Session,
    watchers: usize,
    watching: Vec<Watcher>,
}

impl Watched {
    pub(crate) fn new(play: Play, watchers: usize, lane: usize) -> Self {
        Self {
            session: Session::new(play, 'w', lane),
            watchers,
            watching: Vec::new(),
        }
    }

    /// Makes the next call; after a move, waits for it to reach everybody.
    pub(crate) async fn call(&mut self, caller: &mut Caller, due: Option<Instant>) {
        if self.session.has_moves_left() {
            self.play_move(caller, due).await;
            return;
        }
        self.watching.clear();
        self.session.call(caller, due).await;
        if self.session.has_moves_left() {
            self.watch(caller, due).await;
        }
    }

    /// Deletes the game. Not measured.
    pub(crate) async fn finish(&mut self, caller: &mut Caller) {
        self.watching.clear();
        self.session.finish(caller).await;
    }

    async fn watch(&mut self, caller: &mut Caller, due: Option<Instant>) {
        let Some(name) = self.session.name() else {
            return;
        };
        let request = frame::encode(&v1::WatchGameRequest {
            name: name.to_owned(),
            after_etag: String::new(),
            ..Default::default()
        });
        for _ in 0..self.watchers {
            let begun = Begun::now(due);
            match Watcher::open(caller, request.clone()).await {
                Ok(watcher) => self.watching.push(watcher),
                Err(failure) => {
                    caller.record(Rpc::WatchGame, begun, Instant::now(), 1, &Err(failure));
                    return self.finish(caller).await;
                }
            }
        }
    }

    async fn play_move(&mut self, caller: &mut Caller, due: Option<Instant>) {
        let begun = Begun::now(due);
        if self.session.play_move(caller, due).await == Played::Failed {
            self.watching.clear();
            return;
        }
        let mut failed = false;
        for watcher in &mut self.watching {
            let (ended, outcome) = watcher.event(caller, begun.sent).await;
            failed |= outcome.is_err();
            caller.record(Rpc::WatchGame, begun, ended, 1, &outcome);
        }
        if failed {
            self.finish(caller).await;
        }
    }
}

/// One who watches a game.
struct Watcher {
    arrivals: mpsc::UnboundedReceiver<(Instant, Result<Bytes, Failure>)>,
    reader: JoinHandle<()>,
}

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watcher").finish_non_exhaustive()
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

impl Watcher {
    /// Begins to watch, and waits for the snapshot.
    async fn open(caller: &mut Caller, request: Bytes) -> Result<Self, Failure> {
        let incoming = caller.subscribe(Rpc::WatchGame, request).await?;
        let (sender, arrivals) = mpsc::unbounded_channel();
        let reader = spawn_local(read(incoming, sender));
        let mut watcher = Self { arrivals, reader };
        let (_, first) = watcher.next(caller, Instant::now()).await;
        match update(first?)? {
            v1::watch_game_response::Update::Snapshot(_) => Ok(watcher),
            v1::watch_game_response::Update::Event(_) => {
                Err(Failure::Wrong("no snapshot at first".to_owned()))
            }
        }
    }

    /// The event of a move that was sent at `sent`, and when it came.
    async fn event(
        &mut self,
        caller: &mut Caller,
        sent: Instant,
    ) -> (Instant, Result<(), Failure>) {
        let (ended, message) = self.next(caller, sent).await;
        let outcome = message.and_then(update).and_then(|update| match update {
            v1::watch_game_response::Update::Event(_) => Ok(()),
            v1::watch_game_response::Update::Snapshot(_) => {
                Err(Failure::Wrong("a second snapshot".to_owned()))
            }
        });
        (ended, outcome)
    }

    async fn next(
        &mut self,
        caller: &mut Caller,
        sent: Instant,
    ) -> (Instant, Result<Bytes, Failure>) {
        let next = async {
            let ended = || Failure::Transport("the server ended the stream".to_owned());
            let (arrived, message) = self.arrivals.recv().await.ok_or_else(ended)?;
            Ok((arrived, message))
        };
        match caller.within_deadline(sent, next).await {
            Ok(arrival) => arrival,
            Err(failure) => (Instant::now(), Err(failure)),
        }
    }
}

/// Notes when messages arrive, whether or not anybody waits for them.
async fn read(
    mut incoming: Incoming,
    arrivals: mpsc::UnboundedSender<(Instant, Result<Bytes, Failure>)>,
) {
    while let Some(message) = incoming.next().await.transpose() {
        let failed = message.is_err();
        if arrivals.send((Instant::now(), message)).is_err() || failed {
            return;
        }
    }
}

fn update(message: Bytes) -> Result<v1::watch_game_response::Update, Failure> {
    v1::WatchGameResponse::decode(message)
        .map_err(|error| Failure::Wrong(error.to_string()))?
        .update
        .ok_or_else(|| Failure::Wrong("an empty update".to_owned()))
}
