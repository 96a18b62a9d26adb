//! Warns of settings of the server with which games can be lost.

use std::collections::HashMap;

use redis::{Cmd, FromRedisValue};

use super::link::{Call, Link};

/// Looks at a server's settings. That a server does not show them is nothing unusual.
pub(super) async fn check(link: &Link) {
    let mut config = redis::cmd("CONFIG");
    config.arg("GET").arg("maxmemory").arg("maxmemory-policy");
    config.arg("appendonly").arg("appendfsync");
    config.arg("min-replicas-to-write");
    let mut replication = redis::cmd("INFO");
    replication.arg("replication");
    let server = link.name();
    let settings = ask::<HashMap<String, String>>(link, &config).await;
    let info = ask::<String>(link, &replication).await;
    let (Some(settings), Some(info)) = (settings, info) else {
        tracing::debug!(server, "Redis does not show its settings");
        return;
    };
    for warning in warnings(&settings, &info) {
        tracing::warn!(server, "{warning}");
    }
}

async fn ask<T: FromRedisValue>(link: &Link, command: &Cmd) -> Option<T> {
    let value = link.call(&Call::command(command)).await.ok()?;
    T::from_redis_value(value).ok()
}

fn warnings(settings: &HashMap<String, String>, replication: &str) -> Vec<String> {
    let setting = |name| settings.get(name).map(String::as_str);
    let mut warnings = Vec::new();
    let policy = setting("maxmemory-policy").unwrap_or("noeviction");
    if setting("maxmemory").is_some_and(|bytes| bytes != "0") && policy != "noeviction" {
        warnings.push(format!(
            "Redis drops live games when its memory is full: maxmemory-policy is {policy}, \
             and should be noeviction"
        ));
    }
    if setting("appendonly") == Some("no") {
        warnings.push(
            "Redis loses the latest moves when it crashes: appendonly is no, and should be yes"
                .to_owned(),
        );
    }
    if setting("appendonly") == Some("yes") && setting("appendfsync") == Some("no") {
        warnings.push(
            "Redis loses the latest moves when its machine crashes: appendfsync is no, and should \
             be always, or everysec to lose no more than a second"
                .to_owned(),
        );
    }
    let replicated = replication.lines().any(|line| line.starts_with("slave0:"));
    if replicated && setting("min-replicas-to-write") == Some("0") {
        warnings.push(
            "Redis loses the moves that it takes when it is cut off from its replicas and one of \
             them is promoted: min-replicas-to-write is 0, and should be 1 or more"
                .to_owned(),
        );
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warned(settings: &[(&str, &str)]) -> usize {
        warned_with(settings, "role:master\r\nconnected_slaves:0\r\n")
    }

    fn warned_with(settings: &[(&str, &str)], replication: &str) -> usize {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        warnings(&settings.iter().map(owned).collect(), replication).len()
    }

    #[test]
    fn unsafe_settings_are_warned_of() {
        let evicting = ("maxmemory-policy", "allkeys-lru");
        assert_eq!(warned(&[]), 0);
        assert_eq!(warned(&[("maxmemory", "0"), evicting]), 0);
        assert_eq!(warned(&[("maxmemory", "1048576"), evicting]), 1);
        assert_eq!(
            warned(&[("maxmemory", "1048576"), ("maxmemory-policy", "noeviction")]),
            0
        );
        assert_eq!(warned(&[("appendonly", "no")]), 1);
        assert_eq!(warned(&[("appendonly", "yes")]), 0);
        let synced = |how| [("appendonly", "yes"), ("appendfsync", how)];
        assert_eq!(warned(&synced("no")), 1);
        assert_eq!(warned(&synced("everysec")), 0);
        assert_eq!(warned(&synced("always")), 0);
    }

    #[test]
    fn a_master_that_takes_writes_without_replicas_is_warned_of() {
        let replicated = "role:master\r\nslave0:ip=127.0.0.1,port=1,state=online\r\n";
        let needs = |replicas| [("min-replicas-to-write", replicas)];
        assert_eq!(warned_with(&needs("0"), replicated), 1);
        assert_eq!(warned_with(&needs("1"), replicated), 0);
        assert_eq!(warned(&needs("0")), 0);
    }
}
