//! The secret that all replicas share, and what is derived from it.

use std::fmt;
use std::hash::Hasher;

use siphasher::sip128::{Hasher128, SipHasher24};

use crate::session::GameId;

/// A secret key: 16 random bytes. It never shows in logs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Secret([u8; 16]);

/// What a derived value is for: the same bytes give something else for another purpose.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
enum Purpose {
    GameId = 1,
    PageToken = 2,
}

impl Secret {
    /// The secret made of these bytes.
    #[must_use]
    pub const fn new(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The bytes, to be kept in the store.
    #[must_use]
    pub(crate) const fn to_bytes(self) -> [u8; 16] {
        self.0
    }

    /// The id of the game that this request creates, whichever replica carries it out.
    #[must_use]
    pub fn game_id(&self, request_id: &str) -> GameId {
        GameId::from_bits(self.keyed_hash(Purpose::GameId, request_id.as_bytes()))
    }

    /// A tag that shows that these bytes of a page token come from this service.
    #[must_use]
    pub fn page_token_tag(&self, bytes: &[u8]) -> u128 {
        self.keyed_hash(Purpose::PageToken, bytes)
    }

    fn keyed_hash(&self, purpose: Purpose, bytes: &[u8]) -> u128 {
        let mut hasher = SipHasher24::new_with_key(&self.0);
        hasher.write_u8(purpose as u8);
        hasher.write(bytes);
        hasher.finish128().as_u128()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}
