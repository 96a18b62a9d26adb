//! `RulesService`.

use reversi_proto::v1::{
    ApplyMovesRequest, ApplyMovesResponse, BatchListLegalMovesRequest, BatchListLegalMovesResponse,
    CountPositionsRequest, CountPositionsResponse, GetServerInfoRequest, GetServerInfoResponse,
    ListLegalMovesRequest, ListLegalMovesResponse, ScorePositionRequest, ScorePositionResponse,
    StreamLegalMovesRequest, StreamLegalMovesResponse, rules_service_client::RulesServiceClient,
};
use tokio_stream::Stream;

use super::Lifetime;
use crate::{Client, Error, Replies, deadline::Deadline};

/// The rules as functions; see [`Client::rules`]. Every call is repeated where the service
/// was unavailable, but for [`stream_legal_moves`](Self::stream_legal_moves).
///
/// Each fails as the proto says of its rpc, and with [`Error`]'s own.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'a>(pub(super) &'a Client);

macro_rules! unary {
    ($(#[$doc:meta])* $name:ident($request:ty) -> $response:ty) => {
        $(#[$doc])*
        ///
        /// # Errors
        ///
        /// As the proto says of the rpc, and [`Error`]'s own.
        pub async fn $name(&self, request: $request) -> Result<$response, Error> {
            self.0
                .unary(request, |channel, request| async move {
                    RulesServiceClient::new(channel).$name(request).await
                })
                .await
        }
    };
}

impl Rules<'_> {
    unary! {
        /// Tells what the server is: version, store, engine, limits.
        get_server_info(GetServerInfoRequest) -> GetServerInfoResponse
    }
    unary! {
        /// Lists the legal moves of a position with the discs they turn.
        list_legal_moves(ListLegalMovesRequest) -> ListLegalMovesResponse
    }
    unary! {
        /// Plays moves onto a position.
        apply_moves(ApplyMovesRequest) -> ApplyMovesResponse
    }
    unary! {
        /// Counts the discs of a position and, where it is over, scores it.
        score_position(ScorePositionRequest) -> ScorePositionResponse
    }
    unary! {
        /// Lists the legal moves of many positions at once as bit sets.
        batch_list_legal_moves(BatchListLegalMovesRequest) -> BatchListLegalMovesResponse
    }

    /// Counts the leaves of the game tree to each depth up to the one asked for, as they
    /// become ready. The deadline is that of the whole count.
    ///
    /// # Errors
    ///
    /// As the proto says of the rpc, and [`Error`]'s own.
    pub async fn count_positions(
        &self,
        request: CountPositionsRequest,
    ) -> Result<Replies<CountPositionsResponse>, Error> {
        self.0
            .streaming(Lifetime::Deadline, request, |channel, request| async move {
                RulesServiceClient::new(channel)
                    .count_positions(request)
                    .await
            })
            .await
    }

    /// Lists the legal moves of a stream of batches: one answer for each, in order. It
    /// lasts until `requests` ends; the deadline is that of its opening. Never repeated.
    ///
    /// # Errors
    ///
    /// As the proto says of the rpc, and [`Error`]'s own.
    pub async fn stream_legal_moves(
        &self,
        requests: impl Stream<Item = StreamLegalMovesRequest> + Send + 'static,
    ) -> Result<Replies<StreamLegalMovesResponse>, Error> {
        let timeout = self.0.timeout;
        let deadline = Deadline::after(timeout);
        let connection = self.0.connections.pick();
        let mut stub = RulesServiceClient::new(connection.channel());
        let opened =
            tokio::time::timeout_at(deadline.at(), stub.stream_legal_moves(requests)).await;
        let stream = opened
            .map_err(|_elapsed| Error::DeadlineExceeded {
                timeout,
                last: None,
            })?
            .map_err(|status| connection.fault(timeout, status))?
            .into_inner();
        Ok(Replies::new(
            stream,
            connection.endpoint().to_owned(),
            timeout,
            None,
        ))
    }
}
