//! The `Echo` method, as tonic's generator would write it.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::task::{Context, Poll};

use tonic::body::Body;
use tonic::codegen::{BoxFuture, Service, http};
use tonic::server::{Grpc, NamedService, UnaryService};
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;

use crate::workload::pool::EchoMessage;

/// Answers with the bytes it was sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EchoServer;

impl NamedService for EchoServer {
    const NAME: &'static str = "reversi.loadtest.Echo";
}

/// The method.
#[derive(Clone, Copy, Debug)]
struct Echo;

impl UnaryService<EchoMessage> for Echo {
    type Response = EchoMessage;
    type Future = Ready<Result<Response<EchoMessage>, Status>>;

    fn call(&mut self, request: Request<EchoMessage>) -> Self::Future {
        ready(Ok(Response::new(request.into_inner())))
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
            let codec = ProstCodec::<EchoMessage, EchoMessage>::default();
            if request.uri().path().ends_with("/Echo") {
                Ok(Grpc::new(codec).unary(Echo, request).await)
            } else {
                Ok(Status::unimplemented("only Echo").into_http())
            }
        })
    }
}
