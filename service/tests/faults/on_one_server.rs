//! One Redis that writes everything to its disk at once: nothing that was acknowledged is lost.

use std::time::Duration;

use crate::check::Promise;
use crate::proxy::{Line, Proxy};
use crate::redis_server::{Persistence, RedisServer};
use crate::table::{Row, print};
use crate::world::World;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_or_doubled_on_one_server() {
    let Some(mut redis) = RedisServer::start_with(Persistence::AppendOnly, &[]) else {
        return;
    };
    let proxy = Proxy::start(redis.port()).await;
    let url = format!("redis://127.0.0.1:{}", proxy.port());
    let mut world = World::start(&["--store", &url]).await;
    let mut rows: Vec<Row> = Vec::new();
    let row = world.suffer(
        "a replica is killed",
        Promise::Kept,
        async |world, service, count| world.kill_replica(count, service).await,
    );
    rows.push(row.await);
    let row = world.suffer("Redis is killed", Promise::Kept, async |_, _, _| {
        tokio::task::block_in_place(|| {
            redis.kill();
            redis.restart();
        });
    });
    rows.push(row.await);
    let row = world.suffer(
        "Redis hangs for 2 s",
        Promise::Kept,
        async |_, service, _| {
            redis.pause();
            service.pause(Duration::from_secs(2)).await;
            redis.resume();
        },
    );
    rows.push(row.await);
    for (fault, line) in [
        ("the network to Redis is cut for 1 s", Line::Cut),
        ("nothing goes through it for 1 s", Line::Held),
    ] {
        let row = world.suffer(fault, Promise::Kept, async |_, service, _| {
            proxy.set(line);
            service.pause(Duration::from_secs(1)).await;
            proxy.set(Line::Open);
        });
        rows.push(row.await);
    }
    print("One Redis, `appendfsync always`:", &rows);
    for Row { fault, tally, .. } in rows {
        assert_eq!((tally.lost, tally.doubled), (0, 0), "{fault}");
        assert_eq!(tally.wrong_clocks, 0, "{fault}");
    }
}
