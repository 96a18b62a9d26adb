use super::*;
use crate::wire::fake::{self, Answer};

fn frame() -> Bytes {
    frame::encode(&"question".to_owned())
}

async fn unary(answer: Answer, keep: Keep) -> Result<Reply, Failure> {
    let work = async {
        let mut link = fake::link(move |_| answer.clone()).await;
        link.unary(Rpc::Echo, frame(), keep).await
    };
    tokio::task::LocalSet::new().run_until(work).await
}

fn message(text: &str) -> Answer {
    Answer::message(&text.to_owned())
}

#[tokio::test]
async fn the_message_of_a_reply_is_kept_or_not() {
    let reply = unary(message("answer"), Keep::Message).await.unwrap();
    assert_eq!(&reply.message[2..], b"answer");
    let reply = unary(message("answer"), Keep::Size).await.unwrap();
    assert_eq!(reply.message, Bytes::new());
}

#[tokio::test]
async fn a_reply_in_many_chunks_is_one_message() {
    let long = "x".repeat(100_000);
    for size in [1_000, 3, 16_384] {
        for keep in [Keep::Message, Keep::Size] {
            let reply = unary(message(&long).in_chunks(size), keep).await.unwrap();
            let length = if keep == Keep::Message { 100_004 } else { 0 };
            assert_eq!(reply.message.len(), length, "{size}");
        }
    }
}

#[tokio::test]
async fn a_status_is_found_in_headers_and_in_trailers() {
    let status = || {
        vec![
            ("grpc-status", "8".to_owned()),
            ("grpc-message", "busy".to_owned()),
        ]
    };
    let mut head = status();
    head.push(("content-type", "application/grpc".to_owned()));
    for answer in [Answer::head(head), message("x").trailers(Some(status()))] {
        let failure = unary(answer, Keep::Size).await.unwrap_err();
        assert_eq!(failure.code(), "RESOURCE_EXHAUSTED");
        assert_eq!(failure.to_string(), "RESOURCE_EXHAUSTED: busy");
    }
}

#[tokio::test]
async fn what_is_not_grpc_is_a_failure() {
    let html = vec![("content-type", "text/html".to_owned())];
    let whole = message("answer");
    for answer in [
        Answer::head(html),
        Answer::head(Vec::new()),
        whole.clone().trailers(None),
        whole.clone().trailers(Some(Vec::new())),
        Answer::bytes(&b"\0\0\0\0\x09short"[..]),
        Answer::bytes(&b"\0\0\0\0\x01too long"[..]),
        Answer::bytes(&b"\x01\0\0\0\x01x"[..]),
        Answer::bytes(&b"\0\0"[..]),
        Answer::bytes(Bytes::new()),
    ] {
        for keep in [Keep::Message, Keep::Size] {
            let failure = unary(answer.clone(), keep).await.unwrap_err();
            assert!(
                matches!(failure, Failure::NotGrpc(_)),
                "{answer:?}: {failure:?}"
            );
        }
    }
}

#[tokio::test]
async fn calls_carry_deadline_and_token() {
    let work = async {
        let seen = Rc::new(RefCell::new(http::HeaderMap::new()));
        let script = {
            let seen = Rc::clone(&seen);
            move |request: &http::Request<RecvStream>| {
                seen.replace(request.headers().clone());
                message("answer")
            }
        };
        let target = fake::target(Some("secret"));
        let mut link = fake::link_with(target, h2::server::Builder::new(), script).await;
        link.unary(Rpc::Echo, frame(), Keep::Size).await.unwrap();
        seen.take()
    };
    let headers = tokio::task::LocalSet::new().run_until(work).await;
    for (name, value) in [
        ("authorization", "Bearer secret"),
        ("grpc-timeout", "10000m"),
        ("te", "trailers"),
        ("content-type", "application/grpc"),
    ] {
        assert_eq!(headers[name], value);
    }
}

#[tokio::test]
async fn fewer_calls_are_in_flight_than_the_peer_allows() {
    let work = async {
        let mut settings = h2::server::Builder::new();
        settings.max_concurrent_streams(4);
        let mut link = fake::link_with(fake::target(None), settings, |_| message("x")).await;
        link.unary(Rpc::Echo, frame(), Keep::Size).await.unwrap();
        link.max_in_flight()
    };
    assert_eq!(tokio::task::LocalSet::new().run_until(work).await, 3);
}

#[tokio::test]
async fn a_connection_that_is_lost_fails_its_calls_and_says_so() {
    let work = async {
        let (near, far) = tokio::io::duplex(1 << 16);
        let mut link = Link::open(Box::new(near), Rc::new(fake::target(None)))
            .await
            .unwrap();
        drop(far);
        let failure = link
            .unary(Rpc::Echo, frame(), Keep::Size)
            .await
            .unwrap_err();
        assert_eq!(failure.code(), "UNAVAILABLE");
        link.closed().await;
        assert!(link.has_ended());
    };
    tokio::task::LocalSet::new().run_until(work).await;
}
