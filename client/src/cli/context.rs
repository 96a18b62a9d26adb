//! What every command is given: where the service is, and how to write.

use std::{env, path::PathBuf, time::Duration};

use clap::Args;
use reversi_client::{Client, ClientConfig, Tls, Token};

use super::{args, failure::Failure, output::Output};

/// The options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Global {
    /// Where the service is; several replicas separated by commas [env: REVERSI_ENDPOINT]
    /// [default: http://127.0.0.1:50051]
    // Not clap's `env`: it puts the option into each usage line as if it had to be given.
    #[arg(long, global = true, value_name = "URL", value_delimiter = ',')]
    endpoint: Vec<String>,
    /// How long to wait for an answer, e.g. 500ms, 10s, 2m [default: 10s, more where the
    /// command thinks or counts for longer]
    #[arg(long, global = true, value_name = "TIME", value_parser = args::duration)]
    timeout: Option<Duration>,
    /// The token of your seat, in games that have such tokens [env: REVERSI_SEAT_TOKEN]
    #[arg(long, global = true, value_name = "TOKEN")]
    seat_token: Option<String>,
    /// The file with the token to show; also read from REVERSI_TOKEN_FILE, and the token itself
    /// from REVERSI_TOKEN
    #[arg(long, global = true, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Whose certificate an https endpoint may show, a PEM file [default: whom the system trusts]
    #[arg(long, global = true, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// The certificate to show, a PEM file
    #[arg(long, global = true, value_name = "FILE", requires = "key")]
    cert: Option<PathBuf>,
    /// The key of that certificate, a PEM file
    #[arg(long, global = true, value_name = "FILE", requires = "cert")]
    key: Option<PathBuf>,
    /// Write JSON for programs instead of text for people
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

impl Global {
    /// Where the service is, if nothing says otherwise.
    const ENDPOINT: &str = "http://127.0.0.1:50051";

    /// Where the service is: as the argument says, else the environment.
    fn endpoints(&self) -> Vec<String> {
        if !self.endpoint.is_empty() {
            return self.endpoint.clone();
        }
        let given = env::var_os("REVERSI_ENDPOINT");
        let text = given.map_or(Self::ENDPOINT.into(), |text| {
            text.to_string_lossy().into_owned()
        });
        text.split(',').map(str::to_owned).collect()
    }

    /// The token to show, if one is named.
    fn token(&self) -> Result<Option<Token>, Failure> {
        let named = env::var_os("REVERSI_TOKEN_FILE").map(PathBuf::from);
        Ok(
            match (self.token_file.clone().or(named), env::var("REVERSI_TOKEN")) {
                (Some(path), _) => Some(Token::from_file(path)?),
                (None, Ok(token)) => Some(Token::fixed(&token)?),
                (None, Err(_)) => None,
            },
        )
    }

    fn tls(&self) -> Result<Tls, Failure> {
        let mut tls = Tls::new();
        if let Some(path) = &self.ca {
            tls = tls
                .authorities(path)
                .map_err(|error| Failure::file(path, error))?;
        }
        if let Some((certificate, key)) = self.cert.as_ref().zip(self.key.as_ref()) {
            tls = tls
                .identity(certificate, key)
                .map_err(|error| Failure::file(certificate, error))?;
        }
        Ok(tls)
    }
}

/// What every command is given.
#[derive(Debug)]
pub(crate) struct Context {
    global: Global,
    pub(crate) output: Output,
}

impl Context {
    /// The deadline of calls that answer at once.
    const TIMEOUT: Duration = Duration::from_secs(10);

    pub(crate) fn new(global: Global, output: Output) -> Self {
        Self { global, output }
    }

    /// Connects to the service.
    pub(crate) async fn connect(&self) -> Result<Client, Failure> {
        let mut config = ClientConfig::new(self.global.endpoints())
            .timeout(self.timeout(Self::TIMEOUT))
            .tls(self.global.tls()?);
        if let Some(token) = self.global.token()? {
            config = config.token(token);
        }
        let client = Client::connect(config).await?;
        let given = || env::var("REVERSI_SEAT_TOKEN").ok();
        Ok(match self.global.seat_token.clone().or_else(given) {
            Some(token) => client.with_seat_token(&token),
            None => client,
        })
    }

    /// The timeout asked for on the command line, else `usual`.
    pub(crate) fn timeout(&self, usual: Duration) -> Duration {
        self.global.timeout.unwrap_or(usual)
    }

    /// The timeout of an analysis of `time`, if that is known; otherwise ten minutes.
    pub(crate) fn analysis_timeout(&self, time: Option<Duration>) -> Duration {
        match time {
            Some(_) => self.thinking_timeout(time),
            None => self.timeout(Duration::from_secs(600)),
        }
    }

    /// The timeout of a call in which the engine thinks for `time`, if that is known.
    pub(crate) fn thinking_timeout(&self, time: Option<Duration>) -> Duration {
        self.timeout(Self::TIMEOUT.saturating_add(time.unwrap_or_default()))
    }
}
