//! Telling how far a step has come, where somebody is watching.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A line on the terminal with what is done, how fast, and how long it will take; nothing where
/// standard error is no terminal.
pub(crate) fn bar(what: &str, count: usize) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{prefix} {pos}/{len}, {per_sec}, {eta} left {wide_bar}")
            .expect("invariant: the template is sound");
    let bar = ProgressBar::new(count as u64).with_style(style);
    bar.set_prefix(what.to_owned());
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}
