//! The list of games, merged from the indexes of all shards.
//!
//! Each shard is asked for a few places more than its share, and again, for more, only while
//! an unseen place of it could belong into the answer. It is asked from the last place seen
//! on, by time and including that time, since several games may have been created in one
//! millisecond: what was seen is left out here. So a page ends and the next begins without a
//! gap or a repeat, also while games come and go.

use std::collections::{BTreeSet, HashMap, HashSet};

use redis::{Cmd, FromRedisValue, Value};

use super::keys::{self, SHARDS, Shard};
use super::member;
use super::script::{PAGE, PRUNE, SIZE};
use super::servers::Servers;
use crate::session::{GameId, Timestamp, Topic};
use crate::store::{Place, StoreError};

/// Places asked for beyond a shard's share of the limit. Five are enough for nearly all
/// shards when a page of 50 is spread over 64 of them.
const BEYOND_SHARE: usize = 4;
/// How often one call looks for games in place of expired ones before it leaves expired ones
/// in its answer. Each time it reads twice as many: in all some tens of thousands.
const ROUNDS: usize = 8;

/// The newest games before a place that have a value, newest first.
pub(super) async fn list(
    servers: &Servers,
    before: Option<Place>,
    limit: usize,
) -> Result<Vec<Place>, StoreError> {
    if limit == 0 {
        return Ok(Vec::new());
    }
    let mut listing = Listing::new(before, limit);
    let mut alive = HashSet::new();
    let mut among = limit;
    for _ in 0..ROUNDS {
        listing.find(servers).await?;
        let newest = listing.found.iter().rev().take(among);
        let unknown: Vec<Place> = newest
            .filter(|place| !alive.contains(&place.id))
            .copied()
            .collect();
        let dead = dead(servers, &unknown).await?;
        if dead.is_empty() {
            break;
        }
        alive.extend(unknown.iter().map(|place| place.id));
        listing.found.retain(|place| !dead.contains(&place.id));
        // Where one has expired, others have, too: look at all that is read.
        among = usize::MAX;
    }
    listing.find(servers).await?;
    Ok(listing.found.into_iter().rev().take(limit).collect())
}

/// How many places there are in all indexes.
pub(super) async fn count(servers: &Servers) -> Result<u64, StoreError> {
    let commands: Vec<(Shard, Cmd)> = Shard::all()
        .map(|shard| (shard, SIZE.on(&[shard.index()])))
        .collect();
    let sizes: Vec<Result<u64, StoreError>> = servers.scripts(&SIZE, &commands).await?;
    sizes.into_iter().sum()
}

/// The newest games before a place in the list of a topic, newest first.
pub(super) async fn list_topic(
    servers: &Servers,
    topic: Topic,
    before: Option<Place>,
    limit: usize,
) -> Result<Vec<Place>, StoreError> {
    let mut cursor = Cursor {
        shard: Shard::of_topic(topic),
        seen: before,
        next: limit + BEYOND_SHARE,
        ended: false,
    };
    let mut found = Vec::new();
    while found.len() < limit && !cursor.ended {
        let mut command = redis::cmd("ZRANGE");
        command.arg(keys::topic(topic));
        match cursor.seen {
            Some(place) => command.arg(place.created.as_millis()),
            None => command.arg("+inf"),
        };
        command
            .arg(&["-inf", "BYSCORE", "REV", "LIMIT", "0"])
            .arg(cursor.next)
            .arg("WITHSCORES");
        let answer: Value = servers.command(cursor.shard, &command).await?;
        found.extend(cursor.read(answer)?);
    }
    found.truncate(limit);
    Ok(found)
}

/// A list in the making.
struct Listing {
    limit: usize,
    found: BTreeSet<Place>,
    shards: Vec<Cursor>,
}

/// How far a shard is read.
struct Cursor {
    shard: Shard,
    /// Nothing is unseen but what is before this place, if there is one.
    seen: Option<Place>,
    /// Places to ask for next.
    next: usize,
    ended: bool,
}

impl Listing {
    fn new(before: Option<Place>, limit: usize) -> Self {
        let shards = Shard::all().map(|shard| Cursor {
            shard,
            seen: before,
            next: limit / usize::from(SHARDS) + BEYOND_SHARE,
            ended: false,
        });
        Self {
            limit,
            found: BTreeSet::new(),
            shards: shards.collect(),
        }
    }

    /// Reads shards until nothing unseen could belong into the answer.
    async fn find(&mut self, servers: &Servers) -> Result<(), StoreError> {
        loop {
            let last = self.found.iter().rev().nth(self.limit - 1).copied();
            let open = |cursor: &&mut Cursor| cursor.may_hold_newer_than(last);
            let mut open: Vec<&mut Cursor> = self.shards.iter_mut().filter(open).collect();
            if open.is_empty() {
                return Ok(());
            }
            let command = |cursor: &&mut Cursor| (cursor.shard, cursor.command());
            let commands: Vec<(Shard, Cmd)> = open.iter().map(command).collect();
            let answers: Vec<Result<Value, StoreError>> = servers.scripts(&PAGE, &commands).await?;
            for (cursor, answer) in open.iter_mut().zip(answers) {
                self.found.extend(cursor.read(answer?)?);
            }
        }
    }
}

impl Cursor {
    fn may_hold_newer_than(&self, place: Option<Place>) -> bool {
        let Some(place) = place else {
            return !self.ended;
        };
        !self.ended && self.seen.is_none_or(|seen| seen > place)
    }

    fn command(&self) -> Cmd {
        let mut command = PAGE.on(&[self.shard.index()]);
        match self.seen {
            Some(place) => command.arg(place.created.as_millis()),
            None => command.arg("+inf"),
        };
        command.arg(self.next);
        command
    }

    fn read(&mut self, answer: Value) -> Result<Vec<Place>, StoreError> {
        let rows =
            Vec::<(Vec<u8>, f64)>::from_redis_value(answer).map_err(redis::RedisError::from)?;
        self.ended = rows.len() < self.next;
        // Also if all of it was seen, being of one millisecond, the next answer is new.
        self.next = self.next.saturating_mul(2);
        let seen = self.seen;
        let places = rows.into_iter().filter_map(|(id, score)| place(&id, score));
        let new: Vec<Place> = places
            .filter(|place| seen.is_none_or(|seen| *place < seen))
            .collect();
        self.seen = new.last().copied().or(seen);
        Ok(new)
    }
}

pub(super) fn place(member: &[u8], score: f64) -> Option<Place> {
    let id = member::id(member)?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a score is a whole number of milliseconds; another one would be cut off"
    )]
    let created = Timestamp::from_millis(score as u64);
    Some(Place { created, id })
}

/// Which of these games have no value. They are taken out of the index.
async fn dead(servers: &Servers, places: &[Place]) -> Result<HashSet<GameId>, StoreError> {
    if places.is_empty() {
        return Ok(HashSet::new());
    }
    let mut shards: HashMap<Shard, Vec<Place>> = HashMap::new();
    for place in places {
        shards.entry(Shard::of(place.id)).or_default().push(*place);
    }
    let shards: Vec<_> = shards.into_iter().collect();
    let commands: Vec<(Shard, Cmd)> = shards
        .iter()
        .map(|(shard, places)| {
            let mut command = redis::cmd("EXISTS");
            let values = places.iter().map(|place| keys::value(place.id));
            command.arg(values.collect::<Vec<_>>());
            (*shard, command)
        })
        .collect();
    let counts: Vec<usize> = servers.each(&commands).await?;
    let mut dead = HashSet::new();
    for ((shard, places), alive) in shards.iter().zip(counts) {
        if alive < places.len() {
            dead.extend(prune(servers, *shard, places).await?);
        }
    }
    Ok(dead)
}

async fn prune(
    servers: &Servers,
    shard: Shard,
    places: &[Place],
) -> Result<Vec<GameId>, StoreError> {
    let mut keys = vec![shard.index()];
    keys.extend(places.iter().map(|place| keys::value(place.id)));
    let mut command = PRUNE.on(&keys);
    for Place { created, id } in places {
        command
            .arg(created.as_millis())
            .arg(id.as_str())
            .arg(&member::of(*id));
    }
    let dead: Vec<String> = servers.script(shard, &PRUNE, &command).await?;
    Ok(dead.iter().filter_map(|id| id.parse().ok()).collect())
}
