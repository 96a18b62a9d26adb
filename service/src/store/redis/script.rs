//! The scripts that run inside Redis. Each works on keys of one shard.

use std::sync::LazyLock;

use redis::{Cmd, Script as Hashed};

/// Keeps a value and lists it.
pub(super) static INSERT: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("scripts/insert.lua")));
/// Replaces a value by compare-and-set and wakes its watchers.
pub(super) static REPLACE: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("scripts/replace.lua")));
/// Takes expired games out of the list.
pub(super) static PRUNE: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("scripts/prune.lua")));
/// Finds out whether the server takes writes.
pub(super) static PROBE: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("scripts/probe.lua")));

/// A script, which Redis knows by the hash of its text once it has run it.
#[derive(Debug)]
pub(super) struct Script {
    text: &'static str,
    hash: String,
}

/// What a script is called with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call<'a> {
    pub(super) keys: &'a [&'a [u8]],
    pub(super) args: &'a [&'a [u8]],
}

impl Script {
    fn new(text: &'static str) -> Self {
        let hash = Hashed::new(text).get_hash().to_owned();
        Self { text, hash }
    }

    /// The command that runs it by its hash. Redis refuses it with `NOSCRIPT` if it does not
    /// know the script: since a restart, a failover, or `SCRIPT FLUSH`.
    pub(super) fn by_hash(&self, call: Call<'_>) -> Cmd {
        command("EVALSHA", &self.hash, call)
    }

    /// The command that runs it by its text, which is longer.
    pub(super) fn by_text(&self, call: Call<'_>) -> Cmd {
        command("EVAL", self.text, call)
    }
}

fn command(name: &str, script: &str, call: Call<'_>) -> Cmd {
    let mut command = redis::cmd(name);
    command.arg(script).arg(call.keys.len());
    for argument in call.keys.iter().chain(call.args) {
        command.arg(argument);
    }
    command
}
