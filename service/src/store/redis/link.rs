//! The connection that carries the commands. It is watched, and replaced when it is lost.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use redis::aio::MultiplexedConnection;
use redis::{Cmd, FromRedisValue, Pipeline, PushInfo, PushKind, RedisResult};
use tokio::sync::{Notify, watch};
use tokio::time::{self, Instant, MissedTickBehavior};

use super::connector::{Background, ConnectError, Connector, is_unknown_script, probe};
use super::fault::{Fault, NotConnected};
use super::script::Script;
use crate::store::{Availability, StoreError};

/// The connection that carries the commands of all callers. While there is none, commands
/// fail at once.
#[derive(Debug)]
pub(super) struct Link {
    state: Arc<State>,
    /// Keeps the connection.
    _keeper: Background,
}

#[derive(Debug)]
struct State {
    connector: Connector,
    current: Mutex<Option<Current>>,
    availability: watch::Sender<Availability>,
    /// Asks the keeper to look after the connection now.
    look: Notify,
}

#[derive(Clone, Debug)]
struct Current {
    connection: MultiplexedConnection,
    /// Tells this connection from those before, so that a late error of an old one does no
    /// harm to a new one.
    number: u64,
}

impl Link {
    pub(super) async fn connect(
        connector: Connector,
        deadline: Instant,
    ) -> Result<Self, ConnectError> {
        let state = Arc::new(State {
            connector,
            current: Mutex::default(),
            availability: watch::Sender::new(Availability::Available),
            look: Notify::new(),
        });
        let connection = state.connector.first(deadline, on_push(&state)).await?;
        *state.lock() = Some(Current {
            connection,
            number: 0,
        });
        Ok(Self {
            _keeper: Background::spawn(keep(Arc::clone(&state))),
            state,
        })
    }

    pub(super) fn availability(&self) -> watch::Receiver<Availability> {
        self.state.availability.subscribe()
    }

    /// Sends a command.
    pub(super) async fn command<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, StoreError> {
        let mut current = self.state.current()?;
        let answer = command.query_async(&mut current.connection).await;
        self.state.judge(current.number, answer)
    }

    /// Sends several commands at once.
    pub(super) async fn pipeline<T: FromRedisValue>(
        &self,
        pipeline: &Pipeline,
    ) -> Result<T, StoreError> {
        let mut current = self.state.current()?;
        let answer = pipeline.query_async(&mut current.connection).await;
        self.state.judge(current.number, answer)
    }

    /// Runs a script by a command that was made of it.
    pub(super) async fn script<T: FromRedisValue>(
        &self,
        script: &Script,
        command: &Cmd,
    ) -> Result<T, StoreError> {
        let mut current = self.state.current()?;
        let connection = &mut current.connection;
        let mut answer = command.query_async(connection).await;
        if answer.as_ref().is_err_and(is_unknown_script) {
            answer = script.with_text(command).query_async(connection).await;
        }
        self.state.judge(current.number, answer)
    }

    /// Runs a script several times at once, by commands that were made of it.
    pub(super) async fn scripts<T: FromRedisValue>(
        &self,
        script: &Script,
        commands: &[Cmd],
    ) -> Result<T, StoreError> {
        let mut current = self.state.current()?;
        let mut pipeline = redis::pipe();
        for command in commands {
            pipeline.add_command(command.clone());
        }
        let mut answer = pipeline.query_async(&mut current.connection).await;
        if answer.as_ref().is_err_and(is_unknown_script) {
            pipeline.clear();
            for command in commands {
                pipeline.add_command(script.with_text(command));
            }
            answer = pipeline.query_async(&mut current.connection).await;
        }
        self.state.judge(current.number, answer)
    }
}

impl State {
    fn lock(&self) -> MutexGuard<'_, Option<Current>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn current(&self) -> Result<Current, NotConnected> {
        self.lock().clone().ok_or(NotConnected)
    }

    /// Turns the answer of a connection into that of the store, and draws conclusions for the
    /// connection.
    fn judge<T>(&self, number: u64, answer: RedisResult<T>) -> Result<T, StoreError> {
        answer.map_err(|error| {
            match Fault::of(&error) {
                Fault::Lost => self.lose(number, &error.to_string()),
                Fault::Late => self.look.notify_one(),
                Fault::Refused | Fault::Wrong => {}
            }
            error.into()
        })
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
            tracing::warn!(address = self.connector.address(), reason, "Redis is lost");
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
            if let Err(error) = probe(&mut current.connection).await {
                match Fault::of(&error) {
                    Fault::Lost | Fault::Late => state.lose(current.number, &error.to_string()),
                    Fault::Refused | Fault::Wrong => {}
                }
            }
        } else {
            number += 1;
            let connection = state.connector.again(on_push(&state)).await;
            let mut current = state.lock();
            *current = Some(Current { connection, number });
            state.availability.send_replace(Availability::Available);
            drop(current);
            tracing::info!(address = state.connector.address(), "Redis is back");
        }
    }
}
