//! BatchListLegalMoves without tonic: the request is read where it arrived, and the answer is sent
//! from where it was written.
//!
//! tonic copies each message into a buffer of its own, on the way in and on the way out. Of a
//! batch of 16,384 positions that was a third of what the whole call takes.

use std::error::Error;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body::Frame;
use prost::Message;
use reversi_proto::PositionBatch;
use tonic::Status;
use tonic::body::Body;
use tonic::metadata::GRPC_CONTENT_TYPE;

use super::{MAX_REQUEST_BYTES, bulk};

type BoxError = Box<dyn Error + Send + Sync>;

/// The method.
pub(super) const PATH: &str = "/reversi.v1.RulesService/BatchListLegalMoves";

/// The flag and the length before each gRPC message.
const PREFIX: usize = 5;

/// Answers a call. Its errors are those that tonic would make: the edge mends them.
pub(super) async fn call<B>(request: Request<B>) -> Response<Body>
where
    B: http_body::Body<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    match answer(request).await {
        Ok(frame) => {
            let mut response = Response::new(Body::new(Answer::Message(frame)));
            response
                .headers_mut()
                .insert(CONTENT_TYPE, GRPC_CONTENT_TYPE);
            response
        }
        Err(status) => status.into_http(),
    }
}

async fn answer<B>(request: Request<B>) -> Result<Bytes, Status>
where
    B: http_body::Body<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    let encoding = request.headers().get("grpc-encoding");
    if encoding.is_some_and(|encoding| encoding != "identity") {
        return Err(Status::unimplemented("the request is compressed"));
    }
    let message = message(request.into_body()).await?;
    let request = PositionBatch::decode(message);
    let request = request.map_err(|error| Status::internal(error.to_string()))?;
    bulk::legal_moves_frame(&request)
}

/// The first message of a body, which is read to its end.
async fn message<B>(mut body: B) -> Result<Bytes, Status>
where
    B: http_body::Body<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    let mut received = Received::default();
    let message = loop {
        let Some(chunk) = next(&mut body).await? else {
            return Err(Status::internal("it is cut short"));
        };
        if let Some(message) = received.push(&chunk)? {
            break message;
        }
    };
    while next(&mut body).await?.is_some() {}
    Ok(message)
}

async fn next<B>(body: &mut B) -> Result<Option<Bytes>, Status>
where
    B: http_body::Body<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await {
        let frame = frame.map_err(|error| Status::from_error(error.into()))?;
        if let Ok(data) = frame.into_data() {
            return Ok(Some(data));
        }
    }
    Ok(None)
}

/// What has arrived of a message that did not come in one piece.
#[derive(Debug, Default)]
struct Received(BytesMut);

impl Received {
    /// Takes in what arrives; the message once it is whole. One that comes in one piece stays
    /// where it is.
    fn push(&mut self, chunk: &Bytes) -> Result<Option<Bytes>, Status> {
        if self.0.is_empty() {
            match end(chunk)? {
                Some(end) if end <= chunk.len() => return Ok(Some(chunk.slice(PREFIX..end))),
                end => self.0.reserve(end.unwrap_or(PREFIX)),
            }
        }
        self.0.extend_from_slice(chunk);
        match end(&self.0)? {
            Some(end) if end <= self.0.len() => {
                let whole = std::mem::take(&mut self.0).freeze();
                Ok(Some(whole.slice(PREFIX..end)))
            }
            Some(_) | None => Ok(None),
        }
    }
}

/// Where the message ends that begins here, as far as that is known.
fn end(bytes: &[u8]) -> Result<Option<usize>, Status> {
    let Some([compressed, length @ ..]) = bytes.first_chunk::<PREFIX>() else {
        return Ok(None);
    };
    if *compressed != 0 {
        return Err(Status::internal("it is marked as compressed"));
    }
    match usize::try_from(u32::from_be_bytes(*length)) {
        Ok(length) if length <= MAX_REQUEST_BYTES => Ok(Some(PREFIX + length)),
        _ => Err(Status::out_of_range("too large")),
    }
}

/// A body of one message, and that all went well.
#[derive(Debug)]
enum Answer {
    /// Nothing has been sent.
    Message(Bytes),
    /// The message has been sent.
    Trailers,
    /// All has been sent.
    Nothing,
}

impl http_body::Body for Answer {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let (frame, rest) = match std::mem::replace(&mut *self, Self::Nothing) {
            Self::Message(message) => (Frame::data(message), Self::Trailers),
            Self::Trailers => {
                let ok = (Status::GRPC_STATUS.clone(), HeaderValue::from_static("0"));
                (Frame::trailers(HeaderMap::from_iter([ok])), Self::Nothing)
            }
            Self::Nothing => return Poll::Ready(None),
        };
        *self = rest;
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Nothing)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::convert::Infallible;

    use reversi_proto::LegalMovesBatch;
    use tonic::Code;

    use super::*;

    /// A body that comes in these pieces.
    struct Pieces(VecDeque<Bytes>);

    impl http_body::Body for Pieces {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _cx: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            Poll::Ready(self.0.pop_front().map(|piece| Ok(Frame::data(piece))))
        }
    }

    async fn of(bytes: &[u8], size: usize) -> Result<Bytes, Status> {
        let pieces = bytes.chunks(size).map(Bytes::copy_from_slice);
        answer(Request::new(Pieces(pieces.collect()))).await
    }

    fn frame(message: &[u8]) -> Vec<u8> {
        let length = u32::try_from(message.len()).unwrap().to_be_bytes();
        [&[0][..], &length, message].concat()
    }

    fn request() -> Vec<u8> {
        let (start, overlapping) = ((1 << 28 | 1 << 35, 1 << 27 | 1 << 36), (3, 6));
        let request = PositionBatch {
            player: vec![start.0, overlapping.0].into(),
            opponent: vec![start.1, overlapping.1].into(),
        };
        frame(&request.encode_to_vec())
    }

    #[tokio::test]
    async fn a_message_is_read_in_whatever_pieces_it_comes() {
        let response = LegalMovesBatch {
            legal_moves: vec![1 << 19 | 1 << 26 | 1 << 37 | 1 << 44, 0].into(),
            overlapping: vec![1],
        };
        let expected = frame(&response.encode_to_vec());
        for size in 1..=request().len() {
            assert_eq!(of(&request(), size).await.unwrap(), expected, "{size}");
        }
        // What comes behind it is not looked at.
        let more = [request(), vec![7; 30]].concat();
        for size in [1, 9, 40, more.len()] {
            assert_eq!(of(&more, size).await.unwrap(), expected, "{size}");
        }
    }

    #[tokio::test]
    async fn what_is_no_message_is_an_error_of_the_transport() {
        let whole = request();
        let mut compressed = whole.clone();
        compressed[0] = 1;
        let limit = u32::try_from(MAX_REQUEST_BYTES + 1).unwrap();
        let large = [&[0][..], &limit.to_be_bytes()].concat();
        for (bytes, code) in [
            (&[][..], Code::Internal),
            (&whole[..4], Code::Internal),
            (&whole[..whole.len() - 1], Code::Internal),
            (&frame(&[0x0a, 7]), Code::Internal),
            (&compressed, Code::Internal),
            (&large, Code::OutOfRange),
        ] {
            for size in [1, 1000] {
                let status = of(bytes, size).await.unwrap_err();
                assert_eq!(status.code(), code, "{bytes:?}");
                // The edge gives them details.
                assert!(status.details().is_empty());
            }
        }
    }

    #[test]
    fn a_message_in_one_piece_stays_where_it_is() {
        let piece = Bytes::from(request());
        let message = Received::default().push(&piece).unwrap().unwrap();
        assert!(piece.as_ptr_range().contains(&message.as_ptr()));
        assert_eq!(message, piece[PREFIX..]);
    }
}
