//! The bulk calls: legal moves of many positions, without decoding a number.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::Stream;
use reversi_engine::bulk;
use reversi_proto::{LegalMovesBatch, LegalMovesFrame, Packed64, PositionBatch, v1};
use tonic::{Status, Streaming};

use super::decode::{Faults, InvalidRequest};
use super::{MAX_BATCH_POSITIONS, edge};

/// The path of the method that takes a stream.
const STREAM_LEGAL_MOVES: &str = "/reversi.v1.RulesService/StreamLegalMoves";

/// The legal moves of a batch, and the indices of its overlapping positions.
pub(super) fn legal_moves(request: &PositionBatch) -> Result<LegalMovesBatch, Status> {
    check(request)?;
    let mut moves = vec![0; request.player.as_bytes().len()];
    let overlapping = write_legal_moves(request, &mut moves);
    let legal_moves = Packed64::from_le_bytes(moves).expect("invariant: whole numbers");
    Ok(LegalMovesBatch {
        legal_moves,
        overlapping,
    })
}

/// The same as the frame that travels.
pub(super) fn legal_moves_frame(request: &PositionBatch) -> Result<Bytes, Status> {
    check(request)?;
    let mut frame = LegalMovesFrame::with_room(request.player.len());
    let overlapping = write_legal_moves(request, frame.moves_mut());
    Ok(frame.finish(&overlapping))
}

/// Writes the moves of a batch that has been checked; its overlapping positions.
fn write_legal_moves(request: &PositionBatch, moves: &mut [u8]) -> Vec<u32> {
    let PositionBatch { player, opponent } = request;
    let overlapping = bulk::legal_moves_le(player.as_bytes(), opponent.as_bytes(), moves)
        .expect("invariant: equally many whole numbers");
    overlapping.into_iter().map(small_index).collect()
}

fn check(request: &PositionBatch) -> Result<(), InvalidRequest> {
    let PositionBatch { player, opponent } = request;
    let mut faults = Faults::default();
    if player.is_empty() {
        faults.required("player");
    }
    if player.len() > MAX_BATCH_POSITIONS {
        faults.too_large("player", MAX_BATCH_POSITIONS, player.len());
    }
    if player.len() != opponent.len() {
        faults.add(
            "opponent",
            v1::ErrorReason::LengthMismatch,
            format!(
                "has {} entries, player has {}",
                opponent.len(),
                player.len()
            ),
            [("found", opponent.len().to_string())],
        );
    }
    faults.check()
}

fn small_index(index: usize) -> u32 {
    u32::try_from(index).expect("invariant: below MAX_BATCH_POSITIONS")
}

/// The answers to a stream of batches, up to the first error.
///
/// A batch is answered when it is asked for: what has not arrived takes no memory here, and a
/// caller that does not read is not read from either. tonic asks for as long as batches are
/// there, and sends the answers together.
#[derive(Debug)]
pub(crate) struct Answers {
    /// `None` after an error.
    requests: Option<Streaming<PositionBatch>>,
}

impl Answers {
    pub(super) const fn new(requests: Streaming<PositionBatch>) -> Self {
        Self {
            requests: Some(requests),
        }
    }
}

impl Stream for Answers {
    type Item = Result<LegalMovesBatch, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(requests) = &mut self.requests else {
            return Poll::Ready(None);
        };
        let answer = match ready!(Pin::new(requests).poll_next(cx)) {
            None => return Poll::Ready(None),
            Some(Ok(request)) => legal_moves(&request),
            Some(Err(error)) => Err(edge::mend(&error, STREAM_LEGAL_MOVES)),
        };
        if answer.is_err() {
            self.requests = None;
        }
        Poll::Ready(Some(answer))
    }
}
