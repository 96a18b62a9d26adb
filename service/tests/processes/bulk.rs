//! The bulk calls as callers make them that err, break off, or take no answer.

use std::time::Duration;

use bytes::Bytes;
use h2::client::{ResponseFuture, SendRequest};
use h2::{RecvStream, SendStream};
use http::{HeaderMap, Method, Request};
use prost::Message;
use reversi_proto::v1::ErrorReason;
use reversi_proto::{LegalMovesBatch, PositionBatch};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tonic::{Code, Status};

use crate::client::{soon, until};
use crate::failure::assert_fails;
use crate::process::Process;

const STREAM: &str = "/reversi.v1.RulesService/StreamLegalMoves";
/// The start, seen by the side to move, and its legal moves.
const START: (u64, u64) = (1 << 28 | 1 << 35, 1 << 27 | 1 << 36);
const MOVES: u64 = 1 << 19 | 1 << 26 | 1 << 37 | 1 << 44;

fn batch(positions: &[(u64, u64)]) -> PositionBatch {
    PositionBatch {
        player: positions.iter().map(|(player, _)| *player).collect(),
        opponent: positions.iter().map(|(_, opponent)| *opponent).collect(),
    }
}

/// A message with its prefix.
fn frame(message: &impl Message) -> Bytes {
    let message = message.encode_to_vec();
    let length = u32::try_from(message.len()).unwrap().to_be_bytes();
    [&[0][..], &length, &message].concat().into()
}

/// A connection of HTTP/2 as it is: it reads no more of a stream than its test does.
struct Raw {
    client: SendRequest<Bytes>,
    endpoint: String,
    connection: JoinHandle<()>,
}

impl Raw {
    async fn to(process: &Process) -> Self {
        let stream = TcpStream::connect(process.address()).await.unwrap();
        // h2 puts up with more small frames that nobody has read yet the larger this window is.
        let (client, connection) = h2::client::Builder::new()
            .initial_connection_window_size(4 << 20)
            .handshake(stream)
            .await
            .unwrap();
        // It ends with an error when a test breaks it off.
        let connection = tokio::spawn(async move { connection.await.unwrap_or_default() });
        Self {
            client,
            endpoint: format!("http://{}", process.address()),
            connection,
        }
    }

    /// Opens a stream of batches; waits for as long as no more are allowed.
    async fn open(&mut self) -> (ResponseFuture, SendStream<Bytes>) {
        self.client = self.client.clone().ready().await.unwrap();
        let request = Request::builder()
            .method(Method::POST)
            .uri(format!("{}{STREAM}", self.endpoint))
            .header("content-type", "application/grpc")
            .header("te", "trailers");
        let request = request.body(()).unwrap();
        self.client.send_request(request, false).unwrap()
    }
}

/// The next bytes of an answer, which arrive in one piece.
async fn next(body: &mut RecvStream) -> Option<LegalMovesBatch> {
    let bytes = soon(body.data()).await?.unwrap();
    body.flow_control().release_capacity(bytes.len()).unwrap();
    Some(LegalMovesBatch::decode(&bytes[5..]).unwrap())
}

async fn ending(body: &mut RecvStream) -> Status {
    let trailers: HeaderMap = soon(body.trailers()).await.unwrap().unwrap();
    Status::from_header_map(&trailers).unwrap()
}

fn is_the_start(answer: &LegalMovesBatch) -> bool {
    answer.legal_moves.iter().eq([MOVES]) && answer.overlapping.is_empty()
}

#[tokio::test]
async fn bad_batches_are_told_what_is_wrong_with_them() {
    let process = Process::start(&[]).await;
    let uneven = PositionBatch {
        player: vec![1, 2, 3].into(),
        opponent: vec![4, 8].into(),
    };
    for (bad, reason, field) in [
        (uneven, ErrorReason::LengthMismatch, "opponent"),
        (
            PositionBatch::default(),
            ErrorReason::FieldRequired,
            "player",
        ),
        (batch(&[START; 65_537]), ErrorReason::TooLarge, "player"),
    ] {
        let refused = process.rules().batch_list_legal_moves(bad.clone()).await;
        let failure = assert_fails(refused, Code::InvalidArgument, reason);
        assert_eq!(failure.metadata["field"], field);
        // On a stream, those before it are answered, and those behind it are not.
        let messages = tokio_stream::iter([batch(&[START]), bad, batch(&[START])]);
        let answers = process.rules().stream_legal_moves(messages).await;
        let mut answers = answers.unwrap().into_inner();
        let first = soon(answers.message()).await.unwrap().unwrap();
        assert!(is_the_start(&first));
        let failure = assert_fails(soon(answers.message()).await, Code::InvalidArgument, reason);
        assert_eq!(failure.metadata["field"], field);
        assert_eq!(soon(answers.message()).await.unwrap(), None);
    }
}

#[tokio::test]
async fn overlapping_boards_are_told_by_their_index() {
    let process = Process::start(&[]).await;
    let mixed = || batch(&[START, (1, 1), START, (3, 6)]);
    let alone = process.rules().batch_list_legal_moves(mixed()).await;
    let on_a_stream = process
        .rules()
        .stream_legal_moves(tokio_stream::iter([mixed()]))
        .await;
    let mut on_a_stream = on_a_stream.unwrap().into_inner();
    for answer in [
        alone.unwrap().into_inner(),
        soon(on_a_stream.message()).await.unwrap().unwrap(),
    ] {
        assert_eq!(answer.overlapping, [1, 3]);
        assert!(answer.legal_moves.iter().eq([MOVES, 0, MOVES, 0]));
    }
}

#[tokio::test]
async fn a_stream_that_stops_within_a_message_fails_after_its_answers() {
    let process = Process::start(&[]).await;
    let mut raw = Raw::to(&process).await;
    let (answer, mut requests) = raw.open().await;
    let whole = frame(&batch(&[START]));
    let half = whole.slice(..whole.len() / 2);
    requests
        .send_data([whole, half].concat().into(), true)
        .unwrap();
    let mut body = soon(answer).await.unwrap().into_body();
    assert!(is_the_start(&next(&mut body).await.unwrap()));
    assert_eq!(next(&mut body).await, None);
    let ended: Result<(), Status> = Err(ending(&mut body).await);
    assert_fails(ended, Code::InvalidArgument, ErrorReason::MalformedMessage);
}

#[tokio::test]
async fn a_stream_that_is_broken_off_is_over() {
    let process = Process::start(&[]).await;
    for (count, by_reset) in [(1.0, true), (2.0, false)] {
        let mut raw = Raw::to(&process).await;
        let (answer, mut requests) = raw.open().await;
        requests.send_data(frame(&batch(&[START])), false).unwrap();
        let mut body = soon(answer).await.unwrap().into_body();
        assert!(is_the_start(&next(&mut body).await.unwrap()));
        if by_reset {
            requests.send_reset(h2::Reason::CANCEL);
        } else {
            raw.connection.abort();
        }
        until(async || process.counts().await.ended("StreamLegalMoves", "Canceled") == count).await;
    }
}

#[tokio::test]
async fn a_caller_that_takes_no_answer_is_not_read_from_either() {
    /// What the server allows to be on the way, and as much again.
    const MOST_BYTES: usize = 8 << 20;
    /// Nothing more is taken when nothing has been for so long.
    const SILENCE: Duration = Duration::from_millis(500);
    let process = Process::start(&[]).await;
    process.unpacked().await;
    let before = process.memory_kib();
    let mut raw = Raw::to(&process).await;
    let (_answer, mut requests) = raw.open().await;
    let message = frame(&batch(&[START; 1_000]));
    let mut sent = 0;
    'sending: loop {
        requests.reserve_capacity(message.len());
        while requests.capacity() < message.len() {
            let more = std::future::poll_fn(|cx| requests.poll_capacity(cx));
            if timeout(SILENCE, more).await.is_err() {
                break 'sending;
            }
        }
        requests.send_data(message.clone(), false).unwrap();
        sent += message.len();
        assert!(sent < MOST_BYTES, "{sent} bytes and no end");
    }
    assert!(sent > 65_535, "{sent} bytes at most");
    let grown = process.memory_kib().saturating_sub(before);
    assert!(grown < 64 << 10, "{grown} KiB for {sent} bytes");
    // Nobody else is held up, on another connection or on this one.
    let mut rules = process.rules();
    let answer = rules.batch_list_legal_moves(batch(&[START]));
    assert!(is_the_start(&soon(answer).await.unwrap().into_inner()));
    requests.send_reset(h2::Reason::CANCEL);
    until(async || process.counts().await.ended("StreamLegalMoves", "Canceled") == 1.0).await;
}

#[tokio::test]
async fn a_thousand_streams_share_a_connection_and_more_wait_for_one_to_end() {
    /// What the server announces.
    const MOST: usize = 1_024;
    let process = Process::start(&[]).await;
    let mut raw = Raw::to(&process).await;
    let mut open = Vec::new();
    for _ in 0..MOST {
        let (answer, mut requests) = soon(raw.open()).await;
        requests.send_data(frame(&batch(&[START])), false).unwrap();
        open.push((answer, requests));
    }
    let mut streams = Vec::new();
    for (answer, requests) in open {
        let mut body = soon(answer).await.unwrap().into_body();
        assert!(is_the_start(&next(&mut body).await.unwrap()));
        streams.push((body, requests));
    }
    let (answer, mut waiting) = soon(raw.open()).await;
    waiting.send_data(frame(&batch(&[START])), true).unwrap();
    assert_eq!(process.counts().await.started("StreamLegalMoves"), 1_024.0);
    let (mut body, mut requests) = streams.pop().unwrap();
    requests.send_data(Bytes::new(), true).unwrap();
    assert_eq!(next(&mut body).await, None);
    assert_eq!(ending(&mut body).await.code(), Code::Ok);
    drop((body, requests));
    let mut body = soon(answer).await.unwrap().into_body();
    assert!(is_the_start(&next(&mut body).await.unwrap()));
}
