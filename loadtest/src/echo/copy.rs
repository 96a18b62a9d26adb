//! The bulk calls with a copy in place of the rules.

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use reversi_proto::v1::rules_service_server::RulesService;
use reversi_proto::{Packed64, v1};
use tonic::{Request, Response, Status, Streaming};

/// Answers the bulk calls with the boards it was sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copy;

/// The answer to a batch: its first boards where the legal moves would be.
// By value, as a handler has it.
#[allow(clippy::needless_pass_by_value)]
fn copied(request: v1::BatchListLegalMovesRequest) -> v1::BatchListLegalMovesResponse {
    v1::BatchListLegalMovesResponse {
        legal_moves: Packed64::from_le_bytes(Bytes::copy_from_slice(request.player.as_bytes()))
            .unwrap_or_default(),
        overlapping: Vec::new(),
    }
}

#[tonic::async_trait]
impl RulesService for Copy {
    async fn batch_list_legal_moves(
        &self,
        request: Request<v1::BatchListLegalMovesRequest>,
    ) -> Result<Response<v1::BatchListLegalMovesResponse>, Status> {
        Ok(Response::new(copied(request.into_inner())))
    }

    type StreamLegalMovesStream = BoxStream<'static, Result<v1::StreamLegalMovesResponse, Status>>;

    async fn stream_legal_moves(
        &self,
        request: Request<Streaming<v1::StreamLegalMovesRequest>>,
    ) -> Result<Response<Self::StreamLegalMovesStream>, Status> {
        let batches = request.into_inner();
        Ok(Response::new(
            batches.map(|batch| batch.map(copied)).boxed(),
        ))
    }

    async fn get_server_info(
        &self,
        _request: Request<v1::GetServerInfoRequest>,
    ) -> Result<Response<v1::GetServerInfoResponse>, Status> {
        Ok(Response::new(v1::GetServerInfoResponse {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            engine: "none: an echo server".to_owned(),
            ..Default::default()
        }))
    }

    async fn list_legal_moves(
        &self,
        _request: Request<v1::ListLegalMovesRequest>,
    ) -> Result<Response<v1::ListLegalMovesResponse>, Status> {
        Err(not_here())
    }

    async fn apply_moves(
        &self,
        _request: Request<v1::ApplyMovesRequest>,
    ) -> Result<Response<v1::ApplyMovesResponse>, Status> {
        Err(not_here())
    }

    async fn score_position(
        &self,
        _request: Request<v1::ScorePositionRequest>,
    ) -> Result<Response<v1::ScorePositionResponse>, Status> {
        Err(not_here())
    }

    type CountPositionsStream = BoxStream<'static, Result<v1::CountPositionsResponse, Status>>;

    async fn count_positions(
        &self,
        _request: Request<v1::CountPositionsRequest>,
    ) -> Result<Response<Self::CountPositionsStream>, Status> {
        Err(not_here())
    }
}

fn not_here() -> Status {
    Status::unimplemented("an echo server has no rules")
}
