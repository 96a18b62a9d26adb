//! How many live games a tenant has, counted where their number is limited.

use redis::{Cmd, FromRedisValue, Value};

use super::keys::{self, Shard};
use super::listing;
use super::member;
use super::script::{COUNT_IN, COUNT_OUT, COUNTED, Script, WRITTEN};
use super::servers::Servers;
use crate::session::{TenantCode, Timestamp};
use crate::store::{Place, StoreError};

/// Counts a game, unless there are so many already: whether it is counted now.
pub(super) async fn count_in(
    servers: &Servers,
    game: Place,
    instead_of: Option<Timestamp>,
    time_to_live_ms: u64,
    most: u64,
) -> Result<bool, StoreError> {
    let mut command = on_place(&COUNT_IN, game);
    match instead_of {
        Some(created) => command.arg(created.as_millis()),
        None => command.arg(""),
    };
    command.arg(time_to_live_ms).arg(most);
    let shard = Shard::of_tenant(game.id.tenant());
    let answer: Value = servers.script(shard, &COUNT_IN, &command).await?;
    Ok(answer == WRITTEN)
}

/// Counts a game no more.
pub(super) async fn count_out(servers: &Servers, game: Place) -> Result<(), StoreError> {
    let shard = Shard::of_tenant(game.id.tenant());
    let command = on_place(&COUNT_OUT, game);
    servers.script(shard, &COUNT_OUT, &command).await
}

/// Some of the games that are counted, after this one.
pub(super) async fn counted(
    servers: &Servers,
    tenant: TenantCode,
    after: Option<Place>,
) -> Result<Vec<Place>, StoreError> {
    let mut command = COUNTED.on(&keys::live_games(tenant));
    match after {
        Some(place) => command.arg(place.created.as_millis()),
        None => command.arg(-1),
    };
    let shard = Shard::of_tenant(tenant);
    let answer: Value = servers.script(shard, &COUNTED, &command).await?;
    let rows = Vec::<(Vec<u8>, f64)>::from_redis_value(answer).map_err(redis::RedisError::from)?;
    let places = rows.into_iter();
    Ok(places
        .filter_map(|(member, created)| listing::place(&member, created))
        .collect())
}

fn on_place(script: &'static Script, game: Place) -> Cmd {
    let mut command = script.on(&keys::live_games(game.id.tenant()));
    command
        .arg(game.created.as_millis())
        .arg(&member::of(game.id));
    command
}
