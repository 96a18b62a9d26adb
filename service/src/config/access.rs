//! Flags that say who may call, and how much.

use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::BoolishValueParser;

use crate::auth::{AuthConfig, JwksSource, JwtConfig};
use crate::quota::Limits;
use crate::tls::TlsFiles;

/// Who may call, and how much.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Callers")]
pub struct AccessOptions {
    /// The certificate chain of the port, a PEM file. Read again when it changes.
    #[arg(
        long,
        env = "REVERSI_TLS_CERT",
        value_name = "FILE",
        requires = "tls_key"
    )]
    pub tls_cert: Option<PathBuf>,

    /// The key of that certificate, a PEM file.
    #[arg(
        long,
        env = "REVERSI_TLS_KEY",
        value_name = "FILE",
        requires = "tls_cert"
    )]
    pub tls_key: Option<PathBuf>,

    /// Whose certificates clients have to show, a PEM file. The first DNS name or URI of a
    /// certificate, or else its common name, is the tenant.
    #[arg(
        long,
        env = "REVERSI_TLS_CLIENT_CA",
        value_name = "FILE",
        requires = "tls_cert"
    )]
    pub tls_client_ca: Option<PathBuf>,

    /// The bearer tokens that callers may show: lines of a tenant and the SHA-256 of a token in
    /// hexadecimal. Read again when it changes.
    #[arg(long, env = "REVERSI_TOKENS", value_name = "FILE")]
    pub tokens: Option<PathBuf>,

    /// The keys that JSON Web Tokens are signed with (RS256, ES256, EdDSA): a JWK set in a file or
    /// at an `https://` URL.
    #[arg(long, env = "REVERSI_JWKS", value_name = "FILE|URL", value_parser = jwks)]
    pub jwks: Option<JwksSource>,

    /// The issuer that a JSON Web Token must name.
    #[arg(
        long,
        env = "REVERSI_JWT_ISSUER",
        value_name = "ISS",
        requires = "jwks"
    )]
    pub jwt_issuer: Option<String>,

    /// The audience that a JSON Web Token must name.
    #[arg(
        long,
        env = "REVERSI_JWT_AUDIENCE",
        value_name = "AUD",
        requires = "jwks"
    )]
    pub jwt_audience: Option<String>,

    /// The claim of a JSON Web Token that names the tenant.
    #[arg(
        long,
        env = "REVERSI_JWT_TENANT_CLAIM",
        value_name = "CLAIM",
        default_value = "sub"
    )]
    pub jwt_tenant_claim: String,

    /// How far the clocks of issuer and server may be apart.
    #[arg(long, env = "REVERSI_JWT_LEEWAY", value_name = "TIME", default_value = "30s", value_parser = humantime::parse_duration)]
    pub jwt_leeway: Duration,

    /// Calls a second that a tenant may make of this server; twice as many at once.
    #[arg(long, env = "REVERSI_TENANT_CALLS", value_name = "N", value_parser = rate)]
    pub tenant_calls: Option<f64>,

    /// Seconds that a tenant's calls to the engine may take in a second, on this server, waits
    /// included; a minute's worth at once.
    #[arg(long, env = "REVERSI_TENANT_ENGINE", value_name = "N", value_parser = rate)]
    pub tenant_engine: Option<f64>,

    /// Live games that a tenant may have, on all servers: games that are stored and not over
    /// [default: any number].
    #[arg(long, env = "REVERSI_TENANT_GAMES", value_name = "N")]
    pub tenant_games: Option<NonZeroU64>,

    /// Does not tell callers what there is to call.
    #[arg(long, env = "REVERSI_NO_REFLECTION", value_parser = BoolishValueParser::new())]
    pub no_reflection: bool,
}

impl AccessOptions {
    /// Whether callers are asked who they are.
    #[must_use]
    pub const fn asks(&self) -> bool {
        self.tokens.is_some() || self.jwks.is_some() || self.tls_client_ca.is_some()
    }

    /// Which credentials are taken.
    #[must_use]
    pub fn auth(&self) -> AuthConfig {
        AuthConfig {
            tokens: self.tokens.clone(),
            jwt: self.jwks.clone().map(|jwks| JwtConfig {
                jwks,
                issuer: self.jwt_issuer.clone(),
                audience: self.jwt_audience.clone(),
                tenant_claim: self.jwt_tenant_claim.clone(),
                leeway: self.jwt_leeway,
            }),
            client_certificates: self.tls_client_ca.is_some(),
        }
    }

    /// The files of the port's TLS.
    #[must_use]
    pub fn tls(&self) -> Option<TlsFiles> {
        Some(TlsFiles {
            certificate: self.tls_cert.clone()?,
            key: self.tls_key.clone()?,
            client_authorities: self.tls_client_ca.clone(),
        })
    }

    /// What a tenant may take.
    #[must_use]
    pub const fn limits(&self) -> Limits {
        Limits {
            calls_per_second: self.tenant_calls,
            engine_share: self.tenant_engine,
        }
    }
}

fn jwks(text: &str) -> Result<JwksSource, String> {
    Ok(
        if text.starts_with("https://") || text.starts_with("http://") {
            JwksSource::Url(text.to_owned())
        } else {
            JwksSource::File(PathBuf::from(text))
        },
    )
}

fn rate(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    number
        .filter(|number| (0.001..=1e9).contains(number))
        .ok_or_else(|| "must be from 0.001 to a billion".to_owned())
}
