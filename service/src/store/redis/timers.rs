//! The timers of games: a sorted set a shard, by the time of Redis.

use std::time::{Duration, Instant};

use redis::Cmd;

use super::fault::Unexpected;
use super::keys::{self, SHARDS, Shard};
use super::link::Link;
use super::milliseconds;
use super::script::{CLAIM, RESCHEDULE};
use super::store_time::StoreTime;
use crate::session::{EventNumber, GameId, Timestamp, head};
use crate::store::{Claimed, StoreError};

/// What the script that claims answers: the time, when the next is due, the ids.
type Answer = (u64, Option<f64>, Vec<String>);

/// Takes games that are due from all shards, in one round trip.
pub(super) async fn claim(
    link: &Link,
    time: &StoreTime,
    lease: Duration,
    limit: usize,
) -> Result<Claimed, StoreError> {
    let a_shard = limit.div_ceil(usize::from(SHARDS));
    let commands: Vec<Cmd> = Shard::all()
        .map(|shard| {
            let mut command = CLAIM.on(&[shard.timers()]);
            command
                .arg(milliseconds(lease))
                .arg(a_shard)
                .arg(shard.value_prefix());
            command
        })
        .collect();
    let sent = Instant::now();
    let answers: Vec<Answer> = link.scripts(&CLAIM, &commands).await?;
    if answers.len() != commands.len() {
        return Err(Unexpected { command: "EVALSHA" }.into());
    }
    let mut claimed = Claimed::default();
    for (now, next, ids) in answers {
        time.note(sent, Timestamp::from_millis(now));
        let next = next.map(due);
        claimed.next = claimed.next.into_iter().chain(next).min();
        claimed
            .games
            .extend(ids.iter().filter_map(|id| id.parse::<GameId>().ok()));
    }
    Ok(claimed)
}

/// Changes when a game is due.
pub(super) async fn reschedule(
    link: &Link,
    id: GameId,
    expected: EventNumber,
    due: Option<Timestamp>,
) -> Result<(), StoreError> {
    let mut command = RESCHEDULE.on(&[keys::value(id), Shard::of(id).timers()]);
    command
        .arg(&head(expected))
        .arg(argument(due))
        .arg(id.as_str());
    link.script(&RESCHEDULE, &command).await
}

/// A due time as the scripts take it.
pub(super) fn argument(due: Option<Timestamp>) -> String {
    due.map_or_else(String::new, |due| due.as_millis().to_string())
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a score is a whole number of milliseconds; another one would be cut off"
)]
fn due(score: f64) -> Timestamp {
    Timestamp::from_millis(score as u64)
}
