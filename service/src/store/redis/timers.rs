//! The timers of games: a sorted set a shard, by the time of Redis.

use std::time::{Duration, Instant};

use redis::Cmd;

use super::keys::{self, SHARDS, Shard};
use super::milliseconds;
use super::script::{CLAIM, RESCHEDULE};
use super::servers::Servers;
use super::store_time::StoreTime;
use crate::session::{EventNumber, GameId, Timestamp, head};
use crate::store::{Claimed, StoreError};

/// What the script that claims answers: the time, when the next is due, the ids.
type Answer = (u64, Option<f64>, Vec<String>);

/// Takes games that are due from all shards, in one round trip.
pub(super) async fn claim(
    servers: &Servers,
    time: &StoreTime,
    lease: Duration,
    limit: usize,
) -> Result<Claimed, StoreError> {
    let a_shard = limit.div_ceil(usize::from(SHARDS));
    let commands: Vec<(Shard, Cmd)> = Shard::all()
        .map(|shard| {
            let mut command = CLAIM.on(&[shard.timers()]);
            command
                .arg(milliseconds(lease))
                .arg(a_shard)
                .arg(shard.value_prefix());
            (shard, command)
        })
        .collect();
    let sent = Instant::now();
    let answers: Vec<Result<Answer, StoreError>> = servers.scripts(&CLAIM, &commands).await?;
    let mut claimed = Claimed::default();
    for (now, next, ids) in one_at_least(answers)? {
        time.note(sent, Timestamp::from_millis(now));
        let next = next.map(due);
        claimed.next = claimed.next.into_iter().chain(next).min();
        claimed
            .games
            .extend(ids.iter().filter_map(|id| id.parse::<GameId>().ok()));
    }
    Ok(claimed)
}

/// The answers of those shards that have answered: a node that is away does not stop the clocks
/// of the games on others.
fn one_at_least<T>(answers: Vec<Result<T, StoreError>>) -> Result<Vec<T>, StoreError> {
    let mut there = Vec::with_capacity(answers.len());
    let mut failed = None;
    for answer in answers {
        match answer {
            Ok(answer) => there.push(answer),
            Err(error) => failed = Some(error),
        }
    }
    match failed {
        Some(error) if there.is_empty() => Err(error),
        Some(_) | None => Ok(there),
    }
}

/// Changes when a game is due.
pub(super) async fn reschedule(
    servers: &Servers,
    id: GameId,
    expected: EventNumber,
    due: Option<Timestamp>,
) -> Result<(), StoreError> {
    let shard = Shard::of(id);
    let mut command = RESCHEDULE.on(&[keys::value(id), shard.timers()]);
    command
        .arg(&head(expected))
        .arg(argument(due))
        .arg(id.as_str());
    servers.script(shard, &RESCHEDULE, &command).await
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
