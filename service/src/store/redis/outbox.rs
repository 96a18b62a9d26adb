//! Lists by topic, derived from what the writes have left.
//!
//! A write that lists need to know of leaves a notice in the outbox of its shard, in the same
//! step. Every server carries what its own writes have left over into the lists at once, and
//! looks now and then for what others have left that did not come to it. To do it twice changes
//! nothing, so nobody has to know who does it; only when a list has it, it is taken out of the
//! outbox.
//!
//! A list may be ahead of or behind the games. Whoever reads it looks at the games.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use redis::Cmd;
use tokio::sync::Notify;
use tokio::time;

use super::connector::Background;
use super::keys::{self, Shard};
use super::member;
use super::milliseconds;
use super::script::TOPIC;
use super::servers::Servers;
use crate::store::notice::Kept;
use crate::store::{ListChange, StoreError};

/// How often all outboxes are looked into. Between one and two times this.
const SWEEP: Duration = Duration::from_secs(2);
/// Notices that are taken out of one outbox at once.
const BATCH: usize = 256;
/// A list lives so many times as long as the game that was put into it last. A game that lives on
/// leaves another notice once it has lived as long as it was to live at first.
const LIST_LIVES: u32 = 3;

/// Carries notices over into the lists.
#[derive(Debug)]
pub(super) struct Outbox {
    wanted: Arc<Wanted>,
    _task: Background,
}

/// The shards in whose outboxes there is something.
#[derive(Debug, Default)]
struct Wanted {
    shards: Mutex<BTreeSet<Shard>>,
    some: Notify,
}

impl Outbox {
    pub(super) fn start(servers: Arc<Servers>) -> Self {
        let wanted = Arc::new(Wanted::default());
        Self {
            _task: Background::spawn(serve(servers, Arc::clone(&wanted))),
            wanted,
        }
    }

    /// A write has left a notice in a shard, or may have.
    pub(super) fn left(&self, shard: Shard) {
        self.wanted.lock().insert(shard);
        self.wanted.some.notify_one();
    }
}

impl Wanted {
    fn lock(&self) -> MutexGuard<'_, BTreeSet<Shard>> {
        self.shards.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn serve(servers: Arc<Servers>, wanted: Arc<Wanted>) {
    loop {
        let drawn = getrandom::u32().unwrap_or_default();
        let sweep = SWEEP + SWEEP.mul_f64(f64::from(drawn) / f64::from(u32::MAX));
        let shards: Vec<Shard> = match time::timeout(sweep, wanted.some.notified()).await {
            Ok(()) => std::mem::take(&mut *wanted.lock()).into_iter().collect(),
            Err(_) => Shard::all().collect(),
        };
        match carry_over(&servers, &shards).await {
            Ok(more) if more.is_empty() => {}
            Ok(more) => {
                wanted.lock().extend(more);
                wanted.some.notify_one();
            }
            // What is left is found by the next sweep.
            Err(error) => tracing::debug!(?error, "lists are behind"),
        }
    }
}

/// Carries what is in the outboxes of these shards over; the shards in which there is more.
async fn carry_over(servers: &Servers, shards: &[Shard]) -> Result<Vec<Shard>, StoreError> {
    let commands: Vec<(Shard, Cmd)> = shards
        .iter()
        .map(|shard| {
            let mut command = redis::cmd("XRANGE");
            command.arg(shard.outbox()).arg("-").arg("+");
            command.arg("COUNT").arg(BATCH);
            (*shard, command)
        })
        .collect();
    let outboxes: Vec<Vec<(String, Vec<Vec<u8>>)>> = servers.each(&commands).await?;
    let mut lists = Vec::new();
    let mut done = Vec::new();
    let mut more = Vec::new();
    for (shard, notices) in shards.iter().zip(outboxes) {
        if notices.is_empty() {
            continue;
        }
        let mut delete = redis::cmd("XDEL");
        delete.arg(shard.outbox());
        for (entry, fields) in &notices {
            delete.arg(entry);
            match fields.get(1).and_then(|bytes| Kept::decode(bytes)) {
                Some(kept) => lists.extend(in_lists(&kept)),
                None => tracing::error!(entry, "a notice that cannot be read is left out"),
            }
        }
        done.push((*shard, delete));
        if notices.len() == BATCH {
            more.push(*shard);
        }
    }
    for answer in servers.scripts::<u32>(&TOPIC, &lists).await? {
        answer?;
    }
    servers.each::<u32>(&done).await?;
    Ok(more)
}

/// What a notice changes in the lists.
fn in_lists(kept: &Kept) -> Vec<(Shard, Cmd)> {
    let in_list = |topic: &_| {
        let mut command = TOPIC.on(&[keys::topic(*topic)]);
        command
            .arg(match kept.notice.change {
                ListChange::Put => "put",
                ListChange::Take => "take",
            })
            .arg(kept.place.created.as_millis())
            .arg(&member::of(kept.place.id))
            .arg(milliseconds(kept.time_to_live.saturating_mul(LIST_LIVES)));
        (Shard::of_topic(*topic), command)
    };
    kept.notice.topics.iter().map(in_list).collect()
}
