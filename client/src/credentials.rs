//! What a client shows to the service, and what it takes from it: bearer tokens and certificates.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::time::Instant;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Certificate, ClientTlsConfig, Identity};

use crate::Error;

/// How often a file is looked at again.
const LOOK: Duration = Duration::from_secs(5);

/// A bearer token, or where it is to be found. Never shows it.
#[derive(Clone)]
pub struct Token(Source);

#[derive(Clone)]
enum Source {
    Fixed(MetadataValue<Ascii>),
    File(Arc<TokenFile>),
}

struct TokenFile {
    path: PathBuf,
    read: Mutex<Read>,
}

struct Read {
    authorization: MetadataValue<Ascii>,
    changed: Option<SystemTime>,
    looked: Instant,
}

impl Token {
    /// This token.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidToken`] if it has characters that a header cannot have.
    pub fn fixed(token: &str) -> Result<Self, Error> {
        authorization(token, "the token").map(|value| Self(Source::Fixed(value)))
    }

    /// The token in a file, which is read again when it changes: a token that expires is replaced
    /// there by the next, as Kubernetes and the agents of secret stores do. Blanks around it are
    /// left out.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidToken`] if the file cannot be read or holds no token.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref().to_owned();
        let read = Read::new(&path)?;
        Ok(Self(Source::File(Arc::new(TokenFile {
            path,
            read: Mutex::new(read),
        }))))
    }

    /// The value of the `authorization` header now.
    pub(crate) fn authorization(&self) -> MetadataValue<Ascii> {
        match &self.0 {
            Source::Fixed(value) => value.clone(),
            Source::File(file) => file.authorization(),
        }
    }
}

impl TokenFile {
    fn authorization(&self) -> MetadataValue<Ascii> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if read.looked.elapsed() >= LOOK {
            read.looked = Instant::now();
            // A file that is being written is looked at again later.
            if changed(&self.path) != read.changed
                && let Ok(again) = Read::new(&self.path)
            {
                *read = again;
            }
        }
        read.authorization.clone()
    }
}

impl Read {
    fn new(path: &Path) -> Result<Self, Error> {
        let what = path.display().to_string();
        let changed = changed(path);
        let text = fs::read_to_string(path).map_err(|error| invalid(&what, &error))?;
        Ok(Self {
            authorization: authorization(text.trim(), &what)?,
            changed,
            looked: Instant::now(),
        })
    }
}

fn changed(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|file| file.modified()).ok()
}

fn authorization(token: &str, what: &str) -> Result<MetadataValue<Ascii>, Error> {
    if token.is_empty() {
        return Err(invalid(what, &"it is empty"));
    }
    let mut value: MetadataValue<Ascii> = format!("Bearer {token}")
        .parse()
        .map_err(|_| invalid(what, &"it has characters that a header cannot have"))?;
    value.set_sensitive(true);
    Ok(value)
}

fn invalid(what: &str, problem: &dyn fmt::Display) -> Error {
    Error::InvalidToken {
        token: what.to_owned(),
        problem: problem.to_string(),
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Source::Fixed(_) => f.write_str("Token(…)"),
            Source::File(file) => write!(f, "Token({})", file.path.display()),
        }
    }
}

/// How connections to `https://` endpoints are secured.
#[derive(Clone, Default)]
pub struct Tls {
    authorities: Option<Vec<u8>>,
    identity: Option<(Vec<u8>, Vec<u8>)>,
    server_name: Option<String>,
}

impl Tls {
    /// Trusts the authorities that the system trusts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Trusts these authorities instead, a PEM file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn authorities(mut self, path: impl AsRef<Path>) -> io::Result<Self> {
        self.authorities = Some(fs::read(path)?);
        Ok(self)
    }

    /// Shows this certificate to the service, two PEM files.
    ///
    /// # Errors
    ///
    /// If a file cannot be read.
    pub fn identity(
        mut self,
        certificate: impl AsRef<Path>,
        key: impl AsRef<Path>,
    ) -> io::Result<Self> {
        self.identity = Some((fs::read(certificate)?, fs::read(key)?));
        Ok(self)
    }

    /// Expects this name in the service's certificate instead of the endpoint's host.
    #[must_use]
    pub fn server_name(mut self, name: impl Into<String>) -> Self {
        self.server_name = Some(name.into());
        self
    }

    /// The settings for a connection; to an address, `host` is whom it is meant for.
    pub(crate) fn config(&self, host: Option<&str>) -> ClientTlsConfig {
        let mut config = match &self.authorities {
            Some(pem) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem)),
            None => ClientTlsConfig::new().with_native_roots(),
        };
        if let Some((certificate, key)) = &self.identity {
            config = config.identity(Identity::from_pem(certificate, key));
        }
        if let Some(name) = self.server_name.as_deref().or(host) {
            config = config.domain_name(name);
        }
        config
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls")
            .field("authorities", &self.authorities.is_some())
            .field("identity", &self.identity.is_some())
            .field("server_name", &self.server_name)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(token: &Token) -> String {
        let value = token.authorization();
        value.to_str().unwrap().to_owned()
    }

    #[test]
    fn a_token_is_shown_to_the_service_and_to_nobody_else() {
        let token = Token::fixed("abc").unwrap();
        assert_eq!(shown(&token), "Bearer abc");
        assert!(!format!("{token:?} {:?}", token.authorization()).contains("abc"));
        assert!(Token::fixed("").is_err());
        assert!(Token::fixed("a\nb").is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_token_in_a_file_is_replaced_by_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        assert!(Token::from_file(&path).is_err());
        let write = |text: &str, age: u64| {
            fs::write(&path, text).unwrap();
            let file = fs::File::open(&path).unwrap();
            let past = SystemTime::now() - Duration::from_secs(age);
            file.set_modified(past).unwrap();
        };
        write("one\n", 60);
        let token = Token::from_file(&path).unwrap();
        assert_eq!(shown(&token), "Bearer one");
        write("two\n", 50);
        assert_eq!(shown(&token), "Bearer one", "not looked at yet");
        tokio::time::advance(LOOK).await;
        assert_eq!(shown(&token), "Bearer two");
        write("", 40);
        tokio::time::advance(LOOK).await;
        assert_eq!(shown(&token), "Bearer two", "an empty file is no token");
    }
}
