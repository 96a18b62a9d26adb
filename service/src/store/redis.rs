//! Games in Redis, shared by all servers.
//!
//! Every write is one script on the keys of one shard: it compares, sets, lists and publishes
//! in one step, in which Redis does nothing else. `redis/keys.rs` has the names of the keys,
//! `redis/scripts/` the scripts.
//!
//! A store has a connection for commands to each server, more beside it for threads with runtimes
//! of their own (`redis/link/lanes.rs`), and one on which wake-ups arrive. They are
//! probed, and made again when they are lost; meanwhile everything fails at once with
//! [`StoreError::Unavailable`]. A command whose answer is lost is not sent again.
//!
//! Redis 7.0 or newer is needed, or Valkey, and a user that may do this:
//! `~rv:* &rv:w:* +@read +@write +@scripting +@pubsub +@connection +time`.

mod cluster;
mod commit;
mod connector;
mod fault;
mod keys;
mod link;
mod listener;
mod listing;
mod live_games;
mod log;
mod member;
mod outbox;
mod script;
mod sentinel;
mod servers;
mod settings;
mod store_time;
mod timers;
mod times;
mod url;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use redis::{ClientTlsConfig, Cmd, FromRedisValue, RedisError, TlsCertificates, Value};
use reversi_engine::Color;
use tokio::sync::watch;
use tokio::time::Instant;

use self::connector::ConnectError;
use self::fault::Unexpected;
use self::keys::Shard;
use self::listener::Listener;
use self::outbox::Outbox;
use self::script::WRITTEN;
use self::servers::Servers;
use self::store_time::StoreTime;
pub use self::times::RedisTimes;
use self::url::Deployment;
use super::notice::Kept;
use super::{
    Availability, Claimed, Entry, GameStore, Inserted, Listing, LogPage, LogPosition, Place,
    Replaced, StoreError, StoreKind, Subscription,
};
use crate::session::{EventNumber, GameId, TenantCode, Timestamp, Topic};

/// The longest time to live, in ms, some 142,000 years: the scripts double it, and count exactly
/// up to 2⁵³.
const LONGEST_MS: u64 = 1 << 52;

/// Settings of a [`RedisStore`].
#[derive(Clone)]
pub struct RedisStoreConfig {
    /// Where Redis is:
    ///
    /// - `redis://[[user]:password@]host[:port][/database]`: one server;
    /// - `redis+sentinel://[[user]:password@]host[:port],…/master[/database]`: the master that
    ///   the Sentinels at these hosts know by this name; with
    ///   `?sentinel_user=…&sentinel_password=…` if they ask for credentials of their own;
    /// - `redis+cluster://[[user]:password@]host[:port],…`: the cluster of these nodes.
    ///
    /// With `rediss` in place of `redis`, by TLS.
    pub url: String,
    /// What TLS is spoken with.
    pub tls: RedisTls,
    /// How long a command may take.
    pub command_timeout: Duration,
    /// How long connecting may take at first, and each attempt to connect again.
    pub connect_timeout: Duration,
    /// How often a connection is probed. A connection that is lost without a sign is noticed
    /// after this and the command timeout.
    pub ping_interval: Duration,
    /// Which replicas a write waits for; `None` for none.
    pub wait: Option<ReplicaWait>,
    /// Where it is counted how long Redis takes.
    pub times: RedisTimes,
}

/// How a write waits for replicas. One that too few of them have confirmed in time is done, but
/// is answered with [`StoreError::NotReplicated`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplicaWait {
    /// How many have to confirm it.
    pub replicas: u32,
    /// In which time, which is less than a command may take.
    pub timeout: Duration,
}

impl RedisStoreConfig {
    /// The defaults with this URL: 500 ms for a command, 2 s to connect, a probe each second.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            tls: RedisTls::default(),
            command_timeout: Duration::from_millis(500),
            connect_timeout: Duration::from_secs(2),
            ping_interval: Duration::from_secs(1),
            wait: None,
            times: RedisTimes::default(),
        }
    }
}

impl RedisStoreConfig {
    /// Whether a store can be asked for at this URL.
    #[must_use]
    pub fn is_url(text: &str) -> bool {
        Deployment::new(text, &RedisTls::default().certificates()).is_ok()
    }

    /// The hosts that a URL names, without user, password and options.
    #[must_use]
    pub fn shown(url: &str) -> Option<String> {
        let scheme = url.split_once("://")?.0;
        let deployment = Deployment::new(url, &RedisTls::default().certificates());
        Some(format!("{scheme}://{}", deployment.ok()?))
    }
}

/// What TLS is spoken with, in PEM.
#[derive(Clone, Default)]
pub struct RedisTls {
    /// Whose certificates are trusted, if not those that the system trusts.
    pub authorities: Option<Vec<u8>>,
    /// The certificate and key that the service shows.
    pub identity: Option<TlsIdentity>,
}

/// A certificate and its key, in PEM.
#[derive(Clone)]
pub struct TlsIdentity {
    /// The certificate, and those that vouch for it.
    pub certificate: Vec<u8>,
    /// The key.
    pub key: Vec<u8>,
}

impl RedisTls {
    fn certificates(&self) -> TlsCertificates {
        TlsCertificates {
            client_tls: self.identity.as_ref().map(|identity| ClientTlsConfig {
                client_cert: identity.certificate.clone(),
                client_key: identity.key.clone(),
            }),
            root_cert: self.authorities.clone(),
        }
    }
}

impl fmt::Debug for RedisTls {
    /// Without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisTls")
            .field("authorities", &self.authorities.is_some())
            .field("identity", &self.identity.is_some())
            .finish()
    }
}

impl fmt::Debug for TlsIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsIdentity").finish_non_exhaustive()
    }
}

impl fmt::Debug for RedisStoreConfig {
    /// Without the URL, which may hold a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStoreConfig")
            .field("command_timeout", &self.command_timeout)
            .field("connect_timeout", &self.connect_timeout)
            .field("ping_interval", &self.ping_interval)
            .field("wait", &self.wait)
            .finish_non_exhaustive()
    }
}

/// A store in Redis. Its connections are closed when it is dropped; subscriptions that are
/// left are not woken any more.
pub struct RedisStore {
    address: String,
    servers: Arc<Servers>,
    outbox: Outbox,
    listener: Listener,
    time: StoreTime,
    /// Whether writes wait for replicas.
    waits: bool,
}

impl RedisStore {
    /// Connects to Redis, and warns in the log if its settings can lose games.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unavailable`] if Redis does not answer in time, [`StoreError::Failed`] if
    /// the URL is malformed or Redis refuses the service. The source says why, without the
    /// password.
    pub async fn connect(config: RedisStoreConfig) -> Result<Self, StoreError> {
        // The crate asks for a provider of cryptography by the process; who was first wins.
        let _ = tokio_rustls::rustls::crypto::ring::default_provider().install_default();
        let deployment = Deployment::new(&config.url, &config.tls.certificates())
            .map_err(ConnectError::MalformedUrl)?;
        let address = deployment.to_string();
        let deadline = Instant::now() + config.connect_timeout;
        let (servers, connector) = Servers::connect(deployment, &config, deadline).await?;
        let listener = Listener::connect(connector, deadline).await?;
        for link in servers.links() {
            settings::check(&link).await;
        }
        let time = StoreTime::ask(&servers).await?;
        let servers = Arc::new(servers);
        Ok(Self {
            address,
            outbox: Outbox::start(Arc::clone(&servers)),
            servers,
            listener,
            time,
            waits: config.wait.is_some(),
        })
    }
}

impl From<ConnectError> for StoreError {
    fn from(error: ConnectError) -> Self {
        match error {
            ConnectError::NoAnswer { .. } => Self::Unavailable(Box::new(error)),
            ConnectError::MalformedUrl(_) | ConnectError::Refused { .. } => {
                Self::Failed(Box::new(error))
            }
        }
    }
}

#[async_trait]
impl GameStore for RedisStore {
    fn kind(&self) -> StoreKind {
        StoreKind::Redis
    }

    async fn insert(&self, id: GameId, entry: Entry) -> Result<Inserted, StoreError> {
        let shard = Shard::of(id);
        let notice = notice(id, &entry);
        let mut command = script::INSERT.on(&written_keys(id, shard));
        command
            .arg(entry.value)
            .arg(milliseconds(entry.time_to_live))
            .arg(timers::argument(entry.due))
            .arg(timers::sign(entry.signs.black))
            .arg(timers::sign(entry.signs.white))
            .arg(entry.created.as_millis())
            .arg(id.as_str())
            .arg(&member::of(id))
            .arg(shard.value_prefix())
            .arg(&notice);
        let answer: Value = self.servers.write(shard, &script::INSERT, &command).await?;
        if answer == WRITTEN {
            return Ok(Inserted::New);
        }
        let there = FromRedisValue::from_redis_value(answer).map_err(RedisError::from)?;
        Ok(Inserted::Exists(there))
    }

    async fn get(&self, ids: &[GameId]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        match ids {
            [] => Ok(Vec::new()),
            [id] => {
                let mut command = redis::cmd("GET");
                command.arg(keys::value(*id));
                Ok(vec![self.servers.command(Shard::of(*id), &command).await?])
            }
            _ => self.get_many(ids).await,
        }
    }

    async fn replace(
        &self,
        id: GameId,
        expected: &[u8],
        entry: Entry,
        listing: Listing,
    ) -> Result<Replaced, StoreError> {
        let unlist = match listing {
            Listing::Keep => 0,
            Listing::Remove => 1,
        };
        let shard = Shard::of(id);
        let notice = notice(id, &entry);
        let mut command = script::REPLACE.on(&written_keys(id, shard));
        command
            .arg(expected)
            .arg(entry.value)
            .arg(milliseconds(entry.time_to_live))
            .arg(timers::set(entry.due))
            .arg(timers::sign(entry.signs.black))
            .arg(timers::sign(entry.signs.white))
            .arg(unlist)
            .arg(entry.created.as_millis())
            .arg(id.as_str())
            .arg(&member::of(id))
            .arg(keys::channel(id))
            .arg(&notice);
        let answer = self.servers.write(shard, &script::REPLACE, &command).await;
        let replaced = answer.and_then(replaced);
        if !matches!(replaced, Ok(Replaced::Changed(_) | Replaced::Missing)) {
            // Also after an error: it may have been done.
            self.listener.replaced_here(id);
            if !notice.is_empty() {
                self.outbox.left(shard);
            }
        }
        replaced
    }

    async fn confirm(&self, id: GameId) -> Result<(), StoreError> {
        if self.waits {
            let command = script::CONFIRM.on(&[keys::value(id)]);
            let shard = Shard::of(id);
            self.servers
                .write::<()>(shard, &script::CONFIRM, &command)
                .await?;
        }
        Ok(())
    }

    async fn list(&self, before: Option<Place>, limit: usize) -> Result<Vec<Place>, StoreError> {
        listing::list(&self.servers, before, limit).await
    }

    async fn list_topic(
        &self,
        topic: Topic,
        before: Option<Place>,
        limit: usize,
    ) -> Result<Vec<Place>, StoreError> {
        listing::list_topic(&self.servers, topic, before, limit).await
    }

    async fn unlist(&self, topic: Topic, places: &[Place]) -> Result<(), StoreError> {
        if places.is_empty() {
            return Ok(());
        }
        let mut command = redis::cmd("ZREM");
        command.arg(keys::topic(topic));
        for place in places {
            command.arg(&member::of(place.id));
        }
        self.servers.command(Shard::of_topic(topic), &command).await
    }

    async fn count(&self) -> Result<u64, StoreError> {
        listing::count(&self.servers).await
    }

    fn now(&self) -> Timestamp {
        self.time.now()
    }

    async fn claim_due(&self, lease: Duration, limit: usize) -> Result<Claimed, StoreError> {
        timers::claim(&self.servers, &self.time, lease, limit).await
    }

    async fn reschedule(
        &self,
        id: GameId,
        expected: EventNumber,
        due: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        timers::reschedule(&self.servers, id, expected, due).await
    }

    async fn sign(&self, id: GameId, side: Color, until: Timestamp) -> Result<(), StoreError> {
        timers::heard_of(&self.servers, id, side, until).await
    }

    async fn count_in(
        &self,
        game: Place,
        instead_of: Option<Timestamp>,
        time_to_live: Duration,
        most: u64,
    ) -> Result<bool, StoreError> {
        let time_to_live = milliseconds(time_to_live);
        live_games::count_in(&self.servers, game, instead_of, time_to_live, most).await
    }

    async fn count_out(&self, game: Place) -> Result<(), StoreError> {
        live_games::count_out(&self.servers, game).await
    }

    async fn counted(
        &self,
        tenant: TenantCode,
        after: Option<Place>,
    ) -> Result<Vec<Place>, StoreError> {
        live_games::counted(&self.servers, tenant, after).await
    }

    async fn changes(
        &self,
        after: Option<&LogPosition>,
        limit: usize,
    ) -> Result<LogPage, StoreError> {
        log::read(&self.servers, after, limit).await
    }

    async fn subscribe(&self, id: GameId) -> Result<Subscription, StoreError> {
        self.listener.subscribe(id).await
    }

    async fn shared_secret(&self, candidate: [u8; 16]) -> Result<[u8; 16], StoreError> {
        let mut command = redis::cmd("SET");
        command
            .arg(keys::SECRET)
            .arg(&candidate)
            .arg("NX")
            .arg("GET");
        match self
            .servers
            .command::<Option<Vec<u8>>>(Shard::of_secret(), &command)
            .await?
        {
            None => Ok(candidate),
            Some(secret) => {
                let secret = secret.as_slice().try_into();
                secret.map_err(|_| Unexpected { command: "SET" }.into())
            }
        }
    }

    fn availability(&self) -> watch::Receiver<Availability> {
        self.servers.availability()
    }
}

impl RedisStore {
    /// Gets values in one round trip, with one command for each shard.
    async fn get_many(&self, ids: &[GameId]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let mut shards: HashMap<Shard, Vec<usize>> = HashMap::new();
        for (place, id) in ids.iter().enumerate() {
            shards.entry(Shard::of(*id)).or_default().push(place);
        }
        let mut commands: Vec<(Shard, Cmd)> = Vec::with_capacity(shards.len());
        let mut groups: Vec<Vec<usize>> = Vec::with_capacity(shards.len());
        for (shard, places) in shards {
            let values = places.iter().map(|place| keys::value(ids[*place]));
            let mut command = redis::cmd("MGET");
            command.arg(values.collect::<Vec<_>>());
            commands.push((shard, command));
            groups.push(places);
        }
        let answers: Vec<Vec<Option<Vec<u8>>>> = self.servers.each(&commands).await?;
        let mut values = vec![None; ids.len()];
        for (places, answer) in groups.into_iter().zip(answers) {
            for (place, value) in places.into_iter().zip(answer) {
                values[place] = value;
            }
        }
        Ok(values)
    }
}

/// The keys that the scripts work on which write a game.
fn written_keys(id: GameId, shard: Shard) -> [String; 6] {
    [
        keys::value(id),
        shard.index(),
        shard.timers(),
        shard.asked(),
        shard.outbox(),
        shard.log(),
    ]
}

/// The notice that a write leaves, or nothing.
fn notice(id: GameId, entry: &Entry) -> Vec<u8> {
    let notice = entry.notice.as_ref().map(|notice| Kept {
        notice: notice.clone(),
        place: Place {
            created: entry.created,
            id,
        },
        time_to_live: entry.time_to_live,
    });
    notice.map_or_else(Vec::new, |kept| kept.encode())
}

/// What the script that replaces has done.
fn replaced(answer: Value) -> Result<Replaced, StoreError> {
    if answer == WRITTEN {
        return Ok(Replaced::Done);
    }
    let there = Option::from_redis_value(answer).map_err(RedisError::from)?;
    Ok(there.map_or(Replaced::Missing, Replaced::Changed))
}

fn milliseconds(time_to_live: Duration) -> u64 {
    u64::try_from(time_to_live.as_millis())
        .unwrap_or(u64::MAX)
        .clamp(1, LONGEST_MS)
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}
