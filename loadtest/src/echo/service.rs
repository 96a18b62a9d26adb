//! The methods of the echo server's own service, as tonic's generator would write them.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::task::{Context, Poll};

use tonic::body::Body;
use tonic::codegen::{BoxFuture, Service, http};
use tonic::server::{Grpc, NamedService, UnaryService};
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;

use super::generated::legal_moves;
use super::serve::MAX_MESSAGE;
use crate::workload::messages::{Boards, EchoMessage, Masks};

/// Answers with the bytes it was sent, or with legal moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EchoServer;

impl NamedService for EchoServer {
    const NAME: &'static str = "reversi.loadtest.Echo";
}

/// The method that answers with the same bytes.
#[derive(Clone, Copy, Debug)]
struct Echo;

impl UnaryService<EchoMessage> for Echo {
    type Response = EchoMessage;
    type Future = Ready<Result<Response<EchoMessage>, Status>>;

    fn call(&mut self, request: Request<EchoMessage>) -> Self::Future {
        ready(Ok(Response::new(request.into_inner())))
    }
}

/// The bulk call through generated messages.
#[derive(Clone, Copy, Debug)]
struct ListLegalMoves;

impl UnaryService<Boards> for ListLegalMoves {
    type Response = Masks;
    type Future = Ready<Result<Response<Masks>, Status>>;

    fn call(&mut self, request: Request<Boards>) -> Self::Future {
        ready(legal_moves(&request.into_inner()).map(Response::new))
    }
}

impl Service<http::Request<Body>> for EchoServer {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Self::Error>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        Box::pin(async move {
            let method = request.uri().path().rsplit('/').next();
            let response = match method {
                Some("Echo") => {
                    let codec = ProstCodec::<EchoMessage, EchoMessage>::default();
                    Grpc::new(codec).unary(Echo, request).await
                }
                Some("ListLegalMoves") => {
                    let codec = ProstCodec::<Masks, Boards>::default();
                    Grpc::new(codec)
                        .max_decoding_message_size(MAX_MESSAGE)
                        .unary(ListLegalMoves, request)
                        .await
                }
                _ => Status::unimplemented("only Echo and ListLegalMoves").into_http(),
            };
            Ok(response)
        })
    }
}
