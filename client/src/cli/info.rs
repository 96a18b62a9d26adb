//! `reversi info`.

use std::time::Duration;

use clap::Args;
use reversi_client::proto::{GetServerInfoRequest, GetServerInfoResponse, StoreKind};
use serde::Serialize;

use super::{context::Context, failure::Failure, view::short};

/// Tell what the service is: version, store, engine, limits
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  reversi info --json")]
pub(crate) struct Info {}

/// What the service is, for programs.
#[derive(Debug, Serialize)]
struct InfoView {
    version: String,
    store: &'static str,
    engine: String,
    kernel: String,
    limits: LimitsView,
}

#[derive(Debug, Serialize)]
struct LimitsView {
    max_batch_positions: i32,
    max_request_bytes: i32,
    max_count_depth: i32,
    max_page_size: i32,
    game_ttl_ms: u128,
    remembered_request_ids: i32,
    default_suggest_time_ms: u128,
    max_suggest_time_ms: u128,
}

impl Info {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = context.connect().await?;
        let info = client
            .rules()
            .get_server_info(GetServerInfoRequest {})
            .await?;
        context.output.write(&InfoView::from(info), text)?;
        Ok(())
    }
}

impl From<GetServerInfoResponse> for InfoView {
    fn from(info: GetServerInfoResponse) -> Self {
        let limits = info.limits.unwrap_or_default();
        Self {
            store: short(StoreKind::as_str_name(&info.store()), "STORE_KIND_"),
            version: info.version,
            engine: info.engine,
            kernel: info.kernel,
            limits: LimitsView {
                max_batch_positions: limits.max_batch_positions,
                max_request_bytes: limits.max_request_bytes,
                max_count_depth: limits.max_count_depth,
                max_page_size: limits.max_page_size,
                game_ttl_ms: milliseconds(limits.game_ttl),
                remembered_request_ids: limits.remembered_request_ids,
                default_suggest_time_ms: milliseconds(limits.default_suggest_time),
                max_suggest_time_ms: milliseconds(limits.max_suggest_time),
            },
        }
    }
}

fn text(info: &InfoView) -> String {
    let InfoView {
        version,
        store,
        engine,
        kernel,
        limits,
    } = info;
    format!(
        "version     {version}\n\
         store       {store}\n\
         engine      {engine}\n\
         kernel      {kernel}\n\
         batch       {} positions\n\
         request     {} bytes\n\
         perft       depth {}\n\
         page        {} games\n\
         game lives  {} s after its last change\n\
         suggestion  {} ms, at most {} ms",
        limits.max_batch_positions,
        limits.max_request_bytes,
        limits.max_count_depth,
        limits.max_page_size,
        limits.game_ttl_ms / 1000,
        limits.default_suggest_time_ms,
        limits.max_suggest_time_ms,
    )
}

fn milliseconds(time: Option<prost_types::Duration>) -> u128 {
    time.and_then(|time| Duration::try_from(time).ok())
        .unwrap_or_default()
        .as_millis()
}
