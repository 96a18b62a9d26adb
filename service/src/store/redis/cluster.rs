//! The nodes of a Redis Cluster, and which of them has which shard.
//!
//! A shard is one hash slot, so there are as many slots to know of as shards. Where they are is
//! asked of any node: at the start, now and then, and when a node is lost or says that a shard
//! is elsewhere. A command that a node refuses for this reason has done nothing and is sent to
//! the node it names, within the time that a command may take.

use std::collections::HashMap;
use std::io;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use redis::{
    AsyncConnectionConfig, Cmd, ErrorKind, RedisError, RedisResult, ServerErrorKind, Value,
};
use tokio::sync::{Notify, watch};
use tokio::time::{self, Instant};

use super::RedisStoreConfig;
use super::connector::{Background, ConnectError, Connector, Place, Waits};
use super::fault::{CallError, Fault, NotConnected};
use super::keys::Shard;
use super::link::{Call, Link};
use super::servers::Kind;
use super::url::{Access, Address, Server};
use crate::store::{Availability, StoreError};

/// How often nodes are asked for the shards although nothing seems to have changed.
const REFRESH: Duration = Duration::from_secs(10);
/// Between two attempts at a shard that is on its way from one node to another.
const MOVING: Duration = Duration::from_millis(10);

/// A cluster, with a connection to each node that has shards.
#[derive(Debug)]
pub(super) struct Cluster {
    nodes: Nodes,
    _keeper: Background,
}

/// The nodes of a cluster.
#[derive(Clone, Debug)]
pub(super) struct Nodes(Arc<State>);

#[derive(Debug)]
struct State {
    seeds: Vec<Address>,
    access: Access,
    config: RedisStoreConfig,
    table: Mutex<Table>,
    availability: watch::Sender<Availability>,
    /// Asks the keeper to find out now where the shards are.
    look: Notify,
}

#[derive(Debug, Default)]
struct Table {
    owners: HashMap<Shard, Address>,
    links: HashMap<Address, Arc<Link>>,
}

/// What a node says about a shard that it does not serve.
enum Elsewhere {
    /// It belongs to this node.
    Moved(Address),
    /// This key is on this node while its shard moves.
    Ask(Address),
    /// Its keys are in part on another node: the same again, soon.
    Soon,
}

impl Cluster {
    /// Finds the nodes and connects to them.
    pub(super) async fn connect(
        seeds: Vec<Address>,
        access: Access,
        config: &RedisStoreConfig,
        deadline: Instant,
    ) -> Result<Self, ConnectError> {
        let nodes = Nodes(Arc::new(State {
            seeds,
            access,
            config: config.clone(),
            table: Mutex::default(),
            availability: watch::Sender::new(Availability::Available),
            look: Notify::new(),
        }));
        nodes.find(deadline).await?;
        Ok(Self {
            _keeper: Background::spawn(keep(nodes.clone())),
            nodes,
        })
    }

    pub(super) const fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    pub(super) fn availability(&self) -> watch::Receiver<Availability> {
        self.nodes.0.availability.subscribe()
    }

    /// The connections to all nodes that have shards.
    pub(super) fn links(&self) -> Vec<Arc<Link>> {
        self.nodes.0.lock().links.values().cloned().collect()
    }

    /// Sends a command to the node that has the shard.
    pub(super) async fn call(
        &self,
        shard: Shard,
        call: &Call<'_>,
        kind: Kind,
    ) -> Result<Value, StoreError> {
        let state = &self.nodes.0;
        let deadline = Instant::now() + state.config.command_timeout;
        let mut node = state.owner(shard)?;
        let mut asking = false;
        loop {
            let link = state.link(&node);
            link.connected(deadline).await;
            let answer = match (asking, kind) {
                (true, _) => link.call_asking(call).await,
                (false, Kind::Plain) => link.call(call).await,
                (false, Kind::Write) => link.write(call).await,
            };
            let error = match answer {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            let Some(elsewhere) = Elsewhere::of(&error, &node) else {
                state.doubt(&error);
                return Err(error.into());
            };
            if Instant::now() >= deadline {
                return Err(StoreError::Unavailable(Box::new(error)));
            }
            asking = false;
            match elsewhere {
                Elsewhere::Moved(to) => {
                    state.moved(shard, &to);
                    node = to;
                }
                Elsewhere::Ask(to) => {
                    node = to;
                    asking = true;
                }
                Elsewhere::Soon => {
                    time::sleep(MOVING).await;
                    node = state.owner(shard)?;
                }
            }
        }
    }
}

impl Elsewhere {
    fn of(error: &CallError, node: &Address) -> Option<Self> {
        let CallError::Redis(error) = error else {
            return None;
        };
        let address = || {
            let (host, port) = error.redirect_node()?.0.rsplit_once(':')?;
            // Without a host it is the one that was asked.
            let host = if host.is_empty() { &node.host } else { host };
            Some(Address {
                host: host.to_owned(),
                port: port.parse().ok()?,
            })
        };
        if error.kind() == ErrorKind::Server(ServerErrorKind::Moved) {
            Some(Self::Moved(address()?))
        } else if error.kind() == ErrorKind::Server(ServerErrorKind::Ask) {
            Some(Self::Ask(address()?))
        } else if error.kind() == ErrorKind::Server(ServerErrorKind::TryAgain) {
            Some(Self::Soon)
        } else {
            None
        }
    }
}

impl State {
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn owner(&self, shard: Shard) -> Result<Address, NotConnected> {
        let owner = self.lock().owners.get(&shard).cloned();
        if owner.is_none() {
            self.look.notify_one();
        }
        owner.ok_or(NotConnected)
    }

    /// The connection to a node, made now if there is none.
    fn link(&self, address: &Address) -> Arc<Link> {
        let mut table = self.lock();
        let link = table.links.entry(address.clone());
        Arc::clone(link.or_insert_with(|| {
            let server = Server {
                address: address.clone(),
                access: self.access.clone(),
            };
            Arc::new(Link::start(Connector::new(
                Place::Fixed(server),
                &self.config,
            )))
        }))
    }

    fn moved(&self, shard: Shard, to: &Address) {
        self.lock().owners.insert(shard, to.clone());
        self.look.notify_one();
    }

    /// Looks again where the shards are, if an error says that a node does not do its work.
    fn doubt(&self, error: &CallError) {
        let lost = match error {
            CallError::NotConnected(_) => true,
            CallError::Redis(error) => Fault::of(error) == Fault::Lost,
            CallError::NotReplicated(_) => false,
        };
        if lost {
            self.look.notify_one();
        }
    }

    /// Takes what a node said over, and gives up the connections to nodes without shards.
    fn take_over(&self, slots: &[(RangeInclusive<u16>, Address)]) {
        let owner = |shard: Shard| {
            let mut slots = slots.iter();
            let (_, address) = slots.find(|(slots, _)| slots.contains(&shard.slot()))?;
            Some((shard, address.clone()))
        };
        let owners: HashMap<Shard, Address> = Shard::all().filter_map(owner).collect();
        for address in owners.values() {
            self.link(address);
        }
        let mut table = self.lock();
        table
            .links
            .retain(|address, _| owners.values().any(|owner| owner == address));
        table.owners = owners;
    }

    /// Says whether any node is there. With some of them gone, their games alone are.
    fn judge(&self) {
        let available = |link: &Arc<Link>| *link.availability().borrow() == Availability::Available;
        let now = if self.lock().links.values().any(available) {
            Availability::Available
        } else {
            Availability::Unavailable
        };
        self.availability.send_if_modified(|was| {
            let changed = *was != now;
            *was = now;
            changed
        });
    }

    /// Whether a node with shards is away.
    fn lacks(&self) -> bool {
        let away = |link: &Arc<Link>| *link.availability().borrow() != Availability::Available;
        let table = self.lock();
        table.links.values().any(away) || table.owners.len() < Shard::all().count()
    }

    /// The nodes that may know where the shards are, beginning anywhere.
    fn known(&self) -> Vec<Address> {
        let mut known: Vec<Address> = self.lock().links.keys().cloned().collect();
        if !known.is_empty() {
            let first = draw(known.len());
            known.rotate_left(first);
        }
        known.extend(self.seeds.iter().cloned());
        known
    }

    /// Finds out where the shards are.
    async fn refresh(&self) -> RedisResult<()> {
        let limit = self.config.command_timeout;
        let mut last = RedisError::from(io::Error::from(io::ErrorKind::NotConnected));
        for address in self.known() {
            let late = |_| Err(RedisError::from(io::Error::from(io::ErrorKind::TimedOut)));
            let asked = time::timeout(limit, self.ask(&address)).await;
            match asked.unwrap_or_else(late) {
                Ok(slots) if !slots.is_empty() => {
                    self.take_over(&slots);
                    return Ok(());
                }
                Ok(_) => {}
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    async fn ask(&self, address: &Address) -> RedisResult<Vec<(RangeInclusive<u16>, Address)>> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.config.connect_timeout))
            .set_response_timeout(Some(self.config.command_timeout));
        let client = self.access.client(address)?;
        let mut connection = client
            .get_multiplexed_async_connection_with_config(&config)
            .await?;
        let mut command = Cmd::new();
        command.arg("CLUSTER").arg("SLOTS");
        let rows: Vec<Vec<Value>> = command.query_async(&mut connection).await?;
        rows.iter().map(|row| slots(row, address)).collect()
    }
}

/// One row of `CLUSTER SLOTS`: first and last slot, the master, its replicas.
fn slots(row: &[Value], asked: &Address) -> RedisResult<(RangeInclusive<u16>, Address)> {
    let unexpected = || RedisError::from((ErrorKind::Parse, "CLUSTER SLOTS"));
    let [first, last, master, ..] = row else {
        return Err(unexpected());
    };
    let (first, last): (u16, u16) = (
        redis::from_redis_value_ref(first)?,
        redis::from_redis_value_ref(last)?,
    );
    let master: Vec<Value> = redis::from_redis_value_ref(master)?;
    let [host, port, ..] = master.as_slice() else {
        return Err(unexpected());
    };
    let host: Option<String> = redis::from_redis_value_ref(host)?;
    Ok((
        first..=last,
        Address {
            host: host
                .filter(|host| !host.is_empty() && host != "?")
                .unwrap_or_else(|| asked.host.clone()),
            port: redis::from_redis_value_ref(port)?,
        },
    ))
}

fn draw(below: usize) -> usize {
    let drawn = getrandom::u32().unwrap_or_default();
    usize::try_from(drawn).unwrap_or_default() % below
}

impl Nodes {
    /// Any node that has shards.
    pub(super) fn any(&self) -> RedisResult<Server> {
        let nodes: Vec<Address> = self.0.lock().links.keys().cloned().collect();
        let drawn = (!nodes.is_empty()).then(|| draw(nodes.len()));
        let address = drawn.and_then(|drawn| nodes.get(drawn).cloned());
        let address = address.ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected))?;
        Ok(Server {
            address,
            access: self.0.access.clone(),
        })
    }

    /// Whether a node has shards.
    pub(super) fn has(&self, address: &Address) -> bool {
        self.0.lock().owners.values().any(|owner| owner == address)
    }

    /// Finds all shards, and connects to their nodes, until the deadline.
    async fn find(&self, deadline: Instant) -> Result<(), ConnectError> {
        let state = &self.0;
        let mut waits = Waits::default();
        loop {
            let late = |_| Err(RedisError::from(io::Error::from(io::ErrorKind::TimedOut)));
            let refreshed = time::timeout_at(deadline, state.refresh()).await;
            let source = match refreshed.unwrap_or_else(late) {
                Ok(()) => {
                    let links: Vec<_> = state.lock().links.values().cloned().collect();
                    for link in links {
                        link.connected(deadline).await;
                    }
                    if !state.lacks() {
                        return Ok(());
                    }
                    RedisError::from((
                        ErrorKind::Server(ServerErrorKind::ClusterDown),
                        "some shards have no node that answers",
                    ))
                }
                Err(source) => source,
            };
            let seeds = state.seeds.iter().map(Address::to_string);
            let address = seeds.collect::<Vec<_>>().join(",");
            if Fault::of(&source) == Fault::Wrong {
                return Err(ConnectError::Refused { address, source });
            }
            let next = Instant::now() + waits.next();
            if next >= deadline {
                return Err(ConnectError::NoAnswer { address, source });
            }
            time::sleep_until(next).await;
        }
    }
}

/// Keeps the table up to date: now and then, and more often while something is amiss.
async fn keep(nodes: Nodes) {
    let state = &nodes.0;
    let mut waits = Waits::default();
    let mut refreshed = Instant::now();
    loop {
        let _ = time::timeout(state.config.ping_interval, state.look.notified()).await;
        state.judge();
        if !state.lacks() && refreshed.elapsed() < REFRESH {
            waits = Waits::default();
            // A shard may have moved; what has told so was taken over.
            continue;
        }
        match state.refresh().await {
            Ok(()) => refreshed = Instant::now(),
            Err(error) => tracing::warn!(%error, "no node of the cluster says where shards are"),
        }
        state.judge();
        time::sleep(waits.next()).await;
    }
}
