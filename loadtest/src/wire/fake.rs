//! A server for tests, in memory: it answers what it is told, when it is told.

use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use h2::server::SendResponse;
use h2::{RecvStream, server};
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response};
use tokio::io::DuplexStream;
use tokio::task::spawn_local;
use tokio::time::sleep;

use super::Link;
use super::target::Target;

/// An answer to a call.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    delay: Duration,
    head: Vec<(&'static str, String)>,
    chunks: Vec<Bytes>,
    trailers: Option<Vec<(&'static str, String)>>,
}

impl Answer {
    /// A message, and success.
    pub(crate) fn message(message: &impl prost::Message) -> Self {
        Self::bytes(super::frame::encode(message))
    }

    /// These bytes as they are, and success.
    pub(crate) fn bytes(bytes: impl Into<Bytes>) -> Self {
        Self {
            delay: Duration::ZERO,
            head: vec![("content-type", "application/grpc".to_owned())],
            chunks: vec![bytes.into()],
            trailers: Some(vec![("grpc-status", "0".to_owned())]),
        }
    }

    /// Headers alone.
    pub(crate) fn head(head: Vec<(&'static str, String)>) -> Self {
        Self {
            delay: Duration::ZERO,
            head,
            chunks: Vec::new(),
            trailers: None,
        }
    }

    /// The same with other trailers.
    pub(crate) fn trailers(self, trailers: Option<Vec<(&'static str, String)>>) -> Self {
        Self { trailers, ..self }
    }

    /// The same, cut into chunks of that size.
    pub(crate) fn in_chunks(mut self, size: usize) -> Self {
        let cut = self.chunks.iter().flat_map(|bytes| {
            let starts = (0..bytes.len()).step_by(size);
            starts.map(|start| bytes.slice(start..bytes.len().min(start + size)))
        });
        self.chunks = cut.collect();
        self
    }

    /// The same, after that time.
    pub(crate) fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }
}

/// What a server does with a call.
pub(crate) type Script = Rc<dyn Fn(&Request<RecvStream>) -> Answer>;

/// A connection to a server that does this. Must be called within a `LocalSet`.
pub(crate) async fn link(script: impl Fn(&Request<RecvStream>) -> Answer + 'static) -> Link {
    link_with(target(None), server::Builder::new(), script).await
}

/// As [`link`], for this target, with these settings of the server.
pub(crate) async fn link_with(
    target: Target,
    settings: server::Builder,
    script: impl Fn(&Request<RecvStream>) -> Answer + 'static,
) -> Link {
    let (near, far) = tokio::io::duplex(1 << 20);
    spawn_local(serve(far, settings, Rc::new(script)));
    Link::open(Box::new(near), Rc::new(target)).await.unwrap()
}

/// A target that nobody connects to.
pub(crate) fn target(token: Option<&str>) -> Target {
    let endpoint = "127.0.0.1:1".parse().unwrap();
    Target::new(endpoint, None, Duration::from_secs(10), token).unwrap()
}

async fn serve(stream: DuplexStream, settings: server::Builder, script: Script) {
    let mut connection = settings.handshake::<_, Bytes>(stream).await.unwrap();
    while let Some(Ok((request, respond))) = connection.accept().await {
        spawn_local(answer(request, respond, Rc::clone(&script)));
    }
}

async fn answer(request: Request<RecvStream>, mut respond: SendResponse<Bytes>, script: Script) {
    let Answer {
        delay,
        head,
        chunks,
        trailers,
    } = script(&request);
    let mut body = request.into_body();
    while let Some(Ok(chunk)) = body.data().await {
        let _ = body.flow_control().release_capacity(chunk.len());
    }
    sleep(delay).await;
    let mut response = Response::new(());
    *response.headers_mut() = map(&head);
    let ends = chunks.is_empty() && trailers.is_none();
    // A caller that has gone does not matter.
    let Ok(mut stream) = respond.send_response(response, ends) else {
        return;
    };
    let last = chunks.len();
    for (chunk, number) in chunks.into_iter().zip(1..) {
        let ends = number == last && trailers.is_none();
        let _ = stream.send_data(chunk, ends);
    }
    if let Some(trailers) = trailers {
        let _ = stream.send_trailers(map(&trailers));
    }
}

fn map(pairs: &[(&'static str, String)]) -> HeaderMap {
    pairs
        .iter()
        .map(|(name, value)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_str(value).unwrap(),
            )
        })
        .collect()
}
