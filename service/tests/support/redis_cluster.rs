//! A real Redis Cluster for a test: three masters on loopback, each with a replica if wanted.

#![allow(dead_code, reason = "each test binary uses its part")]

use std::thread;
use std::time::{Duration, Instant};

use crate::redis_server::{Persistence, RedisServer, free_port};

/// How long the cluster may take to agree.
const LIMIT: Duration = Duration::from_secs(30);
const MASTERS: usize = 3;
/// The hash slots of a cluster.
const SLOTS: usize = 16384;

/// Whether the masters have replicas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replicas {
    /// They have not.
    None,
    /// One each.
    One,
}

/// A running cluster.
#[derive(Debug)]
pub(crate) struct RedisCluster {
    /// The masters, and then their replicas in the same order, as they were at the start.
    pub(crate) nodes: Vec<RedisServer>,
}

impl RedisCluster {
    /// Starts a cluster. `None` as [`RedisServer::start`].
    ///
    /// # Panics
    ///
    /// If it does not come up.
    pub(crate) fn start(persistence: Persistence, replicas: Replicas) -> Option<Self> {
        let count = match replicas {
            Replicas::None => MASTERS,
            Replicas::One => 2 * MASTERS,
        };
        let mut nodes = Vec::new();
        for number in 0..count {
            // The default is the port plus 10,000, which may be too large.
            let bus = free_port().to_string();
            let node = RedisServer::start_with(
                persistence,
                &[
                    "--cluster-enabled",
                    "yes",
                    "--cluster-port",
                    &bus,
                    "--cluster-node-timeout",
                    "1000",
                    "--cluster-require-full-coverage",
                    "no",
                    "--cluster-replica-validity-factor",
                    "0",
                    "--repl-diskless-sync-delay",
                    "0",
                ],
            )?;
            let epoch = (number + 1).to_string();
            node.command::<()>(&["CLUSTER", "SET-CONFIG-EPOCH", &epoch]);
            if let Some(first) = nodes.first() {
                let first: &RedisServer = first;
                let (port, bus) = (node.port().to_string(), bus.as_str());
                first.command::<()>(&["CLUSTER", "MEET", "127.0.0.1", &port, bus]);
            }
            nodes.push(node);
        }
        let cluster = Self { nodes };
        cluster.until("all know all", |node| {
            let known: String = node.command(&["CLUSTER", "INFO"]);
            known.contains(&format!("cluster_known_nodes:{count}\r\n"))
        });
        for (number, node) in cluster.nodes.iter().enumerate() {
            if number < MASTERS {
                let first = (number * SLOTS / MASTERS).to_string();
                let last = ((number + 1) * SLOTS / MASTERS - 1).to_string();
                node.command::<()>(&["CLUSTER", "ADDSLOTSRANGE", &first, &last]);
            } else {
                let master: String = cluster.nodes[number - MASTERS].command(&["CLUSTER", "MYID"]);
                node.command::<()>(&["CLUSTER", "REPLICATE", &master]);
            }
        }
        cluster.until("it is up", |node| {
            let info: String = node.command(&["CLUSTER", "INFO"]);
            let slots: Vec<Vec<redis::Value>> = node.command(&["CLUSTER", "SLOTS"]);
            // First and last slot, the master, its replica.
            let whole =
                slots.len() == MASTERS && slots.iter().all(|row| row.len() == 2 + count / MASTERS);
            info.contains("cluster_state:ok") && whole
        });
        if replicas == Replicas::One {
            cluster.until_in_step();
        }
        Some(cluster)
    }

    /// Its URL, which names two of the nodes.
    pub(crate) fn url(&self) -> String {
        format!(
            "redis+cluster://127.0.0.1:{},127.0.0.1:{}",
            self.nodes[1].port(),
            self.nodes[0].port()
        )
    }

    /// Empties it.
    pub(crate) fn clear(&self) {
        for node in &self.nodes {
            // A replica refuses, and follows its master.
            let _ = node.try_command::<()>(&["FLUSHALL"]);
        }
    }

    /// The number of a node that is a master and has a replica: another one for another number.
    pub(crate) fn a_master(&self, number: usize) -> usize {
        let masters: Vec<usize> = (0..self.nodes.len())
            .filter(|node| self.replica_of(*node).is_some())
            .collect();
        masters[number % masters.len()]
    }

    /// The node that is the replica of this one.
    fn replica_of(&self, node: usize) -> Option<usize> {
        let port = format!("master_port:{}\r\n", self.nodes[node].port());
        self.nodes.iter().position(|other| {
            let info = other.try_command::<String>(&["INFO", "replication"]);
            info.is_ok_and(|info| info.contains("role:slave") && info.contains(&port))
        })
    }

    /// Waits until the replica of a node that was killed has taken its place.
    pub(crate) fn until_replaced(&self, node: usize) {
        let replica = self.replica_of(node);
        // Without one, it has taken its place already.
        let Some(replica) = replica else { return };
        until_true("a replica takes over", || {
            let info: String = self.nodes[replica].command(&["INFO", "replication"]);
            info.contains("role:master")
        });
    }

    /// Waits until every master has a replica that has all of its data.
    pub(crate) fn until_in_step(&self) {
        until_true("all replicas are in step", || {
            let infos = self.nodes.iter().map(|node| {
                let info = node.try_command::<String>(&["INFO", "replication"]);
                info.unwrap_or_default()
            });
            let in_step = infos.filter(|info| {
                info.contains("role:slave") && info.contains("master_link_status:up")
            });
            in_step.count() == self.nodes.len() - MASTERS
        });
    }

    /// Has a replica take the place of its master, which is there and hands over.
    pub(crate) fn hand_over(&self, number: usize) {
        self.until_in_step();
        let master = self.a_master(number);
        let replica = self.replica_of(master).expect("it has a replica");
        let node = &self.nodes[replica];
        let is_master = || {
            let info: String = node.command(&["INFO", "replication"]);
            info.contains("role:master")
        };
        // It gives up after five seconds, and begins anew when it is told again.
        let mut asked: Option<Instant> = None;
        until_true("a replica takes over", || {
            if asked.is_none_or(|asked| asked.elapsed() > Duration::from_secs(6)) {
                node.command::<()>(&["CLUSTER", "FAILOVER"]);
                asked = Some(Instant::now());
            }
            is_master()
        });
    }

    fn until(&self, what: &str, is_true: impl Fn(&RedisServer) -> bool) {
        let deadline = Instant::now() + LIMIT;
        while !self.nodes.iter().all(&is_true) {
            assert!(Instant::now() < deadline, "still not: {what}");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

fn until_true(what: &str, mut is_true: impl FnMut() -> bool) {
    let deadline = Instant::now() + LIMIT;
    while !is_true() {
        assert!(Instant::now() < deadline, "still not: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}
