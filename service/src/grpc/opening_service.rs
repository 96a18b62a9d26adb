//! OpeningService.

use reversi_proto::v1;
use reversi_proto::v1::opening_service_server::OpeningService;
use tonic::{Request, Response, Status};

use super::decode::{self, Faults};
use super::encode;
use crate::operations::GameError;

/// The handlers of OpeningService.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpeningHandlers;

#[tonic::async_trait]
impl OpeningService for OpeningHandlers {
    async fn draw_balanced_opening(
        &self,
        request: Request<v1::DrawBalancedOpeningRequest>,
    ) -> Result<Response<v1::DrawBalancedOpeningResponse>, Status> {
        let choice = request.into_inner().choice.unwrap_or_default();
        let lot = getrandom::u64().map_err(GameError::Random)?;
        let mut faults = Faults::default();
        let chosen = decode::opening_choice(&mut faults, "choice", &choice, lot);
        let chosen = faults.finish(chosen)?;
        Ok(Response::new(v1::DrawBalancedOpeningResponse {
            opening: Some(encode::balanced_opening(
                chosen.balance,
                chosen.index,
                chosen.opening,
            )),
        }))
    }
}
