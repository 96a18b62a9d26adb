//! The secret that all replicas share, and what is derived from it.

use std::fmt;
use std::hash::Hasher;
use std::str::FromStr;

use reversi_engine::Color;
use siphasher::sip128::{Hasher128, SipHasher24};

use crate::session::{GameId, TenantCode};

/// A secret key: 16 random bytes. It never shows in logs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Secret([u8; 16]);

/// What a derived value is for: the same bytes give something else for another purpose.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
enum Purpose {
    GameId = 1,
    PageToken = 2,
    SeatToken = 3,
    Lot = 4,
    Successor = 5,
    Tenant = 6,
}

/// What shows that a caller holds a seat. It never shows in logs.
#[derive(Clone, Copy, Eq)]
pub struct SeatToken(u128);

impl PartialEq for SeatToken {
    /// Takes as long for two that nearly agree as for two that do not.
    fn eq(&self, other: &Self) -> bool {
        self.0 ^ other.0 == 0
    }
}

impl fmt::Debug for SeatToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SeatToken(…)")
    }
}

/// A text that no seat token is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a seat token is 32 hexadecimal digits")]
pub struct MalformedSeatToken;

impl FromStr for SeatToken {
    type Err = MalformedSeatToken;

    fn from_str(text: &str) -> Result<Self, MalformedSeatToken> {
        let digits = text.len() == 32 && text.bytes().all(|digit| digit.is_ascii_hexdigit());
        let token = u128::from_str_radix(text, 16).ok().filter(|_| digits);
        token.map(Self).ok_or(MalformedSeatToken)
    }
}

impl SeatToken {
    /// A token that is no seat's but with a chance of 2⁻¹²⁸.
    pub const NOBODYS: Self = Self(0);

    /// The token as its holder is sent it.
    #[must_use]
    pub fn reveal(self) -> String {
        format!("{:032x}", self.0)
    }
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

    /// The id of the game that this request of a tenant creates, whichever replica carries it out.
    #[must_use]
    pub fn game_id(&self, tenant: TenantCode, request_id: &str) -> GameId {
        let bits = self.keyed_hash(Purpose::GameId, request_id.as_bytes());
        GameId::of_tenant(tenant, bits)
    }

    /// What stands for a tenant in the ids of its games.
    #[must_use]
    pub fn tenant_code(&self, name: &str) -> TenantCode {
        TenantCode::from_bits(self.keyed_hash(Purpose::Tenant, name.as_bytes()))
    }

    /// A tag that shows that these bytes of a page token come from this service.
    #[must_use]
    pub fn page_token_tag(&self, bytes: &[u8]) -> u128 {
        self.keyed_hash(Purpose::PageToken, bytes)
    }

    /// The token of a seat.
    #[must_use]
    pub fn seat_token(&self, id: GameId, side: Color) -> SeatToken {
        let side = match side {
            Color::Black => b'b',
            Color::White => b'w',
        };
        let seat = [id.as_str().as_bytes(), &[side]].concat();
        SeatToken(self.keyed_hash(Purpose::SeatToken, &seat))
    }

    /// The colour that is drawn for a game.
    #[must_use]
    pub fn lot(&self, id: GameId) -> Color {
        match self.keyed_hash(Purpose::Lot, id.as_str().as_bytes()) & 1 {
            0 => Color::Black,
            _ => Color::White,
        }
    }

    /// The id of the game that follows another.
    #[must_use]
    pub fn successor(&self, id: GameId) -> GameId {
        let bits = self.keyed_hash(Purpose::Successor, id.as_str().as_bytes());
        GameId::of_tenant(id.tenant(), bits)
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
