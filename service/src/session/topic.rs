//! What games are found by.

use super::{Fingerprint, TenantCode};

/// What a game is listed under: the hash of a player or of a label. Different ones may have the
/// same hash: whoever reads a list looks at the games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Topic(pub u64);

impl Topic {
    /// The games of the player with this id.
    #[must_use]
    pub fn player(tenant: Option<TenantCode>, id: &str) -> Self {
        Self::of(b'p', tenant, id)
    }

    /// The games with this label.
    #[must_use]
    pub fn label(tenant: Option<TenantCode>, label: &str) -> Self {
        Self::of(b'l', tenant, label)
    }

    /// All games of a tenant.
    #[must_use]
    pub fn tenant(tenant: TenantCode) -> Self {
        Self::of(b't', Some(tenant), "")
    }

    /// The hash is stored: it stays what it is. Lists of tenants are apart; without a tenant they
    /// are those of everybody.
    fn of(kind: u8, tenant: Option<TenantCode>, text: &str) -> Self {
        let tenant = tenant.map(TenantCode::to_bytes);
        let tenant = tenant.as_ref().map_or(&[][..], |code| code);
        Self(Fingerprint::of(&[&[kind], tenant, text.as_bytes()].concat()).0)
    }
}
