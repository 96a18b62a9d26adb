//! Who calls: the credential of a call, and the tenant that it stands for.
//!
//! A caller shows one of these: a bearer token whose hash is in a file (`tokens`), a JSON Web
//! Token (`jwt`), or, by mutual TLS, a client certificate ([`crate::tls`]). Where none of them is
//! configured, nobody is asked, and all callers are one tenant.
//!
//! Knows nothing of gRPC. Credentials are never shown: not in logs, not in errors.

mod jwks;
mod jwt;
mod tokens;
mod watched;

use std::fmt;
use std::sync::Arc;

use http::HeaderMap;
use http::header::AUTHORIZATION;
use tokio::task::JoinSet;

pub use jwt::{JwksSource, JwtConfig};
pub use watched::Unusable;
pub(crate) use watched::Watched;

use jwt::Jwts;
use tokens::Tokens;

/// Whoever games belong to. Tenants do not see each other's games.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Tenant(Arc<str>);

impl Tenant {
    /// The longest name, in bytes.
    pub const MAX_BYTES: usize = 128;

    /// The tenant of all callers where nobody is asked.
    #[must_use]
    pub fn everybody() -> Self {
        Self(Arc::from(""))
    }

    /// The tenant of this name; `None` unless it is 1 to 128 bytes without blanks.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let sound = (1..=Self::MAX_BYTES).contains(&name.len())
            && !name.contains(|c: char| c.is_whitespace() || c.is_control());
        sound.then(|| Self(Arc::from(name)))
    }

    /// Its name; empty for everybody.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Tenant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tenant({:?})", self.name())
    }
}

/// Why a credential is not taken. Says nothing of what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is none.
    #[error("a credential is required")]
    Missing,
    /// It is not `Bearer` and a token, or there are several.
    #[error("the authorization is not of the form `Bearer <token>`")]
    Malformed,
    /// Nobody knows it, or its signature is wrong.
    #[error("the credential is not known")]
    Unknown,
    /// It was valid once.
    #[error("the credential has expired")]
    Expired,
    /// It is not valid yet.
    #[error("the credential is not valid yet")]
    NotYetValid,
    /// It is meant for somebody else, or from somebody else.
    #[error("the credential is not meant for this service")]
    NotForThis,
    /// It names no tenant.
    #[error("the credential names no tenant")]
    NoTenant,
}

/// Which credentials are taken.
#[derive(Clone, Debug, Default)]
pub struct AuthConfig {
    /// A file of hashed bearer tokens.
    pub tokens: Option<std::path::PathBuf>,
    /// How JSON Web Tokens are checked.
    pub jwt: Option<JwtConfig>,
    /// Whether clients show certificates.
    pub client_certificates: bool,
}

/// Checks credentials.
#[derive(Clone, Debug, Default)]
pub struct Auth {
    tokens: Option<Arc<Watched<Tokens>>>,
    jwts: Option<Arc<Jwts>>,
    client_certificates: bool,
}

impl Auth {
    /// Reads what credentials are checked with.
    ///
    /// # Errors
    ///
    /// [`Unusable`] if a file cannot be used or a URL gives no keys.
    pub async fn open(config: &AuthConfig) -> Result<Self, Unusable> {
        let tokens = match &config.tokens {
            Some(path) => {
                let paths = vec![path.clone()];
                let tokens = Watched::open(paths, |files| Tokens::read(&files[0]))?;
                Some(Arc::new(tokens))
            }
            None => None,
        };
        let jwts = match &config.jwt {
            Some(config) => Some(Arc::new(Jwts::open(config.clone()).await?)),
            None => None,
        };
        Ok(Self {
            tokens,
            jwts,
            client_certificates: config.client_certificates,
        })
    }

    /// Whether callers are asked who they are.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.tokens.is_some() || self.jwts.is_some() || self.client_certificates
    }

    /// The tenant of a call: that of its token, or without one that of the connection's
    /// certificate.
    ///
    /// # Errors
    ///
    /// [`Refusal`].
    pub fn tenant(&self, headers: &HeaderMap, peer: Option<&Tenant>) -> Result<Tenant, Refusal> {
        if !self.is_asked() {
            return Ok(Tenant::everybody());
        }
        let Some(token) = bearer(headers)? else {
            return peer.cloned().ok_or(Refusal::Missing);
        };
        let known = self
            .tokens
            .as_ref()
            .map(|tokens| tokens.now().tenant(token));
        match (known, &self.jwts) {
            (Some(Some(tenant)), _) => Ok(tenant),
            (_, Some(jwts)) => jwts.tenant(token),
            (_, None) => Err(Refusal::Unknown),
        }
    }

    /// Looks again and again whether the files and keys have changed.
    pub(crate) fn follow(&self, tasks: &mut JoinSet<()>) {
        if let Some(tokens) = &self.tokens {
            tasks.spawn(Arc::clone(tokens).follow());
        }
        if let Some(jwts) = &self.jwts {
            tasks.spawn(Arc::clone(jwts).follow());
        }
    }
}

/// The token of the one authorization of a call.
fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Refusal> {
    let mut all = headers.get_all(AUTHORIZATION).iter();
    let Some(value) = all.next() else {
        return Ok(None);
    };
    if all.next().is_some() {
        return Err(Refusal::Malformed);
    }
    let value = value.to_str().map_err(|_| Refusal::Malformed)?;
    let (scheme, token) = value.split_once(' ').ok_or(Refusal::Malformed)?;
    if !scheme.eq_ignore_ascii_case("bearer") || token.is_empty() || token.contains(' ') {
        return Err(Refusal::Malformed);
    }
    Ok(Some(token))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn headers(values: &[&str]) -> HeaderMap {
        let values = values
            .iter()
            .map(|value| HeaderValue::from_str(value).unwrap());
        values.map(|value| (AUTHORIZATION, value)).collect()
    }

    #[test]
    fn only_one_bearer_token_is_one() {
        assert_eq!(bearer(&headers(&[])), Ok(None));
        assert_eq!(bearer(&headers(&["Bearer abc"])), Ok(Some("abc")));
        assert_eq!(bearer(&headers(&["bearer abc"])), Ok(Some("abc")));
        for wrong in [
            &["abc"][..],
            &["Basic abc"],
            &["Bearer "],
            &["Bearer a b"],
            &["Bearer a", "Bearer a"],
        ] {
            assert_eq!(
                bearer(&headers(wrong)),
                Err(Refusal::Malformed),
                "{wrong:?}"
            );
        }
    }

    #[test]
    fn nobody_is_asked_without_a_configuration() {
        let auth = Auth::default();
        assert_eq!(auth.tenant(&headers(&[]), None), Ok(Tenant::everybody()));
        assert_eq!(
            auth.tenant(&headers(&["rubbish"]), None),
            Ok(Tenant::everybody())
        );
    }

    #[test]
    fn a_tenant_has_a_name_of_sound_characters() {
        assert_eq!(Tenant::named("acme").unwrap().name(), "acme");
        for name in ["", "two words", "line\nbreak", &"x".repeat(129)] {
            assert!(Tenant::named(name).is_none(), "{name:?}");
        }
    }
}
