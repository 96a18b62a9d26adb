//! What the lists are told of a write.

use std::time::Duration;

use crate::session::{GameId, Topic};

use super::Place;

/// What the lists are told of a write, which is stored with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What is to be done in the lists.
    pub change: ListChange,
    /// In which of them.
    pub topics: Vec<Topic>,
}

/// What is to be done with a game in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListChange {
    /// It is put in, or stays in for longer.
    Put,
    /// It is taken out.
    Take,
}

/// A notice of a game, as it is kept until the lists have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) notice: Notice,
    pub(super) place: Place,
    /// How long the game lives from the write on.
    pub(super) time_to_live: Duration,
}

impl Kept {
    /// The bytes of it: what is to be done (1), created (8), time to live (8, both ms), id (20),
    /// topics (8 each). Little-endian.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![match self.notice.change {
            ListChange::Put => 1,
            ListChange::Take => 2,
        }];
        bytes.extend(self.place.created.as_millis().to_le_bytes());
        let time_to_live = u64::try_from(self.time_to_live.as_millis()).unwrap_or(u64::MAX);
        bytes.extend(time_to_live.to_le_bytes());
        bytes.extend(self.place.id.as_str().as_bytes());
        for topic in &self.notice.topics {
            bytes.extend(topic.0.to_le_bytes());
        }
        bytes
    }

    /// What the bytes say; `None` of bytes that say nothing.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let (change, rest) = bytes.split_first()?;
        let (created, rest) = rest.split_first_chunk()?;
        let (time_to_live, rest) = rest.split_first_chunk()?;
        let (id, topics) = rest.split_first_chunk::<{ GameId::LENGTH }>()?;
        let topics = topics
            .chunks(8)
            .map(|topic| Some(u64::from_le_bytes(topic.try_into().ok()?)));
        Some(Self {
            notice: Notice {
                change: match change {
                    1 => ListChange::Put,
                    2 => ListChange::Take,
                    _ => return None,
                },
                topics: topics
                    .map(|topic| topic.map(Topic))
                    .collect::<Option<_>>()?,
            },
            place: Place {
                created: crate::session::Timestamp::from_millis(u64::from_le_bytes(*created)),
                id: std::str::from_utf8(id).ok()?.parse().ok()?,
            },
            time_to_live: Duration::from_millis(u64::from_le_bytes(*time_to_live)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Timestamp;

    #[test]
    fn a_notice_survives_its_bytes() {
        for topics in [vec![], vec![Topic(7), Topic(u64::MAX)]] {
            let kept = Kept {
                notice: Notice {
                    change: ListChange::Take,
                    topics,
                },
                place: Place {
                    created: Timestamp::from_millis(1_790_000_000_123),
                    id: GameId::from_bits(77),
                },
                time_to_live: Duration::from_secs(3600),
            };
            let bytes = kept.encode();
            assert_eq!(Kept::decode(&bytes), Some(kept));
            assert_eq!(Kept::decode(&bytes[..bytes.len() - 1]), None);
        }
        assert_eq!(Kept::decode(b"anything"), None);
    }
}
