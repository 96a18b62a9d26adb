//! What the transport says: unknown methods, messages that cannot be read, reflection, metrics,
//! the admin port.

use std::time::Duration;

use reversi_proto::v1::{self, ErrorReason};
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::transport::Channel;
use tonic::{Code, Request, Status, Streaming};
use tonic_reflection::pb::{v1 as reflection, v1alpha as reflection_alpha};

use crate::admin;
use crate::bare;
use crate::client::{soon, until};
use crate::failure::{Failure, assert_fails};
use crate::server::Api;

/// Messages as bytes.
#[derive(Debug, Default)]
struct Raw;

impl Codec for Raw {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, item: Vec<u8>, out: &mut EncodeBuf<'_>) -> Result<(), Status> {
        use prost::bytes::BufMut;
        out.put_slice(&item);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, input: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        use prost::bytes::Buf;
        let mut bytes = vec![0; input.remaining()];
        input.copy_to_slice(&mut bytes);
        Ok(Some(bytes))
    }
}

/// Calls a method with these bytes in place of a message.
pub(crate) async fn raw(channel: &Channel, path: &str, bytes: &[u8]) -> Result<Vec<u8>, Status> {
    let mut grpc = Grpc::new(channel.clone());
    grpc.ready().await.unwrap();
    let path = path.parse().unwrap();
    let response = grpc.unary(Request::new(bytes.to_vec()), path, Raw).await?;
    Ok(response.into_inner())
}

/// Calls a method that takes and answers a stream with these bytes in place of messages.
pub(crate) async fn raw_stream(
    channel: &Channel,
    path: &str,
    messages: Vec<Vec<u8>>,
) -> Streaming<Vec<u8>> {
    let mut grpc = Grpc::new(channel.clone());
    grpc.ready().await.unwrap();
    let request = Request::new(tokio_stream::iter(messages));
    let response = grpc.streaming(request, path.parse().unwrap(), Raw).await;
    response.unwrap().into_inner()
}

#[tokio::test]
async fn an_unknown_method_is_not_supported() {
    let api = Api::start().await;
    for path in [
        "/reversi.v1.GameService/Castle",
        "/reversi.v1.ChessService/PlayMove",
        "/reversi.v2.GameService/PlayMove",
        "/nothing",
    ] {
        let refused = raw(&api.channel, path, &[]).await;
        let failure = assert_fails(refused, Code::Unimplemented, ErrorReason::NotSupported);
        assert_eq!(failure.metadata["feature"], path);
    }
}

#[tokio::test]
async fn bytes_that_are_no_message_are_malformed() {
    let api = Api::start().await;
    for (path, bytes) in [
        // A string that is longer than the message.
        ("/reversi.v1.GameService/GetGame", &[0x0a, 0x7f, b'x'][..]),
        // A string that is no UTF-8.
        ("/reversi.v1.GameService/GetGame", &[0x0a, 0x01, 0xff]),
        // A string where a number is.
        ("/reversi.v1.GameService/ListGames", &[0x0a, 0x01, b'x']),
        // A group that is never closed, an end without a beginning, a field number of zero.
        ("/reversi.v1.GameService/CreateGame", &[0x0b]),
        ("/reversi.v1.GameService/CreateGame", &[0x0c]),
        ("/reversi.v1.GameService/CreateGame", &[0x00, 0x00]),
        ("/reversi.v1.AnalysisService/SuggestMove", &[0xff; 40]),
    ] {
        let refused = raw(&api.channel, path, bytes).await;
        let failure = assert_fails(
            refused,
            Code::InvalidArgument,
            ErrorReason::MalformedMessage,
        );
        assert!(failure.message.contains("cannot be read"), "{failure:?}");
    }
    // What is read is what is known: more fields do no harm.
    let more = raw(
        &api.channel,
        "/reversi.v1.GameService/ListGames",
        &[0xa0, 0x06, 1],
    )
    .await;
    assert!(more.unwrap().is_empty());
}

#[tokio::test]
async fn a_message_beyond_the_limit_is_too_large() {
    let api = Api::start().await;
    let name = "x".repeat(2 << 20);
    let refused = api.games().get_game(v1::GetGameRequest { name }).await;
    let failure = assert_fails(refused, Code::InvalidArgument, ErrorReason::TooLarge);
    assert_eq!(failure.metadata["limit"], (2 << 20).to_string());
    // The connection goes on.
    api.game().await;
}

#[tokio::test]
async fn a_compressed_message_is_not_supported() {
    let api = Api::start().await;
    let path = "/reversi.v1.RulesService/GetServerInfo";
    let mut grpc = Grpc::new(api.channel.clone());
    grpc.ready().await.unwrap();
    let mut request = Request::new(vec![]);
    request
        .metadata_mut()
        .insert("grpc-encoding", "gzip".parse().unwrap());
    let refused = grpc.unary(request, path.parse().unwrap(), Raw).await;
    assert_fails(refused, Code::Unimplemented, ErrorReason::NotSupported);
}

#[tokio::test]
async fn a_deadline_that_has_passed_is_told_with_its_reason() {
    let api = Api::start().await;
    let path = "/reversi.v1.RulesService/GetServerInfo";
    let request = v1::GetServerInfoRequest {};
    let headers = [("grpc-timeout", "0n")];
    // What is ready at once may be answered.
    if let Err(status) = bare::call(&api, path, &headers, &request).await {
        let failure = Failure::of(&status);
        let late = failure.is(Code::DeadlineExceeded, ErrorReason::DeadlineExceeded);
        assert!(late, "{failure:?}");
    }
    // A timeout that is none is no deadline.
    for timeout in ["", "soon", "1", "-1S", "999999999S"] {
        let headers = [("grpc-timeout", timeout)];
        bare::call(&api, path, &headers, &request).await.unwrap();
    }
}

#[tokio::test]
async fn reflection_lists_the_services_in_both_versions() {
    let api = Api::start().await;
    let expected = [
        "grpc.health.v1.Health",
        "grpc.reflection.v1.ServerReflection",
        "reversi.v1.AnalysisService",
        "reversi.v1.GameService",
        "reversi.v1.OpeningService",
        "reversi.v1.RulesService",
    ];

    let request = reflection::ServerReflectionRequest {
        message_request: Some(
            reflection::server_reflection_request::MessageRequest::ListServices(String::new()),
        ),
        ..Default::default()
    };
    let mut client =
        reflection::server_reflection_client::ServerReflectionClient::new(api.channel.clone());
    let mut answers = client
        .server_reflection_info(tokio_stream::iter([request]))
        .await
        .unwrap()
        .into_inner();
    let answer = soon(answers.message()).await.unwrap().unwrap();
    let Some(reflection::server_reflection_response::MessageResponse::ListServicesResponse(list)) =
        answer.message_response
    else {
        panic!("no list in {answer:?}");
    };
    let mut names: Vec<_> = list
        .service
        .into_iter()
        .map(|service| service.name)
        .collect();
    names.sort();
    assert_eq!(names, expected);

    let request = reflection_alpha::ServerReflectionRequest {
        message_request: Some(
            reflection_alpha::server_reflection_request::MessageRequest::ListServices(String::new()),
        ),
        ..Default::default()
    };
    let mut client = reflection_alpha::server_reflection_client::ServerReflectionClient::new(
        api.channel.clone(),
    );
    let mut answers = client
        .server_reflection_info(tokio_stream::iter([request]))
        .await
        .unwrap()
        .into_inner();
    let answer = soon(answers.message()).await.unwrap().unwrap();
    let Some(reflection_alpha::server_reflection_response::MessageResponse::ListServicesResponse(
        list,
    )) = answer.message_response
    else {
        panic!("no list in {answer:?}");
    };
    let names: Vec<_> = list
        .service
        .into_iter()
        .map(|service| service.name)
        .collect();
    for service in &expected[2..] {
        assert!(
            names.iter().any(|name| name == service),
            "{service} in {names:?}"
        );
    }
}

#[tokio::test]
async fn reflection_describes_a_method() {
    let api = Api::start().await;
    let request = |symbol: &str| reflection::ServerReflectionRequest {
        message_request: Some(
            reflection::server_reflection_request::MessageRequest::FileContainingSymbol(
                symbol.to_owned(),
            ),
        ),
        ..Default::default()
    };
    let mut client =
        reflection::server_reflection_client::ServerReflectionClient::new(api.channel.clone());
    let mut answers = client
        .server_reflection_info(tokio_stream::iter([request(
            "reversi.v1.GameService.PlayMove",
        )]))
        .await
        .unwrap()
        .into_inner();
    let answer = soon(answers.message()).await.unwrap().unwrap();
    let Some(reflection::server_reflection_response::MessageResponse::FileDescriptorResponse(
        files,
    )) = answer.message_response
    else {
        panic!("no file in {answer:?}");
    };
    let file: prost_types::FileDescriptorProto =
        prost::Message::decode(&files.file_descriptor_proto[0][..]).unwrap();
    assert_eq!(file.name(), "reversi/v1/game_service.proto");
}

#[tokio::test]
async fn the_admin_port_answers_probes() {
    let api = Api::start().await;
    for path in ["/livez", "/readyz"] {
        let (status, body) = admin::get(&api.server.admin_endpoint(), path).await;
        assert_eq!(
            (status.as_str(), body.as_str()),
            ("HTTP/1.1 200 OK", "ok\n"),
            "{path}"
        );
    }
    let (status, _) = admin::get(&api.server.admin_endpoint(), "/secrets").await;
    assert_eq!(status, "HTTP/1.1 404 Not Found");
}

#[tokio::test]
async fn calls_are_counted_by_their_code() {
    let api = Api::start().await;
    let game = api.game().await;
    api.play(&game, "f5").await;
    let _ = api.try_play(&game, "f5").await.unwrap_err();
    let _ = api.try_get("games/aaaaaaaaaaaaaaaaaaaa").await.unwrap_err();
    let _ = raw(&api.channel, "/who/knows", &[]).await.unwrap_err();
    let _ = raw(&api.channel, "/reversi.v1.GameService/GetGame", &[0xff])
        .await
        .unwrap_err();
    let counts = api.counts().await;
    assert_eq!(counts.ended("CreateGame", "OK"), 1.0);
    assert_eq!(counts.ended("PlayMove", "OK"), 1.0);
    assert_eq!(counts.ended("PlayMove", "Aborted"), 1.0);
    assert_eq!(counts.ended("GetGame", "NotFound"), 1.0);
    assert_eq!(counts.ended("GetGame", "Internal"), 0.0);
    assert_eq!(counts.ended("DeleteGame", "OK"), 0.0);
    assert_eq!(counts.ended("unknown", "Unimplemented"), 1.0);
    assert_eq!(counts.started("PlayMove"), 2.0);
    let play = [
        "grpc_service=\"reversi.v1.GameService\"",
        "grpc_method=\"PlayMove\"",
        "grpc_type=\"unary\"",
    ];
    let timed = counts.value("grpc_server_handling_seconds_count", &play);
    assert_eq!(timed, 2.0);
    assert_eq!(counts.value("reversi_store_available", &[]), 1.0);
    assert_eq!(counts.value("reversi_connections", &[]), 1.0);
    assert_eq!(counts.queued(), 0.0);
}

/// The code that a caller is told is the one that is counted.
#[tokio::test]
async fn a_mended_error_is_counted_as_it_is_told() {
    let api = Api::start().await;
    let path = "/reversi.v1.GameService/GetGame";
    let refused = raw(&api.channel, path, &[0xff]).await;
    assert_fails(
        refused,
        Code::InvalidArgument,
        ErrorReason::MalformedMessage,
    );
    let counts = api.counts().await;
    assert_eq!(counts.ended("GetGame", "InvalidArgument"), 1.0);
}

#[tokio::test]
async fn a_call_that_its_caller_leaves_is_counted_as_cancelled() {
    let api = Api::start().await;
    let game = api.game().await;
    let mut watch = api.watch(&game.name, "").await;
    watch.snapshot().await;
    drop(watch);
    until(async || api.counts().await.ended("WatchGame", "Canceled") == 1.0).await;
}

#[tokio::test]
async fn a_stream_is_counted_by_the_code_at_its_end() {
    let api = Api::start().await;
    let game = api.game().await;
    let mut watch = api.watch(&game.name, "").await;
    watch.snapshot().await;
    api.delete(&game.name).await.unwrap();
    watch.event().await;
    assert!(watch.next().await.is_none());
    assert_eq!(api.counts().await.ended("WatchGame", "OK"), 1.0);
}

#[tokio::test]
async fn a_watch_ends_at_its_deadline_with_the_reason() {
    let api = Api::start().await;
    let game = api.game().await;
    let mut request = Request::new(v1::WatchGameRequest {
        name: game.name,
        ..Default::default()
    });
    request.set_timeout(Duration::from_millis(200));
    let mut stream = api.games().watch_game(request).await.unwrap().into_inner();
    assert!(soon(stream.message()).await.unwrap().is_some());
    let ended = soon(stream.message()).await;
    assert_fails(ended, Code::DeadlineExceeded, ErrorReason::DeadlineExceeded);
}

/// Clients of some languages take metadata of 8 KiB at most.
#[tokio::test]
async fn an_error_fits_into_the_headers_that_every_client_takes() {
    let api = Api::start().await;
    let names = (0..500).map(|index| format!("{index:60}")).collect();
    let refused = api
        .games()
        .batch_get_games(v1::BatchGetGamesRequest { names })
        .await;
    let status = refused.unwrap_err();
    let failure = Failure::of(&status);
    assert!(
        failure.is(Code::InvalidArgument, ErrorReason::MalformedName),
        "{status:?}"
    );
    assert!(failure.fields.len() >= 10, "{}", failure.fields.len());
    let encoded = status.details().len() * 4 / 3 + 3 * status.message().len();
    assert!(encoded < 7 << 10, "{encoded} bytes");
}
