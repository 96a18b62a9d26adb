//! What a client can be told: where the service is, how long to wait, how often to try.

use std::time::Duration;

use crate::{RetryPolicy, Tls, Token};

/// The settings of a [`Client`](crate::Client).
///
/// ```
/// use std::time::Duration;
/// use reversi_client::ClientConfig;
///
/// let config = ClientConfig::new(["http://10.0.0.1:50051", "http://10.0.0.2:50051"])
///     .timeout(Duration::from_secs(3));
/// # let _ = config;
/// ```
#[derive(Debug, Clone)]
pub struct ClientConfig {
    pub(crate) endpoints: Vec<String>,
    pub(crate) connect_timeout: Duration,
    pub(crate) timeout: Duration,
    pub(crate) retry: RetryPolicy,
    pub(crate) keepalive_interval: Duration,
    pub(crate) keepalive_timeout: Duration,
    pub(crate) max_in_flight: usize,
    pub(crate) resolve_interval: Option<Duration>,
    pub(crate) token: Option<Token>,
    pub(crate) tls: Tls,
}

impl ClientConfig {
    /// Settings for the replicas of one service, each `http://host:port` or `https://host:port`.
    ///
    /// With several, calls go round them in turn; one that cannot be reached is left out
    /// for a second, and a repeat goes to the next.
    pub fn new<I>(endpoints: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        Self {
            endpoints: endpoints.into_iter().map(Into::into).collect(),
            connect_timeout: Duration::from_secs(3),
            timeout: Duration::from_secs(10),
            retry: RetryPolicy::default(),
            keepalive_interval: Duration::from_secs(20),
            keepalive_timeout: Duration::from_secs(10),
            max_in_flight: 100,
            resolve_interval: None,
            token: None,
            tls: Tls::new(),
        }
    }

    /// The longest that making a TCP connection may take. Default: 3 s.
    #[must_use]
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// The deadline of every call, all its repeats included. Default: 10 s.
    /// [`Client::with_timeout`](crate::Client::with_timeout) changes it for single calls.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// How often and how soon a call is repeated. Default: [`RetryPolicy::default`].
    #[must_use]
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// How often a connection is pinged, also while nothing is called, and how long to wait
    /// for the answer before it counts as lost. Default: 20 s and 10 s.
    #[must_use]
    pub fn keepalive(mut self, interval: Duration, timeout: Duration) -> Self {
        self.keepalive_interval = interval;
        self.keepalive_timeout = timeout;
        self
    }

    /// Keeps a connection to each address that an endpoint's name has, and asks for them again after
    /// this interval: for a name that stands for all replicas, such as that of a headless service
    /// of Kubernetes. Default: a name stands for one server, and is asked for when it is connected
    /// to.
    #[must_use]
    pub fn resolve(mut self, interval: Duration) -> Self {
        self.resolve_interval = Some(interval.max(Duration::from_millis(1)));
        self
    }

    /// The bearer token that every call shows. Default: none.
    #[must_use]
    pub fn token(mut self, token: Token) -> Self {
        self.token = Some(token);
        self
    }

    /// How connections to `https://` endpoints are secured. Default: the service's certificate is
    /// checked against the authorities that the system trusts.
    #[must_use]
    pub fn tls(mut self, tls: Tls) -> Self {
        self.tls = tls;
        self
    }

    /// The most unary calls on one connection at a time; more wait here, within their
    /// deadlines. Default: 100, below the stream limits that servers usually set.
    /// At least one.
    #[must_use]
    pub fn max_in_flight(mut self, calls: usize) -> Self {
        self.max_in_flight = calls.max(1);
        self
    }
}

impl From<&str> for ClientConfig {
    fn from(endpoint: &str) -> Self {
        Self::new([endpoint])
    }
}

impl From<String> for ClientConfig {
    fn from(endpoint: String) -> Self {
        Self::new([endpoint])
    }
}
