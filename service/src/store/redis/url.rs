//! Where Redis is: what the URL of a store says.

use std::fmt;
use std::sync::Arc;

use redis::{
    Client, ConnectionAddr, ConnectionInfo, ErrorKind, IntoConnectionInfo, ProtocolVersion,
    RedisConnectionInfo, RedisError, RedisResult, TlsCertificates, io::tcp::TcpSettings,
};

/// The port of a Sentinel that is named without one.
const SENTINEL_PORT: u16 = 26379;

/// How the servers are run.
#[derive(Clone, Debug)]
pub(super) enum Deployment {
    /// One server.
    Single(Server),
    /// A master and its replicas, which Sentinels watch.
    Sentinel {
        /// Where the Sentinels are.
        sentinels: Vec<Server>,
        /// What they call the master.
        master: String,
        /// How the master is reached.
        access: Access,
    },
    /// A Redis Cluster.
    Cluster {
        /// Some of its nodes.
        seeds: Vec<Address>,
        /// How nodes are reached.
        access: Access,
    },
}

/// Host and port.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Address {
    pub(super) host: String,
    pub(super) port: u16,
}

/// How servers are reached, wherever they are: user, password, database, TLS.
#[derive(Clone)]
pub(super) struct Access {
    redis: RedisConnectionInfo,
    tls: Option<Arc<TlsCertificates>>,
}

/// A server and how it is reached.
#[derive(Clone, Debug)]
pub(super) struct Server {
    pub(super) address: Address,
    pub(super) access: Access,
}

impl Deployment {
    /// What a URL says; with TLS, these certificates are used.
    ///
    /// # Errors
    ///
    /// If it has no meaning. It may hold a password: the error does not repeat it.
    pub(super) fn new(url: &str, tls: &TlsCertificates) -> RedisResult<Self> {
        let (scheme, rest) = url.split_once("://").ok_or_else(malformed)?;
        let (scheme, kind) = scheme.split_once('+').unwrap_or((scheme, ""));
        let tls = match scheme {
            "redis" => None,
            "rediss" => Some(Arc::new(tls.clone())),
            _ => return Err(malformed()),
        };
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (user, hosts) = authority.rsplit_once('@').unwrap_or(("", authority));
        let server = |user: &str, host: &str, database: &str, default_port| {
            let at = if user.is_empty() { "" } else { "@" };
            let port = if names_port(host) { "" } else { default_port };
            let text = format!("redis://{user}{at}{host}{port}/{database}");
            Server::parse(&text, tls.clone())
        };
        match kind {
            "" if query.is_empty() => Ok(Self::Single(server(user, hosts, path, "")?)),
            "sentinel" => {
                let (master, database) = path.split_once('/').unwrap_or((path, ""));
                let sentinel_user = sentinel_user(query)?;
                if master.is_empty() {
                    return Err(malformed());
                }
                let port = format!(":{SENTINEL_PORT}");
                let sentinels = hosts
                    .split(',')
                    .map(|host| server(&sentinel_user, host, "", &port))
                    .collect::<RedisResult<_>>()?;
                Ok(Self::Sentinel {
                    sentinels,
                    master: master.to_owned(),
                    access: server(user, "master", database, "")?.access,
                })
            }
            "cluster" if query.is_empty() && path.is_empty() => {
                let seeds = hosts
                    .split(',')
                    .map(|host| server(user, host, "", ""))
                    .collect::<RedisResult<Vec<_>>>()?;
                let access = seeds.first().ok_or_else(malformed)?.access.clone();
                let seeds = seeds.into_iter().map(|seed| seed.address).collect();
                Ok(Self::Cluster { seeds, access })
            }
            _ => Err(malformed()),
        }
    }
}

fn names_port(host: &str) -> bool {
    let after_v6 = host.rsplit_once(']').map_or(host, |(_, rest)| rest);
    after_v6.contains(':')
}

/// The user and password of the Sentinels, as they stand in a URL.
fn sentinel_user(query: &str) -> RedisResult<String> {
    let (mut user, mut password) = ("", "");
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        match pair.split_once('=') {
            Some(("sentinel_user", value)) => user = value,
            Some(("sentinel_password", value)) => password = value,
            _ => return Err(malformed()),
        }
    }
    if user.is_empty() && password.is_empty() {
        return Ok(String::new());
    }
    Ok(format!("{user}:{password}"))
}

fn malformed() -> RedisError {
    RedisError::from((ErrorKind::InvalidClientConfig, "the URL has no meaning"))
}

impl Server {
    fn parse(url: &str, tls: Option<Arc<TlsCertificates>>) -> RedisResult<Self> {
        let info = url.into_connection_info()?;
        let ConnectionAddr::Tcp(host, port) = info.addr() else {
            return Err(malformed());
        };
        if host.is_empty() {
            return Err(malformed());
        }
        let address = Address {
            host: host.clone(),
            port: *port,
        };
        // RESP3 tells at once when a connection is lost and lets one connection both listen
        // and be probed.
        let redis = info.redis_settings().clone();
        let redis = redis.set_protocol(ProtocolVersion::RESP3);
        Ok(Self {
            address,
            access: Access { redis, tls },
        })
    }

    /// What makes connections to it.
    pub(super) fn client(&self) -> RedisResult<Client> {
        self.access.client(&self.address)
    }
}

impl Access {
    /// What makes connections to the server at this address.
    pub(super) fn client(&self, address: &Address) -> RedisResult<Client> {
        let (host, port) = (address.host.clone(), address.port);
        let info = |addr: ConnectionAddr| -> RedisResult<ConnectionInfo> {
            // Without TCP_NODELAY commands wait for the answer to the one before.
            Ok(addr
                .into_connection_info()?
                .set_redis_settings(self.redis.clone())
                .set_tcp_settings(TcpSettings::default().set_nodelay(true)))
        };
        match &self.tls {
            None => Client::open(info(ConnectionAddr::Tcp(host, port))?),
            Some(certificates) => {
                let addr = ConnectionAddr::TcpTls {
                    host,
                    port,
                    insecure: false,
                    tls_params: None,
                };
                Client::build_with_tls(info(addr)?, (**certificates).clone())
            }
        }
    }
}

impl Access {
    fn show_database(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.redis.db() {
            0 => Ok(()),
            database => write!(f, "/{database}"),
        }
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Access");
        debug
            .field("tls", &self.tls.is_some())
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

impl fmt::Display for Deployment {
    /// Without user and password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |addresses: Vec<String>| addresses.join(",");
        match self {
            Self::Single(server) => {
                server.address.fmt(f)?;
                server.access.show_database(f)
            }
            Self::Sentinel {
                sentinels,
                master,
                access,
            } => {
                let sentinels = sentinels.iter().map(|server| server.address.to_string());
                write!(f, "{}/{master}", list(sentinels.collect()))?;
                access.show_database(f)
            }
            Self::Cluster { seeds, .. } => {
                f.write_str(&list(seeds.iter().map(Address::to_string).collect()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(url: &str) -> RedisResult<Deployment> {
        let tls = TlsCertificates {
            client_tls: None,
            root_cert: None,
        };
        Deployment::new(url, &tls)
    }

    #[test]
    fn urls_say_where_redis_is() {
        for (url, shown) in [
            ("redis://host", "host:6379"),
            ("redis://user:hunter2@host:7/3", "host:7/3"),
            ("redis://[::1]:7", "[::1]:7"),
            ("rediss://host:7", "host:7"),
            ("redis+sentinel://a,b:7/main", "a:26379,b:7/main"),
            ("redis+sentinel://[::1]/main/3", "[::1]:26379/main/3"),
            (
                "rediss+sentinel://u:hunter2@a:1,b/main?sentinel_user=s&sentinel_password=hunter2",
                "a:1,b:26379/main",
            ),
            ("redis+cluster://a,b:7", "a:6379,b:7"),
            ("redis+cluster://:hunter2@a/", "a:6379"),
        ] {
            let deployment = parsed(url).unwrap_or_else(|error| panic!("{url}: {error}"));
            assert_eq!(deployment.to_string(), shown, "{url}");
            assert!(!format!("{deployment:?}").contains("hunter2"), "{url}");
        }
    }

    #[test]
    fn sentinels_and_servers_have_passwords_of_their_own() {
        let url = "redis+sentinel://u:p%40@a/main?sentinel_user=s&sentinel_password=q";
        let Ok(Deployment::Sentinel {
            sentinels, access, ..
        }) = parsed(url)
        else {
            panic!("{url} is a Sentinel");
        };
        let credentials = |access: &Access| {
            let text = |text: Option<&str>| text.map(str::to_owned);
            (text(access.redis.username()), text(access.redis.password()))
        };
        let some = |user: &str, password: &str| (Some(user.to_owned()), Some(password.to_owned()));
        assert_eq!(credentials(&access), some("u", "p@"));
        assert_eq!(credentials(&sentinels[0].access), some("s", "q"));
    }

    #[test]
    fn other_texts_have_no_meaning() {
        for url in [
            "",
            "host",
            "redis://",
            "redis://host:port",
            "redis://host/x",
            "http://host",
            "redis+x://host",
            "redis+sentinel://host",
            "redis+sentinel://host/",
            "redis+sentinel://a,,b/main",
            "redis+sentinel://a/main?password=x",
            "redis+cluster://",
            "redis+cluster://a,",
            "redis+cluster://a/1",
        ] {
            assert!(parsed(url).is_err(), "{url}");
        }
    }
}
