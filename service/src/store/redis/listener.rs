//! The connection on which wake-ups arrive.
//!
//! It knows which games are watched from the hub. When it is lost, it is made again, all
//! watched games are subscribed to again, and then all subscriptions are woken, since what
//! was published in between is gone.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{PushInfo, PushKind, RedisResult, Value};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::{self, Instant, MissedTickBehavior};

use super::connector::{Background, ConnectError, Connected, Connector};
use super::fault::{Fault, NotConnected};
use super::keys;
use crate::session::GameId;
use crate::store::wake::WakeHub;
use crate::store::{StoreError, Subscription};

/// Channels in one command at most: it is answered by a message a channel.
const CHANNELS_PER_COMMAND: usize = 512;

/// Makes subscriptions that are woken by replacements on any server.
#[derive(Debug)]
pub(super) struct Listener {
    hub: Arc<WakeHub>,
    requests: mpsc::UnboundedSender<Request>,
    ear: Arc<Ear>,
    timeout: Duration,
    _task: Background,
}

/// Says whether the server has confirmed a subscription.
type Confirm = oneshot::Sender<Result<(), StoreError>>;

#[derive(Debug)]
enum Request {
    /// Subscribe to a game's channel, and say when the server has confirmed it.
    Watch(GameId, Confirm),
    /// Nobody watches a game any more.
    Abandoned(GameId),
}

/// What the connection and the task share.
#[derive(Debug, Default)]
struct Ear {
    hears: AtomicBool,
    lost: Notify,
}

impl Listener {
    pub(super) async fn connect(
        connector: Connector,
        deadline: Instant,
    ) -> Result<Self, ConnectError> {
        let (requests, received) = mpsc::unbounded_channel();
        let abandoned = requests.clone();
        let hub = WakeHub::with_abandoned(move |id| {
            // Without the task there is nothing to unsubscribe from.
            let _ = abandoned.send(Request::Abandoned(id));
        });
        let ear = Arc::new(Ear::default());
        let connected = connector.first(deadline, on_push(&hub, &ear)).await?;
        ear.hears.store(true, Ordering::Release);
        let timeout = connector.command_timeout;
        let task = Task {
            connector,
            hub: Arc::clone(&hub),
            ear: Arc::clone(&ear),
            requests: received,
            subscribed: HashSet::new(),
        };
        Ok(Self {
            hub,
            requests,
            ear,
            timeout,
            _task: Background::spawn(task.run(connected)),
        })
    }

    /// A subscription that every later replacement wakes: the server has confirmed it.
    pub(super) async fn subscribe(&self, id: GameId) -> Result<Subscription, StoreError> {
        let subscription = self.hub.subscribe(id);
        let (confirm, confirmed) = oneshot::channel();
        self.requests
            .send(Request::Watch(id, confirm))
            .map_err(|_| NotConnected)?;
        time::timeout(self.timeout, confirmed)
            .await
            .map_err(|late| StoreError::Unavailable(Box::new(late)))?
            .map_err(|_| NotConnected)??;
        Ok(subscription)
    }

    /// To be called after a replacement by this server: as long as no wake-ups arrive from
    /// Redis, this one has to come from here.
    pub(super) fn replaced_here(&self, id: GameId) {
        if !self.ear.hears.load(Ordering::Acquire) {
            self.hub.wake(id);
        }
    }
}

fn on_push(
    hub: &Arc<WakeHub>,
    ear: &Arc<Ear>,
) -> impl Fn(PushInfo) + Clone + Send + Sync + 'static {
    let (hub, ear) = (Arc::clone(hub), Arc::clone(ear));
    move |info| {
        if info.kind == PushKind::Disconnection {
            ear.hears.store(false, Ordering::Release);
            ear.lost.notify_one();
        } else if info.kind == PushKind::Message
            && let Some(Value::BulkString(channel)) = info.data.first()
            && let Some(id) = keys::watched_on(channel)
        {
            hub.wake(id);
        }
    }
}

/// Owns the connection.
struct Task {
    connector: Connector,
    hub: Arc<WakeHub>,
    ear: Arc<Ear>,
    requests: mpsc::UnboundedReceiver<Request>,
    /// The games whose channels the server has confirmed.
    subscribed: HashSet<GameId>,
}

impl Task {
    async fn run(mut self, mut connected: Connected) {
        loop {
            let reason = self.listen(&mut connected).await;
            drop(connected);
            self.ear.hears.store(false, Ordering::Release);
            let address = self.connector.name();
            tracing::warn!(address, reason, "no wake-ups arrive from Redis");
            connected = self.reconnect().await;
        }
    }

    /// Serves requests until the connection is lost, and says why it is.
    async fn listen(&mut self, connected: &mut Connected) -> String {
        if let Err(error) = self.resubscribe(&mut connected.connection).await {
            return error.to_string();
        }
        let mut ticks = time::interval(self.connector.ping_interval);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let ear = Arc::clone(&self.ear);
        let mut batch = Vec::new();
        loop {
            let answer = tokio::select! {
                _ = self.requests.recv_many(&mut batch, CHANNELS_PER_COMMAND) => {
                    self.serve(&mut connected.connection, &mut batch).await
                }
                _ = ticks.tick() => self.connector.check(connected).await,
                // It may be the end of a connection before this one.
                () = ear.lost.notified() => self.connector.check(connected).await,
            };
            match answer {
                Ok(()) => self.ear.hears.store(true, Ordering::Release),
                Err(error) => match Fault::of(&error) {
                    Fault::Lost | Fault::Late => return error.to_string(),
                    Fault::Refused | Fault::Wrong => {}
                },
            }
        }
    }

    /// Subscribes to everything that is watched, and wakes it.
    async fn resubscribe(&mut self, connection: &mut MultiplexedConnection) -> RedisResult<()> {
        self.subscribed.clear();
        let watched = self.hub.watched();
        for games in watched.chunks(CHANNELS_PER_COMMAND) {
            connection.subscribe(channels(games)).await?;
            self.subscribed.extend(games);
        }
        self.ear.hears.store(true, Ordering::Release);
        self.hub.wake_all();
        Ok(())
    }

    async fn serve(
        &mut self,
        connection: &mut MultiplexedConnection,
        batch: &mut Vec<Request>,
    ) -> RedisResult<()> {
        let mut new: HashMap<GameId, Vec<Confirm>> = HashMap::new();
        let mut abandoned = Vec::new();
        for request in batch.drain(..) {
            match request {
                Request::Watch(id, confirm) if self.subscribed.contains(&id) => {
                    // The caller may have gone.
                    let _ = confirm.send(Ok(()));
                }
                Request::Watch(id, confirm) => new.entry(id).or_default().push(confirm),
                Request::Abandoned(id) => abandoned.push(id),
            }
        }
        // Whoever asked may have gone, and whoever had gone may be back: the hub knows. What
        // changes from here on comes with a later request.
        abandoned.retain(|id| !self.hub.is_watched(*id) && self.subscribed.remove(id));
        new.retain(|id, _| self.hub.is_watched(*id));
        let left = self.leave(connection, &abandoned).await;
        let joined = self.join(connection, new).await;
        left.and(joined)
    }

    async fn join(
        &mut self,
        connection: &mut MultiplexedConnection,
        new: HashMap<GameId, Vec<Confirm>>,
    ) -> RedisResult<()> {
        if new.is_empty() {
            return Ok(());
        }
        let games: Vec<GameId> = new.keys().copied().collect();
        let answer = connection.subscribe(channels(&games)).await;
        if answer.is_ok() {
            self.subscribed.extend(&games);
        }
        for confirm in new.into_values().flatten() {
            // The caller may have gone.
            let _ = confirm.send(answer.clone().map_err(StoreError::from));
        }
        answer
    }

    async fn leave(
        &self,
        connection: &mut MultiplexedConnection,
        games: &[GameId],
    ) -> RedisResult<()> {
        if games.is_empty() {
            return Ok(());
        }
        connection.unsubscribe(channels(games)).await
    }

    /// Connects again, and refuses requests meanwhile.
    async fn reconnect(&mut self) -> Connected {
        let again = self.connector.again(on_push(&self.hub, &self.ear));
        tokio::pin!(again);
        loop {
            tokio::select! {
                connected = &mut again => return connected,
                Some(request) = self.requests.recv() => match request {
                    Request::Watch(_, confirm) => {
                        let _ = confirm.send(Err(NotConnected.into()));
                    }
                    Request::Abandoned(_) => {}
                },
            }
        }
    }
}

fn channels(games: &[GameId]) -> Vec<String> {
    games.iter().map(|id| keys::channel(*id)).collect()
}
