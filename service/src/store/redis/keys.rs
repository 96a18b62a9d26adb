//! The names of keys and channels.
//!
//! | key | holds |
//! |---|---|
//! | `rv:{NN}:<id>` | the value of a game; expires |
//! | `rv:{NN}:games` | the index of a shard: a sorted set of the times in ms at which its leaves begin |
//! | `rv:{NN}:games:<time>` | a leaf of the index: a sorted set of ids (`member.rs`) by the time of creation in ms |
//! | `rv:{NN}:timers` | the timers of a shard: a sorted set of ids, with `b` or `w` after them where a player has to be heard of, by the time at which they are due in ms |
//! | `rv:{NN}:asked` | when it was last asked what is due in a shard, in ms; while there are timers |
//! | `rv:{NN}:outages` | the last times in which nobody asked: a list of beginnings and ends in ms |
//! | `rv:{NN}:outbox` | what lists by topic are still to be told of a shard: a stream of notices (`outbox.rs`) |
//! | `rv:{NN}:log` | the log of a shard's changes, while somebody reads it: a stream (`log.rs`) |
//! | `rv:{NN}:t:<topic>` | the list of a topic, in a shard of its own: a sorted set of ids by the time of creation in ms |
//! | `rv:{NN}:live:<tenant>` | the live games of a tenant, in a shard of its own, where their number is limited: an index like that of a shard, with leaves likewise |
//! | `rv:{NN}:live:<tenant>:n` | how many these are |
//! | `rv:{00}:secret` | the secret that all servers share |
//!
//! | channel | wakes |
//! |---|---|
//! | `rv:w:<id>` | those who watch a game, with an empty message |
//!
//! `NN` is the shard, two digits. It is the hash tag of its keys, so that Redis Cluster keeps
//! a game and the index it is in on one node, where one script can change both.

use crate::session::{GameId, TenantCode, Topic};

/// How many shards there are. Which shard a game is in follows from this number and from its
/// id: another number needs all games to be moved.
pub(super) const SHARDS: u8 = 64;

/// Where the shared secret is.
pub(super) const SECRET: &str = "rv:{00}:secret";

const CHANNEL_PREFIX: &str = "rv:w:";

/// A part of the games whose keys are together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Shard(u8);

impl Shard {
    /// The shard of a game.
    pub(super) fn of(id: GameId) -> Self {
        let shard = crc32fast::hash(id.as_str().as_bytes()) % u32::from(SHARDS);
        Self(u8::try_from(shard).expect("invariant: below the number of shards"))
    }

    /// All shards.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        (0..SHARDS).map(Self)
    }

    /// The shard of the shared secret.
    pub(super) const fn of_secret() -> Self {
        Self(0)
    }

    /// The hash slot of its keys, by the specification of Redis Cluster: the CRC-16/XMODEM of
    /// the tag, modulo 16384.
    pub(super) fn slot(self) -> u16 {
        let tag = format!("{:02}", self.0);
        let crc = tag.bytes().fold(0u16, |crc, byte| {
            (0..8).fold(crc ^ (u16::from(byte) << 8), |crc, _| {
                (crc << 1) ^ if crc & 0x8000 == 0 { 0 } else { 0x1021 }
            })
        });
        crc % 16384
    }

    /// What the keys of its values start with.
    pub(super) fn value_prefix(self) -> String {
        format!("rv:{{{:02}}}:", self.0)
    }

    /// The key of its index.
    pub(super) fn index(self) -> String {
        format!("rv:{{{:02}}}:games", self.0)
    }

    /// The shard of a topic's list.
    pub(super) fn of_topic(topic: Topic) -> Self {
        let shard = topic.0 % u64::from(SHARDS);
        Self(u8::try_from(shard).expect("invariant: below the number of shards"))
    }

    /// The shard of what is known of a tenant.
    pub(super) fn of_tenant(tenant: TenantCode) -> Self {
        let shard = crc32fast::hash(&tenant.to_bytes()) % u32::from(SHARDS);
        Self(u8::try_from(shard).expect("invariant: below the number of shards"))
    }

    /// The key of its outbox.
    pub(super) fn outbox(self) -> String {
        format!("rv:{{{:02}}}:outbox", self.0)
    }

    /// The key of its log of changes.
    pub(super) fn log(self) -> String {
        format!("rv:{{{:02}}}:log", self.0)
    }

    /// The key of its timers.
    pub(super) fn timers(self) -> String {
        format!("rv:{{{:02}}}:timers", self.0)
    }

    /// The key of when it was last asked what is due.
    pub(super) fn asked(self) -> String {
        format!("rv:{{{:02}}}:asked", self.0)
    }

    /// The key of the times in which nobody asked.
    pub(super) fn outages(self) -> String {
        format!("rv:{{{:02}}}:outages", self.0)
    }
}

/// The key of a game's value.
pub(super) fn value(id: GameId) -> String {
    format!("{}{id}", Shard::of(id).value_prefix())
}

/// The key of a topic's list.
pub(super) fn topic(topic: Topic) -> String {
    format!(
        "{}t:{:016x}",
        Shard::of_topic(topic).value_prefix(),
        topic.0
    )
}

/// The keys of a tenant's live games and of how many they are.
pub(super) fn live_games(tenant: TenantCode) -> [String; 2] {
    let shard = Shard::of_tenant(tenant).value_prefix();
    let games = format!("{shard}live:{:09x}", u64::from_le_bytes(tenant.to_bytes()));
    let count = format!("{games}:n");
    [games, count]
}

/// The channel on which a game's watchers are woken.
pub(super) fn channel(id: GameId) -> String {
    format!("{CHANNEL_PREFIX}{id}")
}

/// The game whose watchers are woken on a channel.
pub(super) fn watched_on(channel: &[u8]) -> Option<GameId> {
    let id = channel.strip_prefix(CHANNEL_PREFIX.as_bytes())?;
    std::str::from_utf8(id).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A running system depends on these.
    #[test]
    fn keys_stay_what_they_are() {
        let id = GameId::from_bits(0);
        assert_eq!(value(id), "rv:{14}:aaaaaaaaaaaaaaaaaaaa");
        assert_eq!(Shard::of(id).index(), "rv:{14}:games");
        assert_eq!(Shard::of(id).timers(), "rv:{14}:timers");
        assert_eq!(Shard::of(id).outbox(), "rv:{14}:outbox");
        assert_eq!(Shard::of(id).log(), "rv:{14}:log");
        assert_eq!(
            topic(Topic::player(None, "anna")),
            "rv:{58}:t:9893d34b45a96eba"
        );
        assert_eq!(channel(id), "rv:w:aaaaaaaaaaaaaaaaaaaa");
        assert_eq!(
            live_games(TenantCode::from_bits(0x5_1234_5678)),
            ["rv:{42}:live:512345678", "rv:{42}:live:512345678:n"]
        );
        let id = GameId::from_bits(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef);
        assert_eq!(value(id), format!("rv:{{13}}:{id}"));
    }

    #[test]
    fn a_channel_names_its_game() {
        let id = GameId::from_bits(7);
        assert_eq!(watched_on(channel(id).as_bytes()), Some(id));
        assert_eq!(watched_on(b"rv:w:"), None);
        assert_eq!(watched_on(b"other"), None);
    }
}
