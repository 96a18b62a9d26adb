//! Warns of settings of the server with which games can be lost.

use std::collections::HashMap;

use super::link::Link;

/// Looks at the server's settings. That a server does not show them is nothing unusual.
pub(super) async fn check(link: &Link, address: &str) {
    let mut command = redis::cmd("CONFIG");
    command
        .arg("GET")
        .arg("maxmemory")
        .arg("maxmemory-policy")
        .arg("appendonly");
    match link.command::<HashMap<String, String>>(&command).await {
        Ok(settings) => {
            for warning in warnings(&settings) {
                tracing::warn!(address, "{warning}");
            }
        }
        Err(error) => tracing::debug!(address, ?error, "Redis does not show its settings"),
    }
}

fn warnings(settings: &HashMap<String, String>) -> Vec<String> {
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
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warned(settings: &[(&str, &str)]) -> usize {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        warnings(&settings.iter().map(owned).collect()).len()
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
    }
}
