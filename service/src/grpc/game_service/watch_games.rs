//! WatchGames.

use std::time::Instant;

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use reversi_proto::v1;
use tokio_util::sync::CancellationToken;
use tonic::Status;

use crate::grpc::deadline::passed;
use crate::grpc::decode::Faults;
use crate::grpc::{encode, status};
use crate::operations::{GamesWatch, WatchGames};
use crate::session::{GameRecord, Seat};
use crate::store::LogPosition;

/// What a watch of games is sent.
pub(super) type GamesUpdates = BoxStream<'static, Result<v1::WatchGamesResponse, Status>>;

/// The longest cursor, in bytes.
const MAX_CURSOR: usize = 2048;

/// Which games a request asks for, and from where on.
pub(super) fn request(request: v1::WatchGamesRequest) -> Result<WatchGames, Status> {
    let mut faults = Faults::default();
    let player_id = faults.bounded("player_id", request.player_id, Seat::MAX_TEXT);
    let label = faults.bounded("label", request.label, GameRecord::MAX_TEXT);
    let cursor = faults.bounded("cursor", request.cursor, MAX_CURSOR);
    let after = (!cursor.is_empty()).then(|| cursor.parse::<LogPosition>());
    if let Some(Err(malformed)) = &after {
        let shown: String = cursor.chars().take(16).collect();
        faults.invalid("cursor", shown, malformed.to_string());
    }
    faults.check()?;
    Ok(WatchGames {
        player_id,
        label,
        after: after.and_then(Result::ok),
    })
}

/// The updates of a watch until the caller, the deadline or the server ends.
pub(super) fn updates(
    watch: GamesWatch,
    stopping: CancellationToken,
    deadline: Option<Instant>,
) -> GamesUpdates {
    stream::unfold(Some((watch, stopping, deadline)), |state| async move {
        let (mut watch, stopping, deadline) = state?;
        let next = tokio::select! {
            biased;
            () = stopping.cancelled() => Err(status::shutting_down()),
            () = passed(deadline) => Err(status::deadline_exceeded()),
            next = watch.next() => next.map_err(Status::from),
        };
        match next {
            Err(error) => Some((Err(error), None)),
            Ok(update) => {
                let message = encode::games_update(&update);
                Some((Ok(message), Some((watch, stopping, deadline))))
            }
        }
    })
    .boxed()
}
