//! The API as gRPC: requests are decoded, handed to one operation each, and answered.
//!
//! tonic and the messages of `reversi.v1` are named here and in [`app`](crate::app) only.

mod analysis_service;
mod api;
mod bulk;
mod deadline;
mod decode;
mod edge;
mod encode;
mod game_service;
mod gate;
mod in_place;
mod opening_service;
mod request_id;
mod rules_service;
mod status;
mod steps;

pub(crate) use analysis_service::{AnalysisHandlers, AnalysisLimits};
pub(crate) use api::{Api, Reflection};
pub(crate) use edge::Edge;
pub(crate) use game_service::GameHandlers;
pub(crate) use gate::Gate;
pub(crate) use opening_service::OpeningHandlers;
pub(crate) use rules_service::{RulesHandlers, ServerInfo};
pub use status::reason_name;

/// The most positions in a batch.
pub(crate) const MAX_BATCH_POSITIONS: usize = 65_536;
/// The largest request message: a full batch is 1 MiB and a few bytes.
pub(crate) const MAX_REQUEST_BYTES: usize = 2 << 20;
/// The deepest count of positions. Deeper ones do not end within a day.
pub(crate) const MAX_COUNT_DEPTH: u32 = 16;
/// The largest page of games.
pub(crate) const MAX_PAGE_SIZE: usize = 500;
/// The page of games when none is asked for.
const DEFAULT_PAGE_SIZE: usize = 50;
/// The most lines of a search: as many as there are moves in most positions.
const MAX_LINES: usize = 60;
/// The longest transcript in bytes.
const MAX_TRANSCRIPT_BYTES: usize = 4_096;
/// The longest request id and etag in bytes.
const MAX_TOKEN_BYTES: usize = 64;
