//! The server put together: store, pool, handlers, ports; from the first port that is bound to
//! the last call that is drained.

use std::error::Error;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::admin::{Admin, StoredGames};
use crate::auth::{Auth, Unusable};
use crate::clock::Clock;
use crate::compute::{ComputeConfig, ComputePool};
use crate::config::{Addresses, Config, StoreUrl};
use crate::engines::{EngineConfig, Engines};
use crate::evaluations::Evaluations;
use crate::grpc::{
    AnalysisHandlers, AnalysisLimits, Api, Edge, GameHandlers, Gate, Reflection, RulesHandlers,
    ServerInfo,
};
use crate::health::{Health, HealthService};
use crate::io_threads::{Age, IoThreads, Serving};
use crate::metrics::Metrics;
use crate::operations::{EnginePlayer, Games, Tender};
use crate::quota::Quota;
use crate::store::{
    GameStore, MemoryStore, MemoryStoreConfig, RedisStore, RedisStoreConfig, RedisTimes,
    ReplicaWait, StoreError, StoreKind, TlsIdentity,
};
use crate::tls::Tls;

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The store cannot be used.
    #[error("cannot use the store {url}: {source}{}", cause(source))]
    Store {
        /// Which store.
        url: StoreUrl,
        /// Why.
        source: StoreError,
    },
    /// A port cannot be bound.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// Callers cannot be checked, or TLS cannot be spoken.
    #[error(transparent)]
    Unusable(#[from] Unusable),
    /// The system gives no threads.
    #[error("cannot start threads: {0}")]
    Threads(#[source] io::Error),
}

/// All that lies behind an error. Some errors say what caused them themselves: once is enough.
fn cause(error: &StoreError) -> String {
    let mut text = String::new();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.ends_with(&said) {
            text.push_str(": ");
            text.push_str(&said);
        }
        cause = error.source();
    }
    text
}

/// A server whose ports are bound. It serves once it is [run](Self::run).
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    admin: Option<TcpListener>,
    store: Arc<dyn GameStore>,
    redis_times: RedisTimes,
    games: Games,
    tender: Tender,
    suggesting: Arc<Engines>,
    analysing: Arc<Engines>,
    counting: Arc<ComputePool>,
    evaluations: Evaluations,
    auth: Auth,
    tls: Option<Tls>,
    config: Config,
}

impl Server {
    /// Opens the store and binds the ports.
    ///
    /// # Errors
    ///
    /// [`StartError`].
    pub async fn bind(config: Config, addresses: Addresses) -> Result<Self, StartError> {
        let store_error = |source| StartError::Store {
            url: config.store.clone(),
            source,
        };
        let auth = Auth::open(&config.access.auth()).await?;
        let tls = config.access.tls().as_ref().map(Tls::open).transpose()?;
        let redis_times = RedisTimes::default();
        let store = open_store(&config, &redis_times)
            .await
            .map_err(store_error)?;
        let clock = {
            let store = Arc::clone(&store);
            Clock::from_fn(move || store.now())
        };
        let games = Games::open(Arc::clone(&store), clock, config.game_ttl)
            .await
            .map_err(store_error)?
            .with_most_live(config.access.tenant_games.map(NonZeroU64::get));
        let listener = listen(addresses.listen).await?;
        let admin = admin_listener(&addresses).await?;
        let pool = |name, threads| ComputeConfig {
            name,
            threads,
            queue: config.compute_queue.get(),
            scheduling: config.compute_scheduling,
        };
        let engines = |name, threads| {
            let engine = EngineConfig {
                table_bytes: config.table_size,
                threads: config.threads_per_search.get(),
            };
            Engines::start(pool(name, threads), engine).map_err(StartError::Threads)
        };
        let suggesting = Arc::new(engines("search", config.compute_threads())?);
        let analysing = engines("analysis", config.analysis_threads())?;
        let counting = ComputePool::start(pool("counting", config.count_threads.get()))
            .map_err(StartError::Threads)?;
        let evaluations = Evaluations::new(&config.weights);
        evaluations.unpack().map_err(StartError::Threads)?;
        let player = EnginePlayer::new(
            Arc::clone(&suggesting),
            evaluations.clone(),
            config.engine_move_time,
        );
        let (games, tender) = games.tended(player);
        Ok(Self {
            listener,
            admin,
            store,
            redis_times,
            games,
            tender,
            suggesting,
            analysing: Arc::new(analysing),
            counting: Arc::new(counting),
            evaluations,
            auth,
            tls,
            config,
        })
    }

    /// Where gRPC is served.
    ///
    /// # Errors
    ///
    /// If the system does not tell.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Where probes and metrics are served, if they are.
    #[must_use]
    pub fn admin_address(&self) -> Option<SocketAddr> {
        self.admin.as_ref()?.local_addr().ok()
    }

    /// Serves until `shutdown` is ready, then drains: no more connections, health says so,
    /// watches end, other calls may end within the grace period.
    ///
    /// # Errors
    ///
    /// [`StartError`] if the threads cannot be started.
    pub async fn run(self, shutdown: impl Future<Output = ()>) -> Result<Drained, StartError> {
        let services = [
            reversi_proto::DESCRIPTOR_SET,
            tonic_health::pb::FILE_DESCRIPTOR_SET,
            tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET,
            tonic_reflection::pb::v1alpha::FILE_DESCRIPTOR_SET,
        ];
        let metrics = Arc::new(Metrics::new(&services, &self.redis_times));
        let stopping = CancellationToken::new();
        let (health, health_service) = Health::start(Arc::clone(&metrics)).await;
        let following = tokio::spawn(health.clone().follow(self.store.availability()));
        let api = self.api(&health_service, &stopping);
        let gate = Gate::new(self.auth.clone(), Quota::new(self.config.access.limits()));
        let mut watching = JoinSet::new();
        self.auth.follow(&mut watching);
        if let Some(tls) = &self.tls {
            tls.follow(&mut watching);
        }
        let serving = Serving {
            edge: Edge::new(api, gate, Arc::clone(&metrics), stopping.clone()),
            tls: self.tls.clone(),
            age: Age {
                most: self.config.max_connection_age,
                grace: self.config.shutdown_grace,
            },
            stopping: stopping.clone(),
        };
        let io_threads =
            IoThreads::start(self.config.io_threads(), &serving).map_err(StartError::Threads)?;
        let tending = tokio::spawn(self.tender.run(stopping.clone()));
        let admin = Admin {
            metrics: Arc::clone(&metrics),
            suggesting: Arc::clone(&self.suggesting),
            analysing: Arc::clone(&self.analysing),
            counting: Arc::clone(&self.counting),
            stored_games: StoredGames::of(Arc::clone(&self.store)),
            stopping: stopping.clone(),
        };
        let admin = self.admin.map(|listener| {
            tokio::spawn(axum::serve(listener, admin.router(health_service)).into_future())
        });

        tokio::select! {
            () = io_threads.accept(self.listener, metrics.connections(), &stopping) => {}
            () = shutdown => {}
        }
        following.abort();
        health.stop().await;
        stopping.cancel();
        let grace = self.config.shutdown_grace;
        let drained = drain(io_threads, tending, grace).await;
        if let Some(admin) = admin {
            admin.abort();
        }
        Ok(drained)
    }

    fn api(&self, health: &HealthService, stopping: &CancellationToken) -> Api {
        let config = &self.config;
        let limits = AnalysisLimits {
            default_suggest_time: config.suggest_time.min(config.max_suggest_time),
            max_suggest_time: config.max_suggest_time,
            max_analysis_time: config.max_analysis_time,
            max_solve_empties: config.max_solve_empties,
        };
        let info = ServerInfo {
            store: self.store.kind(),
            game_ttl: config.game_ttl,
            evaluations: self.evaluations.clone(),
            analysis: limits,
        };
        let rules = RulesHandlers::new(info, Arc::clone(&self.counting), stopping.clone());
        let games = GameHandlers::new(self.games.clone(), stopping.clone());
        let analysis = AnalysisHandlers {
            games: self.games.clone(),
            evaluations: self.evaluations.clone(),
            suggesting: Arc::clone(&self.suggesting),
            analysing: Arc::clone(&self.analysing),
            limits,
            stopping: stopping.clone(),
        };
        let reflection = if config.access.no_reflection {
            Reflection::Off
        } else {
            Reflection::On
        };
        Api::new(rules, games, analysis, health, reflection)
    }
}

/// How the draining went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drained {
    /// Every call ended.
    Completely,
    /// Calls were cut off at the end of the grace period.
    InPart,
}

async fn drain(io_threads: IoThreads, tending: JoinHandle<()>, grace: Duration) -> Drained {
    // Games that the engine thinks about are handed back meanwhile.
    let ended = async { tokio::join!(io_threads.ended(), tending) };
    match tokio::time::timeout(grace, ended).await {
        Ok(_) => Drained::Completely,
        Err(_) => {
            tracing::warn!(?grace, "calls are cut off at the end of the grace period");
            Drained::InPart
        }
    }
}

async fn open_store(
    config: &Config,
    redis_times: &RedisTimes,
) -> Result<Arc<dyn GameStore>, StoreError> {
    let store: Arc<dyn GameStore> = match &config.store {
        StoreUrl::Memory => Arc::new(MemoryStore::new(MemoryStoreConfig {
            max_games: config.max_games.get(),
        })),
        StoreUrl::Redis(url) => {
            let mut redis = RedisStoreConfig::new(url.clone());
            redis.command_timeout = config.redis_timeout;
            redis.times = redis_times.clone();
            redis.wait = (config.redis_wait_replicas > 0).then(|| ReplicaWait {
                replicas: config.redis_wait_replicas,
                timeout: config.redis_wait_timeout.min(config.redis_timeout / 2),
            });
            redis.tls.authorities = config.redis_ca.clone().map(|pem| pem.0);
            redis.tls.identity = (config.redis_cert.clone())
                .zip(config.redis_key.clone())
                .map(|(certificate, key)| TlsIdentity {
                    certificate: certificate.0,
                    key: key.0,
                });
            Arc::new(RedisStore::connect(redis).await?)
        }
    };
    if store.kind() == StoreKind::Memory {
        tracing::warn!("games are kept in memory and are lost when the server stops");
    }
    Ok(store)
}

async fn listen(address: SocketAddr) -> Result<TcpListener, StartError> {
    TcpListener::bind(address)
        .await
        .map_err(|source| StartError::Listen { address, source })
}

async fn admin_listener(addresses: &Addresses) -> Result<Option<TcpListener>, StartError> {
    let Some(address) = addresses.admin else {
        return Ok(None);
    };
    match listen(address).await {
        Err(error) if addresses.admin_optional => {
            tracing::warn!(%error, "going on without the admin port");
            Ok(None)
        }
        bound => bound.map(Some),
    }
}
