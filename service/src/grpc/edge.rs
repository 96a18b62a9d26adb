//! The edge of the API: every call is counted, kept to its deadline, and every error that the
//! transport made gets the code and the details that this API promises.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use bytes::Bytes;
use futures_util::{FutureExt, Stream, future};
use http::{HeaderMap, HeaderValue, Request, Response, Uri};
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use hyper::service::Service;
use pin_project_lite::pin_project;
use tokio::time::{Sleep, sleep_until};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::body::Body;
use tonic::metadata::GRPC_CONTENT_TYPE;
use tonic::{Code, Status};
use tracing::{Instrument, Span};

use super::api::{Answer, Api};
use super::deadline::deadline;
use super::gate::{Charge, Gate};
use super::request_id::CallName;
use super::status;
use crate::auth::Tenant;
use crate::metrics::{CallMetrics, Metrics};
use crate::telemetry::traces;

/// Methods of others whose answers go on for as long as their callers are there: they end
/// when the server stops, once everything is sent, so that they do not hold it up.
const ENDLESS: [&str; 3] = [
    "/grpc.health.v1.Health/Watch",
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
];

/// A status that the transport made while it read a stream of requests, as this API
/// promises it.
pub(super) fn mend(status: &Status, path: &str) -> Status {
    status::at_the_edge(status.code(), status.message(), path)
}

pin_project! {
    /// A stream that ends with an error when the server stops.
    ///
    /// The server is looked at when the stream has nothing ready, so that many items that are
    /// cost no more than they do without.
    pub(crate) struct UntilStopping<S> {
        #[pin]
        stream: S,
        #[pin]
        stopping: WaitForCancellationFutureOwned,
        ended: bool,
    }
}

impl<S> UntilStopping<S> {
    pub(super) fn new(stream: S, stopping: CancellationToken) -> Self {
        Self {
            stream,
            stopping: stopping.cancelled_owned(),
            ended: false,
        }
    }
}

impl<T, S: Stream<Item = Result<T, Status>>> Stream for UntilStopping<S> {
    type Item = Result<T, Status>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.project();
        if *this.ended {
            return Poll::Ready(None);
        }
        if let Poll::Ready(item) = this.stream.poll_next(cx) {
            return Poll::Ready(item);
        }
        ready!(this.stopping.poll(cx));
        *this.ended = true;
        Poll::Ready(Some(Err(status::shutting_down())))
    }
}

/// The services with the edge around them.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    api: Api,
    gate: Gate,
    metrics: Arc<Metrics>,
    /// Cancelled when the server stops.
    stopping: CancellationToken,
}

impl Edge {
    pub(crate) const fn new(
        api: Api,
        gate: Gate,
        metrics: Arc<Metrics>,
        stopping: CancellationToken,
    ) -> Self {
        Self {
            api,
            gate,
            metrics,
            stopping,
        }
    }

    /// The edge of a connection whose certificate stands for this tenant.
    pub(crate) fn for_peer(&self, peer: Option<Tenant>) -> Self {
        Self {
            gate: self.gate.for_peer(peer),
            ..self.clone()
        }
    }
}

impl Service<Request<Incoming>> for Edge {
    type Response = Response<EdgeBody>;
    type Error = Infallible;
    type Future = EdgeFuture<Answer>;

    fn call(&self, mut request: Request<Incoming>) -> EdgeFuture<Answer> {
        let path = request.uri().clone();
        let span = traces::of_call(path.path(), request.headers());
        let mut call = Call::start(self.metrics.method(path.path()), span);
        let deadline = deadline(request.headers());
        let name = CallName::given(request.headers());
        let inner = match self.gate.admit(&mut request) {
            Ok(charge) => {
                call.charge = charge;
                let _within = call.span.enter();
                self.api.call(request)
            }
            Err(status) => future::ready(Ok(as_response(status))).boxed(),
        };
        let inner = if call.span.is_disabled() {
            inner
        } else {
            inner.instrument(call.span.clone()).boxed()
        };
        EdgeFuture {
            inner,
            deadline: deadline.map(|deadline| sleep_until(deadline.into())),
            until: ENDLESS
                .contains(&path.path())
                .then(|| self.stopping.clone()),
            path,
            name,
            call: Some(call),
        }
    }
}

/// A call that is counted when it ends, or as cancelled when it is dropped.
#[derive(Debug)]
struct Call {
    metrics: Arc<CallMetrics>,
    started: Instant,
    ended: bool,
    charge: Option<Charge>,
    span: Span,
}

impl Call {
    fn start(metrics: Arc<CallMetrics>, span: Span) -> Self {
        metrics.started();
        Self {
            metrics,
            started: Instant::now(),
            ended: false,
            charge: None,
            span,
        }
    }

    /// Ends a call because the server stops; the trailers that say so.
    fn cut_off(&mut self) -> Option<HeaderMap> {
        let status = status::shutting_down();
        self.end(status.code());
        let mut trailers = HeaderMap::new();
        status.add_header(&mut trailers).ok()?;
        Some(trailers)
    }

    fn end(&mut self, code: Code) {
        if !self.ended {
            self.ended = true;
            let time = self.started.elapsed();
            self.metrics.handled(code, time);
            traces::ended(&self.span, code);
            if let Some(charge) = &self.charge {
                charge.take(time);
            }
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.end(Code::Cancelled);
    }
}

pin_project! {
    /// The answer to a call.
    pub(crate) struct EdgeFuture<F> {
        #[pin]
        inner: F,
        #[pin]
        deadline: Option<Sleep>,
        call: Option<Call>,
        path: Uri,
        name: Option<CallName>,
        until: Option<CancellationToken>,
    }
}

impl<F> Future for EdgeFuture<F>
where
    F: Future<Output = Result<Response<Body>, Infallible>>,
{
    type Output = Result<Response<EdgeBody>, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let response = match this.inner.poll(cx) {
            Poll::Ready(response) => response?,
            Poll::Pending => {
                match this.deadline.as_pin_mut() {
                    Some(deadline) => ready!(deadline.poll(cx)),
                    None => return Poll::Pending,
                }
                status::deadline_exceeded().into_http()
            }
        };
        let mut call = this
            .call
            .take()
            .expect("invariant: not polled after it is ready");
        let response = match Status::from_header_map(response.headers()) {
            Some(status) if status.code() == Code::Ok => {
                call.end(status.code());
                response
            }
            Some(status) => {
                let status = if status.details().is_empty() {
                    mend(&status, this.path.path())
                } else {
                    status
                };
                call.end(status.code());
                let name = this.name.get_or_insert_with(CallName::new);
                name.log(this.path.path(), &status);
                as_response(name.tell(&status))
            }
            None => response,
        };
        let mut response = response;
        if let Some(name) = this.name {
            name.put(response.headers_mut());
        }
        let until = this.until.take();
        let until = until.map(|token| Box::pin(token.cancelled_owned()));
        Poll::Ready(Ok(response.map(|inner| EdgeBody { inner, call, until })))
    }
}

fn as_response(status: Status) -> Response<Body> {
    let mut response = status.into_http();
    response
        .headers_mut()
        .insert(http::header::CONTENT_TYPE, GRPC_CONTENT_TYPE);
    response
}

pin_project! {
    /// The body of an answer; its trailers tell how the call ended.
    pub(crate) struct EdgeBody {
        #[pin]
        inner: Body,
        call: Call,
        // When to end an answer that does not end by itself.
        until: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
    }
}

impl http_body::Body for EdgeBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let this = self.project();
        let Poll::Ready(frame) = this.inner.poll_frame(cx) else {
            // All that was to be said has been said.
            let Some(until) = this.until else {
                return Poll::Pending;
            };
            ready!(until.as_mut().poll(cx));
            *this.until = None;
            return Poll::Ready(
                this.call
                    .cut_off()
                    .map(|trailers| Ok(Frame::trailers(trailers))),
            );
        };
        if let Some(Ok(frame)) = &frame
            && let Some(trailers) = frame.trailers_ref()
        {
            this.call.end(code(trailers));
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

fn code(trailers: &HeaderMap<HeaderValue>) -> Code {
    trailers
        .get(Status::GRPC_STATUS)
        .map_or(Code::Unknown, |code| Code::from_bytes(code.as_bytes()))
}
