//! The gate before the API: who calls, and whether there is room for the call.

use std::sync::Arc;
use std::time::{Duration, Instant};

use http::Request;
use tonic::Status;

use super::status;
use crate::auth::{Auth, Tenant};
use crate::operations::Games;
use crate::quota::Quota;

/// What everybody may ask: whether the server is well.
const OPEN: &str = "/grpc.health.v1.Health/";
/// Calls that take time of the engine.
const ENGINE: [&str; 2] = [
    "/reversi.v1.AnalysisService/",
    "/reversi.v1.RulesService/CountPositions",
];

/// Lets calls in or not.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    auth: Auth,
    quota: Arc<Quota>,
    /// The tenant of the connection's certificate.
    peer: Option<Tenant>,
}

/// A call to the engine that is charged for when it ends.
#[derive(Debug)]
pub(super) struct Charge {
    quota: Arc<Quota>,
    tenant: Tenant,
}

impl Charge {
    pub(super) fn take(&self, time: Duration) {
        self.quota.charge(&self.tenant, time, Instant::now());
    }
}

/// The games that a caller may see.
pub(super) fn games_of<T>(games: &Games, request: &tonic::Request<T>) -> Games {
    match request.extensions().get::<Tenant>() {
        Some(tenant) => games.of_tenant(tenant),
        None => games.clone(),
    }
}

impl Gate {
    pub(crate) fn new(auth: Auth, quota: Quota) -> Self {
        Self {
            auth,
            quota: Arc::new(quota),
            peer: None,
        }
    }

    /// The gate of a connection whose certificate stands for this tenant.
    pub(crate) fn for_peer(&self, peer: Option<Tenant>) -> Self {
        Self {
            peer,
            ..self.clone()
        }
    }

    /// Lets a call in, with its tenant among its extensions; to the engine, with what it is
    /// charged by.
    pub(super) fn admit<B>(&self, request: &mut Request<B>) -> Result<Option<Charge>, Status> {
        let path = request.uri().path();
        if path.starts_with(OPEN) {
            return Ok(None);
        }
        let to_engine = ENGINE.iter().any(|engine| path.starts_with(engine));
        let tenant = self
            .auth
            .tenant(request.headers(), self.peer.as_ref())
            .map_err(status::refused_credential)?;
        let charge = if self.quota.is_limited() {
            self.quota
                .call(&tenant, to_engine, Instant::now())
                .map_err(|exceeded| status::quota_exceeded(&exceeded))?;
            to_engine.then(|| Charge {
                quota: Arc::clone(&self.quota),
                tenant: tenant.clone(),
            })
        } else {
            None
        };
        if self.auth.is_asked() {
            request.extensions_mut().insert(tenant);
        }
        Ok(charge)
    }
}
