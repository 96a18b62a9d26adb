//! The servers that commands go to: one, or the nodes of a cluster.

use std::sync::Arc;

use futures_util::future;
use redis::{Cmd, FromRedisValue, RedisError, Value};
use tokio::sync::watch;
use tokio::time::Instant;

use super::RedisStoreConfig;
use super::cluster::Cluster;
use super::connector::{ConnectError, Connector, Place};
use super::keys::Shard;
use super::link::{Call, Link};
use super::script::Script;
use super::sentinel::Sentinels;
use super::url::Deployment;
use crate::store::{Availability, StoreError};

/// Whether a command waits for replicas, if that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It does not.
    Plain,
    /// It does.
    Write,
}

/// Sends commands to where their shard is.
#[derive(Debug)]
pub(super) enum Servers {
    /// To the only server.
    One(Arc<Link>),
    /// To the node that has the shard.
    Cluster(Cluster),
}

impl Servers {
    /// Connects to the servers; also says what else connects to them.
    pub(super) async fn connect(
        deployment: Deployment,
        config: &RedisStoreConfig,
        deadline: Instant,
    ) -> Result<(Self, Connector), ConnectError> {
        let place = match deployment {
            Deployment::Single(server) => Place::Fixed(server),
            Deployment::Sentinel {
                sentinels,
                master,
                access,
            } => Place::Master(Sentinels {
                sentinels,
                master,
                access,
                timeout: config.command_timeout,
            }),
            Deployment::Cluster { seeds, access } => {
                let cluster = Cluster::connect(seeds, access, config, deadline).await?;
                let place = Place::AnyNode(cluster.nodes().clone());
                return Ok((Self::Cluster(cluster), Connector::new(place, config)));
            }
        };
        let connector = Connector::new(place, config);
        let link = Link::connect(connector.clone(), deadline).await?;
        Ok((Self::One(Arc::new(link)), connector))
    }

    pub(super) fn availability(&self) -> watch::Receiver<Availability> {
        match self {
            Self::One(link) => link.availability(),
            Self::Cluster(cluster) => cluster.availability(),
        }
    }

    /// The connections to all servers.
    pub(super) fn links(&self) -> Vec<Arc<Link>> {
        match self {
            Self::One(link) => vec![Arc::clone(link)],
            Self::Cluster(cluster) => cluster.links(),
        }
    }

    /// Sends a command on keys of a shard.
    pub(super) async fn command<T: FromRedisValue>(
        &self,
        shard: Shard,
        command: &Cmd,
    ) -> Result<T, StoreError> {
        read(
            self.call(shard, &Call::command(command), Kind::Plain)
                .await?,
        )
    }

    /// Runs a script on keys of a shard by a command that was made of it.
    pub(super) async fn script<T: FromRedisValue>(
        &self,
        shard: Shard,
        script: &'static Script,
        command: &Cmd,
    ) -> Result<T, StoreError> {
        let call = Call::script(script, command);
        read(self.call(shard, &call, Kind::Plain).await?)
    }

    /// Runs a script as [`script`](Self::script) does, and waits for replicas if that is asked
    /// for.
    pub(super) async fn write<T: FromRedisValue>(
        &self,
        shard: Shard,
        script: &'static Script,
        command: &Cmd,
    ) -> Result<T, StoreError> {
        let call = Call::script(script, command);
        read(self.call(shard, &call, Kind::Write).await?)
    }

    /// Sends commands to shards at once; the answers are in the same order.
    pub(super) async fn each<T: FromRedisValue>(
        &self,
        commands: &[(Shard, Cmd)],
    ) -> Result<Vec<T>, StoreError> {
        if commands.is_empty() {
            return Ok(Vec::new());
        }
        match self {
            Self::One(link) => {
                let mut pipeline = redis::pipe();
                for (_, command) in commands {
                    pipeline.add_command(command.clone());
                }
                Ok(link.pipeline(&pipeline).await?)
            }
            Self::Cluster(cluster) => {
                let answers = commands.iter().map(async |(shard, command)| {
                    read(
                        cluster
                            .call(*shard, &Call::command(command), Kind::Plain)
                            .await?,
                    )
                });
                future::try_join_all(answers).await
            }
        }
    }

    /// Runs a script on shards at once by commands that were made of it; the answers are in the
    /// same order.
    pub(super) async fn scripts<T: FromRedisValue>(
        &self,
        script: &'static Script,
        commands: &[(Shard, Cmd)],
    ) -> Result<Vec<Result<T, StoreError>>, StoreError> {
        match self {
            Self::One(link) => {
                let commands = commands.iter().map(|(_, command)| command);
                let answers = link.scripts(script, commands).await?;
                Ok(answers.into_iter().map(|answer| read(answer?)).collect())
            }
            Self::Cluster(cluster) => {
                let answers = commands.iter().map(async |(shard, command)| {
                    let call = Call::script(script, command);
                    read(cluster.call(*shard, &call, Kind::Plain).await?)
                });
                Ok(future::join_all(answers).await)
            }
        }
    }

    async fn call(&self, shard: Shard, call: &Call<'_>, kind: Kind) -> Result<Value, StoreError> {
        match (self, kind) {
            (Self::One(link), Kind::Plain) => Ok(link.call(call).await?),
            (Self::One(link), Kind::Write) => Ok(link.write(call).await?),
            (Self::Cluster(cluster), kind) => cluster.call(shard, call, kind).await,
        }
    }
}

fn read<T: FromRedisValue>(value: Value) -> Result<T, StoreError> {
    Ok(T::from_redis_value(value).map_err(RedisError::from)?)
}
