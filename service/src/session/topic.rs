//! What games are found by.

use super::Fingerprint;

/// What a game is listed under: the hash of a player or of a label. Different ones may have the
/// same hash: whoever reads a list looks at the games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Topic(pub u64);

impl Topic {
    /// The games of the player with this id.
    #[must_use]
    pub fn player(id: &str) -> Self {
        Self::of(b'p', id)
    }

    /// The games with this label.
    #[must_use]
    pub fn label(label: &str) -> Self {
        Self::of(b'l', label)
    }

    /// The hash is stored: it stays what it is.
    fn of(kind: u8, text: &str) -> Self {
        Self(Fingerprint::of(&[&[kind], text.as_bytes()].concat()).0)
    }
}
