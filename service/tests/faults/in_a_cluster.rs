//! A cluster of three masters with a replica each.

use crate::check::Promise;
use crate::redis_cluster::{RedisCluster, Replicas};
use crate::redis_server::Persistence;
use crate::table::{Row, print};
use crate::world::World;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a minute: make faults"]
async fn nothing_is_doubled_in_a_cluster() {
    let Some(mut redis) = RedisCluster::start(Persistence::AppendOnly, Replicas::One) else {
        return;
    };
    let mut world = World::start(&["--store", &redis.url()]).await;
    let mut rows: Vec<Row> = Vec::new();
    let row = world.suffer(
        "a master is killed",
        Promise::MayBeLost,
        async |_, _, count| {
            tokio::task::block_in_place(|| {
                let node = redis.a_master(count);
                redis.nodes[node].kill();
                redis.until_replaced(node);
                redis.nodes[node].restart();
                redis.until_in_step();
            });
        },
    );
    rows.push(row.await);
    let row = world.suffer("a master hands over", Promise::Kept, async |_, _, count| {
        tokio::task::block_in_place(|| redis.hand_over(count));
    });
    rows.push(row.await);
    print("Three masters with a replica each, Redis Cluster:", &rows);
    for Row { fault, tally, .. } in &rows {
        assert_eq!((tally.doubled, tally.wrong_clocks), (0, 0), "{fault}");
    }
    assert_eq!(rows[1].tally.lost, 0);
}
