//! RulesService: legal moves of many positions at once.

use std::time::Duration;

use reversi_engine::{Bitboard, Board};
use reversi_proto::v1::ErrorReason;
use reversi_proto::{LegalMovesBatch, PositionBatch};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status};

use crate::client::{Random, soon};
use crate::failure::{Failure, assert_fails, failure};
use crate::server::Api;

fn batch_of(positions: &[(u64, u64)]) -> PositionBatch {
    PositionBatch {
        player: positions.iter().map(|(player, _)| *player).collect(),
        opponent: positions.iter().map(|(_, opponent)| *opponent).collect(),
    }
}

/// Positions of which about one in nine overlaps.
fn positions(count: usize, seed: u64) -> Vec<(u64, u64)> {
    let mut random = Random(seed);
    (0..count)
        .map(|index| {
            let (player, opponent) = (random.next(), random.next());
            if index % 9 == 4 {
                (player | 1, opponent | 1)
            } else {
                (player & !opponent, opponent)
            }
        })
        .collect()
}

/// What the answer has to be.
fn expected(positions: &[(u64, u64)]) -> LegalMovesBatch {
    let legal = |&(player, opponent): &(u64, u64)| {
        Board::new(Bitboard(player), Bitboard(opponent)).map_or(0, |board| board.legal_moves().0)
    };
    let overlap =
        |(index, (player, opponent)): (u32, &(u64, u64))| (player & opponent != 0).then_some(index);
    LegalMovesBatch {
        legal_moves: positions.iter().map(legal).collect(),
        overlapping: (0..).zip(positions).filter_map(overlap).collect(),
    }
}

async fn list(api: &Api, batch: PositionBatch) -> Result<LegalMovesBatch, Status> {
    let response = api.rules().batch_list_legal_moves(batch).await?;
    Ok(response.into_inner())
}

#[tokio::test]
async fn each_position_of_a_batch_has_its_moves_at_its_place() {
    let api = Api::start().await;
    for count in [1, 2, 7, 64, 1000] {
        let positions = positions(count, 1);
        let answer = list(&api, batch_of(&positions)).await.unwrap();
        assert_eq!(answer, expected(&positions), "{count}");
    }
}

#[tokio::test]
async fn overlapping_positions_are_listed_and_have_no_moves() {
    let api = Api::start().await;
    let start = (1 << 28 | 1 << 35, 1 << 27 | 1 << 36);
    let batch = batch_of(&[(1, 1), start, (u64::MAX, u64::MAX), start, (3, 6)]);
    let answer = list(&api, batch).await.unwrap();
    assert_eq!(answer.overlapping, [0, 2, 4]);
    let moves = 1 << 19 | 1 << 26 | 1 << 37 | 1 << 44;
    assert_eq!(
        answer.legal_moves.iter().collect::<Vec<_>>(),
        [0, moves, 0, moves, 0]
    );
}

#[tokio::test]
async fn the_largest_batch_is_answered() {
    let api = Api::start().await;
    let positions = positions(65_536, 2);
    let answer = list(&api, batch_of(&positions)).await.unwrap();
    assert_eq!(answer, expected(&positions));
}

#[tokio::test]
async fn a_larger_batch_is_refused() {
    let api = Api::start().await;
    let refused = list(&api, batch_of(&positions(65_537, 3))).await;
    let failure = assert_fails(refused, Code::InvalidArgument, ErrorReason::TooLarge);
    assert_eq!(failure.metadata["field"], "player");
    assert_eq!(failure.metadata["limit"], "65536");
    assert_eq!(failure.metadata["found"], "65537");
}

#[tokio::test]
async fn arrays_of_different_lengths_are_refused() {
    let api = Api::start().await;
    let uneven = || PositionBatch {
        player: vec![1, 2, 3].into(),
        opponent: vec![4, 8].into(),
    };
    let refused = list(&api, uneven()).await;
    let failure = assert_fails(refused, Code::InvalidArgument, ErrorReason::LengthMismatch);
    assert_eq!(failure.metadata["field"], "opponent");
    let nothing = list(&api, PositionBatch::default()).await;
    let failure = assert_fails(nothing, Code::InvalidArgument, ErrorReason::FieldRequired);
    assert_eq!(failure.metadata["field"], "player");
}

#[tokio::test]
async fn a_stream_answers_each_batch_in_order_as_it_comes() {
    let api = Api::start().await;
    let (sender, requests) = mpsc::channel(1);
    let mut rules = api.rules();
    let stream = rules.stream_legal_moves(ReceiverStream::new(requests));
    let (_, answers) = tokio::join!(
        async { sender.send(batch_of(&positions(1, 0))).await.unwrap() },
        soon(stream),
    );
    let mut answers = answers.unwrap().into_inner();
    let first = soon(answers.message()).await.unwrap().unwrap();
    assert_eq!(first, expected(&positions(1, 0)));
    // One after the other: each answer comes before the next batch is sent.
    for seed in 1..20 {
        let positions = positions(usize::try_from(seed).unwrap() * 10, seed);
        sender.send(batch_of(&positions)).await.unwrap();
        let answer = soon(answers.message()).await.unwrap().unwrap();
        assert_eq!(answer, expected(&positions), "batch {seed}");
    }
    drop(sender);
    assert_eq!(soon(answers.message()).await.unwrap(), None);
}

#[tokio::test]
async fn batches_sent_together_are_answered_in_order() {
    let api = Api::start().await;
    let batches: Vec<_> = (1..200).map(|count| positions(count, 7)).collect();
    let requests: Vec<_> = batches.iter().map(|batch| batch_of(batch)).collect();
    let mut rules = api.rules();
    let stream = rules.stream_legal_moves(tokio_stream::iter(requests));
    let mut answers = soon(stream).await.unwrap().into_inner();
    for batch in &batches {
        let answer = soon(answers.message()).await.unwrap().unwrap();
        assert_eq!(answer, expected(batch));
    }
    assert_eq!(soon(answers.message()).await.unwrap(), None);
}

#[tokio::test]
async fn a_bad_batch_ends_its_stream_after_the_answers_before_it() {
    let api = Api::start().await;
    let good = positions(3, 1);
    let uneven = PositionBatch {
        player: vec![1].into(),
        opponent: vec![].into(),
    };
    let requests = vec![batch_of(&good), uneven, batch_of(&good)];
    let mut rules = api.rules();
    let stream = rules.stream_legal_moves(tokio_stream::iter(requests));
    let mut answers = soon(stream).await.unwrap().into_inner();
    let first = soon(answers.message()).await.unwrap().unwrap();
    assert_eq!(first, expected(&good));
    let second = soon(answers.message()).await;
    assert_fails(second, Code::InvalidArgument, ErrorReason::LengthMismatch);
    assert_eq!(soon(answers.message()).await.unwrap(), None);
}

#[tokio::test]
async fn a_batch_too_large_to_be_read_ends_its_stream_with_the_limit() {
    let api = Api::start().await;
    let good = positions(3, 1);
    let requests = vec![batch_of(&good), batch_of(&positions(140_000, 1))];
    let mut rules = api.rules();
    let stream = rules.stream_legal_moves(tokio_stream::iter(requests));
    let mut answers = soon(stream).await.unwrap().into_inner();
    let first = soon(answers.message()).await.unwrap().unwrap();
    assert_eq!(first, expected(&good));
    let second = failure(soon(answers.message()).await);
    assert!(
        second.is(Code::InvalidArgument, ErrorReason::TooLarge),
        "{second:?}"
    );
    assert_eq!(second.metadata["limit"], (2 << 20).to_string());
}

#[tokio::test]
async fn a_batch_is_answered_while_the_compute_pool_is_taken() {
    let flags = ["--compute-threads", "1", "--compute-queue", "1"];
    let api = Api::start_with(&flags).await;
    let _busy = crate::counting::endless(&api).await;
    let mut request = tonic::Request::new(batch_of(&positions(1000, 5)));
    request.set_timeout(Duration::from_secs(10));
    let answer = api.rules().batch_list_legal_moves(request).await.unwrap();
    assert_eq!(answer.into_inner(), expected(&positions(1000, 5)));
}

#[tokio::test]
async fn an_unreadable_batch_is_a_malformed_message() {
    let api = Api::start().await;
    for bytes in [
        &[0x0a, 7, 1, 2, 3, 4, 5, 6, 7][..],
        &[0x0a, 200, 1, 0, 0, 0, 0, 0, 0, 0, 0],
        &[
            0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01,
        ],
        &[0x08, 1],
        &[0x0b, 1],
        &[0x09, 1],
    ] {
        let path = "/reversi.v1.RulesService/BatchListLegalMoves";
        let status = crate::edge::raw(&api.channel, path, bytes)
            .await
            .unwrap_err();
        let failure = Failure::of(&status);
        let malformed = failure.is(Code::InvalidArgument, ErrorReason::MalformedMessage);
        assert!(malformed, "{bytes:?}: {failure:?}");
    }
}

#[tokio::test]
async fn an_unreadable_batch_ends_its_stream() {
    let api = Api::start().await;
    let path = "/reversi.v1.RulesService/StreamLegalMoves";
    let batch = prost::Message::encode_to_vec(&batch_of(&positions(3, 1)));
    let messages = vec![batch.clone(), vec![0x0a, 7], batch];
    let mut answers = crate::edge::raw_stream(&api.channel, path, messages).await;
    let first = soon(answers.message()).await.unwrap().unwrap();
    let first: LegalMovesBatch = prost::Message::decode(&first[..]).unwrap();
    assert_eq!(first, expected(&positions(3, 1)));
    let second = soon(answers.message()).await;
    assert_fails(second, Code::InvalidArgument, ErrorReason::MalformedMessage);
}

#[tokio::test]
async fn numbers_may_come_unpacked_and_in_parts() {
    let api = Api::start().await;
    // player: 1 << 28, unpacked; then 1 << 35, packed; opponent: two at once.
    let mut bytes = vec![0x09];
    bytes.extend_from_slice(&(1_u64 << 28 | 1 << 35).to_le_bytes());
    bytes.extend_from_slice(&[0x0a, 8]);
    bytes.extend_from_slice(&1_u64.to_le_bytes());
    bytes.extend_from_slice(&[0x12, 16]);
    bytes.extend_from_slice(&(1_u64 << 27 | 1 << 36).to_le_bytes());
    bytes.extend_from_slice(&1_u64.to_le_bytes());
    let path = "/reversi.v1.RulesService/BatchListLegalMoves";
    let answer = crate::edge::raw(&api.channel, path, &bytes).await.unwrap();
    let answer: LegalMovesBatch = prost::Message::decode(&answer[..]).unwrap();
    let moves = 1 << 19 | 1 << 26 | 1 << 37 | 1 << 44;
    assert_eq!(answer.legal_moves.iter().collect::<Vec<_>>(), [moves, 0]);
    assert_eq!(answer.overlapping, [1]);
}
