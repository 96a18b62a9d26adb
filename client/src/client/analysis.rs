//! `AnalysisService`.

use reversi_proto::v1::{
    SuggestMoveRequest, SuggestMoveResponse, analysis_service_client::AnalysisServiceClient,
};

use crate::{Client, Error};

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
}
