//! The timers of games: a sorted set a shard, by the time of Redis.

use std::time::{Duration, Instant};

use redis::Cmd;
use reversi_engine::Color;

use super::keys::{self, SHARDS, Shard};
use super::milliseconds;
use super::script::{CLAIM, RESCHEDULE};
use super::servers::Servers;
use super::store_time::StoreTime;
use crate::session::{EventNumber, GameId, Outage, Timestamp, head};
use crate::store::{Claimed, Sign, StoreError};

/// Characters of an id.
const ID_CHARACTERS: usize = 20;
/// When so long nobody has asked what is due, nobody could: servers ask more often.
const OUTAGE: Duration = Duration::from_secs(3);

/// What the script that claims answers: the time, when the next is due, the ids, the beginnings
/// and ends of outages.
type Answer = (u64, Option<f64>, Vec<String>, Vec<u64>);

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
            let mut command = CLAIM.on(&[shard.timers(), shard.asked(), shard.outages()]);
            command
                .arg(milliseconds(lease))
                .arg(a_shard)
                .arg(milliseconds(OUTAGE))
                .arg(shard.value_prefix());
            (shard, command)
        })
        .collect();
    let sent = Instant::now();
    let answers: Vec<Result<Answer, StoreError>> = servers.scripts(&CLAIM, &commands).await?;
    let mut claimed = Claimed::default();
    for (now, next, ids, outages) in one_at_least(answers)? {
        time.note(sent, Timestamp::from_millis(now));
        let next = next.map(due);
        claimed.next = claimed.next.into_iter().chain(next).min();
        let outages = outages.chunks_exact(2).map(|outage| Outage {
            from: Timestamp::from_millis(outage[0]),
            until: Timestamp::from_millis(outage[1]),
        });
        claimed.outages.extend(outages);
        for member in &ids {
            match member.split_at_checked(ID_CHARACTERS) {
                Some((id, "")) => claimed.games.extend(id.parse::<GameId>()),
                Some((id, side)) => claimed.absent.extend(player(id, side)),
                None => {}
            }
        }
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

/// Says that a player was heard of.
pub(super) async fn heard_of(
    servers: &Servers,
    id: GameId,
    side: Color,
    until: Timestamp,
) -> Result<(), StoreError> {
    let mut command = redis::cmd("ZADD");
    let member = format!("{id}{}", letter(side));
    let shard = Shard::of(id);
    command
        .arg(shard.timers())
        .arg("XX")
        .arg(until.as_millis())
        .arg(member);
    servers.command(shard, &command).await
}

const fn letter(side: Color) -> char {
    match side {
        Color::Black => 'b',
        Color::White => 'w',
    }
}

fn player(id: &str, side: &str) -> Option<(GameId, Color)> {
    let side = match side {
        "b" => Color::Black,
        "w" => Color::White,
        _ => return None,
    };
    Some((id.parse().ok()?, side))
}

/// A sign as the scripts take it.
pub(super) fn sign(sign: Sign) -> String {
    match sign {
        Sign::Keep => String::new(),
        Sign::Remove => "0".to_owned(),
        Sign::Until(time) => time.as_millis().to_string(),
    }
}

/// A due time as the script that replaces takes it.
pub(super) fn set(due: Option<Timestamp>) -> String {
    due.map_or_else(|| "0".to_owned(), |due| due.as_millis().max(1).to_string())
}

/// A due time as the scripts take it that have none to remove.
pub(super) fn argument(due: Option<Timestamp>) -> String {
    due.map_or_else(String::new, |due| due.as_millis().max(1).to_string())
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a score is a whole number of milliseconds; another one would be cut off"
)]
fn due(score: f64) -> Timestamp {
    Timestamp::from_millis(score as u64)
}
