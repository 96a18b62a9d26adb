//! `OpeningService`.

use reversi_proto::v1::{
    DrawBalancedOpeningRequest, DrawBalancedOpeningResponse,
    opening_service_client::OpeningServiceClient,
};

use crate::{Client, Error};

/// The beginnings of games; see [`Client::openings`].
#[derive(Debug, Clone, Copy)]
pub struct Openings<'a>(pub(super) &'a Client);

impl Openings<'_> {
    /// Draws a balanced opening: by index, by seed or by lot. Drawn again where the service was
    /// unavailable.
    ///
    /// # Errors
    ///
    /// As the proto says of the rpc, and [`Error`]'s own.
    pub async fn draw_balanced_opening(
        &self,
        request: DrawBalancedOpeningRequest,
    ) -> Result<DrawBalancedOpeningResponse, Error> {
        self.0
            .unary(request, |channel, request| async move {
                OpeningServiceClient::new(channel)
                    .draw_balanced_opening(request)
                    .await
            })
            .await
    }
}
