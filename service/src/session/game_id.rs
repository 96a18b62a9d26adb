//! The id of a game.

use std::{fmt, str};

use reversi_engine::Random;

const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// So many bits of an id are the game's own. The others are its tenant's, so that nobody has to
/// look a game up to know that it is somebody else's.
const OWN_BITS: u32 = 65;
/// So many are left for the tenant: of ten thousand tenants two have the same code with a chance of
/// one to seven hundred.
const TENANT_BITS: u32 = 100 - OWN_BITS;

/// What stands for a tenant in the ids of its games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TenantCode(u64);

impl TenantCode {
    /// The code made of the low 35 of these bits.
    #[must_use]
    pub fn from_bits(bits: u128) -> Self {
        let bits = bits & ((1 << TENANT_BITS) - 1);
        Self(u64::try_from(bits).expect("invariant: 35 bits"))
    }

    /// The code as bytes.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 8] {
        self.0.to_le_bytes()
    }
}

/// The unguessable id of a game: 20 characters `a-z2-7`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId([u8; GameId::LENGTH]);

/// A text that is no game id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a game id is 20 characters a-z or 2-7")]
pub struct MalformedGameId;

impl GameId {
    /// Characters in an id: 20 of 5 bits, 65 of them random, so ids cannot be guessed, and ten
    /// million games of a tenant collide with a chance of one to a million.
    pub const LENGTH: usize = 20;

    /// The id made of the low 100 of these bits.
    #[must_use]
    pub fn from_bits(bits: u128) -> Self {
        let mut text = [0; Self::LENGTH];
        for (place, character) in text.iter_mut().enumerate() {
            let digit = (bits >> (5 * place)) & 31;
            *character = ALPHABET[usize::try_from(digit).expect("invariant: five bits")];
        }
        Self(text)
    }

    /// The id of a game of this tenant, made of the low 65 of these bits.
    #[must_use]
    pub fn of_tenant(tenant: TenantCode, bits: u128) -> Self {
        let own = bits & ((1 << OWN_BITS) - 1);
        Self::from_bits(u128::from(tenant.0) << OWN_BITS | own)
    }

    /// The tenant that the game belongs to.
    #[must_use]
    pub fn tenant(self) -> TenantCode {
        TenantCode::from_bits(self.bits() >> OWN_BITS)
    }

    /// The 100 bits it is made of.
    #[must_use]
    pub fn bits(self) -> u128 {
        let digit = |character: &u8| match character {
            b'a'..=b'z' => character - b'a',
            _ => character - b'2' + 26,
        };
        let digits = self.0.iter().rev();
        digits.fold(0, |bits, character| {
            bits << 5 | u128::from(digit(character))
        })
    }

    /// What decides for the engine in this game: no secret, and the same on every server.
    #[must_use]
    pub fn seed(self) -> u64 {
        let mix = |seed, byte: &u8| Random::new(seed ^ u64::from(*byte)).bits();
        self.0.iter().fold(0, mix)
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.0).expect("invariant: only characters of the alphabet")
    }
}

impl str::FromStr for GameId {
    type Err = MalformedGameId;

    fn from_str(text: &str) -> Result<Self, MalformedGameId> {
        let id: [u8; GameId::LENGTH] = text.as_bytes().try_into().map_err(|_| MalformedGameId)?;
        if id
            .iter()
            .all(|character| matches!(character, b'a'..=b'z' | b'2'..=b'7'))
        {
            Ok(Self(id))
        } else {
            Err(MalformedGameId)
        }
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GameId({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_survives_its_text() {
        let id = GameId::from_bits(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef);
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(GameId::from_bits(id.bits()), id);
        assert_eq!(
            id.bits(),
            0x0123_4567_89ab_cdef_0123_4567_89ab_cdef & ((1 << 100) - 1)
        );
    }

    #[test]
    fn id_tells_its_tenant() {
        let code = TenantCode::from_bits(0x5_1234_5678);
        for bits in [0, u128::MAX, 0x0123_4567_89ab_cdef_0123_4567_89ab_cdef] {
            let id = GameId::of_tenant(code, bits);
            assert_eq!(id.tenant(), code);
            assert_eq!(id.to_string().parse(), Ok(id));
        }
        let (one, other) = (GameId::of_tenant(code, 1), GameId::of_tenant(code, 2));
        assert_ne!(one, other);
    }

    #[test]
    fn other_texts_are_no_ids() {
        for text in [
            "",
            "abc",
            "aaaaaaaaaaaaaaaaaaaA",
            "aaaaaaaaaaaaaaaaaaa1",
            "aaaaaaaaaaaaaaaaaaaaa",
        ] {
            assert_eq!(text.parse::<GameId>(), Err(MalformedGameId), "{text}");
        }
    }
}
