//! Several replicas, many games, and servers that are killed, paused and cut off meanwhile.
//! Afterwards the history of every game is checked against what its players were told.
//!
//! Each fault is made again and again for `REVERSI_FAULT_SECONDS`, and at least twice; `make
//! faults` takes longer than `make test` and prints the table.

#[cfg(test)]
#[path = "support/admin.rs"]
mod admin;
#[cfg(test)]
#[path = "faults/check.rs"]
mod check;
#[cfg(test)]
#[path = "support/client.rs"]
mod client;
#[cfg(test)]
#[path = "faults/follower.rs"]
mod follower;
#[cfg(test)]
#[path = "faults/in_a_cluster.rs"]
mod in_a_cluster;
#[cfg(test)]
#[path = "faults/on_one_server.rs"]
mod on_one_server;
#[cfg(test)]
#[path = "faults/player.rs"]
mod player;
#[cfg(test)]
#[path = "processes/process.rs"]
mod process;
#[cfg(test)]
#[path = "faults/proxy.rs"]
mod proxy;
#[cfg(test)]
#[path = "faults/record.rs"]
mod record;
#[cfg(test)]
#[path = "support/redis_cluster.rs"]
mod redis_cluster;
#[cfg(test)]
#[path = "support/redis_sentinel.rs"]
mod redis_sentinel;
#[cfg(test)]
#[path = "support/redis_server.rs"]
mod redis_server;
#[cfg(test)]
#[path = "faults/table.rs"]
mod table;
#[cfg(test)]
#[path = "faults/under_sentinel.rs"]
mod under_sentinel;
#[cfg(test)]
#[path = "faults/watcher.rs"]
mod watcher;
#[cfg(test)]
#[path = "faults/world.rs"]
mod world;
