//! `reversi delete`.

use clap::Args;
use reversi_client::{game_name, proto::DeleteGameRequest};
use serde::Serialize;

use super::{context::Context, failure::Failure};

/// Delete a stored game
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  reversi delete games/abcdefghijklmnopqrst")]
pub(crate) struct Delete {
    /// The game's name or id
    name: String,
    /// Delete it only if it has this etag
    #[arg(long, default_value = "", hide_default_value = true)]
    etag: String,
}

/// What was deleted, for programs.
#[derive(Debug, Serialize)]
struct DeletedView {
    deleted: String,
}

impl Delete {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = context.connect().await?;
        let name = game_name(&self.name);
        client
            .games()
            .delete_game(DeleteGameRequest {
                name: name.clone(),
                etag: self.etag,
                ..Default::default()
            })
            .await?;
        context
            .output
            .write(&DeletedView { deleted: name }, |view| {
                format!("deleted {}", view.deleted)
            })?;
        Ok(())
    }
}
