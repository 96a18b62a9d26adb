//! Sending commands on one connection.

use redis::aio::MultiplexedConnection;
use redis::{Cmd, FromRedisValue, Pipeline, RedisError, RedisResult, Value};
use tokio::runtime;
use tokio::time::Instant;
use tracing::Instrument;

use super::state::State;
use crate::store::redis::ReplicaWait;
use crate::store::redis::fault::{CallError, Fault, is_unknown_script};
use crate::store::redis::script::Script;
use crate::store::redis::times::{self, PIPELINE};
use crate::telemetry::traces;

/// A command to send.
#[derive(Clone, Copy, Debug)]
pub(in crate::store::redis) struct Call<'a> {
    pub(super) command: &'a Cmd,
    /// The script that the command runs by its hash.
    pub(super) script: Option<&'static Script>,
}

impl<'a> Call<'a> {
    pub(in crate::store::redis) const fn command(command: &'a Cmd) -> Self {
        Self {
            command,
            script: None,
        }
    }

    pub(in crate::store::redis) const fn script(script: &'static Script, command: &'a Cmd) -> Self {
        Self {
            command,
            script: Some(script),
        }
    }
}

/// One connection: when it is lost, there is no other.
#[derive(Clone, Debug)]
pub(in crate::store::redis) struct Pinned<'a> {
    pub(super) state: &'a State,
    pub(super) connection: MultiplexedConnection,
    /// Which of the link's.
    pub(super) which: Which,
}

/// Tells the connections of a link from each other, also from those before, so that a late error
/// of an old one does no harm to a new one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Which {
    /// The number of the main connection, or of that beside which it was made.
    pub(super) number: u64,
    /// Whose it is, if it is not the main one.
    pub(super) lane: Option<runtime::Id>,
}

impl Pinned<'_> {
    /// Sends a command.
    pub(in crate::store::redis) async fn call(
        &mut self,
        call: &Call<'_>,
    ) -> Result<Value, CallError> {
        let connection = &mut self.connection;
        let asked = async {
            let answer = call.command.query_async(connection).await;
            match call.script {
                Some(script) if answer.as_ref().is_err_and(is_unknown_script) => {
                    let command = script.with_text(call.command);
                    command.query_async(connection).await
                }
                _ => answer,
            }
        };
        let asked = timed(self.state, times::name(call.command), asked);
        asked.await.map_err(|error| self.conclude(error))
    }

    /// Sends several commands at once.
    pub(super) async fn pipeline<T: FromRedisValue>(
        &mut self,
        pipeline: &Pipeline,
    ) -> Result<T, CallError> {
        let asked = pipeline.query_async(&mut self.connection);
        let answer = timed(self.state, PIPELINE, asked).await;
        answer.map_err(|error| self.conclude(error))
    }

    /// Sends several commands at once; the answers are in the same order, one error being no
    /// matter to the others.
    pub(super) async fn each(
        &mut self,
        commands: impl Iterator<Item = Cmd>,
    ) -> Vec<Result<Value, CallError>> {
        let mut pipeline = redis::pipe();
        pipeline.ignore_errors();
        for command in commands {
            pipeline.add_command(command);
        }
        if pipeline.is_empty() {
            return Vec::new();
        }
        let answers: Result<Vec<RedisResult<Value>>, CallError> = self.pipeline(&pipeline).await;
        let answers = match answers {
            Ok(answers) => answers.into_iter(),
            Err(error) => return vec![Err(error); pipeline.len()],
        };
        answers
            .map(|answer| answer.map_err(|error| self.conclude(error)))
            .collect()
    }

    /// Waits until replicas have all that was written on this connection; how many have.
    pub(in crate::store::redis) async fn wait(
        &mut self,
        wait: ReplicaWait,
    ) -> Result<u32, CallError> {
        let mut command = redis::cmd("WAIT");
        let timeout = u64::try_from(wait.timeout.as_millis()).unwrap_or(u64::MAX);
        command.arg(wait.replicas).arg(timeout.max(1));
        let asked = command.query_async(&mut self.connection);
        let answer = timed(self.state, times::name(&command), asked).await;
        answer.map_err(|error| self.conclude(error))
    }

    /// Draws conclusions for the connection from an error.
    fn conclude(&self, error: RedisError) -> CallError {
        match Fault::of(&error) {
            Fault::Lost => self.state.lose(self.which, &error.to_string()),
            Fault::Late => self.state.look.notify_one(),
            Fault::Refused | Fault::Wrong => {}
        }
        error.into()
    }
}

/// Asks something of Redis, traced and counted.
async fn timed<T>(
    state: &State,
    name: &'static str,
    asked: impl Future<Output = RedisResult<T>>,
) -> RedisResult<T> {
    let begun = Instant::now();
    let answer = asked.instrument(traces::of_redis(name)).await;
    let fault = answer.as_ref().err().map(Fault::of);
    state.connector.times.observe(name, begun.elapsed(), fault);
    answer
}
