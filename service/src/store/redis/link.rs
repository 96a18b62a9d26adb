//! The connections that carry the commands to a server: a main one, which is watched, and replaced
//! when it is lost, and more beside it for threads that send many.

mod lanes;
mod pinned;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use futures_util::future;
use redis::{Cmd, FromRedisValue, Pipeline, PushInfo, PushKind, RedisResult, Value};
use tokio::runtime::{self, Handle};
use tokio::sync::{Notify, watch};
use tokio::time::{self, Instant, MissedTickBehavior};

use self::lanes::{Lanes, Way};
use self::pinned::Which;
pub(super) use self::pinned::{Call, Pinned};
use super::commit::Commit;
use super::connector::{Background, ConnectError, Connected, Connector, probe};
use super::fault::{CallError, Fault, NotConnected};
use super::script::Script;
use super::url::Server;
use crate::store::Availability;

/// The connections that carry the commands of all callers to a server. While there is none,
/// commands fail at once.
#[derive(Debug)]
pub(super) struct Link {
    state: Arc<State>,
    /// For writes, if they wait for replicas.
    commit: Option<Commit>,
    /// Keeps the connections.
    _keeper: Background,
}

#[derive(Debug)]
struct State {
    connector: Connector,
    /// The runtime on which the main connection is driven.
    home: runtime::Id,
    current: Mutex<Option<Current>>,
    /// Whether there has been a connection.
    made: AtomicBool,
    availability: watch::Sender<Availability>,
    /// Asks the keeper to look after the connection now.
    look: Notify,
}

#[derive(Debug)]
struct Current {
    /// The main connection.
    connected: Connected,
    /// Tells it from those before.
    number: u64,
    /// Those beside it, to the same server.
    lanes: Lanes,
}

impl Link {
    /// A link whose connection is there.
    pub(super) async fn connect(
        connector: Connector,
        deadline: Instant,
    ) -> Result<Self, ConnectError> {
        let state = State::new(connector, Availability::Available);
        let connected = state.connector.first(deadline, on_push(&state)).await?;
        *state.lock() = Some(Current::new(connected, 0));
        Ok(Self::kept(state))
    }

    /// A link whose connection is being made.
    pub(super) fn start(connector: Connector) -> Self {
        let link = Self::kept(State::new(connector, Availability::Unavailable));
        link.state.look.notify_one();
        link
    }

    fn kept(state: Arc<State>) -> Self {
        let connector = &state.connector;
        let commit = connector
            .wait
            .map(|wait| Commit::start(connector.without_wait(), wait));
        Self {
            commit,
            _keeper: Background::spawn(keep(Arc::clone(&state))),
            state,
        }
    }

    /// What is said of the server in the log.
    pub(super) fn name(&self) -> &str {
        self.state.connector.name()
    }

    pub(super) fn availability(&self) -> watch::Receiver<Availability> {
        self.state.availability.subscribe()
    }

    /// Waits until there is a connection, if the first one is still being made.
    pub(super) async fn connected(&self, deadline: Instant) {
        if self.state.is_new() {
            let mut availability = self.availability();
            let there = availability.wait_for(|now| *now == Availability::Available);
            let _ = time::timeout_at(deadline, there).await;
        }
    }

    /// Sends a command.
    pub(super) async fn call(&self, call: &Call<'_>) -> Result<Value, CallError> {
        State::pinned(&self.state)?.call(call).await
    }

    /// Runs a script that writes, and waits for replicas if that is asked for.
    pub(super) async fn write(&self, call: &Call<'_>) -> Result<Value, CallError> {
        match (&self.commit, call.script) {
            (Some(commit), Some(script)) => commit.call(script, call.command).await,
            _ => self.call(call).await,
        }
    }

    /// The connection there is now, or the first one, and no later one.
    pub(super) async fn pinned(&self) -> Result<Pinned<'_>, NotConnected> {
        self.connected(Instant::now() + self.state.connector.command_timeout)
            .await;
        State::pinned(&self.state)
    }

    /// Sends a command that a node of a cluster takes although the key belongs to another.
    pub(super) async fn call_asking(&self, call: &Call<'_>) -> Result<Value, CallError> {
        let mut pipeline = redis::pipe();
        pipeline.cmd("ASKING").ignore();
        pipeline.add_command(match call.script {
            Some(script) => script.with_text(call.command),
            None => call.command.clone(),
        });
        let (value,) = self.pipeline(&pipeline).await?;
        Ok(value)
    }

    /// Sends several commands at once.
    pub(super) async fn pipeline<T: FromRedisValue>(
        &self,
        pipeline: &Pipeline,
    ) -> Result<T, CallError> {
        State::pinned(&self.state)?.pipeline(pipeline).await
    }

    /// Runs a script several times at once, by commands that were made of it; the answers are in
    /// the same order. What Redis has carried out is not sent again when it did not know the
    /// script for the rest.
    pub(super) async fn scripts<'a>(
        &self,
        script: &Script,
        commands: impl Iterator<Item = &'a Cmd> + Clone,
    ) -> Result<Vec<Result<Value, CallError>>, CallError> {
        let mut pinned = State::pinned(&self.state)?;
        let mut answers = pinned.each(commands.clone().cloned()).await;
        let asked = answers.iter_mut().zip(commands);
        let (refused, again): (Vec<_>, Vec<Cmd>) = asked
            .filter(|(answer, _)| answer.as_ref().is_err_and(CallError::is_unknown_script))
            .map(|(answer, command)| (answer, script.with_text(command)))
            .unzip();
        let again = pinned.each(again.into_iter()).await;
        for (place, answer) in refused.into_iter().zip(again) {
            *place = answer;
        }
        Ok(answers)
    }
}

impl Current {
    fn new(connected: Connected, number: u64) -> Self {
        Self {
            connected,
            number,
            lanes: Lanes::default(),
        }
    }
}

impl State {
    fn new(connector: Connector, availability: Availability) -> Arc<Self> {
        Arc::new(Self {
            connector,
            home: Handle::current().id(),
            current: Mutex::default(),
            made: AtomicBool::new(availability == Availability::Available),
            availability: watch::Sender::new(availability),
            look: Notify::new(),
        })
    }

    fn is_new(&self) -> bool {
        !self.made.load(Ordering::Acquire)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Current>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection that commands of this runtime take now.
    fn pinned(self: &Arc<Self>) -> Result<Pinned<'_>, NotConnected> {
        let here = Handle::current().id();
        let mut current = self.lock();
        let current = current.as_mut().ok_or(NotConnected)?;
        let way = if here == self.home {
            Way::Main
        } else {
            current.lanes.way(here)
        };
        let number = current.number;
        let (connection, lane) = match way {
            Way::Lane(connection) => (connection, Some(here)),
            Way::Main => (current.connected.connection.clone(), None),
            Way::MainFirst => {
                let server = current.connected.server.clone();
                tokio::spawn(make_lane(Arc::clone(self), server, number));
                (current.connected.connection.clone(), None)
            }
        };
        Ok(Pinned {
            state: self,
            connection,
            which: Which { number, lane },
        })
    }

    /// Gives this connection up, if it is one of the current ones.
    fn lose(&self, which: Which, reason: &str) {
        let mut current = self.lock();
        let Some(there) = current
            .as_mut()
            .filter(|there| there.number == which.number)
        else {
            return;
        };
        match which.lane {
            Some(lane) => there.lanes.shut(lane),
            None => {
                *current = None;
                self.availability.send_replace(Availability::Unavailable);
            }
        }
        drop(current);
        if which.lane.is_none() {
            tracing::warn!(address = self.connector.name(), reason, "Redis is lost");
        }
        self.look.notify_one();
    }

    /// Lets connections beside the main one be made anew that were given up.
    fn renew_lanes(&self) {
        if let Some(current) = &mut *self.lock() {
            current.lanes.renew();
        }
    }

    /// Finds out which connections are of use, and gives up those that are not. Whether there is
    /// a main one that is none of those that need to be given up.
    async fn check(&self) -> Availability {
        let (mut main, number, lanes) = match &*self.lock() {
            Some(current) => {
                let lanes = current.lanes.opened();
                (current.connected.clone(), current.number, lanes)
            }
            None => return Availability::Unavailable,
        };
        let lanes = lanes.into_iter().map(async |(lane, mut connection)| {
            let lane = Some(lane);
            self.judge(Which { number, lane }, probe(&mut connection).await);
        });
        let main = async {
            let lane = None;
            self.judge(
                Which { number, lane },
                self.connector.check(&mut main).await,
            );
        };
        tokio::join!(main, future::join_all(lanes));
        Availability::Available
    }

    fn judge(&self, which: Which, answer: RedisResult<()>) {
        if let Err(error) = answer {
            match Fault::of(&error) {
                Fault::Lost | Fault::Late => self.lose(which, &error.to_string()),
                Fault::Refused | Fault::Wrong => {}
            }
        }
    }
}

/// Makes a connection for this runtime, beside the main one of this number.
async fn make_lane(state: Arc<State>, server: Server, number: u64) {
    let made = async {
        let mut made = state.connector.to(server, on_push(&state)).await?;
        probe(&mut made.connection).await?;
        RedisResult::Ok(made.connection)
    };
    let made = made.await;
    let here = Handle::current().id();
    if let Some(current) = state.lock().as_mut().filter(|there| there.number == number) {
        match made {
            Ok(connection) => current.lanes.open(here, connection),
            Err(_) => current.lanes.shut(here),
        }
    }
}

/// What is done with what comes without being asked for: only the end matters, and then the
/// keeper looks whose end it was. Holds no strong reference, since the connection holds it.
fn on_push(state: &Arc<State>) -> impl Fn(PushInfo) + Clone + Send + Sync + 'static {
    let state = Arc::downgrade(state);
    move |info| {
        if info.kind == PushKind::Disconnection
            && let Some(state) = Weak::upgrade(&state)
        {
            state.look.notify_one();
        }
    }
}

/// Looks after the connections: probes them now and then and when there is doubt, and makes a
/// new one when the main one is lost.
async fn keep(state: Arc<State>) {
    let mut ticks = time::interval(state.connector.ping_interval);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut number = 0;
    loop {
        tokio::select! {
            _ = ticks.tick() => state.renew_lanes(),
            () = state.look.notified() => {}
        }
        if state.check().await == Availability::Available {
            continue;
        }
        number += 1;
        let connected = state.connector.again(on_push(&state)).await;
        let address = connected.server.address.to_string();
        let mut current = state.lock();
        *current = Some(Current::new(connected, number));
        state.made.store(true, Ordering::Release);
        state.availability.send_replace(Availability::Available);
        drop(current);
        tracing::info!(address, "connected to Redis");
    }
}
