//! `AnalysisService`.

use reversi_proto::v1::{
    AnalyzePositionRequest, AnalyzePositionResponse, SolvePositionRequest, SolvePositionResponse,
    SuggestMoveRequest, SuggestMoveResponse, analysis_service_client::AnalysisServiceClient,
};

use super::Lifetime;
use crate::{Client, Error, Replies};

/// What the engine thinks; see [`Client::analysis`].
#[derive(Debug, Clone, Copy)]
pub struct Analysis<'a>(pub(super) &'a Client);

impl Analysis<'_> {
    /// Suggests a move. A budget longer than the call's deadline is cut off by it: use
    /// [`Client::with_timeout`] for long ones.
    ///
    /// # Errors
    ///
    /// As the proto says of the rpc, and [`Error`]'s own.
    pub async fn suggest_move(
        &self,
        request: SuggestMoveRequest,
    ) -> Result<SuggestMoveResponse, Error> {
        self.0
            .unary(request, |channel, request| async move {
                AnalysisServiceClient::new(channel)
                    .suggest_move(request)
                    .await
            })
            .await
    }

    /// Analyses a position deeper and deeper; every step is an answer, the last marked final.
    /// The deadline is that of the whole analysis, which ends just before it. Dropping the
    /// answers ends the analysis.
    ///
    /// # Errors
    ///
    /// As the proto says of the rpc, and [`Error`]'s own.
    pub async fn analyze_position(
        &self,
        request: AnalyzePositionRequest,
    ) -> Result<Replies<AnalyzePositionResponse>, Error> {
        self.0
            .streaming(Lifetime::Deadline, request, |channel, request| async move {
                AnalysisServiceClient::new(channel)
                    .analyze_position(request)
                    .await
            })
            .await
    }

    /// Solves a position; every step is an answer, the last one exact and marked final. The
    /// deadline is that of the whole solution: use [`Client::with_timeout`] for long ones.
    /// Dropping the answers ends it.
    ///
    /// # Errors
    ///
    /// As the proto says of the rpc, and [`Error`]'s own.
    pub async fn solve_position(
        &self,
        request: SolvePositionRequest,
    ) -> Result<Replies<SolvePositionResponse>, Error> {
        self.0
            .streaming(Lifetime::Deadline, request, |channel, request| async move {
                AnalysisServiceClient::new(channel)
                    .solve_position(request)
                    .await
            })
            .await
    }
}
