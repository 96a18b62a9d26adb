//! The writes that a game remembers, so that a repeated request is not carried out twice.

use std::hash::Hasher;

use siphasher::sip::SipHasher13;

use super::EventNumber;

/// The keys are not secret: these hashes only have to differ, and they have to stay the same
/// in every version of the service, since they are stored.
const ID_KEYS: (u64, u64) = (1, 0);
const CONTENT_KEYS: (u64, u64) = (2, 0);

/// The hash of a request id: 48 bits, of which the few ids that a game remembers collide with a
/// chance below 10⁻¹³.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestId([u8; 6]);

impl RequestId {
    /// The hash of a caller's request id; `None` for the empty id, which stands for none.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        (!text.is_empty()).then(|| {
            let [a, b, c, d, e, f, ..] = hash(ID_KEYS, text.as_bytes()).to_le_bytes();
            Self([a, b, c, d, e, f])
        })
    }

    pub(super) const fn from_bytes(bytes: [u8; 6]) -> Self {
        Self(bytes)
    }

    pub(super) const fn to_bytes(self) -> [u8; 6] {
        self.0
    }

    /// A number to draw lots with that is the same for every attempt.
    #[must_use]
    pub const fn lot(self) -> u64 {
        let [a, b, c, d, e, f] = self.0;
        u64::from_le_bytes([a, b, c, d, e, f, 0, 0])
    }
}

/// The hash of what a write asks for, without its request id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(pub(super) u64);

impl Fingerprint {
    /// The hash of a write's canonical bytes.
    #[must_use]
    pub fn of(content: &[u8]) -> Self {
        Self(hash(CONTENT_KEYS, content))
    }
}

/// What a remembered write asked for: 32 bits of its hash, since it is only compared where the
/// ids are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WriteContent([u8; 4]);

impl WriteContent {
    pub(super) const fn from_bytes(bytes: [u8; 4]) -> Self {
        Self(bytes)
    }

    pub(super) const fn to_bytes(self) -> [u8; 4] {
        self.0
    }
}

impl From<Fingerprint> for WriteContent {
    fn from(Fingerprint(hash): Fingerprint) -> Self {
        let [a, b, c, d, ..] = hash.to_le_bytes();
        Self([a, b, c, d])
    }
}

fn hash((k0, k1): (u64, u64), bytes: &[u8]) -> u64 {
    let mut hasher = SipHasher13::new_with_keys(k0, k1);
    hasher.write(bytes);
    hasher.finish()
}

/// A write that was carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RememberedWrite {
    pub(super) id: RequestId,
    pub(super) content: WriteContent,
    /// The number of the event it made.
    pub(super) event: EventNumber,
}

/// The last writes of a game that carried a request id, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteLog {
    pub(super) writes: Vec<RememberedWrite>,
}

/// What a write log knows of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recall {
    /// It was not carried out, or too long ago.
    Unknown,
    /// It was carried out and made this event.
    Done(EventNumber),
    /// Its id was used for something else.
    Reused,
}

impl WriteLog {
    /// How many writes a game remembers.
    pub const CAPACITY: usize = 8;

    pub(super) fn recall(&self, id: RequestId, content: WriteContent) -> Recall {
        match self.writes.iter().rev().find(|write| write.id == id) {
            None => Recall::Unknown,
            Some(write) if write.content == content => Recall::Done(write.event),
            Some(_) => Recall::Reused,
        }
    }

    pub(super) fn remember(&mut self, write: RememberedWrite) {
        if self.writes.len() == Self::CAPACITY {
            self.writes.remove(0);
        }
        self.writes.push(write);
    }
}
