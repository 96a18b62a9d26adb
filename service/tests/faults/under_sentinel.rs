//! A master and a replica under Sentinel.

use crate::check::Promise;
use crate::redis_sentinel::RedisSentinel;
use crate::redis_server::Persistence;
use crate::table::{Row, print};
use crate::world::World;

/// The master crashes and the replica takes its place: once as replication is by itself, and once
/// with writes that wait for the replica.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a minute: make faults"]
async fn nothing_is_doubled_under_sentinel_and_nothing_lost_that_replicas_have() {
    let mut rows: Vec<Row> = Vec::new();
    for (fault, flags) in [
        ("the master is killed", &[][..]),
        (
            "the same, with --redis-wait-replicas 1",
            &[
                "--redis-wait-replicas",
                "1",
                "--redis-wait-timeout",
                "200ms",
            ][..],
        ),
    ] {
        let Some(mut redis) = RedisSentinel::start(Persistence::AppendOnly) else {
            return;
        };
        let url = redis.url();
        let mut world = World::start(&[&["--store", &url][..], flags].concat()).await;
        let row = world.suffer(fault, Promise::MayBeLost, async |_, _, _| {
            tokio::task::block_in_place(|| {
                redis.until_in_step();
                let master = redis.master();
                redis.servers[master].kill();
                redis.until_failed_over(master);
                redis.servers[master].restart();
                redis.until_in_step();
            });
        });
        rows.push(row.await);
    }
    print("Master and replica under Sentinel:", &rows);
    for Row { fault, tally, .. } in &rows {
        assert_eq!((tally.doubled, tally.wrong_clocks), (0, 0), "{fault}");
    }
    assert_eq!(rows[1].tally.lost, 0);
}
