//! The connection that carries the commands. It is watched, and replaced when it is lost.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use redis::{Cmd, FromRedisValue, Pipeline, PushInfo, PushKind, RedisError, RedisResult, Value};
use tokio::sync::{Notify, watch};
use tokio::time::{self, Instant, MissedTickBehavior};
use tracing::Instrument;

use super::ReplicaWait;
use super::commit::Commit;
use super::connector::{Background, ConnectError, Connected, Connector, is_unknown_script};
use super::fault::{CallError, Fault, NotConnected};
use super::script::Script;
use super::times::{self, PIPELINE};
use crate::store::Availability;
use crate::telemetry::traces;

/// The connection that carries the commands of all callers. While there is none, commands
/// fail at once.
#[derive(Debug)]
pub(super) struct Link {
    state: Arc<State>,
    /// For writes, if they wait for replicas.
    commit: Option<Commit>,
    /// Keeps the connection.
    _keeper: Background,
}

#[derive(Debug)]
struct State {
    connector: Connector,
    current: Mutex<Option<Current>>,
    /// Whether there has been a connection.
    made: AtomicBool,
    availability: watch::Sender<Availability>,
    /// Asks the keeper to look after the connection now.
    look: Notify,
}

#[derive(Clone, Debug)]
struct Current {
    connected: Connected,
    /// Tells this connection from those before, so that a late error of an old one does no
    /// harm to a new one.
    number: u64,
}

/// A command to send.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call<'a> {
    command: &'a Cmd,
    /// The script that the command runs by its hash.
    script: Option<&'static Script>,
}

impl<'a> Call<'a> {
    pub(super) const fn command(command: &'a Cmd) -> Self {
        Self {
            command,
            script: None,
        }
    }

    pub(super) const fn script(script: &'static Script, command: &'a Cmd) -> Self {
        Self {
            command,
            script: Some(script),
        }
    }
}

impl Link {
    /// A link whose connection is there.
    pub(super) async fn connect(
        connector: Connector,
        deadline: Instant,
    ) -> Result<Self, ConnectError> {
        let state = State::new(connector, Availability::Available);
        let connected = state.connector.first(deadline, on_push(&state)).await?;
        *state.lock() = Some(Current {
            connected,
            number: 0,
        });
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
        self.state.pinned()?.call(call).await
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
        self.state.pinned()
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
        let mut current = self.state.current()?;
        let connection = &mut current.connected.connection;
        let begun = Instant::now();
        let asked = pipeline.query_async(connection);
        let answer = asked.instrument(traces::of_redis(PIPELINE)).await;
        self.state.judge(current.number, PIPELINE, begun, answer)
    }

    /// Runs a script several times at once, by commands that were made of it; the answers are in
    /// the same order. What Redis has carried out is not sent again when it did not know the
    /// script for the rest.
    pub(super) async fn scripts<'a>(
        &self,
        script: &Script,
        commands: impl Iterator<Item = &'a Cmd> + Clone,
    ) -> Result<Vec<Result<Value, CallError>>, CallError> {
        let pinned = self.state.pinned()?;
        let mut answers = pinned.all(commands.clone().cloned()).await;
        let refused = answers.iter_mut().zip(commands);
        let refused = refused.filter(|(answer, _)| matches!(answer, Err(CallError::Redis(error)) if is_unknown_script(error)));
        let (refused, again): (Vec<_>, Vec<Cmd>) = refused
            .map(|(answer, command)| (answer, script.with_text(command)))
            .unzip();
        for (place, answer) in refused.into_iter().zip(pinned.all(again.into_iter()).await) {
            *place = answer;
        }
        Ok(answers)
    }
}

/// One connection: when it is lost, there is no other.
#[derive(Debug)]
pub(super) struct Pinned<'a> {
    state: &'a State,
    current: Current,
}

impl Pinned<'_> {
    /// Sends a command.
    pub(super) async fn call(&self, call: &Call<'_>) -> Result<Value, CallError> {
        let mut connection = self.current.connected.connection.clone();
        let begun = Instant::now();
        let name = times::name(call.command);
        let asked = async {
            let answer = call.command.query_async(&mut connection).await;
            match call.script {
                Some(script) if answer.as_ref().is_err_and(is_unknown_script) => {
                    let command = script.with_text(call.command);
                    command.query_async(&mut connection).await
                }
                _ => answer,
            }
        };
        let answer = asked.instrument(traces::of_redis(name)).await;
        self.state.judge(self.current.number, name, begun, answer)
    }

    /// Sends several commands at once; the answers are in the same order.
    async fn all(&self, commands: impl Iterator<Item = Cmd>) -> Vec<Result<Value, CallError>> {
        let mut pipeline = redis::pipe();
        pipeline.ignore_errors();
        for command in commands {
            pipeline.add_command(command);
        }
        if pipeline.is_empty() {
            return Vec::new();
        }
        let mut connection = self.current.connected.connection.clone();
        let number = self.current.number;
        let begun = Instant::now();
        let asked = pipeline.query_async(&mut connection);
        let answers: RedisResult<Vec<RedisResult<Value>>> =
            asked.instrument(traces::of_redis(PIPELINE)).await;
        match self.state.judge(number, PIPELINE, begun, answers) {
            Ok(answers) => answers
                .into_iter()
                .map(|answer| answer.map_err(|error| self.state.conclude(number, error)))
                .collect(),
            Err(error) => vec![Err(error); pipeline.len()],
        }
    }

    /// Waits until replicas have all that was written on this connection; how many have.
    pub(super) async fn wait(&self, wait: ReplicaWait) -> Result<u32, CallError> {
        let mut command = redis::cmd("WAIT");
        let timeout = u64::try_from(wait.timeout.as_millis()).unwrap_or(u64::MAX);
        command.arg(wait.replicas).arg(timeout.max(1));
        let mut connection = self.current.connected.connection.clone();
        let begun = Instant::now();
        let name = times::name(&command);
        let asked = command.query_async(&mut connection);
        let answer = asked.instrument(traces::of_redis(name)).await;
        self.state.judge(self.current.number, name, begun, answer)
    }
}

impl State {
    fn new(connector: Connector, availability: Availability) -> Arc<Self> {
        Arc::new(Self {
            connector,
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

    fn current(&self) -> Result<Current, NotConnected> {
        self.lock().clone().ok_or(NotConnected)
    }

    fn pinned(&self) -> Result<Pinned<'_>, NotConnected> {
        let current = self.current()?;
        Ok(Pinned {
            state: self,
            current,
        })
    }

    /// Counts the answer to a command, and draws conclusions for the connection from it.
    fn judge<T>(
        &self,
        number: u64,
        command: &'static str,
        begun: Instant,
        answer: RedisResult<T>,
    ) -> Result<T, CallError> {
        let fault = answer.as_ref().err().map(Fault::of);
        self.connector
            .times
            .observe(command, begun.elapsed(), fault);
        answer.map_err(|error| self.conclude(number, error))
    }

    /// Draws conclusions for the connection from an error.
    fn conclude(&self, number: u64, error: RedisError) -> CallError {
        match Fault::of(&error) {
            Fault::Lost => self.lose(number, &error.to_string()),
            Fault::Late => self.look.notify_one(),
            Fault::Refused | Fault::Wrong => {}
        }
        error.into()
    }

    /// Gives this connection up, if it is the current one.
    fn lose(&self, number: u64, reason: &str) {
        let mut current = self.lock();
        if current
            .as_ref()
            .is_some_and(|current| current.number == number)
        {
            *current = None;
            self.availability.send_replace(Availability::Unavailable);
            drop(current);
            tracing::warn!(address = self.connector.name(), reason, "Redis is lost");
            self.look.notify_one();
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

/// Looks after the connection: probes it now and then and when there is doubt, and makes a
/// new one when it is lost.
async fn keep(state: Arc<State>) {
    let mut ticks = time::interval(state.connector.ping_interval);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut number = 0;
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = state.look.notified() => {}
        }
        if let Ok(mut current) = state.current() {
            if let Err(error) = state.connector.check(&mut current.connected).await {
                match Fault::of(&error) {
                    Fault::Lost | Fault::Late => state.lose(current.number, &error.to_string()),
                    Fault::Refused | Fault::Wrong => {}
                }
            }
        } else {
            number += 1;
            let connected = state.connector.again(on_push(&state)).await;
            let address = connected.address.to_string();
            let mut current = state.lock();
            *current = Some(Current { connected, number });
            state.made.store(true, Ordering::Release);
            state.availability.send_replace(Availability::Available);
            drop(current);
            tracing::info!(address, "connected to Redis");
        }
    }
}
