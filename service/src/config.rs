//! The configuration: flags and `REVERSI_*` variables, read once and checked before a port is
//! opened.

mod access;

use std::ffi::OsStr;
use std::fmt;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;
use std::thread;
use std::time::Duration;

use clap::builder::{BoolishValueParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Parser, ValueEnum};

pub use access::AccessOptions;

use crate::compute::Scheduling;
use crate::evaluations::{WeightsFile, WeightsFileError};
use crate::store::RedisStoreConfig;

/// The flag that says where gRPC is served.
const LISTEN: &str = "--listen";
/// Where the admin port is when nobody says so.
const DEFAULT_ADMIN: &str = "127.0.0.1:9090";

/// The Reversi service: rules, games and suggestions over gRPC.
#[derive(Clone, Debug, Parser)]
#[command(version, after_help = EXAMPLES)]
pub struct Config {
    /// Where to serve gRPC.
    #[arg(
        long,
        env = "REVERSI_LISTEN",
        value_name = "HOST:PORT",
        default_value = "127.0.0.1:50051"
    )]
    pub listen: String,

    /// Where to serve probes and metrics over plain HTTP, or `off` [default: 127.0.0.1:9090,
    /// and none where that is taken].
    #[arg(long, env = "REVERSI_ADMIN", value_name = "HOST:PORT")]
    pub admin: Option<AdminAddress>,

    /// Where live games are kept: `memory`, or a Redis URL: `redis://host:6379`,
    /// `redis+sentinel://host,host,host/master` or `redis+cluster://host,host,host`, with
    /// `rediss` in place of `redis` for TLS.
    #[arg(
        long,
        env = "REVERSI_STORE",
        value_name = "STORE",
        default_value = "memory",
        hide_env_values = true,
        value_parser = StoreUrlParser
    )]
    pub store: StoreUrl,

    /// Serves beyond this machine although callers are not asked who they are.
    #[arg(long, env = "REVERSI_INSECURE", value_parser = BoolishValueParser::new())]
    pub insecure: bool,

    /// How long a game lives after its last change.
    #[arg(long, env = "REVERSI_GAME_TTL", value_name = "TIME", default_value = "7d", value_parser = game_ttl)]
    pub game_ttl: Duration,

    /// The most games that the memory store keeps.
    #[arg(
        long,
        env = "REVERSI_MAX_GAMES",
        value_name = "N",
        default_value = "1000000"
    )]
    pub max_games: NonZeroUsize,

    /// How long to wait for Redis before a call fails.
    #[arg(long, env = "REVERSI_REDIS_TIMEOUT", value_name = "TIME", default_value = "500ms", value_parser = positive)]
    pub redis_timeout: Duration,

    /// How many replicas of Redis have to have a change before it is acknowledged.
    #[arg(
        long,
        env = "REVERSI_REDIS_WAIT_REPLICAS",
        value_name = "N",
        default_value = "0"
    )]
    pub redis_wait_replicas: u32,

    /// How long to wait for them before the call fails; at most half of --redis-timeout.
    #[arg(long, env = "REVERSI_REDIS_WAIT_TIMEOUT", value_name = "TIME", default_value = "100ms", value_parser = positive)]
    pub redis_wait_timeout: Duration,

    /// Whose certificates Redis may show, a PEM file [default: those that the system trusts].
    #[arg(long, env = "REVERSI_REDIS_CA", value_name = "FILE", value_parser = pem)]
    pub redis_ca: Option<Pem>,

    /// The certificate to show to Redis, a PEM file.
    #[arg(long, env = "REVERSI_REDIS_CERT", value_name = "FILE", value_parser = pem, requires = "redis_key")]
    pub redis_cert: Option<Pem>,

    /// The key of that certificate, a PEM file.
    #[arg(long, env = "REVERSI_REDIS_KEY", value_name = "FILE", value_parser = pem, requires = "redis_cert")]
    pub redis_key: Option<Pem>,

    /// Threads that serve connections [default: the number of processors].
    #[arg(long, env = "REVERSI_IO_THREADS", value_name = "N", value_parser = threads)]
    pub io_threads: Option<NonZeroUsize>,

    /// Threads that search for moves [default: the number of processors].
    #[arg(long, env = "REVERSI_COMPUTE_THREADS", value_name = "N", value_parser = threads)]
    pub compute_threads: Option<NonZeroUsize>,

    /// How threads that compute step back behind those that serve connections: `nice` leaves them a
    /// third of busy processors, `idle` what nothing else wants, which is for containers and machines
    /// of their own.
    #[arg(
        long,
        env = "REVERSI_COMPUTE_SCHEDULING",
        value_name = "HOW",
        default_value = "nice"
    )]
    pub compute_scheduling: Scheduling,

    /// Threads that count positions.
    #[arg(long, env = "REVERSI_COUNT_THREADS", value_name = "N", default_value = "1", value_parser = threads)]
    pub count_threads: NonZeroUsize,

    /// Searches that may wait for a thread, and counts likewise; more are refused.
    #[arg(
        long,
        env = "REVERSI_COMPUTE_QUEUE",
        value_name = "N",
        default_value = "64"
    )]
    pub compute_queue: NonZeroUsize,

    /// Threads that analyse and solve positions [default: half the number of processors].
    #[arg(long, env = "REVERSI_ANALYSIS_THREADS", value_name = "N", value_parser = threads)]
    pub analysis_threads: Option<NonZeroUsize>,

    /// Threads that work together on one search.
    #[arg(long, env = "REVERSI_THREADS_PER_SEARCH", value_name = "N", default_value = "1", value_parser = threads)]
    pub threads_per_search: NonZeroUsize,

    /// What each running search remembers positions in.
    #[arg(long, env = "REVERSI_TABLE_SIZE", value_name = "BYTES", default_value = "64MiB", value_parser = table_size)]
    pub table_size: usize,

    /// Weights that the engine judges positions with, instead of those it comes with; once for
    /// each objective.
    #[arg(long, env = "REVERSI_WEIGHTS", value_name = "FILE", value_delimiter = ',', value_parser = weights)]
    pub weights: Vec<WeightsFile>,

    /// How long a suggestion takes when its request has no budget.
    #[arg(long, env = "REVERSI_SUGGEST_TIME", value_name = "TIME", default_value = "1s", value_parser = positive)]
    pub suggest_time: Duration,

    /// How long the engine takes at most for a move of a seat that it plays.
    #[arg(long, env = "REVERSI_ENGINE_MOVE_TIME", value_name = "TIME", default_value = "1s", value_parser = engine_move_time)]
    pub engine_move_time: Duration,

    /// How long a suggestion takes at most.
    #[arg(long, env = "REVERSI_MAX_SUGGEST_TIME", value_name = "TIME", default_value = "60s", value_parser = positive)]
    pub max_suggest_time: Duration,

    /// How long an analysis or a solution takes at most.
    #[arg(long, env = "REVERSI_MAX_ANALYSIS_TIME", value_name = "TIME", default_value = "5m", value_parser = positive)]
    pub max_analysis_time: Duration,

    /// The most empty squares with which a position is solved.
    #[arg(long, env = "REVERSI_MAX_SOLVE_EMPTIES", value_name = "N", default_value = "26", value_parser = clap::value_parser!(u32).range(1..=60))]
    pub max_solve_empties: u32,

    /// How long calls may take to end after a signal to stop.
    #[arg(long, env = "REVERSI_SHUTDOWN_GRACE", value_name = "TIME", default_value = "20s", value_parser = humantime::parse_duration)]
    pub shutdown_grace: Duration,

    /// How old a connection may become before its client is asked to open another one, so that load
    /// comes to new servers, too; a tenth more or less [default: any age].
    #[arg(long, env = "REVERSI_MAX_CONNECTION_AGE", value_name = "TIME", value_parser = positive)]
    pub max_connection_age: Option<Duration>,

    /// Where traces are sent by OTLP over gRPC, as in `http://collector:4317` [default: nowhere].
    #[arg(long, env = "REVERSI_OTLP_ENDPOINT", value_name = "URL")]
    pub otlp_endpoint: Option<String>,

    /// The share of calls that are traced where the caller has not decided, from 0 to 1.
    #[arg(long, env = "REVERSI_TRACE_SHARE", value_name = "SHARE", default_value = "0.1", value_parser = share)]
    pub trace_share: f64,

    /// The form of the log on standard error.
    #[arg(
        long,
        env = "REVERSI_LOG_FORMAT",
        value_name = "FORMAT",
        default_value = "auto"
    )]
    pub log_format: LogFormat,

    /// What to log: a level, or directives such as `info,reversi_service=debug`.
    #[arg(
        long,
        env = "REVERSI_LOG",
        value_name = "FILTER",
        default_value = "info"
    )]
    pub log: String,

    // Last: options after it would be told under its heading.
    /// Who may call, and how much.
    #[command(flatten)]
    pub access: AccessOptions,
}

const EXAMPLES: &str = "\
Examples:
  reversi-service
  reversi-service --listen 127.0.0.1:50052 --store redis://127.0.0.1:6379

Every flag can also be set by the environment variable named with it.";

/// The form of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Text on a terminal, JSON elsewhere.
    Auto,
    /// Text.
    Text,
    /// A JSON object a line.
    Json,
}

/// Where the admin port is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdminAddress {
    /// Nowhere.
    Off,
    /// At this address.
    At(String),
}

impl FromStr for AdminAddress {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "off" => Self::Off,
            address => Self::At(address.to_owned()),
        })
    }
}

/// Reads the store's URL. A value that is refused may hold a password: it is not repeated.
#[derive(Clone, Copy, Debug)]
struct StoreUrlParser;

impl TypedValueParser for StoreUrlParser {
    type Value = StoreUrl;

    fn parse_ref(
        &self,
        command: &clap::Command,
        _argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<StoreUrl, clap::Error> {
        let parsed = value.to_str().unwrap_or_default().parse();
        parsed.map_err(|error: &str| {
            let message = format!("invalid value for '--store <STORE>': {error}\n");
            clap::Error::raw(ErrorKind::ValueValidation, message).with_cmd(command)
        })
    }
}

/// What is in a PEM file. Shows without it: it may be a key.
#[derive(Clone, PartialEq, Eq)]
pub struct Pem(pub Vec<u8>);

impl fmt::Debug for Pem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pem")
    }
}

fn pem(path: &str) -> Result<Pem, String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let begins = b"-----BEGIN ";
    if bytes.windows(begins.len()).any(|part| part == begins) {
        Ok(Pem(bytes))
    } else {
        Err("the file is not PEM".to_owned())
    }
}

/// Where live games are kept. Shows without the user, password and options of a URL.
#[derive(Clone, PartialEq, Eq)]
pub enum StoreUrl {
    /// In this process.
    Memory,
    /// In Redis, at this URL.
    Redis(String),
}

impl FromStr for StoreUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "memory" {
            Ok(Self::Memory)
        } else if RedisStoreConfig::is_url(text) {
            Ok(Self::Redis(text.to_owned()))
        } else {
            Err(match text.split_once("://") {
                Some(("redis+sentinel" | "rediss+sentinel", _)) => {
                    "expected a URL such as `redis+sentinel://host:26379,host:26379/master`"
                }
                Some(("redis+cluster" | "rediss+cluster", _)) => {
                    "expected a URL such as `redis+cluster://host:6379,host:6379`"
                }
                _ => "expected `memory` or a URL such as `redis://user:password@host:6379/0`",
            })
        }
    }
}

impl fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("memory"),
            Self::Redis(url) => f.write_str(&RedisStoreConfig::shown(url).unwrap_or_default()),
        }
    }
}

impl fmt::Debug for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// An address that cannot be resolved.
    #[error("cannot resolve {flag} {address}: {source}")]
    Address {
        /// The flag.
        flag: &'static str,
        /// Its value.
        address: String,
        /// Why.
        source: std::io::Error,
    },
    /// An address that others can reach.
    #[error(
        "{flag} {address} can be reached from other machines and callers are not asked who they \
         are: add --insecure if that is meant"
    )]
    Exposed {
        /// The flag.
        flag: &'static str,
        /// The address.
        address: SocketAddr,
    },
    /// Traces cannot be sent.
    #[error("cannot send traces to {endpoint}: {why}")]
    Traces {
        /// Where to.
        endpoint: String,
        /// Why not.
        why: String,
    },
    /// A log filter that cannot be read.
    #[error("cannot read --log {filter}: {source}")]
    LogFilter {
        /// The filter.
        filter: String,
        /// Why.
        source: tracing_subscriber::filter::ParseError,
    },
}

/// What follows from a configuration: where to listen.
#[derive(Clone, Copy, Debug)]
pub struct Addresses {
    /// Where to serve gRPC.
    pub listen: SocketAddr,
    /// Where to serve probes and metrics.
    pub admin: Option<SocketAddr>,
    /// Whether to go on without the admin port where it is taken.
    pub admin_optional: bool,
}

impl Config {
    /// Resolves the addresses and checks that they may be used.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] if an address cannot be resolved or is open to others by mistake.
    pub async fn addresses(&self) -> Result<Addresses, ConfigError> {
        let listen = resolve(LISTEN, &self.listen).await?;
        let admin = match &self.admin {
            Some(AdminAddress::Off) => None,
            Some(AdminAddress::At(address)) => Some(resolve("--admin", address).await?),
            None => Some(resolve("--admin", DEFAULT_ADMIN).await?),
        };
        for (flag, address) in [(LISTEN, Some(listen)), ("--admin", admin)] {
            if let Some(address) = address
                && !address.ip().is_loopback()
                && !self.insecure
                && !(flag == LISTEN && self.access.asks())
            {
                return Err(ConfigError::Exposed { flag, address });
            }
        }
        Ok(Addresses {
            listen,
            admin,
            admin_optional: self.admin.is_none(),
        })
    }

    /// The threads that serve connections.
    #[must_use]
    pub fn io_threads(&self) -> usize {
        or_processors(self.io_threads)
    }

    /// The threads that search for moves.
    #[must_use]
    pub fn compute_threads(&self) -> usize {
        or_processors(self.compute_threads)
    }

    /// The threads that analyse and solve.
    #[must_use]
    pub fn analysis_threads(&self) -> usize {
        let half = || or_processors(None).div_ceil(2);
        self.analysis_threads.map_or_else(half, NonZeroUsize::get)
    }
}

fn or_processors(configured: Option<NonZeroUsize>) -> usize {
    configured
        .or_else(|| thread::available_parallelism().ok())
        .map_or(1, NonZeroUsize::get)
}

/// No machine gains by more threads than this.
const MAX_THREADS: usize = 1024;

pub(crate) fn threads(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .ok()
        .filter(|threads: &NonZeroUsize| threads.get() <= MAX_THREADS)
        .ok_or_else(|| format!("must be from 1 to {MAX_THREADS}"))
}

async fn resolve(flag: &'static str, address: &str) -> Result<SocketAddr, ConfigError> {
    let error = |source| ConfigError::Address {
        flag,
        address: address.to_owned(),
        source,
    };
    let mut found = tokio::net::lookup_host(address).await.map_err(error)?;
    found
        .next()
        .ok_or_else(|| error(std::io::Error::other("no address found")))
}

/// The least and the most that a table takes.
const TABLE_BYTES: RangeInclusive<usize> = 1 << 10..=1 << 36;

/// A number of bytes, with `KiB`, `MiB` or `GiB` after it for more of them.
pub(crate) fn table_size(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|letter: char| !letter.is_ascii_digit());
    let factor = match text[digits.len()..].trim() {
        "" => Some(1),
        "KiB" => Some(1 << 10),
        "MiB" => Some(1 << 20),
        "GiB" => Some(1 << 30),
        _ => None,
    };
    let number: Option<usize> = digits.parse().ok();
    number
        .zip(factor)
        .and_then(|(number, factor)| number.checked_mul(factor))
        .filter(|bytes| TABLE_BYTES.contains(bytes))
        .ok_or_else(|| "must be from 1KiB to 64GiB".to_owned())
}

pub(crate) fn weights(path: &str) -> Result<WeightsFile, WeightsFileError> {
    WeightsFile::read(Path::new(path))
}

fn share(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    number
        .filter(|number| (0.0..=1.0).contains(number))
        .ok_or_else(|| "must be from 0 to 1".to_owned())
}

pub(crate) fn positive(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(Duration::ZERO) => Err("must be more than zero".to_owned()),
        Ok(duration) => Ok(duration),
        Err(error) => Err(error.to_string()),
    }
}

/// A server that dies holds a game up for this time and some more.
fn engine_move_time(text: &str) -> Result<Duration, String> {
    let time = positive(text)?;
    if time > Duration::from_secs(60) {
        return Err("must be at most a minute".to_owned());
    }
    Ok(time)
}

/// Games live for whole seconds, at most a hundred years.
fn game_ttl(text: &str) -> Result<Duration, String> {
    const LONGEST: Duration = Duration::from_secs(100 * 366 * 24 * 3600);
    let duration = positive(text)?;
    if duration < Duration::from_secs(1) || duration > LONGEST {
        return Err("must be from one second to a hundred years".to_owned());
    }
    Ok(Duration::from_secs(duration.as_secs()))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn only_flags_about_callers_are_told_as_such() {
        let command = Config::command();
        for (flag, heading) in [
            ("insecure", None),
            ("game_ttl", None),
            ("log", None),
            ("tokens", Some("Callers")),
            ("no_reflection", Some("Callers")),
        ] {
            let found = command.get_arguments().find(|found| found.get_id() == flag);
            assert_eq!(found.unwrap().get_help_heading(), heading, "{flag}");
        }
    }

    #[test]
    fn redis_password_is_not_shown() {
        for (url, shown) in [
            ("redis://user:secret@host:1/0", "redis://host:1"),
            (
                "rediss+sentinel://user:secret@a,b/main?sentinel_password=secret",
                "rediss+sentinel://a:26379,b:26379/main",
            ),
        ] {
            let store: StoreUrl = url.parse().unwrap();
            assert_eq!(format!("{store} {store:?}"), format!("{shown} {shown}"));
        }
        assert!(
            "redis://host:1/0?password=secret"
                .parse::<StoreUrl>()
                .is_err()
        );
    }

    #[tokio::test]
    async fn address_beyond_this_machine_needs_a_word() {
        let open = ["reversi-service", "--listen", "0.0.0.0:0"];
        let config = Config::try_parse_from(open).unwrap();
        assert!(matches!(
            config.addresses().await,
            Err(ConfigError::Exposed { .. })
        ));
        let config = Config::try_parse_from(open.into_iter().chain(["--insecure"])).unwrap();
        assert!(config.addresses().await.is_ok());
    }

    #[test]
    fn nonsense_is_refused() {
        for arguments in [
            ["--store", "mysql://host"],
            ["--game-ttl", "0s"],
            ["--game-ttl", "200y"],
            ["--io-threads", "0"],
            ["--suggest-time", "soon"],
            ["--log-format", "xml"],
            ["--table-size", "0"],
            ["--table-size", "1TiB"],
            ["--table-size", "99999999999GiB"],
            ["--table-size", "-1"],
            ["--threads-per-search", "0"],
            ["--max-solve-empties", "61"],
            ["--weights", "/no/such/file"],
        ] {
            let arguments = ["reversi-service"].into_iter().chain(arguments);
            assert!(Config::try_parse_from(arguments).is_err());
        }
    }
}
