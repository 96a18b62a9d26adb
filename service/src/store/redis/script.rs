//! The scripts that run inside Redis. Each works on keys of one shard.

use std::sync::LazyLock;

use redis::{Arg, Cmd, Script as Hashed, Value};

/// What the scripts that write answer if they have written.
pub(super) const WRITTEN: Value = Value::Int(1);

/// The text of a script that works on the index and timers of a shard: first line, what all share,
/// and its own.
macro_rules! on_index {
    ($first:literal, $script:literal) => {
        concat!(
            $first,
            include_str!("scripts/index.lua"),
            include_str!("scripts/timers.lua"),
            include_str!("scripts/log.lua"),
            include_str!($script)
        )
    };
}

/// The same of a script that works on the live games of a tenant.
macro_rules! on_live_games {
    ($first:literal, $script:literal) => {
        concat!(
            $first,
            include_str!("scripts/index.lua"),
            include_str!("scripts/live.lua"),
            include_str!($script)
        )
    };
}

/// Keeps a value and lists it.
pub(super) static INSERT: LazyLock<Script> =
    LazyLock::new(|| Script::new(on_index!("#!lua\n", "scripts/insert.lua")));
/// Replaces a value by compare-and-set and wakes its watchers.
pub(super) static REPLACE: LazyLock<Script> =
    LazyLock::new(|| Script::new(on_index!("#!lua\n", "scripts/replace.lua")));
/// Writes something after a value, for replicas to be waited for.
pub(super) static CONFIRM: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("scripts/confirm.lua")));
/// Takes games that are due.
pub(super) static CLAIM: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("scripts/claim.lua")));
/// Changes when a game is due.
pub(super) static RESCHEDULE: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("scripts/reschedule.lua")));
/// Changes the list of a topic.
pub(super) static TOPIC: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("scripts/topic.lua")));
/// Reads the log of changes.
pub(super) static CHANGES: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("scripts/changes.lua")));
/// Reads a part of the list.
pub(super) static PAGE: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("scripts/page.lua")));
/// Counts the list.
pub(super) static SIZE: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("scripts/size.lua")));
/// Takes expired games out of the list.
pub(super) static PRUNE: LazyLock<Script> =
    LazyLock::new(|| Script::new(on_index!("#!lua flags=allow-oom\n", "scripts/prune.lua")));
/// Counts a game among the live ones of its tenant.
pub(super) static COUNT_IN: LazyLock<Script> =
    LazyLock::new(|| Script::new(on_live_games!("#!lua\n", "scripts/count_in.lua")));
/// Counts a game no more.
pub(super) static COUNT_OUT: LazyLock<Script> = LazyLock::new(|| {
    Script::new(on_live_games!(
        "#!lua flags=allow-oom\n",
        "scripts/count_out.lua"
    ))
});
/// Reads which games of a tenant are counted.
pub(super) static COUNTED: LazyLock<Script> = LazyLock::new(|| {
    Script::new(on_live_games!(
        "#!lua flags=allow-oom\n",
        "scripts/counted.lua"
    ))
});
/// Finds out whether the server takes writes.
pub(super) static PROBE: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("scripts/probe.lua")));

/// A script, which Redis knows by the hash of its text once it has run it.
#[derive(Debug)]
pub(super) struct Script {
    text: &'static str,
    hash: String,
}

impl Script {
    fn new(text: &'static str) -> Self {
        let hash = Hashed::new(text).get_hash().to_owned();
        Self { text, hash }
    }

    /// The command that runs it by its hash, on these keys; what is added to it are the
    /// arguments. Redis refuses it with `NOSCRIPT` if it does not know the script: since a
    /// restart, a failover, or `SCRIPT FLUSH`.
    pub(super) fn on(&self, keys: &[String]) -> Cmd {
        let mut command = redis::cmd("EVALSHA");
        command.arg(&self.hash).arg(keys.len()).arg(keys);
        command
    }

    /// The same command with the text of the script in place of its hash.
    pub(super) fn with_text(&self, by_hash: &Cmd) -> Cmd {
        let mut command = redis::cmd("EVAL");
        command.arg(self.text);
        for argument in by_hash.args_iter().skip(2) {
            if let Arg::Simple(argument) = argument {
                command.arg(argument);
            }
        }
        command
    }
}
