//! The id of a game.

use std::{fmt, str};

use reversi_engine::Random;

/// Characters in an id: 20 of 5 bits hold 100 random bits, so ids cannot be guessed and a
/// billion games collide with a chance below 10⁻¹².
const LENGTH: usize = 20;
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// The unguessable id of a game: 20 characters `a-z2-7`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId([u8; LENGTH]);

/// A text that is no game id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a game id is 20 characters a-z or 2-7")]
pub struct MalformedGameId;

impl GameId {
    /// The id made of the low 100 of these bits.
    #[must_use]
    pub fn from_bits(bits: u128) -> Self {
        let mut text = [0; LENGTH];
        for (place, character) in text.iter_mut().enumerate() {
            let digit = (bits >> (5 * place)) & 31;
            *character = ALPHABET[usize::try_from(digit).expect("invariant: five bits")];
        }
        Self(text)
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
        let id: [u8; LENGTH] = text.as_bytes().try_into().map_err(|_| MalformedGameId)?;
        if id.iter().all(|character| ALPHABET.contains(character)) {
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
