//! JSON Web Tokens: signed by RS256, ES256 or EdDSA with a key of a JWK set, for a time, an issuer
//! and an audience.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, JwkSet};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde_json::{Map, Value};
use tokio::sync::Notify;

use super::watched::{Unusable, Watched};
use super::{Refusal, Tenant, jwks};

/// Where the keys are that tokens are signed with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JwksSource {
    /// In a file, which is read again when it changes.
    File(PathBuf),
    /// At a URL, `https://` or `http://`.
    Url(String),
}

/// How tokens are checked.
#[derive(Clone, Debug)]
pub struct JwtConfig {
    /// Where the keys are.
    pub jwks: JwksSource,
    /// The `iss` that a token must have.
    pub issuer: Option<String>,
    /// The `aud` that a token must have.
    pub audience: Option<String>,
    /// The claim that names the tenant.
    pub tenant_claim: String,
    /// How far the clocks of issuer and server may be apart.
    pub leeway: Duration,
}

/// How often the keys at a URL are asked for.
const REFRESH: Duration = Duration::from_secs(300);
/// How soon they are asked for again when a token names a key that is not there.
const REFRESH_SOONEST: Duration = Duration::from_secs(10);

/// Checks tokens.
#[derive(Debug)]
pub(super) struct Jwts {
    config: JwtConfig,
    keys: Keys,
}

#[derive(Debug)]
enum Keys {
    OfFile(Arc<Watched<KeySet>>),
    OfUrl {
        now: RwLock<Arc<KeySet>>,
        /// A token names a key that is not there.
        wanted: Notify,
    },
}

/// The keys of a JWK set that can be used.
pub(super) struct KeySet(Vec<Key>);

struct Key {
    id: Option<String>,
    algorithm: Algorithm,
    key: DecodingKey,
}

impl Jwts {
    pub(super) async fn open(config: JwtConfig) -> Result<Self, Unusable> {
        let keys = match &config.jwks {
            JwksSource::File(path) => {
                let parse = |files: &[Vec<u8>]| KeySet::read(&files[0]);
                Keys::OfFile(Arc::new(Watched::open(vec![path.clone()], parse)?))
            }
            JwksSource::Url(url) => {
                let keys = fetched(url).await.map_err(|why| {
                    let url = url.clone();
                    Unusable::Url { url, why }
                })?;
                Keys::OfUrl {
                    now: RwLock::new(Arc::new(keys)),
                    wanted: Notify::new(),
                }
            }
        };
        Ok(Self { config, keys })
    }

    pub(super) fn tenant(&self, token: &str) -> Result<Tenant, Refusal> {
        let header = decode_header(token).map_err(|_| Refusal::Unknown)?;
        let keys = self.keys.now();
        let Some(key) = keys.find(header.kid.as_deref(), header.alg) else {
            self.keys.want();
            return Err(Refusal::Unknown);
        };
        let mut validation = Validation::new(key.algorithm);
        validation.leeway = self.config.leeway.as_secs();
        validation.validate_nbf = true;
        validation.validate_aud = self.config.audience.is_some();
        let mut required = vec!["exp"];
        if let Some(audience) = &self.config.audience {
            validation.set_audience(&[audience]);
            required.push("aud");
        }
        if let Some(issuer) = &self.config.issuer {
            validation.set_issuer(&[issuer]);
            required.push("iss");
        }
        validation.set_required_spec_claims(&required);
        let claims = decode::<Map<String, Value>>(token, &key.key, &validation)
            .map_err(|error| refusal(error.kind()))?
            .claims;
        let tenant = claims
            .get(&self.config.tenant_claim)
            .and_then(Value::as_str);
        tenant.and_then(Tenant::named).ok_or(Refusal::NoTenant)
    }

    /// Reads the keys again when they change.
    pub(super) async fn follow(self: Arc<Self>) {
        match (&self.keys, &self.config.jwks) {
            (Keys::OfFile(keys), _) => Arc::clone(keys).follow().await,
            (Keys::OfUrl { now, wanted }, JwksSource::Url(url)) => loop {
                let asked = Instant::now();
                tokio::select! {
                    () = tokio::time::sleep(REFRESH) => {}
                    () = wanted.notified() => {
                        tokio::time::sleep(REFRESH_SOONEST.saturating_sub(asked.elapsed())).await;
                    }
                }
                match fetched(url).await {
                    Ok(keys) => {
                        *now.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(keys);
                    }
                    Err(error) => tracing::warn!(%url, %error, "keys cannot be fetched"),
                }
            },
            (Keys::OfUrl { .. }, JwksSource::File(_)) => {}
        }
    }
}

impl Keys {
    fn now(&self) -> Arc<KeySet> {
        match self {
            Self::OfFile(keys) => keys.now(),
            Self::OfUrl { now, .. } => {
                Arc::clone(&now.read().unwrap_or_else(PoisonError::into_inner))
            }
        }
    }

    fn want(&self) {
        match self {
            Self::OfFile(_) => {}
            Self::OfUrl { wanted, .. } => wanted.notify_one(),
        }
    }
}

async fn fetched(url: &str) -> Result<KeySet, String> {
    KeySet::read(&jwks::fetch(url).await?)
}

/// Why a token is refused, as far as its bearer may know.
#[allow(
    clippy::wildcard_enum_match_arm,
    reason = "whatever else is wrong, nobody can vouch for the token"
)]
fn refusal(error: &ErrorKind) -> Refusal {
    match error {
        ErrorKind::ExpiredSignature => Refusal::Expired,
        ErrorKind::ImmatureSignature => Refusal::NotYetValid,
        ErrorKind::InvalidIssuer
        | ErrorKind::InvalidAudience
        | ErrorKind::MissingRequiredClaim(_) => Refusal::NotForThis,
        _ => Refusal::Unknown,
    }
}

impl KeySet {
    fn read(bytes: &[u8]) -> Result<Self, String> {
        let set: JwkSet =
            serde_json::from_slice(bytes).map_err(|error| format!("no JWK set: {error}"))?;
        let keys: Vec<Key> = set.keys.iter().filter_map(Key::of).collect();
        if keys.is_empty() {
            return Err("no key for RS256, ES256 or EdDSA in the JWK set".to_owned());
        }
        Ok(Self(keys))
    }

    /// The key of a token's header. The algorithm is the key's: what a token says of itself is no
    /// reason to check it otherwise.
    fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Option<&Key> {
        self.0
            .iter()
            .find(|key| key.algorithm == algorithm && (id.is_none() || key.id.as_deref() == id))
    }
}

impl Key {
    fn of(jwk: &Jwk) -> Option<Self> {
        let algorithm = match &jwk.algorithm {
            AlgorithmParameters::RSA(_) => Algorithm::RS256,
            AlgorithmParameters::EllipticCurve(curve) if curve.curve == EllipticCurve::P256 => {
                Algorithm::ES256
            }
            AlgorithmParameters::OctetKeyPair(_) => Algorithm::EdDSA,
            AlgorithmParameters::EllipticCurve(_) | AlgorithmParameters::OctetKey(_) => {
                return None;
            }
        };
        Some(Self {
            id: jwk.common.key_id.clone(),
            algorithm,
            key: DecodingKey::from_jwk(jwk).ok()?,
        })
    }
}

impl std::fmt::Debug for KeySet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KeySet({})", self.0.len())
    }
}
