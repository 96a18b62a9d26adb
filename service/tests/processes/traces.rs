//! Traces as a collector receives them, and the names of calls.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::trace::v1::Span;
use reversi_proto::v1::suggest_move_request::Subject;
use reversi_proto::v1::{self};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};
use tonic_types::StatusExt;

use crate::client::until;
use crate::process::Process;
use crate::redis_server::RedisServer;

/// A collector that keeps what it is sent.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Vec<Span>>>);

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        for resource in request.into_inner().resource_spans {
            let attributes = resource.resource.unwrap().attributes;
            let service = attributes.iter().find(|kv| kv.key == "service.name");
            assert!(format!("{service:?}").contains("reversi-service"));
            let spans = resource.scope_spans.into_iter().flat_map(|s| s.spans);
            self.0.lock().unwrap().extend(spans);
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

impl Collector {
    async fn start(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tonic::transport::Server::builder()
            .add_service(TraceServiceServer::new(self.clone()))
            .serve_with_incoming(TcpListenerStream::new(listener));
        tokio::spawn(serving);
        format!("http://{address}")
    }

    fn named(&self, name: &str) -> Option<Span> {
        let spans = self.0.lock().unwrap();
        spans.iter().find(|span| span.name == name).cloned()
    }

    async fn wait_for(&self, name: &str) -> Span {
        until(async || self.named(name).is_some()).await;
        self.named(name).unwrap()
    }

    fn children(&self, parent: &Span) -> Vec<Span> {
        let spans = self.0.lock().unwrap();
        let of_parent = |span: &&Span| span.parent_span_id == parent.span_id;
        spans.iter().filter(of_parent).cloned().collect()
    }
}

fn attributes(span: &Span) -> BTreeMap<String, String> {
    let attributes = span.attributes.iter();
    attributes
        .map(|kv| (kv.key.clone(), format!("{:?}", kv.value)))
        .collect()
}

#[tokio::test]
async fn a_call_is_a_span_of_the_callers_trace_with_what_it_asked_below_it() {
    let Some(redis) = RedisServer::start() else {
        return;
    };
    let collector = Collector::default();
    let endpoint = collector.start().await;
    let process = Process::start(&[
        "--store",
        &redis.url(),
        "--otlp-endpoint",
        &endpoint,
        "--trace-share",
        "0",
    ])
    .await;
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let traced = |message| {
        let mut request = Request::new(message);
        let parent = format!("00-{trace}-00f067aa0ba902b7-01");
        let metadata = request.metadata_mut();
        metadata.insert("traceparent", parent.parse().unwrap());
        request
    };
    // Nobody has asked for this one to be traced.
    let untraced = process
        .rules()
        .get_server_info(v1::GetServerInfoRequest {})
        .await;
    untraced.unwrap();
    let created = process
        .games()
        .create_game(traced(v1::CreateGameRequest::default()))
        .await;
    let name = created.unwrap().into_inner().game.unwrap().name;
    let suggest = v1::SuggestMoveRequest {
        subject: Some(Subject::Game(name)),
        budget: Some(v1::Budget {
            depth: 3,
            ..Default::default()
        }),
        ..Default::default()
    };
    let mut request = Request::new(suggest);
    let parent = format!("00-{trace}-00f067aa0ba902b7-01");
    let metadata = request.metadata_mut();
    metadata.insert("traceparent", parent.parse().unwrap());
    process.analysis().suggest_move(request).await.unwrap();

    let created = collector
        .wait_for("reversi.v1.GameService/CreateGame")
        .await;
    assert_eq!(created.trace_id, hex(trace));
    assert_eq!(created.parent_span_id, hex("00f067aa0ba902b7"));
    let said = attributes(&created);
    assert!(said["rpc.system"].contains("grpc"), "{said:?}");
    assert!(said["rpc.method"].contains("CreateGame"), "{said:?}");
    assert!(said.contains_key("rpc.grpc.status_code"), "{said:?}");
    let below = collector.children(&created);
    assert!(below.iter().any(|span| span.name == "EVALSHA"), "{below:?}");
    let suggested = collector
        .wait_for("reversi.v1.AnalysisService/SuggestMove")
        .await;
    let mut below: Vec<String> = collector
        .children(&suggested)
        .into_iter()
        .map(|span| span.name)
        .collect();
    below.sort();
    assert_eq!(below, ["GET", "compute"]);
    let untraced = collector.named("reversi.v1.RulesService/GetServerInfo");
    assert_eq!(untraced, None);
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap())
        .collect()
}

#[tokio::test]
async fn calls_go_on_while_there_is_no_collector_and_the_log_says_so() {
    let flags = [
        "--otlp-endpoint",
        "http://127.0.0.1:1",
        "--trace-share",
        "1",
    ];
    let mut process = Process::start(&flags).await;
    for _ in 0..100 {
        let mut rules = process.rules();
        let asked = rules.list_legal_moves(v1::ListLegalMovesRequest::default());
        asked.await.unwrap();
    }
    let told = process.logged("traces are lost").await;
    assert_eq!(told["endpoint"], "http://127.0.0.1:1");
}

#[tokio::test]
async fn a_call_has_a_name_in_its_answer_and_in_its_error() {
    let process = Process::start(&[]).await;
    let mut request = Request::new(v1::ListLegalMovesRequest::default());
    request
        .metadata_mut()
        .insert("x-request-id", "mine-1".parse().unwrap());
    let answer = process.rules().list_legal_moves(request).await.unwrap();
    assert_eq!(answer.metadata().get("x-request-id").unwrap(), "mine-1");

    let mut request = Request::new(v1::GetGameRequest {
        name: "games/aaaaaaaaaaaaaaaaaaaa".to_owned(),
    });
    request
        .metadata_mut()
        .insert("x-request-id", "mine-2".parse().unwrap());
    let failed = process.games().get_game(request).await.unwrap_err();
    let told = failed.get_error_details().request_info().cloned().unwrap();
    assert_eq!(told.request_id, "mine-2");

    let unnamed = v1::GetGameRequest {
        name: "games/aaaaaaaaaaaaaaaaaaaa".to_owned(),
    };
    let failed = process.games().get_game(unnamed).await.unwrap_err();
    let told = failed.get_error_details().request_info().cloned().unwrap();
    assert_eq!(
        failed.metadata().get("x-request-id").unwrap(),
        told.request_id.as_str()
    );
}
