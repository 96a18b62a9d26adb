//! Servers that this program starts, and stops when it is done.

use std::env;
use std::ffi::OsStr;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{self, Command};
use tokio::time::{Instant, sleep};

use crate::wire::target::Endpoint;

/// How long a server may take to start.
const START_PATIENCE: Duration = Duration::from_secs(10);
/// How often to look whether it has.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A server did not start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChildError {
    /// There is no such program.
    #[error("cannot start {}: {source}", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Something else answers already: it would be measured instead.
    #[error("another server already answers on {address}")]
    Taken {
        /// Where.
        address: SocketAddr,
    },
    /// It ended, or does not answer.
    #[error("{} {what}", program.display())]
    Silent {
        /// The program.
        program: PathBuf,
        /// What it did instead of answering.
        what: &'static str,
    },
    /// The system does not let look.
    #[error(transparent)]
    System(#[from] io::Error),
}

/// The servers that figures are measured at.
#[derive(Debug)]
pub(super) struct Servers {
    /// The service.
    pub(super) service: Child,
    /// Bare tonic, a single-threaded runtime for each processor.
    pub(super) by_thread: Child,
    /// Bare tonic as `#[tokio::main]` runs it.
    pub(super) together: Child,
    /// Both on a Redis, if there is one.
    pub(super) on_redis: Option<OnRedis>,
}

/// Servers that share a Redis.
#[derive(Debug)]
pub(super) struct OnRedis {
    /// The service.
    pub(super) service: Child,
    /// Bare tonic, a single-threaded runtime for each processor.
    pub(super) bare: Child,
}

/// Which service is measured.
#[derive(Clone, Debug)]
pub(crate) enum Service {
    /// One that runs already.
    Running(Endpoint),
    /// One to be started.
    Start {
        /// The program; by default the one beside this program.
        program: Option<PathBuf>,
        /// Its port; by default a free one.
        port: Option<u16>,
    },
}

impl Service {
    /// The program to start, if not the one beside this program.
    fn program(&self) -> Option<&Path> {
        match self {
            Self::Running(_) => None,
            Self::Start { program, .. } => program.as_deref(),
        }
    }
}

impl Servers {
    /// Starts all of them.
    pub(super) async fn start(service: &Service, redis: Option<&str>) -> Result<Self, ChildError> {
        let on_redis = match (redis, service) {
            (None, _) => None,
            (Some(url), service) => Some(OnRedis {
                service: Child::service(service.program(), None, &["--store", url]).await?,
                bare: Child::echo("current-thread", &["--redis", url]).await?,
            }),
        };
        let service = match service {
            Service::Running(endpoint) => Child {
                endpoint: endpoint.clone(),
                process: None,
            },
            Service::Start { program, port } => {
                Child::service(program.as_deref(), *port, &[]).await?
            }
        };
        Ok(Self {
            service,
            by_thread: Child::echo("current-thread", &[]).await?,
            together: Child::echo("multi-thread", &[]).await?,
            on_redis,
        })
    }
}

/// A server. One that was started here lives as long as this value.
#[derive(Debug)]
pub(super) struct Child {
    endpoint: Endpoint,
    /// `None` for one that was not started here.
    process: Option<process::Child>,
}

impl Child {
    /// Starts the service, by default the binary beside this one, on a free port.
    async fn service(
        program: Option<&Path>,
        port: Option<u16>,
        flags: &[&str],
    ) -> Result<Self, ChildError> {
        let program = match program {
            Some(program) => program.to_owned(),
            None => env::current_exe()?.with_file_name("reversi-service"),
        };
        let address = match port {
            Some(port) => SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
            None => free_address()?,
        };
        refuse_taken(address)?;
        let address_text = address.to_string();
        let always = [
            "--admin",
            "off",
            "--log",
            "error",
            "--listen",
            &address_text,
        ];
        let mut process = command(&program, always.iter().chain(flags))?;
        let deadline = Instant::now() + START_PATIENCE;
        while TcpStream::connect(address).is_err() {
            let what = if process.try_wait()?.is_some() {
                "ended at once"
            } else if Instant::now() > deadline {
                "does not answer"
            } else {
                sleep(LOOK_EVERY).await;
                continue;
            };
            return Err(ChildError::Silent { program, what });
        }
        Ok(Self {
            endpoint: endpoint(&address.to_string()),
            process: Some(process),
        })
    }

    /// Starts the echo server of this program.
    async fn echo(runtime: &str, flags: &[&str]) -> Result<Self, ChildError> {
        let program = env::current_exe()?;
        let mut process = command(&program, ["echo", "--runtime", runtime].iter().chain(flags))?;
        let silent = |what| ChildError::Silent {
            program: program.clone(),
            what,
        };
        let out = process
            .stdout
            .take()
            .ok_or_else(|| silent("has no output"))?;
        let line = BufReader::new(out).lines().next_line().await?;
        let address = line.ok_or_else(|| silent("ended at once"))?;
        Ok(Self {
            endpoint: endpoint(&address),
            process: Some(process),
        })
    }

    /// Where it answers.
    pub(super) const fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Its process, if it was started here.
    pub(super) fn id(&self) -> Option<u32> {
        self.process.as_ref()?.id()
    }
}

fn command<A: AsRef<OsStr>>(
    program: &Path,
    arguments: impl IntoIterator<Item = A>,
) -> Result<process::Child, ChildError> {
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|source| ChildError::Start {
            program: program.to_owned(),
            source,
        })
}

fn endpoint(text: &str) -> Endpoint {
    text.parse().expect("invariant: an address of this machine")
}

fn free_address() -> io::Result<SocketAddr> {
    TcpListener::bind("127.0.0.1:0")?.local_addr()
}

fn refuse_taken(address: SocketAddr) -> Result<(), ChildError> {
    match TcpStream::connect(address) {
        Ok(_) => Err(ChildError::Taken { address }),
        Err(_) => Ok(()),
    }
}
