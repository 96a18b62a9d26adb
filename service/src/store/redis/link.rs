//! The connections that carry the commands to a server: a main one, which is watched, and replaced
//! when it is lost, and more beside it for threads that send many.

mod lanes;
mod pinned;
mod state;

use std::sync::Arc;

use redis::{Cmd, FromRedisValue, Pipeline, Value};
use tokio::sync::watch;
use tokio::time::{self, Instant};

pub(super) use self::pinned::{Call, Pinned};
use self::state::{State, keep};
use super::commit::Commit;
use super::connector::{Background, ConnectError, Connector};
use super::fault::{CallError, NotConnected};
use super::script::Script;
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

impl Link {
    /// A link whose connection is there.
    pub(super) async fn connect(
        connector: Connector,
        deadline: Instant,
    ) -> Result<Self, ConnectError> {
        Ok(Self::kept(State::connect(connector, deadline).await?))
    }

    /// A link whose connection is being made.
    pub(super) fn start(connector: Connector) -> Self {
        Self::kept(State::start(connector))
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
        self.state.pinned()?.pipeline(pipeline).await
    }

    /// Runs a script several times at once, by commands that were made of it; the answers are in
    /// the same order. What Redis has carried out is not sent again when it did not know the
    /// script for the rest.
    pub(super) async fn scripts<'a>(
        &self,
        script: &Script,
        commands: impl Iterator<Item = &'a Cmd> + Clone,
    ) -> Result<Vec<Result<Value, CallError>>, CallError> {
        let mut pinned = self.state.pinned()?;
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
