//! Which games a command is about.

use clap::Args;

/// Only some games; all without.
#[derive(Debug, Args)]
pub(super) struct Filter {
    /// Only games in which this player has a seat
    #[arg(long, default_value = "", value_name = "ID", hide_default_value = true)]
    pub(super) player: String,
    /// Only games with this label
    #[arg(
        long,
        default_value = "",
        value_name = "LABEL",
        hide_default_value = true
    )]
    pub(super) label: String,
}
