//! WatchGame.

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use reversi_engine::Color;
use reversi_proto::v1;
use tokio_util::sync::CancellationToken;
use tonic::Status;

use crate::grpc::deadline::passed;
use crate::grpc::{encode, status};
use crate::operations::{Games, Watch};
use crate::session::EventNumber;

/// What a watch is sent.
pub(super) type Updates = BoxStream<'static, Result<v1::WatchGameResponse, Status>>;

/// A watcher who plays: its player counts as there while the watch is open.
#[derive(Debug)]
pub(super) struct Presence {
    pub(super) games: Games,
    pub(super) side: Color,
    /// How long the player need not be heard of.
    pub(super) within: Duration,
}

/// The updates of a watch until the game, the deadline or the server ends.
pub(super) fn updates(
    watch: Watch,
    stopping: CancellationToken,
    deadline: Option<Instant>,
    presence: Option<Presence>,
) -> Updates {
    let state = (watch, stopping, deadline, presence);
    stream::unfold(Some(state), |state| async move {
        let (mut watch, stopping, deadline, presence) = state?;
        let next = tokio::select! {
            biased;
            () = stopping.cancelled() => Err(status::shutting_down()),
            () = passed(deadline) => Err(status::deadline_exceeded()),
            next = present(&mut watch, presence.as_ref()) => next,
        };
        match next {
            Ok(None) => None,
            Err(error) => Some((Err(error), None)),
            Ok(Some(response)) => Some((Ok(response), Some((watch, stopping, deadline, presence)))),
        }
    })
    .boxed()
}

/// The next update; meanwhile the player is said to be there.
async fn present(
    watch: &mut Watch,
    presence: Option<&Presence>,
) -> Result<Option<v1::WatchGameResponse>, Status> {
    let id = watch.id();
    let next = async {
        let update = watch.next().await?;
        Ok(update.map(|update| encode::update(id, update)))
    };
    let Some(Presence {
        games,
        side,
        within,
    }) = presence
    else {
        return next.await;
    };
    let saying = async {
        loop {
            // Where it cannot be said now it can be later: the watch goes on.
            let _ = games.say_present(id, *side, *within).await;
            tokio::time::sleep(*within / 3).await;
        }
    };
    tokio::select! {
        next = next => next,
        () = saying => Ok(None),
    }
}

/// The event of an etag. One that this service has never given is one that the game has never
/// had.
pub(super) fn event_number(etag: &str) -> EventNumber {
    etag.parse()
        .map(EventNumber)
        .ok()
        .filter(|event| event.to_string() == etag)
        .unwrap_or(EventNumber(u32::MAX))
}
